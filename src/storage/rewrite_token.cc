#include "storage/rewrite_token.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/error.h"
#include "storage/compact_form.h"

namespace fireweed::storage {
namespace {

constexpr uint64_t kTokenKind = 3;  // page tokens are 1 and 2
constexpr int64_t kStep = 1 << 20;
constexpr size_t kMostRewrites = 1024;

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

int64_t RewriteCalls::Reached(const std::string& token, int64_t least) const {
  return book_.With([&](const Book& book) {
    auto found = book.reached.find(token);
    return found == book.reached.end() ? least : std::max(least, found->second);
  });
}

void RewriteCalls::Note(const std::string& token, int64_t reached) {
  book_.With([&](Book& book) {
    if (book.reached.insert_or_assign(token, reached).second) book.oldest_first.push_back(token);
    if (book.oldest_first.size() <= kMostRewrites) return;
    book.reached.erase(book.oldest_first.front());
    book.oldest_first.pop_front();
  });
}

}  // namespace fireweed::storage
