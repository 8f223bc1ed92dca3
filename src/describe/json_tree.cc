// One of the few files that see nlohmann: reading JSON text into trees.
#include "describe/json_tree.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/error.h"

namespace fireweed {
namespace {

using nlohmann::ordered_json;

constexpr int kMaxDepth = 64;

JsonTree Convert(const ordered_json& value, int depth) {
  if (depth > kMaxDepth) throw Failure(Code::kInvalid, "parseError", "JSON is nested too deeply");
  switch (value.type()) {
    case ordered_json::value_t::string: return JsonTree::Text(value.get_ref<const std::string&>());
    case ordered_json::value_t::boolean: return JsonTree::Bool(value.get<bool>());
    case ordered_json::value_t::array: {
      std::vector<JsonTree> items;
      for (const ordered_json& item : value) items.push_back(Convert(item, depth + 1));
      return JsonTree::List(std::move(items));
    }
    case ordered_json::value_t::object: {
      JsonTree object = JsonTree::Object();
      for (const auto& [key, item] : value.items()) object[key] = Convert(item, depth + 1);
      return object;
    }
    case ordered_json::value_t::null:
    case ordered_json::value_t::discarded:
    case ordered_json::value_t::binary: return JsonTree();
    default: return JsonTree::NumberText(value.dump());
  }
}

}  // namespace

JsonTree JsonTree::Parse(std::string_view json) {
  // The parser itself does not recurse; the callback stops it before the tree is too deep to be destroyed.
  int deepest = 0;
  ordered_json value = ordered_json::parse(
      json.begin(), json.end(),
      [&](int depth, ordered_json::parse_event_t, ordered_json&) {
        deepest = std::max(deepest, depth);
        return depth <= kMaxDepth;
      },
      false);
  if (value.is_discarded() || deepest > kMaxDepth) {
    throw Failure(Code::kInvalid, "parseError", "this is no JSON, or nested too deeply");
  }
  return Convert(value, 0);
}

JsonTree JsonTree::List(std::vector<JsonTree> items) {
  JsonTree list(Kind::kList, "");
  list.items_ = std::move(items);
  return list;
}

const JsonTree* JsonTree::Find(std::string_view key) const {
  for (const Member& member : members_) {
    if (member.first == key) return &member.second;
  }
  return nullptr;
}

std::string JsonTree::TextOf(std::string_view key) const {
  const JsonTree* member = Find(key);
  return member ? member->text() : "";
}

JsonTree& JsonTree::operator[](std::string_view key) {
  if (kind_ == Kind::kNull) kind_ = Kind::kObject;
  if (kind_ != Kind::kObject) Abort("a member of a JSON value that is no object");
  for (Member& member : members_) {
    if (member.first == key) return member.second;
  }
  return members_.emplace_back(std::string(key), JsonTree()).second;
}

void JsonTree::Remove(std::string_view key) {
  std::erase_if(members_, [&](const Member& member) { return member.first == key; });
}

JsonTree& JsonTree::Append(JsonTree item) {
  if (kind_ == Kind::kNull) kind_ = Kind::kList;
  if (kind_ != Kind::kList) Abort("an item of a JSON value that is no list");
  return items_.emplace_back(std::move(item));
}

void JsonTree::Write(JsonWriter& out) const {
  switch (kind_) {
    case Kind::kNull: out.Null(); return;
    case Kind::kBool:
    case Kind::kNumber: out.Raw(text_); return;
    case Kind::kString: out.String(text_); return;
    case Kind::kList:
      out.BeginArray();
      for (const JsonTree& item : items_) item.Write(out);
      out.EndArray();
      return;
    case Kind::kObject:
      out.BeginObject();
      for (const Member& member : members_) member.second.Write(out.Key(member.first));
      out.EndObject();
      return;
  }
}

std::string JsonTree::Compact() const {
  JsonWriter out;
  Write(out);
  return out.Take();
}

void JsonTree::WritePretty(std::string& out, size_t indent) const {
  const bool empty = items_.empty() && members_.empty();
  if ((!IsList() && !IsObject()) || empty) {
    out += Compact();
    return;
  }
  out += IsList() ? "[\n" : "{\n";
  const std::string margin(indent + 2, ' ');
  bool first = true;
  auto separate = [&] {
    if (!first) out += ",\n";
    first = false;
    out += margin;
  };
  for (const JsonTree& item : items_) {
    separate();
    item.WritePretty(out, indent + 2);
  }
  for (const Member& member : members_) {
    separate();
    AppendJsonString(out, member.first);
    out += ": ";
    member.second.WritePretty(out, indent + 2);
  }
  out += "\n" + std::string(indent, ' ') + (IsList() ? "]" : "}");
}

std::string JsonTree::Pretty() const {
  std::string out;
  Sorted().WritePretty(out, 0);
  return out;
}

JsonTree JsonTree::Sorted() const {
  JsonTree sorted(kind_, text_);
  for (const JsonTree& item : items_) sorted.items_.push_back(item.Sorted());
  for (const Member& member : members_) {
    sorted.members_.emplace_back(member.first, member.second.Sorted());
  }
  std::sort(sorted.members_.begin(), sorted.members_.end(),
            [](const Member& a, const Member& b) { return a.first < b.first; });
  return sorted;
}

}  // namespace fireweed
