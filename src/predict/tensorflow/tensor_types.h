// TensorFlow's numbers for types of elements (TF_DataType), and ours.
#pragma once

#include <array>
#include <optional>
#include <utility>

#include "predict/tensor.h"

namespace fireweed::predict {

inline constexpr std::array<std::pair<int, DataType>, 12> kTensorFlowTypes{{
    {1, DataType::kFloat},
    {2, DataType::kDouble},
    {3, DataType::kInt32},
    {4, DataType::kUint8},
    {5, DataType::kInt16},
    {6, DataType::kInt8},
    {7, DataType::kString},
    {9, DataType::kInt64},
    {10, DataType::kBool},
    {17, DataType::kUint16},
    {22, DataType::kUint32},
    {23, DataType::kUint64},
}};

inline std::optional<DataType> FromTensorFlow(int type) {
  for (auto [number, ours] : kTensorFlowTypes) {
    if (number == type) return ours;
  }
  return std::nullopt;
}

// 0 for what TensorFlow does not have.
inline int ToTensorFlow(DataType type) {
  for (auto [number, ours] : kTensorFlowTypes) {
    if (ours == type) return number;
  }
  return 0;
}

}  // namespace fireweed::predict
