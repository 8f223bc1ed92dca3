#include "predict/tensorflow/saved_model.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "predict/tensorflow/tensor_types.h"
#include "predict/tensorflow/wire_reader.h"

namespace fireweed::predict {
namespace {

constexpr std::string_view kInitSignature = "__saved_model_init_op";

struct TensorInfo {
  TensorSpec spec;
  GraphEnd end;
  std::string problem;  // why it cannot be served
};

// map<string, message>: an entry is {1: key, 2: value}.
std::pair<std::string, std::string_view> Entry(std::string_view bytes) {
  std::pair<std::string, std::string_view> entry;
  for (WireReader reader(bytes); reader.Next();) {
    if (reader.field() == 1) entry.first = reader.bytes();
    if (reader.field() == 2) entry.second = reader.bytes();
  }
  return entry;
}

void ReadShape(std::string_view bytes, TensorSpec& spec) {
  for (WireReader reader(bytes); reader.Next();) {
    if (reader.field() == 3) spec.any_rank = reader.number() != 0;
    if (reader.field() != 2) continue;
    int64_t size = 0;
    for (WireReader dimension(reader.bytes()); dimension.Next();) {
      if (dimension.field() == 1) size = static_cast<int64_t>(dimension.number());
    }
    spec.shape.push_back(std::max<int64_t>(size, -1));
  }
}

GraphEnd ParseEnd(std::string_view name) {
  GraphEnd end;
  size_t colon = name.rfind(':');
  end.operation = name.substr(0, colon);
  if (colon != std::string_view::npos) {
    std::from_chars(name.data() + colon + 1, name.data() + name.size(), end.index);
  }
  return end;
}

TensorInfo ReadTensor(std::string key, std::string_view bytes) {
  TensorInfo info;
  info.spec.name = std::move(key);
  uint64_t type = 0;
  for (WireReader reader(bytes); reader.Next();) {
    if (reader.field() == 1) info.end = ParseEnd(reader.bytes());
    if (reader.field() == 2) type = reader.number();
    if (reader.field() == 3) ReadShape(reader.bytes(), info.spec);
    if (reader.field() == 4 || reader.field() == 5) info.problem = "is not a dense tensor";
  }
  std::optional<DataType> known = FromTensorFlow(static_cast<int>(type));
  if (!known) {
    info.problem = fmt::format("has TensorFlow type {}, which cannot be served", type);
  }
  info.spec.type = known.value_or(DataType::kFloat);
  info.spec.batched = info.spec.any_rank || !info.spec.shape.empty();
  return info;
}

struct ReadSignature {
  SavedSignature made;
  std::string problem;
};

ReadSignature ReadOne(std::string name, std::string_view bytes) {
  ReadSignature read;
  read.made.signature.name = std::move(name);
  std::map<std::string, TensorInfo> inputs, outputs;
  for (WireReader reader(bytes); reader.Next();) {
    if (reader.field() == 3) read.made.signature.method = reader.bytes();
    if (reader.field() != 1 && reader.field() != 2) continue;
    auto [key, value] = Entry(reader.bytes());
    auto& side = reader.field() == 1 ? inputs : outputs;
    side[key] = ReadTensor(key, value);
  }
  auto keep = [&read](std::map<std::string, TensorInfo>& from, std::vector<TensorSpec>& specs,
                      std::vector<GraphEnd>& ends) {
    for (auto& [key, info] : from) {
      if (!info.problem.empty()) read.problem = fmt::format("'{}' {}", key, info.problem);
      specs.push_back(std::move(info.spec));
      ends.push_back(std::move(info.end));
    }
  };
  keep(inputs, read.made.signature.inputs, read.made.inputs);
  keep(outputs, read.made.signature.outputs, read.made.outputs);
  if (inputs.empty()) read.problem = "it has no inputs";
  if (outputs.empty()) read.problem = "it has no outputs";
  return read;
}

struct Graph {
  std::vector<std::string> tags;
  std::vector<std::pair<std::string, std::string_view>> signatures;
};

Graph ReadGraph(std::string_view bytes) {
  Graph graph;
  for (WireReader reader(bytes); reader.Next();) {
    if (reader.field() == 5) graph.signatures.push_back(Entry(reader.bytes()));
    if (reader.field() != 1) continue;
    for (WireReader info(reader.bytes()); info.Next();) {
      if (info.field() == 4) graph.tags.emplace_back(info.bytes());
    }
  }
  return graph;
}

// What is asked for when no name is given: a raw Estimator export has only "predict".
int Rank(std::string_view name) {
  return name == "serving_default" ? 0 : name == "predict" ? 1 : 2;
}

}  // namespace

SavedModel ReadSavedModel(std::string_view bytes) {
  std::optional<Graph> served;
  for (WireReader reader(bytes); reader.Next();) {
    if (reader.field() != 2) continue;
    Graph graph = ReadGraph(reader.bytes());
    bool serves = std::find(graph.tags.begin(), graph.tags.end(), "serve") != graph.tags.end();
    if (serves && (!served || graph.tags.size() < served->tags.size())) served = std::move(graph);
  }
  if (!served) {
    throw Failure(Code::kInvalid, "the SavedModel has no graph with the tag 'serve'");
  }
  SavedModel model;
  model.tags = served->tags;
  for (auto& [name, bytes_of] : served->signatures) {
    if (name == kInitSignature) continue;
    ReadSignature read = ReadOne(name, bytes_of);
    if (read.problem.empty()) {
      model.signatures.push_back(std::move(read.made));
    } else {
      model.passed_over.push_back(fmt::format("{}: {}", name, read.problem));
    }
  }
  if (model.signatures.empty()) {
    throw Failure(Code::kInvalid,
                  fmt::format("the SavedModel has no signature that can be served ({})",
                              model.passed_over.empty()
                                  ? "it has none at all"
                                  : fmt::format("{}", fmt::join(model.passed_over, "; "))));
  }
  std::stable_sort(model.signatures.begin(), model.signatures.end(),
                   [](const SavedSignature& a, const SavedSignature& b) {
                     return std::pair(Rank(a.signature.name), a.signature.name) <
                            std::pair(Rank(b.signature.name), b.signature.name);
                   });
  return model;
}

}  // namespace fireweed::predict
