// One version of an object as the catalog keeps it. Bucket and name are its key, not part of its
// bytes. The format is in docs/formats/object-store.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/storage/object.h"
#include "base/clock.h"
#include "blob/blob_store.h"
#include "catalog/catalog.h"

namespace fireweed::storage {

// A stretch of an object's bytes: one whole blob. Composed objects have several.
struct ObjectPart {
  BlobId blob;
  int64_t size = 0;
  friend bool operator==(const ObjectPart&, const ObjectPart&) = default;
};

struct ObjectRow {
  int64_t generation = 0;  // microseconds
  int64_t metageneration = 1;
  int64_t size = 0;
  uint32_t crc32c = 0;
  std::string md5;  // 16 raw bytes; empty for a composed object
  std::vector<ObjectPart> parts;
  int32_t component_count = 0;  // 0: not composed
  Time created, updated, deleted, class_updated;
  std::string content_type, storage_class;
  std::string content_encoding, content_disposition, content_language, cache_control;
  std::map<std::string, std::string> metadata;
  // The rest of what clients may set and few do (ACL, custom time, holds, owner), as an
  // api::storage::Object in JSON; empty when there is none.
  std::string rare;
  std::string owner;  // email of who made it; empty when nobody signed in did

  friend bool operator==(const ObjectRow&, const ObjectRow&) = default;
};

std::string EncodeObjectRow(const ObjectRow& row);
ObjectRow DecodeObjectRow(std::string_view bytes);
// The generation alone.
int64_t GenerationInObjectRow(std::string_view bytes);

// What a client set, and what it sees, between row and resource. ToObject fills no links.
api::storage::Object ToObject(const ObjectRow& row, std::string_view bucket, std::string_view name);
void TakeMetadata(const api::storage::Object& from, ObjectRow& row);

// Opaque to clients; changes with every generation and metageneration.
std::string ObjectEtag(int64_t generation, int64_t metageneration);

// A live version is found by bucket and name; those it replaced by bucket, name and generation, in
// a kind of their own, so that listing the live ones never steps over old ones. Bucket names hold
// no '/', object names no NUL, so keys order as names do.
struct LiveObject {
  ObjectRow row;
};
struct ArchivedObject {
  ObjectRow row;
};
std::string LiveKey(std::string_view bucket, std::string_view name);
std::string ArchivedKey(std::string_view bucket, std::string_view name, int64_t generation);
// The name in a key of either kind.
std::string_view NameInLiveKey(std::string_view bucket, std::string_view key);
std::string_view NameInArchivedKey(std::string_view bucket, std::string_view key);

}  // namespace fireweed::storage

namespace fireweed {
template <>
struct RecordCodec<storage::LiveObject> {
  static constexpr std::string_view kKind = "object";
  static std::string Encode(const storage::LiveObject& o) {
    return storage::EncodeObjectRow(o.row);
  }
  static storage::LiveObject Decode(std::string_view b) { return {storage::DecodeObjectRow(b)}; }
};
template <>
struct RecordCodec<storage::ArchivedObject> {
  static constexpr std::string_view kKind = "object_archived";
  static std::string Encode(const storage::ArchivedObject& o) {
    return storage::EncodeObjectRow(o.row);
  }
  static storage::ArchivedObject Decode(std::string_view b) {
    return {storage::DecodeObjectRow(b)};
  }
};
}  // namespace fireweed
