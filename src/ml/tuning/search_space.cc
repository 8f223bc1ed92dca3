#include "ml/tuning/search_space.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "describe/json_codec.h"

namespace fireweed::ml {
namespace {

using api::ml::HyperparameterSpec;
using api::ml::ParameterSpec;
using api::ml::ParameterType;
using api::ml::ScaleType;

// Enough for anyone, and small enough that products of them do not overflow.
constexpr int64_t kLargestGrid = int64_t{1} << 40;

// Digits that read back as the same number; whole numbers without a point, so that they read as integers, too.
std::string NumberText(double value) { return fmt::format("{}", value); }

// The inverse of the scale: [0, 1] onto [low, high].
double Stretch(ScaleType scale, double low, double high, double unit) {
  // The bounds themselves, without the rounding of the way there and back.
  if (low == high || unit <= 0) return low;
  if (unit >= 1) return high;
  if (scale == ScaleType::kUnitLog)
    return std::exp(std::log(low) + unit * (std::log(high) - std::log(low)));
  // The logarithm seen from the other end: fine steps near the upper bound.
  if (scale == ScaleType::kUnitReverseLog)
    return low + high - std::exp(std::log(high) - unit * (std::log(high) - std::log(low)));
  return low + unit * (high - low);
}

int64_t WholeRange(const ParameterSpec& parameter) {
  return static_cast<int64_t>(*parameter.maxValue) - static_cast<int64_t>(*parameter.minValue) + 1;
}

std::string WholeAt(const ParameterSpec& parameter, ScaleType scale, double unit) {
  double low = *parameter.minValue, high = *parameter.maxValue;
  // Linear: every number has the same share. Otherwise the nearest to where the scale points.
  double value = scale == ScaleType::kUnitLog || scale == ScaleType::kUnitReverseLog
                     ? std::round(Stretch(scale, low, high, unit))
                     : low + std::floor(unit * static_cast<double>(WholeRange(parameter)));
  return fmt::format("{}", static_cast<int64_t>(std::clamp(value, low, high)));
}

size_t IndexAt(size_t count, double unit) {
  return std::min(count - 1, static_cast<size_t>(unit * static_cast<double>(count)));
}

// How many values of each parameter are in the grid; 0 for those that have no natural number of them.
int64_t NaturalCount(const ParameterSpec& parameter) {
  switch (parameter.type) {
    case ParameterType::kInteger: return WholeRange(parameter);
    case ParameterType::kCategorical:
      return static_cast<int64_t>(parameter.categoricalValues.size());
    case ParameterType::kDiscrete: return static_cast<int64_t>(parameter.discreteValues.size());
    default: return 0;
  }
}

std::vector<int64_t> GridCounts(const HyperparameterSpec& spec) {
  std::vector<int64_t> counts;
  double natural = 1;
  int ranges = 0;
  for (const ParameterSpec& parameter : spec.params) {
    counts.push_back(NaturalCount(parameter));
    if (counts.back() == 0)
      ++ranges;
    else
      natural *= static_cast<double>(counts.back());
  }
  if (ranges == 0) return counts;
  double room = std::max(1.0, spec.maxTrials.value_or(1) / natural);
  auto each = static_cast<int64_t>(std::floor(std::pow(room, 1.0 / ranges) + 1e-9));
  for (int64_t& count : counts) {
    if (count == 0) count = std::max<int64_t>(2, each);
  }
  return counts;
}

std::string GridValue(const ParameterSpec& parameter, int64_t index, int64_t count) {
  switch (parameter.type) {
    case ParameterType::kInteger:
      return fmt::format("{}", static_cast<int64_t>(*parameter.minValue) + index);
    case ParameterType::kCategorical:
      return parameter.categoricalValues[static_cast<size_t>(index)];
    case ParameterType::kDiscrete:
      return NumberText(parameter.discreteValues[static_cast<size_t>(index)]);
    default:
      return NumberText(Stretch(parameter.scaleType.value_or(ScaleType::kNone), *parameter.minValue,
                                *parameter.maxValue,
                                static_cast<double>(index) / static_cast<double>(count - 1)));
  }
}

// One violation a call; knows where it is.
struct Checker {
  std::vector<SpecViolation>& found;
  std::string at;

