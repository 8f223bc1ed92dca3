#include "predict/xgboost/forest.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"

namespace fireweed::predict {
namespace {

constexpr int kLanes = 8;  // independent walks at the same time hide each other's waits

[[noreturn]] void Broken(std::string_view why) {
  throw Failure(Code::kInvalid, fmt::format("the model file is damaged: {}", why));
}

std::string ObjectiveOf(const ModelValue& model) {
  return model.At({"learner", "objective", "name"}).text;
}

struct Objective {
  std::string_view name;
  int transform;   // of Forest::Transform
  char base_form;  // how base_score is kept: 'p'robability, 'e'xponential, 'm'argin
};

constexpr int kNone = 0, kSigmoid = 1, kExp = 2, kHinge = 3, kSoftmax = 4, kClass = 5;
constexpr std::array<Objective, 18> kObjectives{{
    {"reg:squarederror", kNone, 'm'},
    {"reg:linear", kNone, 'm'},
    {"reg:squaredlogerror", kNone, 'm'},
    {"reg:pseudohubererror", kNone, 'm'},
    {"reg:absoluteerror", kNone, 'm'},
    {"reg:logistic", kSigmoid, 'p'},
    {"binary:logistic", kSigmoid, 'p'},
    {"binary:logitraw", kNone, 'm'},
    {"binary:hinge", kHinge, 'm'},
    {"count:poisson", kExp, 'e'},
    {"reg:gamma", kExp, 'e'},
    {"reg:tweedie", kExp, 'e'},
    {"multi:softprob", kSoftmax, 'm'},
    {"multi:softmax", kClass, 'm'},
    {"rank:pairwise", kNone, 'm'},
    {"rank:ndcg", kNone, 'm'},
    {"rank:map", kNone, 'm'},
    {"reg:quantileerror", kNone, 'm'},
}};

const Objective* FindObjective(std::string_view name) {
  auto found = std::find_if(kObjectives.begin(), kObjectives.end(),
                            [&](const Objective& objective) { return objective.name == name; });
  return found == kObjectives.end() ? nullptr : &*found;
}

float MarginOf(float base, char form) {
  if (form == 'p') return -std::log(1.0f / base - 1.0f);
  if (form == 'e') return std::log(base);
  return base;
}

// "5E-1", or from 3.1 on "[4.8E-1]" with one number a group.
std::vector<float> BaseScores(const ModelValue& value) {
  std::string text = value.kind == ModelValue::Kind::kText ? value.text : "";
  if (!text.starts_with('[')) return {static_cast<float>(value.Number())};
  ModelValue list = ReadJsonModel(fmt::format("{{\"base\":{}}}", text)).members[0].value;
  return std::vector<float>(list.numbers.begin(), list.numbers.end());
}

float Sigmoid(float margin) { return 1.0f / (std::exp(std::min(-margin, 88.7f)) + 1.0f); }

const std::vector<double>& Numbers(const ModelValue& tree, std::string_view name, size_t count) {
  const ModelValue& value = tree.At({name});
  if (value.kind != ModelValue::Kind::kNumbers || value.numbers.size() != count) {
    Broken(fmt::format("a tree's {} does not fit its nodes", name));
  }
  return value.numbers;
}

bool HasCategories(const ModelValue& tree) {
  const ModelValue* types = tree.Find("split_type");
  return types != nullptr && std::any_of(types->numbers.begin(), types->numbers.end(),
                                         [](double type) { return type != 0; });
}

}  // namespace

std::optional<std::string> Forest::Obstacle(const ModelValue& model) {
  const ModelValue& booster = model.At({"learner", "gradient_booster"});
  std::string name = booster.At({"name"}).text;
  if (name != "gbtree") return fmt::format("its booster is {}", name);
  std::string objective = ObjectiveOf(model);
  if (FindObjective(objective) == nullptr) return fmt::format("its objective is {}", objective);
  const ModelValue& parameters = model.At({"learner", "learner_model_param"});
  const ModelValue* targets = parameters.Find("num_target");
  if (targets != nullptr && targets->Number() > 1) return "it predicts several targets";
  for (const ModelValue& tree : booster.At({"model", "trees"}).list) {
    if (tree.At({"tree_param", "size_leaf_vector"}).Number() > 1) return "its leaves are vectors";
    if (HasCategories(tree)) return "it splits by categories";
  }
  return std::nullopt;
}

Forest::Forest(const ModelValue& model) {
  TakeParameters(model);
  const ModelValue& gbtree = model.At({"learner", "gradient_booster", "model"});
  const std::vector<ModelValue>& trees = gbtree.At({"trees"}).list;
  const std::vector<double>& groups = Numbers(gbtree, "tree_info", trees.size());
  for (size_t i = 0; i < trees.size(); ++i) {
    if (!(groups[i] >= 0 && groups[i] < static_cast<double>(groups_))) Broken("a tree of no class");
    TakeTree(trees[i], static_cast<uint32_t>(groups[i]));
  }
}

void Forest::TakeParameters(const ModelValue& model) {
  const ModelValue& parameters = model.At({"learner", "learner_model_param"});
  double features = parameters.At({"num_feature"}).Number();
  double classes = parameters.At({"num_class"}).Number();
  bool sane = features >= 0 && features < (1 << 24) && classes >= 0 && classes < (1 << 16);
  if (!sane) Broken("absurd sizes");
  features_ = static_cast<int64_t>(features);
  groups_ = std::max<int64_t>(1, static_cast<int64_t>(classes));
  const Objective& objective = *FindObjective(ObjectiveOf(model));
  transform_ = static_cast<Transform>(objective.transform);
  std::vector<float> scores = BaseScores(parameters.At({"base_score"}));
  if (scores.size() != 1 && scores.size() != static_cast<size_t>(groups_)) {
    Broken("base_score fits neither one nor all classes");
  }
  for (size_t group = 0; group < static_cast<size_t>(groups_); ++group) {
    base_.push_back(MarginOf(scores[scores.size() == 1 ? 0 : group], objective.base_form));
  }
}

// Numbers the nodes anew, so that siblings are neighbours and a tree stays in few cache lines.
void Forest::TakeTree(const ModelValue& tree, uint32_t group) {
  double said = tree.At({"tree_param", "num_nodes"}).Number();
  if (!(said >= 1 && said < (1 << 28))) Broken("a tree without nodes");
  size_t count = static_cast<size_t>(said);
  const std::vector<double>& left = Numbers(tree, "left_children", count);
  const std::vector<double>& right = Numbers(tree, "right_children", count);
  const std::vector<double>& feature = Numbers(tree, "split_indices", count);
  const std::vector<double>& threshold = Numbers(tree, "split_conditions", count);
  const std::vector<double>& missing = Numbers(tree, "default_left", count);
  struct Visit {
    size_t node;
    uint32_t depth;
  };
  std::vector<Visit> order{{0, 0}};
  uint32_t first = static_cast<uint32_t>(nodes_.size()), depth = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    auto [node, level] = order[i];
    depth = std::max(depth, level);
    float value = static_cast<float>(threshold[node]);
    if (left[node] == -1) {
      nodes_.push_back({value, 0, 1, 0, first + static_cast<uint32_t>(i)});
      continue;
    }
    auto within = [&](double child) { return child > 0 && child < static_cast<double>(count); };
    bool sane = within(left[node]) && within(right[node]) && feature[node] >= 0 &&
                feature[node] < static_cast<double>(features_) && order.size() + 2 <= count;
    if (!sane) Broken("a tree's nodes do not form a tree");
    nodes_.push_back({value, static_cast<uint32_t>(feature[node]), missing[node] != 0, 1,
                      first + static_cast<uint32_t>(order.size())});
    order.push_back({static_cast<size_t>(left[node]), level + 1});
    order.push_back({static_cast<size_t>(right[node]), level + 1});
  }
  roots_.push_back({first, depth, group});
}

