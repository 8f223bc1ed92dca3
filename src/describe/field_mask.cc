#include "describe/field_mask.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/error.h"

namespace fireweed {
namespace {

constexpr int kMaxDepth = 32;  // deeper than any resource; keeps hostile masks from recursing

[[noreturn]] void Refuse(std::string_view text) {
  throw Failure(Code::kInvalid, "invalidParameter",
                fmt::format("Invalid field selection {}", text.substr(0, 200)));
}

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '*' || c == '.';
}

}  // namespace

FieldMask FieldMask::Parse(std::string_view text) {
  FieldMask mask;
  text = Trim(text);
  if (text.empty()) return mask;
  mask.all_ = false;
  std::vector<std::string> prefix;
  if (ParseList(text, 0, prefix, mask, 0) != text.size()) Refuse(text);
  return mask;
}

// list := path ("," path)*      path := name ("/" name)* [ "(" list ")" ]
size_t FieldMask::ParseList(std::string_view text, size_t pos, std::vector<std::string>& prefix,
                            FieldMask& mask, int depth) {
  if (depth > kMaxDepth) Refuse(text);
  while (true) {
    size_t base = prefix.size();
    while (true) {
      size_t start = pos;
      while (pos < text.size() && IsNameCharacter(text[pos])) ++pos;
      if (pos == start || prefix.size() > kMaxDepth) Refuse(text);
      prefix.emplace_back(text.substr(start, pos - start));
      if (pos >= text.size() || text[pos] != '/') break;
      ++pos;
    }
    if (pos < text.size() && text[pos] == '(') {
      pos = ParseList(text, pos + 1, prefix, mask, depth + 1);
      if (pos >= text.size() || text[pos] != ')') Refuse(text);
      ++pos;
    } else {
      mask.Add(prefix);
    }
    prefix.resize(base);
    if (pos >= text.size() || text[pos] != ',') return pos;
    ++pos;
  }
}

void FieldMask::Add(const std::vector<std::string>& path) {
  FieldMask* node = this;
  for (const std::string& name : path) {
    if (name == "*" && &name == &path.back()) break;
    auto [it, inserted] = node->children_.try_emplace(name);
    if (inserted) it->second.all_ = false;
    node = &it->second;
  }
  node->all_ = true;
}

const FieldMask* FieldMask::Under(std::string_view field) const {
  if (all_) return this;
  auto it = children_.find(field);
  if (it == children_.end()) it = children_.find("*");
  if (it == children_.end()) return nullptr;
  return &it->second;
}

}  // namespace fireweed
