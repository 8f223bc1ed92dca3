// JSON of described structs. Errors are Failure(kInvalid) whose message names the path of the bad value:
//   Invalid value at 'disks[0].diskSizeGb' (TYPE_INT64), "ten"
// Any thread; nothing blocks.
#pragma once

#include <string>
#include <string_view>

#include "describe/field_mask.h"
#include "describe/json_writer.h"
#include "describe/type.h"

namespace fireweed {

enum class Audience {
  kCatalog,  // everything
  kWire,     // without kStored fields
};

enum class UnknownFields { kIgnore, kRefuse };

struct DecodeRules {
  UnknownFields unknown = UnknownFields::kIgnore;
  // From a client: kOutput and kStored fields are passed over, kRequired ones must be there.
  bool from_client = false;
  // Scalars may stand for each other where the text fits (YAML has no types): "8080" for 8080 and back.
  bool lenient_scalars = false;
};

// Left out: empty strings, lists, maps and optionals, and structs of which nothing is left (unless kKeepEmpty).
// Numbers and booleans are always written; make them optional where absence means something.
void EncodeValue(const Type& type, const void* value, JsonWriter& out,
                 Audience audience = Audience::kCatalog, const FieldMask* mask = nullptr);
void DecodeValue(const Type& type, void* value, std::string_view json,
                 const DecodeRules& rules = {});

// Merge patch (RFC 7396) by the field table: null restores the default, maps merge by key, structs merge,
// lists are replaced; kOutput and kStored fields are passed over; changing a kImmutable field is kInvalid.
void PatchValue(const Type& type, void* value, std::string_view json,
                const DecodeRules& rules = {});
// The same for the fields named in `update_mask` ("labels,description") only; unknown names are kInvalid.
void PatchValueMasked(const Type& type, void* value, std::string_view json,
                      std::string_view update_mask);
// Full replacement by what a client sent: kOutput, kStored and absent kImmutable fields keep their value.
void UpdateValue(const Type& type, void* value, std::string_view json,
                 const DecodeRules& rules = {});

template <class T>
std::string EncodeJson(const T& value, Audience audience = Audience::kCatalog) {
  JsonWriter out;
  EncodeValue(TypeOf<T>(), &value, out, audience);
  return out.Take();
}
template <class T>
T DecodeJson(std::string_view json, const DecodeRules& rules = {}) {
  T value{};
  DecodeValue(TypeOf<T>(), &value, json, rules);
  return value;
}
template <class T>
void PatchJson(T& value, std::string_view json) {
  PatchValue(TypeOf<T>(), &value, json);
}
template <class T>
void UpdateJson(T& value, std::string_view json) {
  UpdateValue(TypeOf<T>(), &value, json);
}

// A scalar, enum, list (appends) or optional from one query parameter or path segment.
void ParseParameter(const Type& type, void* value, std::string_view name, std::string_view text);

// YAML text as JSON text, for DecodeRules with lenient_scalars. Throws Failure(kInvalid) with line and column.
std::string YamlToJson(std::string_view yaml);

}  // namespace fireweed
