// What for: prediction requests from JSON text to tensors, guided by a signature, without a document tree in between.
//   Two shapes: {"instances":[...]} / {"inputs":...} (ml v1 and TensorFlow Serving), and KServe's v2 inference.
// Threads: one at a time; keep one per thread or a pool of them. Buffers are reused from call to call.
// May block: never.
// A failure: Failure kInvalid whose message names the instance ("instance 3: ..."), kNotFound for an unknown signature,
//   kTooLarge for too many instances.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "predict/engine.h"

namespace fireweed::predict {

struct PredictRequest {
  const Signature* signature = nullptr;  // of the list that was given
  Inputs inputs;
  bool columns = false;  // came as "inputs": answered as "outputs"
};

struct InferRequest {
  const Signature* signature = nullptr;
  Inputs inputs;
  std::string id;
  std::vector<std::string> outputs;  // names asked for; empty: all
};

class RequestReader {
 public:
  explicit RequestReader(int64_t max_instances = 100'000);
  ~RequestReader();

  PredictRequest ReadPredict(std::string_view body, const std::vector<Signature>& signatures);
  InferRequest ReadInfer(std::string_view body, const std::vector<Signature>& signatures);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fireweed::predict
