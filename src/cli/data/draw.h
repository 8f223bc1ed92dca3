// Random values of the shapes that made data is drawn from. Repeatable on every machine: nothing of the standard
// library's distributions, whose results are not specified.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/random.h"

namespace fireweed::cli {

struct Choice {
  std::string_view value;
  int weight;
};

class Draw {
 public:
  explicit Draw(Random& random) : random_(random) {}

  double Uniform();  // in [0, 1)
  double Normal(double mean, double deviation);
  uint8_t Byte();
  bool Chance(double probability) { return Uniform() < probability; }
  std::string_view Of(std::span<const Choice> choices);
  // A value from a table of quantiles, evenly spaced, with straight lines between them.
  double Quantile(std::span<const double> table);

 private:
  Random& random_;
  uint64_t bytes_ = 0;  // what Byte has left of its last draw
  int left_ = 0;
};

}  // namespace fireweed::cli
