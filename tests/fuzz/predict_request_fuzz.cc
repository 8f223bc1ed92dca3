// Prediction requests: the first byte picks the protocol and the signature, the rest is the body.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "predict/request_reader.h"

namespace {

using fireweed::predict::DataType;
using fireweed::predict::Signature;
using fireweed::predict::TensorSpec;

Signature Made(DataType type, std::vector<int64_t> shape, int inputs) {
  Signature signature;
  signature.name = "s";
  for (int i = 0; i < inputs; ++i) {
    TensorSpec spec;
    spec.name = i == 0 ? "x" : "y";
    spec.type = type;
    spec.shape = shape;
    spec.any_rank = shape.empty();
    spec.null_is_missing = true;
    if (type == DataType::kFloat && inputs == 1) spec.features = {"a", "b"};
    signature.inputs.push_back(spec);
  }
  return signature;
}

void CheckTensors(const fireweed::predict::Inputs& inputs) {
  for (const auto& tensor : inputs.tensors) {
    size_t size = SizeOf(tensor.type);
    size_t have = size > 0 ? tensor.bytes.size() / size : tensor.texts.size();
    if (static_cast<size_t>(tensor.elements()) != have) fireweed::Abort("shape and values differ");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  if (size == 0) return 0;
  std::string_view body(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  static const std::vector<Signature> kSignatures[] = {
      {Made(DataType::kFloat, {-1, 2}, 1)},  {Made(DataType::kString, {-1}, 1)},
      {Made(DataType::kInt64, {-1, -1}, 2)}, {Made(DataType::kJson, {-1}, 1)},
      {Made(DataType::kDouble, {}, 1)},      {Made(DataType::kBool, {-1, 1}, 2)},
  };
  const std::vector<Signature>& signatures = kSignatures[(bytes[0] >> 1) % 6];
  fireweed::predict::RequestReader reader(64);
  try {
    if (bytes[0] & 1) {
      CheckTensors(reader.ReadInfer(body, signatures).inputs);
    } else {
      CheckTensors(reader.ReadPredict(body, signatures).inputs);
    }
  } catch (const fireweed::Failure&) {
  }
  return 0;
}
