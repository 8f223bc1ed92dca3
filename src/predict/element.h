// One JSON scalar into a tensor, by the tensor's type. Pure; refusals throw Failure kInvalid that says where.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "predict/engine.h"

namespace fireweed::predict {

// Where a value stands, for messages: "instance 3: input 'x': ".
struct Place {
  int64_t instance = -1;
  const TensorSpec* input = nullptr;

  [[noreturn]] void Refuse(std::string_view what) const;
};

struct Scalar {
  enum class Kind { kArray, kObject, kInteger, kUnsigned, kReal, kText, kBytes, kBoolean, kNull };
  Kind kind = Kind::kNull;
  bool truth = false;
  int64_t integer = 0;
  uint64_t unsigned_integer = 0;  // of kUnsigned: above the largest integer
  double real = 0;                // of kReal
  std::string_view text;          // of kText and kBytes
};

void PushScalar(const Scalar& scalar, Tensor& tensor, const Place& place);

}  // namespace fireweed::predict
