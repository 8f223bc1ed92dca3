#include "storage/object_index.h"

#include <algorithm>

#include "storage/blob_refs.h"
#include "storage/small_blobs.h"

namespace fireweed::storage {
namespace {

// Takes the row's strings. `name`: where its key holds the object's name.
FoundVersion Found(RawRow& row, std::string_view name) {
  FoundVersion version;
  version.generation = GenerationInObjectRow(row.body);
  version.bytes = std::move(row.body);
  size_t at = static_cast<size_t>(name.data() - row.key.data());
  row.key.resize(at + name.size());
  row.key.erase(0, at);
  version.name = std::move(row.key);
  return version;
}

class LiveNames final : public NameSource {
 public:
  LiveNames(Txn& txn, std::string_view bucket) : txn_(txn), bucket_(bucket) {}

  std::vector<FoundVersion> Scan(const ListingPoint& from, std::string_view prefix,
                                 int limit) override {
    ScanRange range;
    range.prefix = LiveKey(bucket_, prefix);
    (from.after_generation < 0 ? range.from : range.after) = LiveKey(bucket_, from.name);
    range.limit = limit;
    std::vector<RawRow> rows = txn_.ScanRaw(RecordCodec<LiveObject>::kKind, range);
    std::vector<FoundVersion> versions;
    versions.reserve(rows.size());
    for (RawRow& row : rows) versions.push_back(Found(row, NameInLiveKey(bucket_, row.key)));
    return versions;
  }

 private:
  Txn& txn_;
  std::string_view bucket_;
};

// Live and archived versions, merged by name and generation.
class AllVersions final : public NameSource {
 public:
  AllVersions(Txn& txn, std::string_view bucket) : txn_(txn), bucket_(bucket) {}

  std::vector<FoundVersion> Scan(const ListingPoint& from, std::string_view prefix,
                                 int limit) override {
    std::vector<FoundVersion> live = LiveFrom(from, prefix, limit);
    std::vector<FoundVersion> archived = ArchivedFrom(from, prefix, limit);
    std::vector<FoundVersion> all;
    all.reserve(live.size() + archived.size());
    std::merge(std::make_move_iterator(live.begin()), std::make_move_iterator(live.end()),
               std::make_move_iterator(archived.begin()), std::make_move_iterator(archived.end()),
               std::back_inserter(all), [](const FoundVersion& a, const FoundVersion& b) {
                 if (a.name != b.name) return a.name < b.name;
                 return a.generation < b.generation;
               });
    if (all.size() > static_cast<size_t>(limit)) all.erase(all.begin() + limit, all.end());
    return all;
  }

 private:
  std::vector<FoundVersion> LiveFrom(const ListingPoint& from, std::string_view prefix, int limit) {
    // One more: the first may be what the point is behind.
    std::vector<FoundVersion> live =
        LiveNames(txn_, bucket_).Scan({from.name, -1}, prefix, limit + 1);
    if (!live.empty() && live[0].name == from.name && live[0].generation <= from.after_generation) {
      live.erase(live.begin());
    }
    return live;
  }

  std::vector<FoundVersion> ArchivedFrom(const ListingPoint& from, std::string_view prefix,
                                         int limit) {
    ScanRange range;
    range.prefix = LiveKey(bucket_, prefix);
    range.from = ArchivedKey(bucket_, from.name, from.after_generation + 1);
    range.limit = limit;
    std::vector<RawRow> rows = txn_.ScanRaw(RecordCodec<ArchivedObject>::kKind, range);
    std::vector<FoundVersion> versions;
    versions.reserve(rows.size());
    for (RawRow& row : rows) versions.push_back(Found(row, NameInArchivedKey(bucket_, row.key)));
    return versions;
  }

