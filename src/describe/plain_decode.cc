#include "describe/plain_decode.h"

#include <charconv>

#include "base/bytes.h"

namespace fireweed {
namespace {

constexpr int kMaxDepth = 64;

template <class N>
bool ParseWhole(std::string_view text, N& number) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool Whole(const Type& type, void* out) {
    if (!Value(type, out)) return false;
    Blanks();
    return at_ == text_.size();
  }

 private:
  bool Value(const Type& type, void* out) {
    Blanks();
    if (Word("null")) {
      type.reset(out);
      return true;
    }
    switch (type.kind) {
      case Kind::kStruct: return Struct(type, out);
      case Kind::kMap: return Map(type, out);
      case Kind::kList: return List(type, out);
      case Kind::kOptional: type.reset(out); return Value(*type.element, type.emplace(out));
      case Kind::kJson: return Any(static_cast<Json*>(out)->text);
      case Kind::kBool: return Bool(*static_cast<bool*>(out));
      case Kind::kInt32: return Number(*static_cast<int32_t*>(out));
      case Kind::kInt64: return Number(*static_cast<int64_t*>(out));
      case Kind::kDouble: return Number(*static_cast<double*>(out));
      case Kind::kString: return String(*static_cast<std::string*>(out));
      default: return Coded(type, out);
    }
  }

  // Calls `item` with each key, at the value.
  template <class Item>
  bool Members(const Item& item) {
    if (!Sign('{') || ++depth_ > kMaxDepth) return false;
    std::string key;
    if (!Sign('}')) {
      do {
        if (!String(key) || !Sign(':') || !item(key)) return false;
      } while (Sign(','));
      if (!Sign('}')) return false;
    }
    --depth_;
    return true;
  }

  template <class Item>
  bool Items(const Item& item) {
    if (!Sign('[') || ++depth_ > kMaxDepth) return false;
    if (!Sign(']')) {
      do {
        if (!item()) return false;
      } while (Sign(','));
      if (!Sign(']')) return false;
    }
    --depth_;
    return true;
  }

  bool Struct(const Type& type, void* out) {
    size_t next = 0;  // fields come in the order in which they are described
    return Members([&](const std::string& key) {
      for (size_t tried = 0; tried < type.fields.size(); ++tried) {
        const Field& field = type.fields[next++ % type.fields.size()];
        if (field.name == key) return Value(*field.type, field.Of(out));
      }
      return Skip();
    });
  }

  bool Map(const Type& type, void* out) {
    type.reset(out);
    return Members([&](const std::string& key) {
      Blanks();
      if (Word("null")) {
        type.erase(out, key);
        return true;
      }
      return Value(*type.element, type.insert(out, key));
    });
  }

  bool List(const Type& type, void* out) {
    type.reset(out);
    return Items([&] {
      Blanks();
      return !text_.substr(at_).starts_with("null") && Value(*type.element, type.append(out));
    });
  }

  bool Bool(bool& out) {
    if (Word("true"))
      out = true;
    else if (Word("false"))
      out = false;
    else
      return false;
    return true;
  }

  // As a number or, for integers, as a string of digits.
  template <class N>
  bool Number(N& out) {
    if (at_ < text_.size() && text_[at_] == '"') {
      std::string digits;
      return !std::is_floating_point_v<N> && String(digits) && ParseWhole(digits, out);
    }
    std::string_view digits = Digits();
    return Strict(digits) && ParseWhole(digits, out);
  }

  // The characters of a number, whatever they make.
  std::string_view Digits() {
    size_t begin = at_;
    while (at_ < text_.size() &&
           std::string_view("+-.0123456789eE").find(text_[at_]) != std::string_view::npos)
      ++at_;
    return text_.substr(begin, at_ - begin);
  }

  // JSON's grammar is narrower than from_chars': no ".5", no "5.", no "05".
  static bool Strict(std::string_view digits) {
    if (digits.starts_with('-')) digits.remove_prefix(1);
    if (digits.empty() || digits[0] < '0' || digits[0] > '9') return false;
    if (digits.size() > 1 && digits[0] == '0' && digits[1] != '.' && digits[1] != 'e' &&
        digits[1] != 'E')
      return false;
    size_t point = digits.find('.');
    return point == digits.npos ||
           (point + 1 < digits.size() && digits[point + 1] >= '0' && digits[point + 1] <= '9');
  }

  // Kinds that are strings with a meaning: times, bytes, enums.
  bool Coded(const Type& type, void* out) {
    std::string text;
    if (!String(text)) return false;
    if (type.kind == Kind::kTime) {
      std::optional<Time> time = ParseTime(text);
      if (time) *static_cast<Time*>(out) = *time;
      return time.has_value();
    }
    if (type.kind == Kind::kBytes) {
      std::optional<std::string> raw = Base64Decode(text);
      if (raw) static_cast<Bytes*>(out)->raw = std::move(*raw);
      return raw.has_value();
    }
    for (size_t i = 0; i < type.enum_names.size(); ++i) {
      if (type.enum_names[i] != text) continue;
      type.set_enum(out, static_cast<int>(i));
      return true;
    }
    return false;
  }

  // Plain text and the short escapes; everything beyond ASCII is looked at by the reader of everything.
  bool String(std::string& out) {
    if (!Sign('"')) return false;
    out.clear();
    while (at_ < text_.size()) {
      size_t end = at_;
      while (end < text_.size() && text_[end] >= ' ' && text_[end] != '"' && text_[end] != '\\' &&
             text_[end] < 0x7f)
        ++end;
      out.append(text_.substr(at_, end - at_));
      at_ = end;
      if (at_ >= text_.size()) return false;
      char c = text_[at_++];
      if (c == '"') return true;
      if (c != '\\' || at_ >= text_.size()) return false;
      size_t escape = std::string_view("\"\\/bfnrt").find(text_[at_++]);
      if (escape == std::string_view::npos) return false;
      out += "\"\\/\b\f\n\r\t"[escape];
    }
    return false;
  }

  bool Skip() {
    Blanks();
    if (at_ >= text_.size()) return false;
    std::string ignored;
    switch (text_[at_]) {
      case '{': return Members([&](const std::string&) { return Skip(); });
      case '[': return Items([&] { return Skip(); });
      case '"': return String(ignored);
      default: return Word("true") || Word("false") || Word("null") || SkipNumber();
    }
  }

  bool SkipNumber() {
    std::string_view digits = Digits();
    double ignored = 0;
    return Strict(digits) && ParseWhole(digits, ignored);
  }

  // A value as it is written. One with blanks in it is not compact: not for us.
  bool Any(std::string& out) {
    size_t begin = at_, blanks = blanks_;
    if (!Skip() || blanks != blanks_) return false;
    out = text_.substr(begin, at_ - begin);
    return true;
  }

  bool Sign(char c) {
    Blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool Word(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  void Blanks() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) {
      ++at_;
      ++blanks_;
    }
  }

  const std::string_view text_;
  size_t at_ = 0, blanks_ = 0;
  int depth_ = 0;
};

}  // namespace

bool DecodePlain(const Type& type, void* value, std::string_view json) {
  return Reader(json).Whole(type, value);
}

}  // namespace fireweed
