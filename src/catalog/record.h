// Described structs as catalog rows, in the JSON of their field table. A record type names its kind
// once:
//
//   template <> inline constexpr std::string_view kRecordKind<Bucket> = "bucket";
#pragma once

#include <string>
#include <string_view>

#include "catalog/catalog.h"
#include "describe/json_codec.h"

namespace fireweed {

// Part of the stored bytes: never changed, never used for two types.
template <class T>
inline constexpr std::string_view kRecordKind = "";

// Unknown fields of a row are ignored: a field that was removed does not make old rows unreadable.
// A row that does not decode is kInternal, since nobody but this program wrote it.
template <class T>
struct RecordCodec {
  static constexpr std::string_view kKind = kRecordKind<T>;
  static_assert(!kKind.empty(), "specialise kRecordKind<T>");

  static std::string Encode(const T& value) { return EncodeJson(value, Audience::kCatalog); }
  static T Decode(std::string_view body) {
    try {
      return DecodeJson<T>(body);
    } catch (const Failure& failure) {
      throw Failure(Code::kInternal,
                    "unreadable " + std::string(kKind) + " record: " + failure.error().message);
    }
  }
};

}  // namespace fireweed
