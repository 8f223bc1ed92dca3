// What for: one input file of a batch prediction on its way from bytes to result lines and error lines.
// Who calls: an action, piece by piece. May block as long as `ask` does.
// Owns: what was read and not asked yet, and the lines.
// A failure: of an instance it is a line of the errors; a damaged file, nobody to ask, or an answer that may be another
//   the next time, is thrown.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ml/models/batch_input.h"

namespace fireweed::ml {

// Of the instances of one request, unless one is larger by itself: half of what a serving process takes.
constexpr size_t kMostBatchBytes = 8 << 20;

class ShardPredictor {
 public:
  struct Rules {
    size_t size = 1;        // instances of one request at most
    bool last_try = false;  // an instance that is refused (kRefused) is given up
  };
  // The answer of the model to a request.
  using Ask = std::function<Result<std::string>(const std::string& body)>;

  ShardPredictor(const api::ml::PredictionInput& input, const Rules& rules, Ask ask)
      : reader_(input.dataFormat), rules_(rules), signature_(input.signatureName), ask_(ask) {}

  void Feed(std::string_view piece);
  void End();

  const std::string& results() const { return results_; }
  const BatchErrors& errors() const { return errors_; }
  int64_t predictions() const { return predictions_; }

 private:
  void Take(std::vector<BatchInstance> instances);
  size_t FullBatch() const;
  void PredictFirst(size_t count);
  void Predict(const std::vector<const BatchInstance*>& instances);

  InstanceReader reader_;
  const Rules rules_;
  const std::string signature_;
  const Ask ask_;
  std::vector<BatchInstance> waiting_;
  std::string results_;
  BatchErrors errors_;
  int64_t predictions_ = 0;
};

}  // namespace fireweed::ml
