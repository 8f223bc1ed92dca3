// A JSON value as a tree, for programs that show or reshape what no struct describes: the command line's
// output formats and filters. Members keep the order they came in. Plain values; any thread; nothing blocks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "describe/json_writer.h"

namespace fireweed {

class JsonTree {
 public:
  enum class Kind { kNull, kBool, kNumber, kString, kList, kObject };
  using Member = std::pair<std::string, JsonTree>;

  JsonTree() = default;  // null
  // Throws Failure(kInvalid) on text that is no JSON, or is nested deeper than 64.
  static JsonTree Parse(std::string_view json);
  static JsonTree Text(std::string_view text) { return JsonTree(Kind::kString, std::string(text)); }
  static JsonTree Number(int64_t value) { return JsonTree(Kind::kNumber, std::to_string(value)); }
  static JsonTree NumberText(std::string text) { return JsonTree(Kind::kNumber, std::move(text)); }
  static JsonTree Bool(bool value) { return JsonTree(Kind::kBool, value ? "true" : "false"); }
  static JsonTree List(std::vector<JsonTree> items = {});
  static JsonTree Object() { return JsonTree(Kind::kObject, ""); }

  Kind kind() const { return kind_; }
  bool IsNull() const { return kind_ == Kind::kNull; }
  bool IsList() const { return kind_ == Kind::kList; }
  bool IsObject() const { return kind_ == Kind::kObject; }
  bool IsScalar() const { return !IsList() && !IsObject() && !IsNull(); }
  // Of a scalar: the string, the number's digits, "true" or "false"; else empty.
  const std::string& text() const { return text_; }
  const std::vector<JsonTree>& items() const { return items_; }
  const std::vector<Member>& members() const { return members_; }

  // A member of an object; null when there is none such.
  const JsonTree* Find(std::string_view key) const;
  // The text of a scalar member; empty when there is none such.
  std::string TextOf(std::string_view key) const;
  // The member, made when missing; a null becomes an object first. REQUIRES: null or an object.
  JsonTree& operator[](std::string_view key);
  void Remove(std::string_view key);
  // A null becomes a list first. REQUIRES: null or a list.
  JsonTree& Append(JsonTree item);

  void Write(JsonWriter& out) const;
  std::string Compact() const;
  // Two blanks a level, members in the order of their names, as gcloud prints.
  std::string Pretty() const;
  // The same value with members sorted by name at every level.
  JsonTree Sorted() const;

  friend bool operator==(const JsonTree&, const JsonTree&) = default;

 private:
  JsonTree(Kind kind, std::string text) : kind_(kind), text_(std::move(text)) {}
  void WritePretty(std::string& out, size_t indent) const;

  Kind kind_ = Kind::kNull;
  std::string text_;
  std::vector<JsonTree> items_;
  std::vector<Member> members_;
};

}  // namespace fireweed
