#include "ml/models/batch_shard.h"

#include "base/error.h"

namespace fireweed::ml {

void ShardPredictor::Feed(std::string_view piece) {
  Take(reader_.Feed(piece));
  while (size_t full = FullBatch()) PredictFirst(full);
}

void ShardPredictor::End() {
  Take(reader_.End());
  while (size_t full = FullBatch()) PredictFirst(full);
  PredictFirst(waiting_.size());
}

// How many of those that wait are asked together; 0: more may come yet.
size_t ShardPredictor::FullBatch() const {
  size_t bytes = 0;
  for (size_t count = 0; count < waiting_.size(); ++count) {
    bytes += waiting_[count].json.size() + 1;
    if (count > 0 && bytes > kMostBatchBytes) return count;
    if (count + 1 == batch_) return batch_;
  }
  return 0;
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
