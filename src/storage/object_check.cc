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

template <class Record>
bool ForEachOf(const std::function<std::vector<Row<Record>>(const ScanRange&)>& scan,
               const std::function<bool(const StoredVersion&)>& each) {
  ScanRange range;
  range.limit = kPage;
  while (true) {
    std::vector<Row<Record>> rows = scan(range);
    for (Row<Record>& row : rows) {
      if (!each(VersionOf(row))) return false;
    }
    if (std::ssize(rows) < range.limit) return true;
    range.after = rows.back().key;
  }
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
  bool on = ForEachOf<LiveObject>(
      [&](const ScanRange& range) {
        return Query(catalog, [&](Txn& txn) { return txn.Scan<LiveObject>(range); });
      },
      each);
  if (!on) return;
  ForEachOf<ArchivedObject>(
      [&](const ScanRange& range) {
        return Query(catalog, [&](Txn& txn) { return txn.Scan<ArchivedObject>(range); });
      },
      each);
}

void ForEachVersion(Txn& txn, const std::function<bool(const StoredVersion&)>& each) {
  bool on = ForEachOf<LiveObject>(
      [&](const ScanRange& range) { return txn.Scan<LiveObject>(range); }, each);
  if (!on) return;
  ForEachOf<ArchivedObject>([&](const ScanRange& range) { return txn.Scan<ArchivedObject>(range); },
                            each);
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
