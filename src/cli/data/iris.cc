#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "cli/data/data_sets.h"
#include "cli/data/draw.h"

namespace fireweed::cli {
namespace {

struct Species {
  std::array<double, 4> mean;
  std::array<std::array<double, 4>, 4> spread;  // lower triangle: the root of the covariance
};
constexpr Species kSpecies[] = {
    {{5.006, 3.418, 1.464, 0.244},
     {{{.352}, {.285, .253}, {.046, -.005, .167}, {.030, .012, .026, .099}}}},
    {{5.936, 2.770, 4.260, 1.326},
     {{{.516}, {.165, .267}, {.354, .091, .295}, {.108, .088, .091, .107}}}},
    {{6.588, 2.974, 5.552, 2.026},
     {{{.636}, {.147, .287}, {.477, .004, .278}, {.077, .126, .042, .228}}}}};

std::string Flower(Draw& draw, int kind) {
  const Species& species = kSpecies[kind];
  double at[4];
  for (double& value : at) value = draw.Normal(0, 1);
  std::string row;
  for (size_t i = 0; i < 4; ++i) {
    double value = species.mean[i];
    for (size_t j = 0; j <= i; ++j) value += species.spread[i][j] * at[j];
    row += fmt::format("{:.1f},", std::max(0.1, value));
  }
  return row + std::to_string(kind) + "\n";
}

std::string File(Draw& draw, std::array<int, 3> counts) {
  int rows = counts[0] + counts[1] + counts[2];
  std::string text = fmt::format("{},4,setosa,versicolor,virginica\n", rows);
  for (int left = rows; left > 0; --left) {
    int pick = static_cast<int>(draw.Uniform() * left);
    int kind = pick < counts[0] ? 0 : pick < counts[0] + counts[1] ? 1 : 2;
    --counts[static_cast<size_t>(kind)];
    text += Flower(draw, kind);
  }
  return text;
}

}  // namespace

void MakeIris(uint64_t seed, const EmitFile& emit) {
  SeededRandom random(seed);
  Draw draw(random);
  emit("iris_training.csv", File(draw, {42, 36, 42}));
  emit("iris_test.csv", File(draw, {8, 14, 8}));
}

}  // namespace fireweed::cli