  Txn& txn_;
  std::string_view bucket_;
};

}  // namespace

std::optional<ObjectRow> ObjectIndex::FindLive(std::string_view bucket, std::string_view name) {
  std::optional<Row<LiveObject>> row = txn_.Find<LiveObject>(LiveKey(bucket, name));
  if (!row) return std::nullopt;
  return std::move(row->value.row);
}

std::optional<ObjectRow> ObjectIndex::Find(std::string_view bucket, std::string_view name,
                                           const std::optional<int64_t>& generation) {
  std::optional<ObjectRow> live = FindLive(bucket, name);
  if (!generation || (live && live->generation == *generation)) return live;
  std::optional<Row<ArchivedObject>> old =
      txn_.Find<ArchivedObject>(ArchivedKey(bucket, name, *generation));
  if (!old) return std::nullopt;
  return std::move(old->value.row);
}

bool ObjectIndex::IsEmpty(std::string_view bucket) {
  ScanRange range;
  range.prefix = LiveKey(bucket, "");
  range.limit = 1;
  return txn_.ScanRaw(RecordCodec<LiveObject>::kKind, range).empty() &&
         txn_.ScanRaw(RecordCodec<ArchivedObject>::kKind, range).empty();
}

void ObjectIndex::PutLive(std::string_view bucket, std::string_view name, const ObjectRow& row,
                          OldVersion old, Time now, const std::string* small) {
  Replace(bucket, name, row, FindLive(bucket, name), old, now, small);
}

void ObjectIndex::Replace(std::string_view bucket, std::string_view name, const ObjectRow& row,
                          std::optional<ObjectRow> before, OldVersion old, Time now,
                          const std::string* small) {
  Note(bucket, row, row.size);
  // The new references first: a copy onto itself keeps its blob.
  if (small) {
    PutSmallBlob(txn_, row.parts.at(0).blob, *small);
  } else {
    for (const ObjectPart& part : row.parts) AddBlobRef(txn_, part.blob);
  }
  std::optional<int64_t> if_version;
  if (!before) if_version = 0;  // as the transaction found it
  if (before) Retire(bucket, name, *std::move(before), old, now);
  using Codec = RecordCodec<LiveObject>;
  txn_.PutRaw(Codec::kKind, LiveKey(bucket, name), EncodeObjectRow(row), if_version);
}

void ObjectIndex::Rewrite(std::string_view bucket, std::string_view name, const ObjectRow& row) {
  std::optional<ObjectRow> live = FindLive(bucket, name);
  if (live && live->generation == row.generation) {
    txn_.Put(LiveKey(bucket, name), LiveObject{row});
  } else {
    txn_.Put(ArchivedKey(bucket, name, row.generation), ArchivedObject{row});
  }
}

void ObjectIndex::RemoveLive(std::string_view bucket, std::string_view name, OldVersion old,
                             Time now) {
  std::optional<ObjectRow> live = FindLive(bucket, name);
  if (!live) Abort("RemoveLive of an object that is not there");
  Retire(bucket, name, *std::move(live), old, now);
  txn_.Erase<LiveObject>(LiveKey(bucket, name));
}

bool ObjectIndex::RemoveVersion(std::string_view bucket, std::string_view name,
                                int64_t generation) {
  std::optional<ObjectRow> live = FindLive(bucket, name);
  if (live && live->generation == generation) {
    Release(bucket, *live);
    return txn_.Erase<LiveObject>(LiveKey(bucket, name));
  }
  std::string key = ArchivedKey(bucket, name, generation);
  std::optional<Row<ArchivedObject>> archived = txn_.Find<ArchivedObject>(key);
  if (!archived) return false;
  Release(bucket, archived->value.row);
  return txn_.Erase<ArchivedObject>(key);
}

ListingPage ObjectIndex::List(std::string_view bucket, const ListingQuery& query) {
  if (query.versions) {
    AllVersions source(txn_, bucket);
    return MakeListing(source, query);
  }
  LiveNames source(txn_, bucket);
  return MakeListing(source, query);
}

void ObjectIndex::Retire(std::string_view bucket, std::string_view name, ObjectRow row,
                         OldVersion old, Time now) {
  if (old == OldVersion::kDrop) {
    Release(bucket, row);
    return;
  }
  row.deleted = now;
  std::string key = ArchivedKey(bucket, name, row.generation);
  txn_.Put(key, ArchivedObject{std::move(row)});
}

void ObjectIndex::Release(std::string_view bucket, const ObjectRow& row) {
  Note(bucket, row, -row.size);
  for (const ObjectPart& part : row.parts) {
    if (ReleaseBlobRef(txn_, part.blob)) freed_.push_back(part.blob);
  }
}

}  // namespace fireweed::storage
