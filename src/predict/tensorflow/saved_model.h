// The signatures of a SavedModel, read from saved_model.pb without TensorFlow. Pure; Failure kInvalid for what is no
// SavedModel or has nothing to serve.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "predict/engine.h"

namespace fireweed::predict {

// A tensor of the graph behind a name of the signature: "dense/BiasAdd:0".
struct GraphEnd {
  std::string operation;
  int index = 0;
};

struct SavedSignature {
  Signature signature;
  std::vector<GraphEnd> inputs, outputs;  // in the signature's order
};

struct SavedModel {
  std::vector<std::string> tags;           // of the graph that is served
  std::vector<SavedSignature> signatures;  // the default one first
  std::vector<std::string> passed_over;    // "name: why" of signatures that cannot be served
};

SavedModel ReadSavedModel(std::string_view bytes);

}  // namespace fireweed::predict