namespace {

// Calls body(0) to body(kLanes - 1), written out: the lanes stay in registers.
template <class Body>
inline void ForLanes(Body&& body) {
  [&]<size_t... kLane>(std::index_sequence<kLane...>) { (body(kLane), ...); }
  (std::make_index_sequence<kLanes>());
}

}  // namespace

inline uint32_t Forest::Step(uint32_t at, const float* row) const {
  const Node& node = nodes_.data()[at];
  float value = row[node.feature];
  uint32_t left = static_cast<uint32_t>(value < node.threshold) |
                  (static_cast<uint32_t>(std::isnan(value)) & node.missing_left);
  return node.left + (node.inner & (left ^ 1u));
}

// Eight trees side by side; their values are added in the order of the trees, as the library does.
void Forest::OneRow(const float* row, float* margins) const {
  size_t tree = 0;
  for (; tree + kLanes <= roots_.size(); tree += kLanes) {
    const Root* roots = &roots_[tree];
    uint32_t at[kLanes], depth = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      at[lane] = roots[lane].node;
      depth = std::max(depth, roots[lane].depth);
    }
    for (uint32_t level = 0; level < depth; ++level) {
      ForLanes([&](size_t lane) { at[lane] = Step(at[lane], row); });
    }
    for (int lane = 0; lane < kLanes; ++lane) {
      margins[roots[lane].group] += nodes_[at[lane]].threshold;
    }
  }
  for (; tree < roots_.size(); ++tree) {
    uint32_t at = roots_[tree].node;
    for (uint32_t level = 0; level < roots_[tree].depth; ++level) at = Step(at, row);
    margins[roots_[tree].group] += nodes_[at].threshold;
  }
}

