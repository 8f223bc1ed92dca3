#include "cli/data/draw.h"

#include <cmath>
#include <numbers>

namespace fireweed::cli {

double Draw::Uniform() { return static_cast<double>(random_.Next64() >> 11) * 0x1p-53; }

double Draw::Normal(double mean, double deviation) {
  double radius = std::sqrt(-2 * std::log(1 - Uniform()));
  return mean + deviation * radius * std::cos(2 * std::numbers::pi * Uniform());
}

uint8_t Draw::Byte() {
  if (left_ == 0) {
    bytes_ = random_.Next64();
    left_ = 8;
  }
  uint8_t byte = static_cast<uint8_t>(bytes_);
  bytes_ >>= 8;
  --left_;
  return byte;
}

std::string_view Draw::Of(std::span<const Choice> choices) {
  int total = 0;
  for (const Choice& choice : choices) total += choice.weight;
  int at = static_cast<int>(Uniform() * total);
  for (const Choice& choice : choices) {
    at -= choice.weight;
    if (at < 0) return choice.value;
  }
  return choices.back().value;
}

double Draw::Quantile(std::span<const double> table) {
  double place = Uniform() * static_cast<double>(table.size() - 1);
  size_t below = static_cast<size_t>(place);
  return table[below] + (place - static_cast<double>(below)) * (table[below + 1] - table[below]);
}

}  // namespace fireweed::cli