  void Say(std::string_view field, std::string description) {
    found.push_back({at + std::string(field), std::move(description)});
  }
};

void CheckRange(const ParameterSpec& parameter, Checker& check) {
  if (!parameter.minValue) check.Say("min_value", "A parameter of this type needs min_value.");
  if (!parameter.maxValue) check.Say("max_value", "A parameter of this type needs max_value.");
  if (!parameter.minValue || !parameter.maxValue) return;
  double low = *parameter.minValue, high = *parameter.maxValue;
  if (!std::isfinite(low) || !std::isfinite(high) || low > high)
    check.Say("max_value", fmt::format("max_value {} must not be below min_value {}.", high, low));
  bool logarithmic = parameter.scaleType == ScaleType::kUnitLog ||
                     parameter.scaleType == ScaleType::kUnitReverseLog;
  if (logarithmic && low <= 0)
    check.Say("scale_type", "A logarithmic scale needs a min_value above 0.");
  if (parameter.type != ParameterType::kInteger) return;
  constexpr double kLargestWhole = 9007199254740992.0;  // beyond it doubles skip numbers
  if (low != std::floor(low) || high != std::floor(high) || std::abs(low) > kLargestWhole ||
      std::abs(high) > kLargestWhole)
    check.Say("min_value", "The bounds of an INTEGER parameter must be whole numbers.");
}

void CheckParameter(const ParameterSpec& parameter, Checker& check) {
  if (parameter.parameterName.empty()) check.Say("parameter_name", "A parameter needs a name.");
  switch (parameter.type) {
    case ParameterType::kDouble:
    case ParameterType::kInteger: CheckRange(parameter, check); break;
    case ParameterType::kCategorical:
      if (parameter.categoricalValues.empty())
        check.Say("categorical_values", "A CATEGORICAL parameter needs values.");
      break;
    case ParameterType::kDiscrete:
      if (parameter.discreteValues.empty())
        check.Say("discrete_values", "A DISCRETE parameter needs values.");
      else if (!std::is_sorted(parameter.discreteValues.begin(), parameter.discreteValues.end()))
        check.Say("discrete_values", "The values must be in increasing order.");
      break;
    case ParameterType::kUnspecified:
      check.Say("type", "The type must be DOUBLE, INTEGER, CATEGORICAL or DISCRETE.");
  }
}

}  // namespace

std::vector<SpecViolation> CheckTuning(const HyperparameterSpec& spec) {
  std::vector<SpecViolation> found;
  const std::string root = "training_input.hyperparameters.";
  Checker check{found, root};
  if (spec.goal == api::ml::GoalType::kUnspecified)
    check.Say("goal", "The goal must be MAXIMIZE or MINIMIZE.");
  if (spec.params.empty()) check.Say("params", "There must be at least one parameter.");
  std::vector<std::string> names;
  for (size_t i = 0; i < spec.params.size(); ++i) {
    check.at = fmt::format("{}params[{}].", root, i);
    CheckParameter(spec.params[i], check);
    if (std::count(names.begin(), names.end(), spec.params[i].parameterName) > 0)
      check.Say("parameter_name", "Two parameters have this name.");
    names.push_back(spec.params[i].parameterName);
  }
  check.at = root;
  if (spec.maxTrials && *spec.maxTrials < 1) check.Say("max_trials", "It must be at least 1.");
  if (spec.maxParallelTrials && *spec.maxParallelTrials < 1)
    check.Say("max_parallel_trials", "It must be at least 1.");
  if (spec.maxFailedTrials && *spec.maxFailedTrials < 0)
    check.Say("max_failed_trials", "It must not be negative.");
  return found;
}

std::string CheckResume(const HyperparameterSpec& spec, const HyperparameterSpec& previous) {
  if (spec.goal != previous.goal ||
      spec.hyperparameterMetricTag != previous.hyperparameterMetricTag)
    return "its goal or metric is another one";
  if (!SameValue(spec.params, previous.params)) return "its parameters are not the same";
  return "";
}

std::string ValueAt(const ParameterSpec& parameter, double unit) {
  ScaleType scale = parameter.scaleType.value_or(ScaleType::kNone);
  switch (parameter.type) {
    case ParameterType::kInteger: return WholeAt(parameter, scale, unit);
    case ParameterType::kCategorical:
      return parameter.categoricalValues[IndexAt(parameter.categoricalValues.size(), unit)];
    case ParameterType::kDiscrete:
      return NumberText(parameter.discreteValues[IndexAt(parameter.discreteValues.size(), unit)]);
    default:
      return NumberText(std::clamp(Stretch(scale, *parameter.minValue, *parameter.maxValue, unit),
                                   *parameter.minValue, *parameter.maxValue));
  }
}

Point RandomPoint(const HyperparameterSpec& spec, std::string_view seed, int64_t number) {
  Point point;
  for (const ParameterSpec& parameter : spec.params) {
    std::string digest =
        Hash(Digest::kSha256, fmt::format("{}/{}/{}", seed, number, parameter.parameterName));
    uint64_t bits = 0;
    for (size_t i = 0; i < 8; ++i) bits = bits << 8 | static_cast<unsigned char>(digest[i]);
    double unit = static_cast<double>(bits >> 11) * 0x1p-53;
    point[parameter.parameterName] = ValueAt(parameter, unit);
  }
  return point;
}

int64_t GridSize(const HyperparameterSpec& spec) {
  int64_t size = 1;
  for (int64_t count : GridCounts(spec)) {
    if (count > kLargestGrid / size) return kLargestGrid;
    size *= count;
  }
  return size;
}

Point GridPoint(const HyperparameterSpec& spec, int64_t index) {
  std::vector<int64_t> counts = GridCounts(spec);
  Point point;
  for (size_t i = spec.params.size(); i-- > 0;) {
    point[spec.params[i].parameterName] = GridValue(spec.params[i], index % counts[i], counts[i]);
    index /= counts[i];
  }
  return point;
}

}  // namespace fireweed::ml
