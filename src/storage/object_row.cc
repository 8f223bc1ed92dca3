#include "storage/object_row.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "describe/json_codec.h"
#include "storage/compact_form.h"

namespace fireweed::storage {
namespace {

constexpr uint64_t kFormat = 1;
constexpr size_t kGenerationDigits = 16;
constexpr size_t kUsualRowBytes = 256;

// Times are whole microseconds: generations are, and clients see no more than milliseconds.
void PutTime(CompactWriter& out, Time time) { out.Number(static_cast<uint64_t>(ToMicros(time))); }
Time TakeTime(CompactReader& in) { return FromMicros(static_cast<int64_t>(in.Number())); }

// What every row begins with.
int64_t TakeGeneration(CompactReader& in) {
  if (in.Number() != kFormat) throw Failure(Code::kInternal, "an object row has an unknown format");
  return static_cast<int64_t>(in.Number());
}

// Only what the row has no member for.
std::string RareJson(const api::storage::Object& from) {
  bool nothing = from.customTime == Time{} && !from.temporaryHold && !from.eventBasedHold &&
                 from.retention.text.empty() && from.contexts.text.empty() && from.acl.empty() &&
                 !from.owner;
  if (nothing) return "";
  api::storage::Object rare;
  rare.kind.clear();
  rare.customTime = from.customTime;
  rare.temporaryHold = from.temporaryHold;
  rare.eventBasedHold = from.eventBasedHold;
  rare.retention = from.retention;
  rare.contexts = from.contexts;
  rare.holdReleased = from.holdReleased;
  rare.acl = from.acl;
  static const std::string kNothing = [] {
    api::storage::Object empty;
    empty.kind.clear();
    return EncodeJson(empty);
  }();
  std::string text = EncodeJson(rare);
  return text == kNothing ? std::string() : text;
}

void ShowRare(const std::string& text, api::storage::Object& object) {
  if (text.empty()) return;
  api::storage::Object rare = DecodeJson<api::storage::Object>(text);
  object.customTime = rare.customTime;
  object.temporaryHold = rare.temporaryHold;
  object.eventBasedHold = rare.eventBasedHold;
  object.retention = std::move(rare.retention);
  object.contexts = std::move(rare.contexts);
  object.holdReleased = rare.holdReleased;
  object.acl = std::move(rare.acl);
}

}  // namespace

std::string EncodeObjectRow(const ObjectRow& row) {
  CompactWriter out;
  out.Reserve(kUsualRowBytes);
  out.Number(kFormat);
  out.Number(static_cast<uint64_t>(row.generation));
  out.Number(static_cast<uint64_t>(row.metageneration));
  out.Number(static_cast<uint64_t>(row.size));
  out.Number(row.crc32c);
  out.Text(row.md5);
  out.Number(row.parts.size());
  for (const ObjectPart& part : row.parts) {
    out.Text(part.blob);
    out.Number(static_cast<uint64_t>(part.size));
  }
  out.Number(static_cast<uint64_t>(row.component_count));
  for (Time time : {row.created, row.updated, row.deleted, row.class_updated}) PutTime(out, time);
  for (const std::string* text :
       {&row.content_type, &row.storage_class, &row.content_encoding, &row.content_disposition,
        &row.content_language, &row.cache_control, &row.rare}) {
    out.Text(*text);
  }
  out.Number(row.metadata.size());
  for (const auto& [key, value] : row.metadata) {
    out.Text(key);
    out.Text(value);
  }
  if (!row.owner.empty()) out.Text(row.owner);
  return out.Take();
}

ObjectRow DecodeObjectRow(std::string_view bytes) {
  CompactReader in(bytes);
  ObjectRow row;
  row.generation = TakeGeneration(in);
  row.metageneration = static_cast<int64_t>(in.Number());
  row.size = static_cast<int64_t>(in.Number());
  row.crc32c = static_cast<uint32_t>(in.Number());
  row.md5 = in.Text();
  for (uint64_t parts = in.Number(); parts > 0; --parts) {
    ObjectPart& part = row.parts.emplace_back();
    part.blob = in.Text();
    part.size = static_cast<int64_t>(in.Number());
  }
  row.component_count = static_cast<int32_t>(in.Number());
  for (Time* time : {&row.created, &row.updated, &row.deleted, &row.class_updated}) {
    *time = TakeTime(in);
  }
  for (std::string* text :
       {&row.content_type, &row.storage_class, &row.content_encoding, &row.content_disposition,
        &row.content_language, &row.cache_control, &row.rare}) {
    *text = in.Text();
  }
  for (uint64_t pairs = in.Number(); pairs > 0; --pairs) {
    std::string key(in.Text());
    row.metadata.emplace(std::move(key), in.Text());
  }
  if (!in.done()) row.owner = in.Text();
  return row;
}

int64_t GenerationInObjectRow(std::string_view bytes) {
  CompactReader in(bytes);
  return TakeGeneration(in);
}

api::storage::Object ToObject(const ObjectRow& row, std::string_view bucket,
                              std::string_view name) {
  api::storage::Object object;
  object.bucket = bucket;
  object.name = name;
  object.id = fmt::format("{}/{}/{}", bucket, name, row.generation);
  object.generation = row.generation;
  object.metageneration = row.metageneration;
  object.size = row.size;
  if (!row.md5.empty()) object.md5Hash = Base64Encode(row.md5);
  object.crc32c = Crc32cToBase64(row.crc32c);
  object.etag = ObjectEtag(row.generation, row.metageneration);
  if (row.component_count > 0) object.componentCount = row.component_count;
  object.timeCreated = object.timeFinalized = row.created;
  object.updated = row.updated;
  object.timeDeleted = row.deleted;
  object.timeStorageClassUpdated = row.class_updated;
  object.contentType = row.content_type;
  object.storageClass = row.storage_class;
  object.contentEncoding = row.content_encoding;
  object.contentDisposition = row.content_disposition;
  object.contentLanguage = row.content_language;
  object.cacheControl = row.cache_control;
  object.metadata = row.metadata;
  if (!row.owner.empty()) object.owner = api::storage::Owner{"user-" + row.owner, ""};
  ShowRare(row.rare, object);
  return object;
}

void TakeMetadata(const api::storage::Object& from, ObjectRow& row) {
  row.content_type = from.contentType;
  row.content_encoding = from.contentEncoding;
  row.content_disposition = from.contentDisposition;
  row.content_language = from.contentLanguage;
  row.cache_control = from.cacheControl;
  row.metadata = from.metadata;
  if (!from.storageClass.empty()) row.storage_class = from.storageClass;
  row.rare = RareJson(from);
}

std::string ObjectEtag(int64_t generation, int64_t metageneration) {
  CompactWriter out;
  out.Number(static_cast<uint64_t>(generation));
  out.Number(static_cast<uint64_t>(metageneration));
  return Base64Encode(out.Take());
}

std::string LiveKey(std::string_view bucket, std::string_view name) {
  std::string key;
  key.reserve(bucket.size() + 1 + name.size());
  return key.append(bucket).append("/").append(name);
}

std::string ArchivedKey(std::string_view bucket, std::string_view name, int64_t generation) {
  std::string key = LiveKey(bucket, name);
  key += '\0';
  return key + fmt::format("{:016x}", generation);
}

std::string_view NameInLiveKey(std::string_view bucket, std::string_view key) {
  return key.substr(bucket.size() + 1);
}

std::string_view NameInArchivedKey(std::string_view bucket, std::string_view key) {
  std::string_view name = key.substr(bucket.size() + 1);
  return name.substr(0, name.size() - kGenerationDigits - 1);
}

}  // namespace fireweed::storage
