#include "predict/nested_shape.h"

#include <algorithm>

#include <fmt/format.h>

namespace fireweed::predict {

std::string NestedShape::Value(int depth) {
  bool arrays = depth < kMostRank && sizes_[static_cast<size_t>(depth)] != -1;
  if (arrays) return fmt::format("a value stands where others have arrays, {} deep", depth);
  if (rank_ == -1) rank_ = depth;
  if (rank_ == depth) return "";
  return fmt::format("a value stands {} arrays deep where others stand {} deep", depth, rank_);
}

std::string NestedShape::EndOfArray(int depth, int64_t count) {
  if (rank_ != -1 && depth >= rank_) {
    return fmt::format("an array stands {} arrays deep where others hold values", depth);
  }
  int64_t& size = sizes_[static_cast<size_t>(depth)];
  if (size == -1) size = count;
  if (size == count) return "";
  return fmt::format("an array has {} elements where others have {}", count, size);
}

std::vector<int64_t> NestedShape::Dimensions() const {
  std::vector<int64_t> shape;
  for (int depth = 0; depth < kMostRank; ++depth) {
    int64_t size = sizes_[static_cast<size_t>(depth)];
    if (size == -1 || (rank_ != -1 && depth >= rank_)) break;
    shape.push_back(size);
  }
  return shape;
}

bool Fits(const std::vector<int64_t>& seen, const std::vector<int64_t>& wanted, size_t from) {
  if (seen.size() + from != wanted.size()) return false;
  for (size_t i = 0; i < seen.size(); ++i) {
    if (wanted[i + from] != -1 && wanted[i + from] != seen[i]) return false;
  }
  return true;
}

std::string NestedText(const std::vector<std::string>& texts, size_t& next,
                       const std::vector<int64_t>& shape, size_t from) {
  if (from == shape.size()) return texts[next++];
  std::string text = "[";
  for (int64_t i = 0; i < shape[from]; ++i) {
    if (i > 0) text += ',';
    text += NestedText(texts, next, shape, from + 1);
  }
  return text + "]";
}

}  // namespace fireweed::predict
