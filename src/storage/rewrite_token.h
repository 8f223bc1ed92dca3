// A rewrite in several calls, as Google makes one when bytes move to another place or class and the
// client limits each call. Tokens are pure; RewriteCalls may be used from any thread.
//
// Bytes are shared here, so there is nothing to carry over: the calls count up, and the last one
// makes the object. One token stands for the whole rewrite, since gsutil keeps the first it gets:
// it says how far the first call came, and RewriteCalls how far the calls since. A source that was
// replaced meanwhile makes the token worthless.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/guarded.h"

namespace fireweed::storage {

struct RewriteProgress {
  std::string source, destination;  // "bucket/name"
  int64_t source_generation = 0;
  int64_t rewritten = 0;  // bytes after the first call

  friend bool operator==(const RewriteProgress&, const RewriteProgress&) = default;
};

std::string EncodeRewriteToken(const RewriteProgress& progress);
// Throws Failure(kInvalid) on text that is no token.
RewriteProgress DecodeRewriteToken(std::string_view token);

// How far a call gets that may rewrite `most` bytes of `size`; nothing when that is all of them.
// Throws Failure(kInvalid) on a limit that is no multiple of 1 MiB.
std::optional<int64_t> RewrittenAfter(int64_t before, const std::optional<int64_t>& most,
                                      int64_t size);

// How far the calls of recent rewrites came. Forgetting one costs nothing but calls.
class RewriteCalls {
 public:
  int64_t Reached(const std::string& token, int64_t least) const;
  void Note(const std::string& token, int64_t reached);

 private:
  struct Book {
    std::map<std::string, int64_t> reached;
    std::deque<std::string> oldest_first;
  };
  Guarded<Book> book_;
};

}  // namespace fireweed::storage
