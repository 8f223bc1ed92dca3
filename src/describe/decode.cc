// One of the few files that see nlohmann: reading JSON text into described structs.
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/bytes.h"
#include "describe/json_codec.h"
#include "describe/plain_decode.h"

namespace fireweed {
namespace {

using nlohmann::json;

constexpr int kMaxDepth = 64;

std::string_view KindWord(const Type& type) {
  switch (type.kind) {
    case Kind::kBool: return "TYPE_BOOL";
    case Kind::kInt32: return "TYPE_INT32";
    case Kind::kInt64: return "TYPE_INT64";
    case Kind::kDouble: return "TYPE_DOUBLE";
    case Kind::kString: return "TYPE_STRING";
    case Kind::kBytes: return "TYPE_BYTES";
    case Kind::kTime: return "TYPE_TIMESTAMP";
    case Kind::kEnum: return "TYPE_ENUM";
    case Kind::kList: return "TYPE_LIST";
    case Kind::kMap: return "TYPE_MAP";
    case Kind::kStruct: return "TYPE_MESSAGE";
    case Kind::kJson: return "TYPE_VALUE";
    case Kind::kOptional: return KindWord(*type.element);
  }
  return "TYPE_VALUE";
}

std::string Shorten(std::string text) {
  constexpr size_t kMost = 120;
  if (text.size() > kMost) text = text.substr(0, kMost) + "...";
  return text;
}

// Where we are, as a chain on the stack: turned into text only when something is wrong.
struct Path {
  const Path* parent = nullptr;
  std::string_view name;
  size_t index = 0;

