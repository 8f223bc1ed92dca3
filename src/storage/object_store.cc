#include "storage/object_store.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "net/access.h"
#include "storage/bucket_record.h"
#include "storage/object_acl.h"
#include "storage/retention.h"
#include "storage/small_blobs.h"

namespace fireweed::storage {
namespace {

constexpr size_t kMaxNameBytes = 1024;
constexpr size_t kMaxSources = 32;
constexpr size_t kMaxParts =
    256;  // beyond it an object is composed by copying, so that reads stay quick
constexpr size_t kCopyBuffer = 1 << 20;
constexpr int kOpenAttempts =
    16;  // each failed one means that a writer replaced the object meanwhile

std::optional<VersionPoint> PointOf(const std::optional<ObjectRow>& row) {
  if (!row) return std::nullopt;
  return VersionPoint{row->generation, row->metageneration};
}

[[noreturn]] void RefuseMissing(Txn& txn, const ObjectAddress& address) {
  FindBucket(txn, address.bucket);  // says so when there is none
  std::string version = address.generation ? fmt::format("#{}", *address.generation) : "";
  throw Failure(Code::kNotFound,
                fmt::format("No such object: {}/{}{}", address.bucket, address.name, version));
}

// Replacing an object takes the right to delete it, which makers of objects need not have.
[[noreturn]] void RefuseReplacing(const NewObject& object) {
  net::Caller caller;
  caller.email = object.row.owner;
  if (!caller.email.empty()) caller.principal = "user:" + caller.email;
  net::Refuse(caller, "storage.objects.delete", "buckets/" + object.bucket);
}

ObjectRow FindOrRefuse(Txn& txn, ObjectIndex& index, const ObjectAddress& address,
                       const api::storage::ObjectConditions& conditions, Purpose purpose) {
  std::optional<ObjectRow> row = index.Find(address.bucket, address.name, address.generation);
  if (!row) RefuseMissing(txn, address);
  RequireConditions(conditions, PointOf(row), purpose);
  return *std::move(row);
}

Error ErrorOf(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Failure& thrown) {
    return thrown.error();
  } catch (const std::exception& thrown) {
    return {Code::kInternal, "", thrown.what()};
  }
}

bool IsUtf8(std::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    uint8_t lead = static_cast<uint8_t>(text[i]);
    bool two = lead >= 0xc2 && lead < 0xe0, three = lead >= 0xe0 && lead < 0xf0;
    bool four = lead >= 0xf0 && lead < 0xf5;
    if (lead >= 0x80 && !two && !three && !four) return false;
    size_t more = lead < 0x80 ? 0 : two ? 1 : three ? 2 : 3;
    if (i + more >= text.size()) return false;
    for (size_t k = 1; k <= more; ++k) {
      if ((static_cast<uint8_t>(text[i + k]) & 0xc0) != 0x80) return false;
    }
    uint8_t second = more > 0 ? static_cast<uint8_t>(text[i + 1]) : 0;
    if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second >= 0xa0) ||
        (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second >= 0x90)) {
      return false;
    }
    i += more + 1;
  }
  return true;
}

}  // namespace

void CheckObjectName(std::string_view name) {
  using std::string_view_literals::operator""sv;
  if (name.empty()) throw Failure(Code::kInvalid, "required", "Required object name is missing.");
  bool sound = name.size() <= kMaxNameBytes && name != "." && name != ".." &&
               name.find_first_of("\r\n\0"sv) == std::string_view::npos && IsUtf8(name);
  if (!sound) {
    throw Failure(Code::kInvalid, "invalid",
                  "Object names are 1 to 1024 bytes of UTF-8 without line ends.");
  }
}

ObjectRow ObjectStore::Find(const ObjectAddress& address,
                            const api::storage::ObjectConditions& conditions) const {
  return Query(catalog_, [&](Txn& txn) {
    ObjectIndex index(txn);
    return FindOrRefuse(txn, index, address, conditions, Purpose::kRead);
  });
}

