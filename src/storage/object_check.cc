#include "storage/object_check.h"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "blob/running_sums.h"
#include "storage/object_bytes.h"
#include "storage/object_index.h"

namespace fireweed::storage {
namespace {

using Kind = ObjectVerdict::Kind;
constexpr size_t kPiece = 1 << 20;
constexpr int kPage = 500;

template <class Record>
StoredVersion VersionOf(Row<Record>& row) {
  constexpr bool kLive = std::is_same_v<Record, LiveObject>;
  std::string_view key = row.key;
  std::string_view bucket = key.substr(0, key.find('/'));
  std::string_view name = kLive ? NameInLiveKey(bucket, key) : NameInArchivedKey(bucket, key);
  return {std::string(bucket), std::string(name), std::move(row.value.row), kLive};
}

// The version as it is now, with its bytes open; nothing when it is gone.
struct Opened {
  std::optional<ObjectRow> row;
  Result<std::shared_ptr<const ObjectBytes>> bytes = Error{Code::kNotFound, "", "gone"};
};

Opened OpenNow(const Catalog& catalog, const BlobStore& blobs, const StoredVersion& version) {
  Opened opened;
  catalog.Read([&](Txn& txn) {
    opened.row = ObjectIndex(txn).Find(version.bucket, version.name, version.row.generation);
    if (opened.row) opened.bytes = ObjectBytes::Open(txn, blobs, *opened.row);
  });
  return opened;
}

ObjectVerdict CheckBytes(const ObjectRow& row, const ObjectBytes& bytes, const Pace& pace) {
  RunningSums sums;
  std::vector<std::byte> buffer(static_cast<size_t>(
      std::min<int64_t>(std::max<int64_t>(bytes.size(), 1), static_cast<int64_t>(kPiece))));
  while (sums.size() < bytes.size()) {
    Result<size_t> got = bytes.ReadAt(sums.size(), buffer);
    if (!got.ok()) return {Kind::kUnreadable, got.error().message};
    if (*got == 0) return {Kind::kSize, "the bytes end early"};
    sums.Add(std::span(buffer).first(*got));
    if (!pace(static_cast<int64_t>(*got))) return {Kind::kStopped, ""};
  }
  BlobInfo found = sums.For("");
  if (found.size != row.size) {
    return {Kind::kSize, fmt::format("{} bytes, {} in the row", found.size, row.size)};
  }
  if (found.crc32c != row.crc32c) {
    return {Kind::kChecksum,
            fmt::format("crc32c {:08x}, {:08x} in the row", found.crc32c, row.crc32c)};
  }
  if (!row.md5.empty() && found.md5 != row.md5) return {Kind::kChecksum, "md5 differs"};
  return {Kind::kSound, ""};
}

}  // namespace

void ForEachVersion(const Catalog& catalog, const std::function<bool(const StoredVersion&)>& each) {
  auto visit = [&](auto& row) { return each(VersionOf(row)); };
  if (!ForEach<LiveObject>(catalog, {.limit = kPage}, visit)) return;
  ForEach<ArchivedObject>(catalog, {.limit = kPage}, visit);
}

void ForEachVersion(Txn& txn, const std::function<bool(const StoredVersion&)>& each) {
  auto visit = [&](auto& row) { return each(VersionOf(row)); };
  if (!txn.ForEach<LiveObject>({.limit = kPage}, visit)) return;
  txn.ForEach<ArchivedObject>({.limit = kPage}, visit);
}

ObjectVerdict CheckObject(const Catalog& catalog, const BlobStore& blobs,
                          const StoredVersion& version, const Pace& pace) {
  Opened opened = OpenNow(catalog, blobs, version);
  // A blob is dropped after its row: a second look tells a missing one from one that went with it.
  if (opened.row && !opened.bytes.ok()) opened = OpenNow(catalog, blobs, version);
  if (!opened.row) return {Kind::kGone, ""};
  if (!opened.bytes.ok()) {
    const Error& error = opened.bytes.error();
    return {error.code == Code::kNotFound ? Kind::kMissing : Kind::kSize, error.message};
  }
  return CheckBytes(*opened.row, **opened.bytes, pace);
}

}  // namespace fireweed::storage