  std::string Text() const {
    std::string out = parent ? parent->Text() : "";
    if (name.empty()) return parent ? out + fmt::format("[{}]", index) : out;
    return out.empty() ? std::string(name) : out + "." + std::string(name);
  }
};

[[noreturn]] void Refuse(const Type& type, const json& value, const Path& path) {
  std::string where = path.Text();
  throw Failure(
      Code::kInvalid, "invalid",
      fmt::format("Invalid value at '{}' ({}), {}", where.empty() ? "body" : where, KindWord(type),
                  Shorten(value.dump(-1, ' ', false, json::error_handler_t::replace))));
}

template <class N>
bool ParseWhole(std::string_view text, N& number) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

// An integer from a JSON number (also 5.0) or a string of digits.
template <class N>
bool ReadInteger(const json& value, N& out) {
  if (value.is_string()) return ParseWhole(value.get_ref<const std::string&>(), out);
  if (value.is_number_unsigned()) {
    uint64_t number = value.get<uint64_t>();
    if (number > static_cast<uint64_t>(std::numeric_limits<N>::max())) return false;
    out = static_cast<N>(number);
    return true;
  }
  if (value.is_number_integer()) {
    int64_t number = value.get<int64_t>();
    if (number < std::numeric_limits<N>::min() || number > std::numeric_limits<N>::max())
      return false;
    out = static_cast<N>(number);
    return true;
  }
  if (!value.is_number_float()) return false;
  double number = value.get<double>();
  constexpr double kExact = 9007199254740992.0;  // doubles are whole numbers up to 2^53
  if (std::trunc(number) != number || std::fabs(number) > kExact) return false;
  if (number < static_cast<double>(std::numeric_limits<N>::min()) ||
      number > static_cast<double>(std::numeric_limits<N>::max())) {
    return false;
  }
  out = static_cast<N>(number);
  return true;
}

bool ReadDouble(const json& value, double& out) {
  if (value.is_number()) {
    out = value.get<double>();
    return true;
  }
  if (!value.is_string()) return false;
  const std::string& text = value.get_ref<const std::string&>();
  if (text == "NaN")
    out = std::nan("");
  else if (text == "Infinity")
    out = INFINITY;
  else if (text == "-Infinity")
    out = -INFINITY;
  else
    return ParseWhole(text, out);
  return true;
}

bool ReadBool(std::string_view text, bool& out) {
  if (EqualIgnoreCase(text, "true") || text == "1")
    out = true;
  else if (EqualIgnoreCase(text, "false") || text == "0")
    out = false;
  else
    return false;
  return true;
}

bool ReadEnum(const Type& type, const json& value, void* out) {
  if (value.is_string()) {
    const std::string& text = value.get_ref<const std::string&>();
    for (size_t i = 0; i < type.enum_names.size(); ++i) {
      if (type.enum_names[i] == text) {
        type.set_enum(out, static_cast<int>(i));
        return true;
      }
    }
    return false;
  }
  int32_t index = 0;
  if (!value.is_number() || !ReadInteger(value, index)) return false;
  if (index < 0 || static_cast<size_t>(index) >= type.enum_names.size()) return false;
  type.set_enum(out, index);
  return true;
}

bool ReadString(const json& value, const DecodeRules& rules, std::string& out) {
  if (value.is_string()) {
    out = value.get<std::string>();
    return true;
  }
  if (!rules.lenient_scalars || value.is_structured() || value.is_null()) return false;
  out = value.dump();
  return true;
}

// Everything that is not a container; false when the value does not fit.
bool ReadScalar(const Type& type, const json& value, const DecodeRules& rules, void* out) {
  switch (type.kind) {
    case Kind::kBool:
      if (value.is_boolean())
        *static_cast<bool*>(out) = value.get<bool>();
      else if (value.is_string())
        return ReadBool(value.get<std::string>(), *static_cast<bool*>(out));
      else
        return false;
      return true;
    case Kind::kInt32: return ReadInteger(value, *static_cast<int32_t*>(out));
    case Kind::kInt64: return ReadInteger(value, *static_cast<int64_t*>(out));
    case Kind::kDouble: return ReadDouble(value, *static_cast<double*>(out));
    case Kind::kString: return ReadString(value, rules, *static_cast<std::string*>(out));
    case Kind::kBytes: {
      if (!value.is_string()) return false;
      std::optional<std::string> raw = Base64Decode(value.get<std::string>());
      if (raw) static_cast<Bytes*>(out)->raw = std::move(*raw);
      return raw.has_value();
    }
    case Kind::kTime: {
      if (!value.is_string()) return false;
      std::optional<Time> time = ParseTime(value.get<std::string>());
      if (time) *static_cast<Time*>(out) = *time;
      return time.has_value();
    }
    case Kind::kEnum: return ReadEnum(type, value, out);
    default: return false;
  }
}

enum class Merge { kFresh, kPatch };

void Read(const Type& type, void* out, const json& value, const DecodeRules& rules, Merge merge,
          const Path& path);

void ReadStruct(const Type& type, void* out, const json& value, const DecodeRules& rules,
                Merge merge, const Path& path) {
  if (!value.is_object()) Refuse(type, value, path);
  for (const auto& [name, item] : value.items()) {
    const Field* field = type.Find(name);
    Path here{&path, name};
    if (!field) {
      if (rules.unknown == UnknownFields::kIgnore) continue;
      throw Failure(
          Code::kInvalid, "invalid",
          fmt::format("Invalid JSON payload received. Unknown name \"{}\": Cannot find field.",
                      here.Text()));
    }
    if (rules.from_client && (field->flags & (kOutput | kStored))) continue;
    void* member = field->Of(out);
    if (merge == Merge::kPatch && (field->flags & kImmutable)) {
      // Sent back unchanged is fine: clients echo whole resources.
      JsonWriter before;
      EncodeValue(*field->type, member, before);
      Read(*field->type, member, item, rules, Merge::kFresh, here);
      JsonWriter after;
      EncodeValue(*field->type, member, after);
      if (before.text() == after.text()) continue;
      throw Failure(Code::kInvalid, "invalid",
                    fmt::format("Field '{}' cannot be changed.", here.Text()));
    }
    Read(*field->type, member, item, rules, merge, here);
  }
  if (merge == Merge::kPatch || !rules.from_client) return;
  for (const Field& field : type.fields) {
    if (!(field.flags & kRequired) || (value.contains(field.name) && !value[field.name].is_null()))
      continue;
    throw Failure(Code::kInvalid, "required",
                  fmt::format("Required field '{}' is missing.", Path{&path, field.name}.Text()));
  }
}

void ReadMap(const Type& type, void* out, const json& value, const DecodeRules& rules, Merge merge,
             const Path& path) {
  if (!value.is_object()) Refuse(type, value, path);
  if (merge == Merge::kFresh) type.reset(out);
  for (const auto& [key, item] : value.items()) {
    if (item.is_null()) {
      type.erase(out, key);
      continue;
    }
    Path here{&path, key};
    Read(*type.element, type.insert(out, key), item, rules, merge, here);
  }
}

void ReadList(const Type& type, void* out, const json& value, const DecodeRules& rules,
              const Path& path) {
  if (!value.is_array()) Refuse(type, value, path);
  type.reset(out);
  for (size_t i = 0; i < value.size(); ++i) {
    Path here{&path, {}, i};
    if (value[i].is_null()) Refuse(*type.element, value[i], here);
    Read(*type.element, type.append(out), value[i], rules, Merge::kFresh, here);
  }
}

void Read(const Type& type, void* out, const json& value, const DecodeRules& rules, Merge merge,
          const Path& path) {
  if (value.is_null()) {
    type.reset(out);
    return;
  }
  switch (type.kind) {
    case Kind::kStruct: ReadStruct(type, out, value, rules, merge, path); return;
    case Kind::kMap: ReadMap(type, out, value, rules, merge, path); return;
    case Kind::kList: ReadList(type, out, value, rules, path); return;
    case Kind::kOptional:
      if (merge == Merge::kFresh) type.reset(out);
      Read(*type.element, type.emplace(out), value, rules, merge, path);
      return;
    case Kind::kJson:
      static_cast<Json*>(out)->text = value.dump(-1, ' ', false, json::error_handler_t::replace);
      return;
    default:
      if (!ReadScalar(type, value, rules, out)) Refuse(type, value, path);
  }
}

// Whether brackets nest deeper than is reasonable, wherever the text may be wrong otherwise. Cheaper than asking at every
// step of the parser.
bool TooDeep(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxDepth) return true;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

json Parse(std::string_view text) {
  if (TooDeep(text)) throw Failure(Code::kInvalid, "parseError", "JSON is nested too deeply.");
  try {
    return json::parse(text);
  } catch (const json::exception& error) {
    throw Failure(Code::kInvalid, "parseError",
                  fmt::format("Invalid JSON payload received. {}", Shorten(error.what())));
  }
}

// Works on a copy, so that a refused change leaves the value as it was.
template <class Change>
void ChangeWhole(const Type& type, void* value, const Change& change) {
  JsonWriter before;
  EncodeValue(type, value, before);
  try {
    change();
  } catch (...) {
    type.reset(value);
    DecodeValue(type, value, before.text());
    throw;
  }
}

}  // namespace

void DecodeValue(const Type& type, void* value, std::string_view text, const DecodeRules& rules) {
  if (Trim(text).empty()) text = "{}";
  bool plain =
      rules.unknown == UnknownFields::kIgnore && !rules.from_client && !rules.lenient_scalars;
  if (plain && DecodePlain(type, value, text)) return;
  Read(type, value, Parse(text), rules, Merge::kFresh, Path{});
}

void PatchValue(const Type& type, void* value, std::string_view text, const DecodeRules& rules) {
  json patch = Parse(Trim(text).empty() ? "{}" : text);
  DecodeRules client = rules;
  client.from_client = true;
  ChangeWhole(type, value, [&] { Read(type, value, patch, client, Merge::kPatch, Path{}); });
}

void PatchValueMasked(const Type& type, void* value, std::string_view text,
                      std::string_view update_mask) {
  json patch = Parse(Trim(text).empty() ? "{}" : text);
  json chosen = json::object();
  while (!update_mask.empty()) {
    size_t comma = update_mask.find(',');
    std::string name(Trim(update_mask.substr(0, comma)));
    update_mask = comma == std::string_view::npos ? "" : update_mask.substr(comma + 1);
    std::string top = name.substr(0, name.find('.'));
    if (!type.Find(top)) {
      throw Failure(Code::kInvalid, "invalid",
                    fmt::format("Invalid update mask: no field '{}'.", name));
    }
    std::string path = name;
    for (char& c : path) c = c == '.' ? '/' : c;
    json::json_pointer at("/" + path);
    chosen[at] = patch.contains(at) ? patch[at] : json();
  }
  PatchValue(type, value, chosen.dump());
}

void UpdateValue(const Type& type, void* value, std::string_view text, const DecodeRules& rules) {
  json body = Parse(Trim(text).empty() ? "{}" : text);
  if (!body.is_object()) Refuse(type, body, Path{});
  // A replacement is a patch in which every field that is absent goes back to its default.
  for (const Field& field : type.fields) {
    if (field.flags & (kOutput | kStored | kImmutable)) continue;
    if (!body.contains(field.name)) body[std::string(field.name)] = nullptr;
  }
  DecodeRules client = rules;
  client.from_client = true;
  ChangeWhole(type, value, [&] {
    for (const Field& field : type.fields) {
      if (!(field.flags & (kOutput | kStored | kImmutable))) field.type->reset(field.Of(value));
    }
    Read(type, value, body, client, Merge::kPatch, Path{});
  });
}

void ParseParameter(const Type& type, void* value, std::string_view name, std::string_view text) {
  Path path{nullptr, name};
  switch (type.kind) {
    case Kind::kOptional: ParseParameter(*type.element, type.emplace(value), name, text); return;
    case Kind::kList: ParseParameter(*type.element, type.append(value), name, text); return;
    case Kind::kBool:
      if (!ReadBool(text, *static_cast<bool*>(value))) Refuse(type, json(std::string(text)), path);
      return;
    default:
      if (!ReadScalar(type, json(std::string(text)), DecodeRules{}, value)) {
        Refuse(type, json(std::string(text)), path);
      }
  }
}

}  // namespace fireweed
