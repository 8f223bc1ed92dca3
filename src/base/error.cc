#include "base/error.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

namespace fireweed {

std::string_view CodeName(Code code) {
  switch (code) {
    case Code::kInvalid: return "invalid";
    case Code::kUnauthenticated: return "unauthenticated";
    case Code::kDenied: return "denied";
    case Code::kNotFound: return "not_found";
    case Code::kGone: return "gone";
    case Code::kExists: return "exists";
    case Code::kPrecondition: return "precondition";
    case Code::kNotModified: return "not_modified";
    case Code::kRange: return "range";
    case Code::kTooLarge: return "too_large";
    case Code::kExhausted: return "exhausted";
    case Code::kUnavailable: return "unavailable";
    case Code::kCancelled: return "cancelled";
    case Code::kInternal: return "internal";
  }
  return "internal";
}

Error ErrnoError(int error_number, std::string_view what) {
  Code code = Code::kInternal;
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
      // The reason makes net/ answer with a status that clients do not retry.
      return Error{Code::kExhausted, "quotaExceeded",
                   fmt::format("{}: {}", what, std::strerror(error_number))};
    case ENOENT: code = Code::kNotFound; break;
    case EEXIST: code = Code::kExists; break;
    case EACCES:
    case EPERM: code = Code::kDenied; break;
    default: break;
  }
  return Error{code, "", fmt::format("{}: {}", what, std::strerror(error_number))};
}

void Abort(std::string_view message) {
  std::fprintf(stderr, "fireweed: broken invariant: %.*s\n", static_cast<int>(message.size()),
               message.data());
  std::abort();
}

}  // namespace fireweed
