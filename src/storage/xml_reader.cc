#include "storage/xml_reader.h"

#include <charconv>
#include <optional>

#include "base/bytes.h"
#include "base/error.h"

namespace fireweed::storage {
namespace {

constexpr size_t kMaxBytes = 4 << 20;
constexpr int kMaxDepth = 16;
constexpr size_t kMaxElements = 65536;

[[noreturn]] void Refuse() {
  throw Failure(Code::kInvalid, "MalformedXML",
                "The XML you provided was not well-formed or did not validate against our "
                "published schema.");
}

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

bool IsNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.' || c == ':' || static_cast<uint8_t>(c) >= 0x80;
}

void AppendUtf8(std::string& out, uint32_t point) {
  bool sound = point <= 0x10ffff && (point < 0xd800 || point > 0xdfff) &&
               (point >= 0x20 || point == '\t' || point == '\n' || point == '\r');
  if (!sound) Refuse();
  auto tail = [&](int shift) { out += static_cast<char>(0x80 | (point >> shift & 0x3f)); };
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xc0 | point >> 6);
    tail(0);
  } else if (point < 0x10000) {
    out += static_cast<char>(0xe0 | point >> 12);
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xf0 | point >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

// `entity` is what stands between '&' and ';'.
void AppendEntity(std::string& out, std::string_view entity) {
  constexpr std::pair<std::string_view, char> kNamed[] = {
      {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
  for (const auto& [name, c] : kNamed) {
    if (entity != name) continue;
    out += c;
    return;
  }
  if (!entity.starts_with('#')) Refuse();
  entity.remove_prefix(1);
  bool hex = entity.starts_with('x');
  if (hex) entity.remove_prefix(1);
  uint32_t point = 0;
  auto [end, error] =
      std::from_chars(entity.data(), entity.data() + entity.size(), point, hex ? 16 : 10);
  if (entity.empty() || error != std::errc() || end != entity.data() + entity.size()) Refuse();
  AppendUtf8(out, point);
}

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  XmlElement Document() {
    if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);
    SkipMisc();
    XmlElement root = Element(0);
    SkipMisc();
    if (!rest_.empty()) Refuse();
    return root;
  }

 private:
  // Everything up to `end`, which is taken as well.
  std::string_view Until(std::string_view end) {
    size_t at = rest_.find(end);
    if (at == std::string_view::npos) Refuse();
    std::string_view found = rest_.substr(0, at);
    rest_.remove_prefix(at + end.size());
    return found;
  }

  bool Take(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  void SkipSpace() {
    while (!rest_.empty() && IsSpace(rest_[0])) rest_.remove_prefix(1);
  }

  // Space, comments and processing instructions, outside of the root element.
  void SkipMisc() {
    while (true) {
      SkipSpace();
      if (Take("<?")) {
        Until("?>");
      } else if (Take("<!--")) {
        Until("-->");
      } else {
        return;
      }
    }
  }

  std::string Name() {
    size_t length = 0;
    while (length < rest_.size() && IsNameChar(rest_[length])) ++length;
    if (length == 0) Refuse();
    std::string name(rest_.substr(0, length));
    rest_.remove_prefix(length);
    return name;
  }

  std::string Unescape(std::string_view raw) {
    std::string out;
    while (true) {
      size_t amp = raw.find('&');
      out.append(raw.substr(0, amp));
      if (amp == std::string_view::npos) return out;
      size_t semicolon = raw.find(';', amp);
      if (semicolon == std::string_view::npos) Refuse();
      AppendEntity(out, raw.substr(amp + 1, semicolon - amp - 1));
      raw.remove_prefix(semicolon + 1);
    }
  }

  void Attributes(XmlElement& element) {
    while (true) {
      SkipSpace();
      if (rest_.empty()) Refuse();
      if (rest_[0] == '>' || rest_[0] == '/') return;
      std::string name = Name();
      SkipSpace();
      if (!Take("=")) Refuse();
      SkipSpace();
      std::string_view quote = rest_.substr(0, 1);
      if (quote != "\"" && quote != "'") Refuse();
      rest_.remove_prefix(1);
      element.attributes.emplace_back(std::move(name), Unescape(Until(quote)));
    }
  }

  XmlElement Element(int depth) {
    if (depth > kMaxDepth || ++elements_ > kMaxElements || !Take("<")) Refuse();
    XmlElement element;
    std::string name = Name();
    element.name = name.substr(name.rfind(':') + 1);
    Attributes(element);
    if (Take("/>")) return element;
    if (!Take(">")) Refuse();
    Content(element, depth);
    if (Name() != name) Refuse();
    SkipSpace();
    if (!Take(">")) Refuse();
    element.text = Trim(element.text);
    return element;
  }

  // Up to and with the "</" of the element's end.
  void Content(XmlElement& element, int depth) {
    while (true) {
      size_t open = rest_.find('<');
      if (open == std::string_view::npos) Refuse();
      element.text += Unescape(rest_.substr(0, open));
      rest_.remove_prefix(open);
      if (Take("</")) return;
      if (Take("<!--")) {
        Until("-->");
      } else if (Take("<![CDATA[")) {
        element.text += Until("]]>");
      } else if (Take("<?")) {
        Until("?>");
      } else {
        element.children.push_back(Element(depth + 1));
      }
    }
  }

  std::string_view rest_;
  size_t elements_ = 0;
};

}  // namespace

const XmlElement* XmlElement::Child(std::string_view child) const {
  for (const XmlElement& element : children) {
    if (element.name == child) return &element;
  }
  return nullptr;
}

std::string_view XmlElement::Text(std::string_view child) const {
  const XmlElement* element = Child(child);
  return element ? std::string_view(element->text) : std::string_view();
}

std::string_view XmlElement::Attribute(std::string_view attribute) const {
  for (const auto& [name, value] : attributes) {
    if (name == attribute) return value;
  }
  return {};
}

XmlElement ParseXml(std::string_view text) {
  if (text.size() > kMaxBytes) Refuse();
  return Parser(text).Document();
}

}  // namespace fireweed::storage
