// A value or an Error, for calls whose both outcomes are stored or retried (drivers, blobs, RPC).
#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "base/error.h"

namespace fireweed {

struct Done {
  friend bool operator==(Done, Done) = default;
};

template <class T = Done>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}
  Result(Code code, std::string message) : Result(Error{code, "", std::move(message)}) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // Throws Failure when there is no value: the one way from Result to exception.
  T& value() & {
    if (!ok()) throw Failure(std::get<1>(state_));
    return std::get<0>(state_);
  }
  const T& value() const& { return const_cast<Result*>(this)->value(); }
  T value() && { return std::move(value()); }

  // REQUIRES: !ok().
  const Error& error() const {
    if (ok()) Abort("Result::error() of a success");
    return std::get<1>(state_);
  }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::variant<T, Error> state_;
};

}  // namespace fireweed
