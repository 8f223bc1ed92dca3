// Predictions to JSON text, in the shapes of ml v1, TensorFlow Serving and KServe v2. Floats are written with as many
// digits as give back the same bits; not-a-number and infinities, which JSON cannot say, are null. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "predict/engine.h"

namespace fireweed::predict {

// {"predictions":[...]}, one element an instance: an object by output name, or the bare value where the signature
// says so or `unwrap` is set and there is one output. Throws Failure where an output does not count instances.
std::string PredictionsJson(const Signature& signature, const Outputs& outputs, int64_t rows,
                            bool unwrap);

// {"outputs":...}: whole tensors by name, or the one alone.
std::string ColumnsJson(const Signature& signature, const Outputs& outputs);

struct InferReply {
  std::string_view model, version, id;
  const std::vector<std::string>* wanted = nullptr;  // names; empty: all
};
std::string InferJson(const InferReply& reply, const Signature& signature, const Outputs& outputs);

// {"error":"..."}
std::string ErrorText(std::string_view message);

}  // namespace fireweed::predict
