// A rewrite in several calls, as Google makes one when bytes move to another place or class and the
// client limits each call. Pure.
//
// Bytes are shared here, so there is nothing to carry over: the calls count up, and the last one
// makes the object. Whoever resumes a rewrite after a break goes on where the token says, and a
// source that was replaced meanwhile makes the token worthless.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fireweed::storage {

struct RewriteProgress {
  std::string source, destination;  // "bucket/name"
  int64_t source_generation = 0;
  int64_t rewritten = 0;  // bytes so far

  friend bool operator==(const RewriteProgress&, const RewriteProgress&) = default;
};

std::string EncodeRewriteToken(const RewriteProgress& progress);
// Throws Failure(kInvalid) on text that is no token.
RewriteProgress DecodeRewriteToken(std::string_view token);

// How far a call gets that may rewrite `most` bytes of `size`; nothing when that is all of them.
// Throws Failure(kInvalid) on a limit that is no multiple of 1 MiB.
std::optional<int64_t> RewrittenAfter(int64_t before, const std::optional<int64_t>& most,
                                      int64_t size);

}  // namespace fireweed::storage
