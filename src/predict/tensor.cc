#include "predict/tensor.h"

#include <algorithm>
#include <array>

namespace fireweed::predict {
namespace {

struct TypeWords {
  DataType type;
  size_t size;
  std::string_view kserve, tensorflow;
};

constexpr std::array<TypeWords, 13> kTypes{{
    {DataType::kFloat, 4, "FP32", "DT_FLOAT"},
    {DataType::kDouble, 8, "FP64", "DT_DOUBLE"},
    {DataType::kInt8, 1, "INT8", "DT_INT8"},
    {DataType::kInt16, 2, "INT16", "DT_INT16"},
    {DataType::kInt32, 4, "INT32", "DT_INT32"},
    {DataType::kInt64, 8, "INT64", "DT_INT64"},
    {DataType::kUint8, 1, "UINT8", "DT_UINT8"},
    {DataType::kUint16, 2, "UINT16", "DT_UINT16"},
    {DataType::kUint32, 4, "UINT32", "DT_UINT32"},
    {DataType::kUint64, 8, "UINT64", "DT_UINT64"},
    {DataType::kBool, 1, "BOOL", "DT_BOOL"},
    {DataType::kString, 0, "BYTES", "DT_STRING"},
    {DataType::kJson, 0, "BYTES", "DT_VARIANT"},
}};

const TypeWords& WordsOf(DataType type) { return kTypes[static_cast<size_t>(type)]; }

int64_t Product(const std::vector<int64_t>& shape, size_t from) {
  int64_t product = 1;
  for (size_t i = from; i < shape.size(); ++i) product *= shape[i];
  return product;
}

}  // namespace

size_t SizeOf(DataType type) { return WordsOf(type).size; }
std::string_view KserveName(DataType type) { return WordsOf(type).kserve; }
std::string_view TensorFlowName(DataType type) { return WordsOf(type).tensorflow; }

std::string ShapeText(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ',';
    text += std::to_string(shape[i]);
  }
  return text + "]";
}

int64_t Tensor::elements() const { return Product(shape, 0); }
int64_t Tensor::row_elements() const { return Product(shape, 1); }

bool Tensor::Joins(const Tensor& other) const {
  return type == other.type && !shape.empty() && shape.size() == other.shape.size() &&
         std::equal(shape.begin() + 1, shape.end(), other.shape.begin() + 1);
}

void Tensor::Append(const Tensor& other) {
  shape[0] += other.shape[0];
  bytes.insert(bytes.end(), other.bytes.begin(), other.bytes.end());
  texts.insert(texts.end(), other.texts.begin(), other.texts.end());
}

Tensor Tensor::Rows(int64_t first, int64_t count) const {
  Tensor part{type, shape, {}, {}};
  part.shape[0] = count;
  int64_t begin = first * row_elements(), end = (first + count) * row_elements();
  if (size_t size = SizeOf(type); size > 0) {
    part.bytes.assign(bytes.begin() + begin * static_cast<int64_t>(size),
                      bytes.begin() + end * static_cast<int64_t>(size));
  } else {
    part.texts.assign(texts.begin() + begin, texts.begin() + end);
  }
  return part;
}

}  // namespace fireweed::predict
