// A dense block of values of one type, row-major; the first dimension counts instances where the signature says so.
// A plain value: whoever holds it owns it, no thread rules beyond that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace fireweed::predict {

enum class DataType {
  kFloat,
  kDouble,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kBool,
  kString,  // bytes of any kind
  kJson,    // JSON text, one value an element: for engines that take values of any shape
};

// Bytes of one element; 0 for kString and kJson.
size_t SizeOf(DataType type);
// As KServe spells it ("FP32"); kJson is "BYTES".
std::string_view KserveName(DataType type);
// As TensorFlow spells it ("DT_FLOAT").
std::string_view TensorFlowName(DataType type);

// "[2,14]"; -1 is any size.
std::string ShapeText(const std::vector<int64_t>& shape);

struct Tensor {
  DataType type = DataType::kFloat;
  std::vector<int64_t> shape;
  std::vector<std::byte> bytes;    // of fixed-size types
  std::vector<std::string> texts;  // of kString and kJson

  int64_t elements() const;
  // Elements of one instance. REQUIRES: the shape has a first dimension.
  int64_t row_elements() const;

  template <class T>
  void Push(T value) {
    size_t at = bytes.size();
    bytes.resize(at + sizeof value);
    std::memcpy(bytes.data() + at, &value, sizeof value);
  }
  template <class T>
  T At(int64_t index) const {
    T value;
    std::memcpy(&value, bytes.data() + static_cast<size_t>(index) * sizeof value, sizeof value);
    return value;
  }

  // Whether instances of `other` can stand behind those of this one.
  bool Joins(const Tensor& other) const;
  // REQUIRES: Joins(other).
  void Append(const Tensor& other);
  // Instances [first, first + count). REQUIRES: they exist.
  Tensor Rows(int64_t first, int64_t count) const;
};

}  // namespace fireweed::predict
