#include "predict/element.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"

namespace fireweed::predict {
namespace {

std::string_view KindOf(Scalar::Kind kind) {
  switch (kind) {
    case Scalar::Kind::kArray: return "an array";
    case Scalar::Kind::kObject: return "an object";
    case Scalar::Kind::kInteger:
    case Scalar::Kind::kUnsigned:
    case Scalar::Kind::kReal: return "a number";
    case Scalar::Kind::kText:
    case Scalar::Kind::kBytes: return "a string";
    case Scalar::Kind::kBoolean: return "a boolean";
    case Scalar::Kind::kNull: return "null";
  }
  return "something else";
}

[[noreturn]] void RefuseKind(const Scalar& scalar, std::string_view wanted, const Place& place) {
  place.Refuse(fmt::format("{} stands where {} is needed", KindOf(scalar.kind), wanted));
}

double RealOf(const Scalar& scalar, const Place& place) {
  switch (scalar.kind) {
    case Scalar::Kind::kReal: return scalar.real;
    case Scalar::Kind::kInteger: return static_cast<double>(scalar.integer);
    case Scalar::Kind::kUnsigned: return static_cast<double>(scalar.unsigned_integer);
    case Scalar::Kind::kNull:
      if (place.input->null_is_missing) return std::numeric_limits<double>::quiet_NaN();
      [[fallthrough]];
    default: RefuseKind(scalar, "a number", place);
  }
}

void PushFloat(const Scalar& scalar, Tensor& tensor, const Place& place) {
  double wide = RealOf(scalar, place);
  bool fits = !(std::abs(wide) > std::numeric_limits<float>::max());
  float narrow = fits ? static_cast<float>(wide) : 0;
  if (!fits) place.Refuse("a number is too large for a float");
  tensor.Push<float>(narrow);
}

template <class T>
void PushInteger(const Scalar& scalar, Tensor& tensor, const Place& place) {
  bool fits = false;
  T narrow{};
  if (scalar.kind == Scalar::Kind::kInteger) {
    fits = std::in_range<T>(scalar.integer);
    narrow = static_cast<T>(scalar.integer);
  } else if (scalar.kind == Scalar::Kind::kUnsigned) {
    fits = std::in_range<T>(scalar.unsigned_integer);
    narrow = static_cast<T>(scalar.unsigned_integer);
  } else if (scalar.kind != Scalar::Kind::kReal) {
    RefuseKind(scalar, "a whole number", place);
  }
  if (!fits) place.Refuse(fmt::format("a number does not fit {}", TensorFlowName(tensor.type)));
  tensor.Push<T>(narrow);
}

}  // namespace

void Place::Refuse(std::string_view what) const {
  std::string where;
  if (instance >= 0) where += fmt::format("instance {}: ", instance);
  if (input != nullptr) where += fmt::format("input '{}': ", input->name);
  throw Failure(Code::kInvalid, where + std::string(what));
}

void PushScalar(const Scalar& scalar, Tensor& tensor, const Place& place) {
  switch (tensor.type) {
    case DataType::kFloat: return PushFloat(scalar, tensor, place);
    case DataType::kDouble: return tensor.Push<double>(RealOf(scalar, place));
    case DataType::kInt8: return PushInteger<int8_t>(scalar, tensor, place);
    case DataType::kInt16: return PushInteger<int16_t>(scalar, tensor, place);
    case DataType::kInt32: return PushInteger<int32_t>(scalar, tensor, place);
    case DataType::kInt64: return PushInteger<int64_t>(scalar, tensor, place);
    case DataType::kUint8: return PushInteger<uint8_t>(scalar, tensor, place);
    case DataType::kUint16: return PushInteger<uint16_t>(scalar, tensor, place);
    case DataType::kUint32: return PushInteger<uint32_t>(scalar, tensor, place);
    case DataType::kUint64: return PushInteger<uint64_t>(scalar, tensor, place);
    case DataType::kBool:
      if (scalar.kind != Scalar::Kind::kBoolean) RefuseKind(scalar, "true or false", place);
      return tensor.Push<uint8_t>(scalar.truth ? 1 : 0);
    case DataType::kString:
      if (scalar.kind != Scalar::Kind::kText && scalar.kind != Scalar::Kind::kBytes) {
        RefuseKind(scalar, "a string", place);
      }
      tensor.texts.emplace_back(scalar.text);
      return;
    case DataType::kJson: break;
  }
  place.Refuse("an input that takes JSON has no elements");
}

}  // namespace fireweed::predict
