#include "storage/rewrite_token.h"

#include "base/bytes.h"
#include "base/error.h"
#include "storage/compact_form.h"

namespace fireweed::storage {
namespace {

constexpr uint64_t kTokenKind = 3;  // page tokens are 1 and 2
constexpr int64_t kStep = 1 << 20;

}  // namespace

std::string EncodeRewriteToken(const RewriteProgress& progress) {
  CompactWriter out;
  out.Number(kTokenKind);
  out.Text(progress.source);
  out.Text(progress.destination);
  out.Number(static_cast<uint64_t>(progress.source_generation));
  out.Number(static_cast<uint64_t>(progress.rewritten));
  return Base64Encode(out.Take(), Base64::kUrl);
}

RewriteProgress DecodeRewriteToken(std::string_view token) {
  std::optional<std::string> bytes = Base64Decode(token);
  try {
    if (bytes) {
      CompactReader in(*bytes);
      if (in.Number() == kTokenKind) {
        RewriteProgress progress;
        progress.source = in.Text();
        progress.destination = in.Text();
        progress.source_generation = static_cast<int64_t>(in.Number());
        progress.rewritten = static_cast<int64_t>(in.Number());
        if (in.done() && progress.rewritten >= 0) return progress;
      }
    }
  } catch (const Failure&) {
    // Cut short: refused below like any other text that is no token.
  }
  throw Failure(Code::kInvalid, "invalid", "Invalid rewrite token.");
}

std::optional<int64_t> RewrittenAfter(int64_t before, const std::optional<int64_t>& most,
                                      int64_t size) {
  if (!most) return std::nullopt;
  if (*most < kStep || *most % kStep != 0) {
    throw Failure(Code::kInvalid, "invalid",
                  "maxBytesRewrittenPerCall must be an integral multiple of 1 MiB (1048576).");
  }
  if (before >= size || *most >= size - before) return std::nullopt;
  return before + *most;
}

}  // namespace fireweed::storage
