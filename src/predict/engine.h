// What for: the seam between serving (HTTP, batching, limits) and whatever computes predictions. One folder per
//   runtime implements it: xgboost, tensorflow, python.
// Threads: Predict is called by many at once, except that an engine's Traits may ask for fewer. Everything else is constant
//   after loading.
// May block: Predict for as long as the computation takes; it is called on I/O threads only for up to
//   Traits::inline_rows instances, and must then end within microseconds.
// Owns: the loaded model.
// A failure: loading throws Failure with one line that a person can act on. Predict throws Failure: kInvalid when the
//   instances are at fault (named by index where it can be told), kUnavailable when the runtime broke and is being
//   restarted, kPrecondition when the model itself is incomplete, kInternal otherwise.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "predict/tensor.h"

namespace fireweed::predict {

struct TensorSpec {
  std::string name;
  DataType type = DataType::kFloat;
  std::vector<int64_t> shape;         // with the instances' dimension first; -1: any size
  bool any_rank = false;              // the shape is not known
  bool batched = true;                // the first dimension counts instances
  bool null_is_missing = false;       // null stands for not-a-number
  std::vector<std::string> features;  // names of a row's elements: it may be given as an object
};

struct Signature {
  std::string name;
  bool unnamed = false;  // its runtime knows no signatures: whatever a request names is this one
  std::string method;    // "tensorflow/serving/predict"
  std::vector<TensorSpec> inputs, outputs;
  // The one output is given as it is, not as an object with its name.
  bool bare_output = false;
};

// Tensors stand in the order of the signature's inputs.
struct Inputs {
  int64_t rows = 0;
  std::vector<Tensor> tensors;
  std::string parameters;  // other fields of the request as a JSON object; empty: none
};

// In the order of the signature's outputs.
using Outputs = std::vector<Tensor>;

class Engine {
 public:
  struct Traits {
    bool joins_requests = true;  // instances of several requests may be computed as one batch
    int parallel = 1;            // batches at the same time
    int64_t inline_rows = 0;     // at most so many may be computed on an I/O thread
    std::string platform;        // "xgboost", "tensorflow_savedmodel": shown to clients
    std::string description;     // what is loaded, for the log
  };

  virtual ~Engine() = default;
  virtual const Traits& traits() const = 0;
  // The default one first; never empty.
  virtual const std::vector<Signature>& signatures() const = 0;
  virtual Outputs Predict(const Signature& signature, const Inputs& inputs) = 0;
};

}  // namespace fireweed::predict
