#include "ml/models/batch_shard.h"

#include "base/error.h"
#include "ml/models/backend_call.h"

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
    if (count + 1 == rules_.size) return rules_.size;
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
  Result<std::string> answer = ask_(BatchRequest(instances, signature_));
  bool broke = !answer.ok() && answer.error().reason == kRefused;
  if (!answer.ok() && !broke) throw Failure(answer.error());
  Result<std::vector<std::string>> lines =
      broke ? answer.error() : BatchAnswer(*answer, instances.size());
  if (lines.ok()) {
    for (const std::string& line : *lines) results_ += line + "\n";
    predictions_ += std::ssize(instances);
  } else if (instances.size() > 1) {
    auto middle = instances.begin() + std::ssize(instances) / 2;
    Predict({instances.begin(), middle});
    Predict({middle, instances.end()});
  } else if (broke && !rules_.last_try) {
    throw Failure(answer.error());
  } else {
    errors_.Add(instances.front()->source, lines.error().message);
  }
}

}  // namespace fireweed::ml