// Without bytes when a blob went meanwhile: the object was replaced, a newer row is there, or none.
OpenedObject ObjectStore::OpenOnce(Txn& txn, const ObjectAddress& address,
                                   const api::storage::ObjectConditions& conditions) const {
  ObjectIndex index(txn);
  ObjectRow row = FindOrRefuse(txn, index, address, conditions, Purpose::kRead);
  Result<std::shared_ptr<const ObjectBytes>> bytes = ObjectBytes::Open(txn, blobs_, row);
  if (!bytes.ok() && bytes.error().code == Code::kNotFound) return {};
  std::string problem;
  if (!bytes.ok()) {
    problem = bytes.error().message;
  } else if (damaged_.Any(row)) {
    problem = "known to be damaged";
  } else if (std::shared_ptr<const std::string> whole = (*bytes)->in_memory();
             whole && Crc32c(AsBytes(*whole)) != row.crc32c) {
    // A matter of microseconds; files are read by the scrub.
    problem = "other bytes than its checksum says";
  }
  if (problem.empty()) return {std::move(row), *bytes};
  log_.Error("object not served",
             {{"bucket", address.bucket}, {"object", address.name}, {"why", problem}});
  throw Failure(Code::kInternal, "dataLoss", "The object's bytes are damaged.");
}

OpenedObject ObjectStore::Open(const ObjectAddress& address,
                               const api::storage::ObjectConditions& conditions) const {
  for (int attempt = 0; attempt < kOpenAttempts; ++attempt) {
    uint64_t turn = hot_.Turn(address.bucket, address.name);
    OpenedObject object =
        Query(catalog_, [&](Txn& txn) { return OpenOnce(txn, address, conditions); });
    if (!object.bytes) continue;
    if (!address.generation) {
      hot_.Keep(address.bucket, address.name, std::make_shared<const HotObject>(object), turn);
    }
    return object;
  }
  log_.Error("object without its bytes", {{"bucket", address.bucket}, {"object", address.name}});
  throw Failure(Code::kInternal, "The object's bytes are missing.");
}

ListingPage ObjectStore::List(const std::string& bucket, const ListingQuery& query) const {
  return Query(catalog_, [&](Txn& txn) {
    FindBucket(txn, bucket);
    return ObjectIndex(txn).List(bucket, query);
  });
}

ObjectRow ObjectStore::Change(std::string_view why, const Body& body) {
  std::vector<BlobId> freed;
  ObjectRow row = Update(
      catalog_, why,
      [&](Txn& txn) {
        ObjectIndex index(txn, stored_.counts());
        ObjectRow changed = body(txn, index);
        stored_.Charge(txn, buckets_, index.changes());
        freed = std::move(index.freed());
        return changed;
      },
      Lane::kBulk);
  DropFreed(freed);
  return row;
}

void ObjectStore::DropFreed(std::vector<BlobId> freed) {
  freed_later_.With([&](auto& later) {
    freed.insert(freed.end(), later.begin(), later.end());
    later.clear();
  });
  for (const BlobId& blob : freed) {
    Result<> dropped = blobs_.Drop(blob);
    if (!dropped.ok()) {
      log_.Warning("blob not dropped", {{"blob", blob}, {"why", dropped.error().message}});
    }
  }
}

ObjectRow ObjectStore::PutNew(Txn& txn, ObjectIndex& index, const NewObject& object) {
  std::shared_ptr<const api::storage::Bucket> bucket = buckets_.Find(txn, object.bucket);
  std::optional<ObjectRow> before = index.FindLive(object.bucket, object.name);
  RequireConditions(object.conditions, PointOf(before), Purpose::kWrite);
  if (before && !object.may_replace) RefuseReplacing(object);
  ObjectRow row = object.row;
  Time now = clock_.Now();
  row.generation = generations_.Next(txn);
  row.metageneration = 1;
  row.created = row.updated = row.class_updated = FromMicros(ToMicros(now));
  row.deleted = {};
  if (row.storage_class.empty()) row.storage_class = bucket->storageClass;
  if (!object.moved) SettleNewAcl(*bucket, row);
  StartHold(*bucket, row);
  OldVersion old = KeepsOldVersions(*bucket) ? OldVersion::kArchive : OldVersion::kDrop;
  if (before) {
    RequireRemovable(*bucket, object.name, *before, old == OldVersion::kArchive, now);
  }
  bool small = object.small_bytes && !object.small_bytes->empty();
  if (small) row.parts = {{SmallBlobId(row.generation), row.size}};
  index.Replace(object.bucket, object.name, row, std::move(before), old, now,
                small ? &*object.small_bytes : nullptr);
  return row;
}

void ObjectStore::CheckSmall(const NewObject& object) const {
  CheckObjectName(object.name);
  if (object.small_bytes) blobs_.CheckRoom().value();
}

ObjectRow ObjectStore::Insert(const NewObject& object, const Also& also) {
  CheckSmall(object);
  return Change("object insert", [&](Txn& txn, ObjectIndex& index) {
    ObjectRow row = PutNew(txn, index, object);
    if (also) also(txn, row);
    return row;
  });
}

