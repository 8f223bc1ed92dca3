// What for: the predictions of a gbtree model computed here, bit for bit what the XGBoost library gives (ADR 0031).
// Threads: constant after construction; Predict from any number of threads.
// May block: never; a row costs about a microsecond for a hundred trees.
// A failure: the constructor throws Failure for a damaged model. What a forest cannot compute is told by Obstacle before.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "predict/xgboost/model_value.h"

namespace fireweed::predict {

class Forest {
 public:
  // Why this model needs the library: another booster, categories, vector leaves, an objective not known here.
  static std::optional<std::string> Obstacle(const ModelValue& model);

  // REQUIRES: no Obstacle.
  explicit Forest(const ModelValue& model);

  int64_t features() const { return features_; }
  // Numbers per instance: the classes of multi:softprob, else 1.
  int64_t outputs() const { return transform_ == Transform::kClass ? 1 : groups_; }
  int64_t trees() const { return static_cast<int64_t>(roots_.size()); }

  // `rows` holds count * features() values, NaN where missing; `out` has room for count * outputs().
  void Predict(const float* rows, int64_t count, float* out) const;

  // Rows that pass by every threshold closely: for comparing with the library.
  std::vector<float> Probes(int64_t count) const;

 private:
  enum class Transform { kNone, kSigmoid, kExp, kHinge, kSoftmax, kClass };
  // A node and its right neighbour are siblings. A leaf leads to itself and keeps its value in `threshold`.
  struct Node {
    float threshold;
    uint32_t feature : 30;
    uint32_t missing_left : 1;
    uint32_t inner : 1;
    uint32_t left;
  };
  struct Root {
    uint32_t node;
    uint32_t depth;
    uint32_t group;
  };

  void TakeParameters(const ModelValue& model);
  void TakeTree(const ModelValue& tree, uint32_t group);
  uint32_t Step(uint32_t at, const float* row) const;
  void OneRow(const float* row, float* margins) const;
  void EightRows(const float* rows, float* margins) const;
  void Finish(const float* margins, float* out) const;

  int64_t features_ = 0, groups_ = 1;
  Transform transform_ = Transform::kNone;
  std::vector<float> base_;  // margin of each group before the first tree
  std::vector<Node> nodes_;
  std::vector<Root> roots_;
};

}  // namespace fireweed::predict
