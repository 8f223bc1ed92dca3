#include "base/bytes.h"
#include "describe/json_codec.h"

namespace fireweed {
namespace {

bool IsEmpty(const Type& type, const void* value) {
  switch (type.kind) {
    case Kind::kString: return static_cast<const std::string*>(value)->empty();
    case Kind::kBytes: return static_cast<const Bytes*>(value)->raw.empty();
    case Kind::kJson: return static_cast<const Json*>(value)->text.empty();
    case Kind::kTime: return *static_cast<const Time*>(value) == Time{};
    case Kind::kList:
    case Kind::kMap: return type.count(value) == 0;
    case Kind::kOptional: return type.get(value) == nullptr;
    default: return false;
  }
}

void EncodeStruct(const Type& type, const void* value, JsonWriter& out, Audience audience,
                  const FieldMask* mask);

void EncodeAny(const Type& type, const void* value, JsonWriter& out, Audience audience,
               const FieldMask* mask) {
  switch (type.kind) {
    case Kind::kBool: out.Bool(*static_cast<const bool*>(value)); return;
    case Kind::kInt32: out.Int(*static_cast<const int32_t*>(value)); return;
    case Kind::kInt64: out.String(std::to_string(*static_cast<const int64_t*>(value))); return;
    case Kind::kDouble: out.Double(*static_cast<const double*>(value)); return;
    case Kind::kString: out.String(*static_cast<const std::string*>(value)); return;
    case Kind::kBytes: out.String(Base64Encode(static_cast<const Bytes*>(value)->raw)); return;
    case Kind::kTime: {
      Time time = *static_cast<const Time*>(value);
      // The catalog keeps every digit; clients are used to milliseconds.
      out.String(FormatTime(time, audience == Audience::kCatalog ? 9 : 3));
      return;
    }
    case Kind::kJson: {
      const std::string& text = static_cast<const Json*>(value)->text;
      out.Raw(text.empty() ? "null" : text);
      return;
    }
    case Kind::kEnum: {
      size_t index = static_cast<size_t>(type.enum_index(value));
      out.String(index < type.enum_names.size() ? type.enum_names[index] : "UNKNOWN");
      return;
    }
    case Kind::kStruct: EncodeStruct(type, value, out, audience, mask); return;
    case Kind::kList:
      out.BeginArray();
      for (size_t i = 0; i < type.count(value); ++i) {
        EncodeAny(*type.element, type.at(value, i), out, audience, mask);
      }
      out.EndArray();
      return;
    case Kind::kMap:
      out.BeginObject();
      type.each(value, [&](const std::string& key, const void* item) {
        const FieldMask* under = mask ? mask->Under(key) : nullptr;
        if (mask && !under) return;
        out.Key(key);
        EncodeAny(*type.element, item, out, audience, under);
      });
      out.EndObject();
      return;
    case Kind::kOptional:
      if (const void* inner = type.get(value))
        EncodeAny(*type.element, inner, out, audience, mask);
      else
        out.Null();
      return;
  }
}

void EncodeStruct(const Type& type, const void* value, JsonWriter& out, Audience audience,
                  const FieldMask* mask) {
  out.BeginObject();
  for (const Field& field : type.fields) {
    if (audience == Audience::kWire && (field.flags & kStored)) continue;
    const FieldMask* under = mask ? mask->Under(field.name) : nullptr;
    if (mask && !under) continue;
    const void* member = field.Of(value);
    bool keep = field.flags & kKeepEmpty;
    if (!keep && IsEmpty(*field.type, member)) continue;
    size_t mark = out.Mark();
    bool comma = out.NeedsComma();
    out.Key(field.name);
    size_t before = out.Mark();
    EncodeAny(*field.type, member, out, audience, under);
    bool hollow = field.type->kind == Kind::kStruct && out.text().substr(before) == "{}";
    if (hollow && !keep) out.Rewind(mark, comma);
  }
  out.EndObject();
}

}  // namespace

void EncodeValue(const Type& type, const void* value, JsonWriter& out, Audience audience,
                 const FieldMask* mask) {
  if (mask && mask->everything()) mask = nullptr;
  EncodeAny(type, value, out, audience, mask);
}

}  // namespace fireweed