void ObjectStore::InsertLater(NewObject object, Inserted then) {
  CheckSmall(object);
  struct Work {
    Work(PendingWrites& pending, NewObject o, Inserted t)
        : ticket(pending), object(std::move(o)), then(std::move(t)) {}
    PendingWrites::Ticket ticket;  // first: what follows is gone when it is
    NewObject object;
    Inserted then;
    ObjectRow row;
    std::vector<BlobId> freed;
  };
  auto work = std::make_shared<Work>(pending_, std::move(object), std::move(then));
  auto body = [this, work](Txn& txn) {
    ObjectIndex index(txn, stored_.counts());
    work->row = PutNew(txn, index, work->object);
    stored_.Charge(txn, buckets_, index.changes());
    work->freed = std::move(index.freed());
  };
  auto done = [this, work](std::exception_ptr failure) {
    if (failure) {
      work->then(ErrorOf(failure));
      return;
    }
    freed_later_.With(
        [&](auto& later) { later.insert(later.end(), work->freed.begin(), work->freed.end()); });
    work->then(std::move(work->row));
  };
  catalog_.WriteLater("object insert", std::move(body), std::move(done), Lane::kBulk);
}

ObjectRow ObjectStore::ChangeMetadata(const ObjectAddress& address,
                                      const api::storage::ObjectConditions& conditions,
                                      const std::function<void(api::storage::Object&)>& change) {
  return Change("object change", [&](Txn& txn, ObjectIndex& index) {
    ObjectRow row = FindOrRefuse(txn, index, address, conditions, Purpose::kWrite);
    api::storage::Object object = ToObject(row, address.bucket, address.name);
    api::storage::Object before = object;
    change(object);
    SettleHolds(before, object, clock_.Now());
    TakeMetadata(object, row);
    ++row.metageneration;
    row.updated = FromMicros(ToMicros(clock_.Now()));
    if (row.storage_class != before.storageClass) row.class_updated = row.updated;
    index.Rewrite(address.bucket, address.name, row);
    return row;
  });
}

ObjectRow ObjectStore::SetStorageClass(const ObjectAddress& address,
                                       const api::storage::ObjectConditions& conditions,
                                       const std::string& storage_class) {
  return Change("object class", [&](Txn& txn, ObjectIndex& index) {
    ObjectRow row = FindOrRefuse(txn, index, address, conditions, Purpose::kWrite);
    row.storage_class = storage_class;
    ++row.metageneration;
    row.updated = row.class_updated = FromMicros(ToMicros(clock_.Now()));
    index.Rewrite(address.bucket, address.name, row);
    return row;
  });
}

void ObjectStore::Delete(const ObjectAddress& address,
                         const api::storage::ObjectConditions& conditions) {
  Change("object delete", [&](Txn& txn, ObjectIndex& index) {
    ObjectRow row = FindOrRefuse(txn, index, address, conditions, Purpose::kWrite);
    Remove(txn, index, address, row);
    return row;
  });
}

// Without a generation the live version goes, and is kept as an old one where the bucket keeps those.
void ObjectStore::Remove(Txn& txn, ObjectIndex& index, const ObjectAddress& address,
                         const ObjectRow& row) {
  std::shared_ptr<const api::storage::Bucket> bucket = buckets_.Find(txn, address.bucket);
  bool archived = !address.generation && KeepsOldVersions(*bucket);
  RequireRemovable(*bucket, address.name, row, archived, clock_.Now());
  if (!archived) {
    index.RemoveVersion(address.bucket, address.name, row.generation);
  } else {
    index.RemoveLive(address.bucket, address.name, OldVersion::kArchive, clock_.Now());
  }
}

ObjectRow ObjectStore::Copy(const CopyOrder& order) {
  CheckObjectName(order.name);
  return Change("object copy", [&](Txn& txn, ObjectIndex& index) {
    ObjectRow source = FindOrRefuse(txn, index, order.from, order.from_conditions, Purpose::kWrite);
    NewObject copy{order.bucket, order.name, source, order.conditions};
    copy.moved = order.remove_source;
    copy.may_replace = order.may_replace;
    if (!order.remove_source) {
      copy.row.storage_class = order.storage_class;
      copy.row.owner = order.owner;
      ForgetForCopy(copy.row, order.acl);
    }
    if (order.metadata) {
      api::storage::Object wanted = *order.metadata;
      wanted.acl = order.acl;
      TakeMetadata(wanted, copy.row);
    }
    ObjectRow row = PutNew(txn, index, copy);
    bool onto_itself = order.from.bucket == order.bucket && order.from.name == order.name;
    if (order.remove_source && !onto_itself) {
      RequireRemovable(FindBucket(txn, order.from.bucket).value, order.from.name, source, false,
                       clock_.Now());
      index.RemoveVersion(order.from.bucket, order.from.name, source.generation);
    }
    return row;
  });
}

