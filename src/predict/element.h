// One JSON scalar into a tensor, by the tensor's type. Pure; refusals throw Failure kInvalid that says where.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "predict/engine.h"
#include "predict/nested_shape.h"

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

// One input while its instances are read.
struct Column {
  const TensorSpec* spec = nullptr;
  NestedShape shape;
  Tensor tensor;
  int64_t rows = 0;

  // The dimensions of one instance, once one was read. A scalar stands for an array of one.
  std::vector<int64_t> Inner(const Place& place) const;
};

}  // namespace fireweed::predict
