#include "cli/compute/body_flags.h"

#include <fmt/format.h>

#include "cli/compute/argument_lists.h"
#include "cli/format/key_path.h"
#include "cli/grammar.h"

namespace fireweed::cli {

void BodyFlags::AddTo(Command& command, std::span<const BodyFlag> flags) {
  for (const BodyFlag& flag : flags) {
    Value& value = values_.emplace_back(Value{&flag, {}, false});
    std::string name(flag.name), help(flag.help);
    if (flag.kind == BodyFlag::Kind::kTrue || flag.kind == BodyFlag::Kind::kFalse) {
      command.AddFlag(name, value.set, help);
      continue;
    }
    Flag* option = command.AddOption(name, value.texts, help);
    option->Words(1, 1);
    if (flag.kind == BodyFlag::Kind::kList || flag.kind == BodyFlag::Kind::kPairs)
      option->AllCount()->Words(1, -1)->OneWordEach();
    else
      option->LastCounts();
    if (flag.required) option->Required();
  }
}

bool BodyFlags::Given(std::string_view name) const {
  for (const Value& value : values_) {
    if (value.flag->name == name) return value.set || !value.texts.empty();
  }
  return false;
}

JsonTree BodyFlags::Convert(const Value& value, const ComputeSession& session) {
  const BodyFlag& flag = *value.flag;
  const std::string text = value.texts.empty() ? "" : value.texts.back();
  switch (flag.kind) {
    case BodyFlag::Kind::kText: return JsonTree::Text(text);
    case BodyFlag::Kind::kUpperText: {
      std::string upper = text;
      for (char& c : upper) c = c == '-' ? '_' : static_cast<char>(toupper(c));
      return JsonTree::Text(upper);
    }
    case BodyFlag::Kind::kNumber:
      if (text.empty() || text.find_first_not_of("-0123456789") != std::string::npos)
        throw Failure(Code::kInvalid, fmt::format("{}: '{}' is not a number", flag.name, text));
      return JsonTree::NumberText(text);
    case BodyFlag::Kind::kGigabytes:
      return JsonTree::Text(std::to_string(ParseGigabytes(text, flag.name)));
    case BodyFlag::Kind::kSeconds: return JsonTree::Number(ParseDuration(text, flag.name));
    case BodyFlag::Kind::kTrue: return JsonTree::Bool(true);
    case BodyFlag::Kind::kFalse: return JsonTree::Bool(false);
    case BodyFlag::Kind::kList: {
      std::vector<JsonTree> items;
      for (const std::string& item : SplitLists(value.texts)) items.push_back(JsonTree::Text(item));
      return JsonTree::List(std::move(items));
    }
    case BodyFlag::Kind::kPairs: {
      JsonTree object = JsonTree::Object();
      for (const auto& [key, item] : SplitPairs(value.texts, flag.name))
        object[key] = JsonTree::Text(item);
      return object;
    }
    case BodyFlag::Kind::kZoneLink:
      return JsonTree::Text(session.Link(Scope::kZone, flag.collection, text));
    case BodyFlag::Kind::kRegionLink:
      return JsonTree::Text(session.Link(Scope::kRegion, flag.collection, text));
    case BodyFlag::Kind::kGlobalLink:
      return JsonTree::Text(session.Link(Scope::kGlobal, flag.collection, text));
  }
  return {};
}

void BodyFlags::Apply(JsonTree& body, const ComputeSession& session) const {
  for (const Value& value : values_) {
    if (value.set || !value.texts.empty())
      KeyPath::Parse(value.flag->field).Put(body, Convert(value, session));
  }
}

}  // namespace fireweed::cli