void ObjectStore::ComposeByReference(const std::vector<ObjectRow>& sources, ObjectRow& row) const {
  row.size = 0;
  row.crc32c = 0;
  row.md5.clear();
  row.parts.clear();
  row.component_count = 0;
  for (const ObjectRow& source : sources) {
    row.crc32c = Crc32cConcat(row.crc32c, source.crc32c, source.size);
    row.size += source.size;
    row.component_count += std::max(source.component_count, 1);
    for (const ObjectPart& part : source.parts) {
      if (part.size > 0) row.parts.push_back(part);
    }
  }
}

std::unique_ptr<BlobWriter> ObjectStore::JoinParts(ObjectRow& row) const {
  if (row.parts.size() <= kMaxParts) return nullptr;
  std::unique_ptr<BlobWriter> writer = blobs_.Create().value();
  std::vector<std::byte> buffer(kCopyBuffer);
  std::shared_ptr<const ObjectBytes> bytes =
      Query(catalog_, [&](Txn& txn) { return ObjectBytes::Open(txn, blobs_, row).value(); });
  for (int64_t at = 0; at < bytes->size();) {
    size_t got = bytes->ReadAt(at, buffer).value();
    writer->Append(std::span(buffer).subspan(0, got)).value();
    at += static_cast<int64_t>(got);
  }
  BlobInfo info = writer->Commit().value();
  if (info.size != row.size || info.crc32c != row.crc32c) {
    throw Failure(Code::kInternal, "The composed bytes do not have the checksum of their sources.");
  }
  row.parts = {{info.id, info.size}};
  return writer;
}

ObjectRow ObjectStore::Compose(const ComposeOrder& order) {
  CheckObjectName(order.name);
  if (order.sources.empty() || order.sources.size() > kMaxSources) {
    throw Failure(Code::kInvalid, "invalid",
                  fmt::format("The number of source components must be 1 to {}.", kMaxSources));
  }
  auto find_sources = [&](Txn& txn) {
    ObjectIndex index(txn);
    std::vector<ObjectRow> rows;
    for (const api::storage::SourceObject& source : order.sources) {
      api::storage::ObjectConditions conditions;
      if (source.objectPreconditions) {
        conditions.ifGenerationMatch = source.objectPreconditions->ifGenerationMatch;
      }
      ObjectAddress address{order.bucket, source.name, source.generation};
      rows.push_back(FindOrRefuse(txn, index, address, conditions, Purpose::kWrite));
    }
    return rows;
  };
  NewObject object{order.bucket, order.name, {}, order.conditions};
  TakeMetadata(order.metadata, object.row);
  object.row.owner = order.owner;
  object.may_replace = order.may_replace;
  auto take = [&](const std::vector<ObjectRow>& sources) {
    ComposeByReference(sources, object.row);
    if (object.row.content_type.empty()) object.row.content_type = sources[0].content_type;
  };
  std::vector<ObjectRow> sources = Query(catalog_, find_sources);
  take(sources);
  std::unique_ptr<BlobWriter> joined = JoinParts(object.row);
  return Change("object compose", [&](Txn& txn, ObjectIndex& index) {
    if (!joined) take(sources = find_sources(txn));
    ObjectRow row = PutNew(txn, index, object);
    if (order.remove_sources) RemoveSources(txn, index, order, sources);
    return row;
  });
}

void ObjectStore::RemoveSources(Txn& txn, ObjectIndex& index, const ComposeOrder& order,
                                const std::vector<ObjectRow>& sources) {
  for (size_t i = 0; i < sources.size(); ++i) {
    ObjectAddress address{order.bucket, order.sources[i].name, sources[i].generation};
    // The destination has already replaced what it had as a source, and a source may be named twice.
    if (address.name == order.name) continue;
    std::optional<ObjectRow> row = index.Find(address.bucket, address.name, address.generation);
    if (!row) continue;
    std::optional<ObjectRow> live = index.FindLive(address.bucket, address.name);
    if (live && live->generation == row->generation) address.generation.reset();
    Remove(txn, index, address, *row);
  }
}

}  // namespace fireweed::storage