// One tree for eight rows side by side: its nodes are read once.
void Forest::EightRows(const float* rows, float* margins) const {
  const float* row[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) row[lane] = rows + lane * features_;
  for (const Root& root : roots_) {
    uint32_t at[kLanes];
    std::fill(at, at + kLanes, root.node);
    for (uint32_t level = 0; level < root.depth; ++level) {
      ForLanes([&](size_t lane) { at[lane] = Step(at[lane], row[lane]); });
    }
    for (int lane = 0; lane < kLanes; ++lane) {
      margins[lane * groups_ + root.group] += nodes_[at[lane]].threshold;
    }
  }
}

void Forest::Predict(const float* rows, int64_t count, float* out) const {
  std::vector<float> margins(static_cast<size_t>(groups_ * kLanes));
  int64_t row = 0;
  while (row < count) {
    int64_t block = count - row >= kLanes ? kLanes : 1;
    for (int64_t i = 0; i < block; ++i) {
      std::copy(base_.begin(), base_.end(), margins.begin() + i * groups_);
    }
    if (block == kLanes) {
      EightRows(rows + row * features_, margins.data());
    } else {
      OneRow(rows + row * features_, margins.data());
    }
    for (int64_t i = 0; i < block; ++i) {
      Finish(margins.data() + i * groups_, out + (row + i) * outputs());
    }
    row += block;
  }
}

void Forest::Finish(const float* margins, float* out) const {
  switch (transform_) {
    case Transform::kNone: std::copy(margins, margins + groups_, out); return;
    case Transform::kSigmoid: *out = Sigmoid(*margins); return;
    case Transform::kExp: *out = std::exp(*margins); return;
    case Transform::kHinge: *out = *margins > 0 ? 1.0f : 0.0f; return;
    case Transform::kClass:
      *out = static_cast<float>(std::max_element(margins, margins + groups_) - margins);
      return;
    case Transform::kSoftmax: break;
  }
  float most = *std::max_element(margins, margins + groups_);
  double sum = 0;
  for (int64_t i = 0; i < groups_; ++i) {
    out[i] = std::exp(margins[i] - most);
    sum += out[i];
  }
  for (int64_t i = 0; i < groups_; ++i) out[i] /= static_cast<float>(sum);
}

std::vector<float> Forest::Probes(int64_t count) const {
  std::vector<float> rows(static_cast<size_t>(count * features_));
  if (nodes_.empty()) return rows;
  uint64_t state = 88172645463325252ull;  // xorshift: the same rows every time
  auto next = [&state] {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
  };
  constexpr float kFar = std::numeric_limits<float>::max();
  for (size_t i = 0; i < rows.size(); ++i) {
    const Node& node = nodes_[next() % nodes_.size()];
    float near = node.inner ? node.threshold : 0;
    switch (next() % 8) {
      case 0: rows[i] = std::numeric_limits<float>::quiet_NaN(); break;
      case 1: rows[i] = near; break;
      case 2: rows[i] = std::nextafter(near, -kFar); break;
      case 3: rows[i] = std::nextafter(near, kFar); break;
      default: rows[i] = near * (static_cast<float>(next() % 4096) / 1024.0f - 2.0f);
    }
  }
  // A threshold belongs to one feature; half of the values are put where they matter.
  for (const Node& node : nodes_) {
    if (node.inner && count > 0) {
      rows[next() % static_cast<uint64_t>(count) * static_cast<uint64_t>(features_) +
           node.feature] = node.threshold;
    }
  }
  return rows;
}

}  // namespace fireweed::predict
