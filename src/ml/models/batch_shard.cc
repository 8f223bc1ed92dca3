#include "ml/models/batch_shard.h"

#include <algorithm>

#include "base/error.h"

namespace fireweed::ml {

void ShardPredictor::Feed(std::string_view piece) {
  Take(reader_.Feed(piece));
  while (waiting_.size() >= batch_) PredictFirst(batch_);
}

void ShardPredictor::End() {
  Take(reader_.End());
  while (!waiting_.empty()) PredictFirst(std::min(batch_, waiting_.size()));
}

void ShardPredictor::Take(std::vector<BatchInstance> instances) {
  for (BatchInstance& instance : instances) waiting_.push_back(std::move(instance));
}

void ShardPredictor::PredictFirst(size_t count) {
  std::vector<const BatchInstance*> good;
  for (size_t i = 0; i < count; ++i) {
    if (waiting_[i].json.empty()) errors_.Add(waiting_[i].source, waiting_[i].error);
    if (!waiting_[i].json.empty()) good.push_back(&waiting_[i]);
  }
  if (!good.empty()) Predict(good);
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
}

// A request that is refused is asked in halves, so that one bad instance spoils no other.
void ShardPredictor::Predict(const std::vector<const BatchInstance*>& instances) {
  std::string answer = ask_(BatchRequest(instances, signature_));
  try {
    for (const std::string& line : BatchAnswer(answer, instances.size())) results_ += line + "\n";
    predictions_ += std::ssize(instances);
    return;
  } catch (const Failure& failure) {
    if (instances.size() == 1) return errors_.Add(instances.front()->source, failure.what());
  }
  auto middle = instances.begin() + std::ssize(instances) / 2;
  Predict({instances.begin(), middle});
  Predict({middle, instances.end()});
}

}  // namespace fireweed::ml
