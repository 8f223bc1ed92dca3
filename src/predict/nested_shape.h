// The shape of nested arrays, learned while they are read: every array at one depth must have one length, every value
// one depth. One thread; no failure but the text it gives back.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace fireweed::predict {

class NestedShape {
 public:
  static constexpr int kMostRank = 8;

  // A value, or the end of an array with `count` elements, `depth` arrays deep. Empty text: it fits; else what is
  // wrong.
  std::string Value(int depth);
  std::string EndOfArray(int depth, int64_t count);

  // Once something was seen.
  std::vector<int64_t> Dimensions() const;

 private:
  std::array<int64_t, kMostRank> sizes_ = {-1, -1, -1, -1, -1, -1, -1, -1};
  int rank_ = -1;
};

// Whether a shape as seen fits one as wanted (-1: any size).
bool Fits(const std::vector<int64_t>& seen, const std::vector<int64_t>& wanted, size_t from);

// JSON's nested arrays of the shape from dimension `from` on, made of the texts from `next` on.
std::string NestedText(const std::vector<std::string>& texts, size_t& next,
                       const std::vector<int64_t>& shape, size_t from);

}  // namespace fireweed::predict
