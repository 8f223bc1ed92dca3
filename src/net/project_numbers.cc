#include "net/project_numbers.h"

#include <algorithm>
#include <array>

#include "base/bytes.h"
#include "describe/json_tree.h"
#include "net/content_coding.h"

namespace fireweed::net {
namespace {

constexpr std::string_view kProjects = "projects/";

// Members whose texts belong to the user.
constexpr std::array<std::string_view, 12> kUserTexts = {
    "args",        "command", "containerArgs", "containerCommand", "description",  "env",
    "jsonPayload", "labels",  "metadata",      "parameters",       "protoPayload", "textPayload"};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Where the first project number in `text` is, from `from` on; empty if there is none.
std::string_view NumberIn(std::string_view text, size_t from = 0) {
  while (true) {
    size_t at = text.find(kProjects, from);
    if (at == text.npos) return {};
    from = at + kProjects.size();
    bool begins = at == 0 || text[at - 1] == '/' || text[at - 1] == '"';
    size_t end = from;
    while (end < text.size() && IsDigit(text[end])) ++end;
    bool ends = end == text.size() || text[end] == '/' || text[end] == '"';
    if (begins && ends && end > from) return text.substr(from, end - from);
  }
}

bool IsReference(std::string_view text) {
  bool begins = text.starts_with(kProjects) || text.starts_with("//") ||
                text.starts_with("https://") || text.starts_with("http://");
  return begins && text.find_first_of(" \t\r\n") == text.npos;
}

class Resolver {
 public:
  explicit Resolver(const ProjectIdOf& id_of) : id_of_(id_of) {}

  bool changed() const { return changed_; }

  JsonTree Resolve(const JsonTree& tree) {
    if (tree.IsList()) {
      JsonTree list = JsonTree::List();
      for (const JsonTree& item : tree.items()) list.Append(Resolve(item));
      return list;
    }
    if (tree.IsObject()) {
      JsonTree object = JsonTree::Object();
      for (const auto& [key, value] : tree.members()) {
        bool own = std::ranges::find(kUserTexts, key) != kUserTexts.end();
        object[key] = own ? value : Resolve(value);
      }
      return object;
    }
    if (tree.kind() != JsonTree::Kind::kString || !IsReference(tree.text())) return tree;
    std::string_view number = NumberIn(tree.text());
    std::optional<std::string> id = number.empty() ? std::nullopt : id_of_(std::string(number));
    if (!id) return tree;
    changed_ = true;
    size_t at = static_cast<size_t>(number.data() - tree.text().data());
    return JsonTree::Text(tree.text().substr(0, at) + *id + tree.text().substr(at + number.size()));
  }

 private:
  const ProjectIdOf& id_of_;
  bool changed_ = false;
};

// Data of the user from end to end.
bool IsPrediction(std::string_view method) {
  return method.find("redict") != method.npos || method.find("xplain") != method.npos;
}

}  // namespace

std::optional<std::string> ResolveProjectNumbers(std::string_view json, const ProjectIdOf& id_of) {
  // Almost no body has any: a look at the text is all that those cost.
  if (!json.starts_with('{') || NumberIn(json).empty()) return std::nullopt;
  try {
    Resolver resolver(id_of);
    JsonTree resolved = resolver.Resolve(JsonTree::Parse(json));
    return resolver.changed() ? std::optional(resolved.Compact()) : std::nullopt;
  } catch (const Failure&) {
    return std::nullopt;  // broken JSON: the handler refuses it in its API's words
  }
}

Answer ProjectNumbers::Handle(const Request& request) {
  if (request.body.empty() || IsPrediction(router_.MethodOf(request))) {
    return inner_.Handle(request);
  }
  bool packed = EqualIgnoreCase(request.Header("Content-Encoding").value_or(""), "gzip");
  std::string plain;
  if (packed) plain = Uncompressed(request.body, TakeWhole{}.max_bytes);
  std::optional<std::string> resolved =
      ResolveProjectNumbers(packed ? plain : request.body, id_of_);
  if (!resolved) return inner_.Handle(request);
  Request changed = request;
  changed.body = *resolved;
  if (packed) {
    std::erase_if(changed.headers, [](const RequestHeader& header) {
      return EqualIgnoreCase(header.name, "Content-Encoding");
    });
  }
  return inner_.Handle(changed);
}

}  // namespace fireweed::net
