#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "describe/json_codec.h"

namespace fireweed {
namespace {

// Plain scalars that JSON has a word for keep it; all others are strings. Numbers go through as text: the
// decoder's lenient rules turn them into what the field wants, so "0123" stays what was typed for a string.
void Write(const YAML::Node& node, JsonWriter& out) {
  switch (node.Type()) {
    case YAML::NodeType::Map:
      out.BeginObject();
      for (const auto& item : node) {
        out.Key(item.first.Scalar());
        Write(item.second, out);
      }
      out.EndObject();
      return;
    case YAML::NodeType::Sequence:
      out.BeginArray();
      for (const auto& item : node) Write(item, out);
      out.EndArray();
      return;
    case YAML::NodeType::Scalar: out.String(node.Scalar()); return;
    case YAML::NodeType::Null:
    case YAML::NodeType::Undefined: out.Null(); return;
  }
}

}  // namespace

std::string YamlToJson(std::string_view yaml) {
  try {
    YAML::Node root = YAML::Load(std::string(yaml));
    JsonWriter out;
    if (root.IsNull()) return "{}";
    Write(root, out);
    return out.Take();
  } catch (const YAML::Exception& error) {
    throw Failure(Code::kInvalid, "parseError",
                  fmt::format("YAML, line {} column {}: {}", error.mark.line + 1,
                              error.mark.column + 1, error.msg));
  }
}

}  // namespace fireweed
