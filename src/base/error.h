// What went wrong, in the vocabulary that every layer shares. One Code per thing a caller can do about it;
// net/ maps a Code to an HTTP status and a Google `reason` in one table.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace fireweed {

enum class Code {
  kInvalid,          // the request is wrong; the same request will always be wrong
  kUnauthenticated,  // no valid credential
  kDenied,           // a valid credential without the permission
  kNotFound,
  kGone,
  kExists,
  kPrecondition,  // a condition the caller stated does not hold
  kNotModified,
  kRange,      // a byte range outside the object
  kTooLarge,   // over a stated limit
  kExhausted,  // quota, disk or connections used up
  kUnavailable,
  kCancelled,
  kInternal,
};

std::string_view CodeName(Code code);

struct Error {
  Code code = Code::kInternal;
  std::string reason;   // as on the wire ("conditionNotMet"); empty means the code's usual one
  std::string message;  // safe to show to whoever asked

  friend bool operator==(const Error&, const Error&) = default;
};

// The exception form, for places where the only thing left is to tell the requester. Caught once per entry
// point: HTTP dispatch, control loop, action, thread main, main.
class Failure : public std::exception {
 public:
  explicit Failure(Error error) : error_(std::move(error)) {}
  Failure(Code code, std::string message) : error_{code, "", std::move(message)} {}
  Failure(Code code, std::string reason, std::string message)
      : error_{code, std::move(reason), std::move(message)} {}

  const Error& error() const { return error_; }
  const char* what() const noexcept override { return error_.message.c_str(); }

 private:
  Error error_;
};

// An Error for the errno of a failed system call: ENOSPC and EDQUOT are kExhausted, ENOENT kNotFound, EEXIST
// kExists, EACCES and EPERM kDenied, anything else kInternal.
Error ErrnoError(int error_number, std::string_view what);

// Ends the process with a message on standard error: a broken invariant, never bad input.
[[noreturn]] void Abort(std::string_view message);

}  // namespace fireweed
