#include "storage/part_uploads.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "storage/blob_refs.h"
#include "storage/bucket_record.h"

namespace fireweed::storage {
namespace {

constexpr size_t kIdBytes = 24;
constexpr int64_t kSmallestPart = 5 << 20;  // of all but the last

[[noreturn]] void RefuseUpload() {
  throw Failure(Code::kNotFound, "NoSuchUpload", "The requested upload was not found.");
}

[[noreturn]] void RefusePart(std::string_view code, std::string_view why) {
  throw Failure(Code::kInvalid, std::string(code), std::string(why));
}

[[noreturn]] void RefuseMissingPart() {
  RefusePart("InvalidPart", "One or more of the specified parts could not be found.");
}

std::string UploadKey(const PartUploadAddress& address) {
  std::string key = LiveKey(address.bucket, address.name);
  key += '\0';
  return key + address.id;
}

std::string PartKey(const std::string& id, int number) {
  return fmt::format("{}/{:05}", id, number);
}

PartUpload FindUpload(Txn& txn, const PartUploadAddress& address) {
  std::optional<Row<PartUpload>> row = txn.Find<PartUpload>(UploadKey(address));
  if (!row) RefuseUpload();
  return std::move(row->value);
}

// The rows of an upload and of its parts go; blobs that nothing else refers to are named.
std::vector<BlobId> Erase(Txn& txn, const std::string& upload_key, const std::string& id) {
  std::vector<BlobId> freed;
  txn.Erase<PartUpload>(upload_key);
  txn.ForEach<UploadedPart>({.prefix = id + "/"}, [&](const auto& row) {
    txn.Erase<UploadedPart>(row.key);
    if (ReleaseBlobRef(txn, row.value.blob)) freed.push_back(row.value.blob);
  });
  return freed;
}

// The first where it says something, else the second.
api::storage::ObjectConditions Either(api::storage::ObjectConditions first,
                                      const api::storage::ObjectConditions& second) {
  for (auto member : {&api::storage::ObjectConditions::ifGenerationMatch,
                      &api::storage::ObjectConditions::ifGenerationNotMatch,
                      &api::storage::ObjectConditions::ifMetagenerationMatch,
                      &api::storage::ObjectConditions::ifMetagenerationNotMatch}) {
    if (!(first.*member)) first.*member = second.*member;
  }
  return first;
}

uint32_t CrcOf(const UploadedPart& part) { return static_cast<uint32_t>(part.crc32c); }

}  // namespace

PartDraft::~PartDraft() {
  BlobId id = writer_->id();
  writer_.reset();
  // What cannot be dropped now is swept later.
  if (!kept_) static_cast<void>(blobs_.Drop(id).ok());
}

BlobInfo PartDraft::Commit(const DeclaredSums& declared) {
  declared.Check(writer_->Sums());
  return writer_->Commit().value();
}

std::string PartUploads::Start(const UploadTarget& target) {
  CheckObjectName(target.metadata.name);
  PartUpload upload{target.conditions, target.bucket, target.metadata,   target.predefined_acl,
                    target.owner,      clock_.Now(),  target.may_replace};
  std::string id = random_.Hex(kIdBytes);
  catalog_.Write(
      "part upload start",
      [&](Txn& txn) {
        FindBucket(txn, target.bucket);
        txn.Put(UploadKey({target.bucket, target.metadata.name, id}), upload, 0);
      },
      Lane::kBulk);
  return id;
}

PartUpload PartUploads::Find(const PartUploadAddress& address) const {
  return Query(catalog_, [&](Txn& txn) { return FindUpload(txn, address); });
}

UploadedPart PartUploads::Put(const PartUploadAddress& address, int number, PartDraft& draft,
                              const DeclaredSums& declared) {
  BlobInfo info = draft.Commit(declared);
  UploadedPart part{info.id, info.size, info.crc32c, HexEncode(info.md5), clock_.Now()};
  std::vector<BlobId> freed = Update(
      catalog_, "part upload put",
      [&](Txn& txn) {
        std::vector<BlobId> replaced;
        FindUpload(txn, address);
        std::string key = PartKey(address.id, number);
        AddBlobRef(txn, part.blob);
        std::optional<Row<UploadedPart>> before = txn.Find<UploadedPart>(key);
        if (before && ReleaseBlobRef(txn, before->value.blob)) {
          replaced.push_back(before->value.blob);
        }
        txn.Put(key, part);
        return replaced;
      },
      Lane::kBulk);
  draft.Keep();
  store_.DropFreed(freed);
  return part;
}

PartPage<NumberedPart> PartUploads::Parts(const PartUploadAddress& address, int after,
                                          int limit) const {
  return Query(catalog_, [&](Txn& txn) {
    FindUpload(txn, address);
    ScanRange range;
    range.prefix = address.id + "/";
    range.after = PartKey(address.id, after);
    range.limit = limit + 1;
    PartPage<NumberedPart> page;
    for (Row<UploadedPart>& row : txn.Scan<UploadedPart>(range)) {
      int number = std::stoi(row.key.substr(address.id.size() + 1));
      page.items.push_back({number, std::move(row.value)});
    }
    page.truncated = page.items.size() > static_cast<size_t>(limit);
    if (page.truncated) page.items.pop_back();
    return page;
  });
}

// The object that the named parts make, after a look at each.
NewObject PartUploads::Join(const PartUploadAddress& address, const std::vector<NamedPart>& parts,
                            const api::storage::ObjectConditions& conditions) const {
  if (parts.empty()) RefusePart("InvalidArgument", "An upload is made of at least one part.");
  for (size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].number > parts[i - 1].number) continue;
    RefusePart("InvalidPartOrder", "The list of parts was not in ascending order.");
  }
  PartUpload upload = Find(address);
  std::vector<UploadedPart> found = Query(catalog_, [&](Txn& txn) {
    std::vector<UploadedPart> rows;
    for (const NamedPart& part : parts) {
      std::optional<Row<UploadedPart>> row =
          txn.Find<UploadedPart>(PartKey(address.id, part.number));
      bool same = row && (part.tag.empty() || EqualIgnoreCase(part.tag, row->value.md5));
      if (!same) RefuseMissingPart();
      rows.push_back(std::move(row->value));
    }
    return rows;
  });
  UploadTarget target{upload.bucket,         upload.metadata, Either(conditions, upload),
                      upload.predefined_acl, upload.owner,    upload.may_replace};
  NewObject object = target.Object(catalog_);
  for (size_t i = 0; i < found.size(); ++i) {
    if (i + 1 < found.size() && found[i].size < kSmallestPart) {
      RefusePart("EntityTooSmall",
                 "Your proposed upload is smaller than the minimum object size specified in "
                 "application configuration.");
    }
    object.row.crc32c = Crc32cConcat(object.row.crc32c, CrcOf(found[i]), found[i].size);
    object.row.size += found[i].size;
    object.row.parts.push_back({found[i].blob, found[i].size});
  }
  if (found.size() == 1) object.row.md5 = HexDecode(found[0].md5).value_or("");
  return object;
}

ObjectRow PartUploads::Complete(const PartUploadAddress& address,
                                const std::vector<NamedPart>& parts,
                                const api::storage::ObjectConditions& conditions) {
  NewObject object = Join(address, parts, conditions);
  const std::vector<ObjectPart> joined_parts = object.row.parts;
  std::unique_ptr<BlobWriter> held = store_.JoinParts(object.row);
  std::vector<BlobId> freed;
  try {
    ObjectRow row = store_.Insert(object, [&](Txn& txn, const ObjectRow&) {
      // Other requests may have ended it meanwhile, or replaced a part.
      FindUpload(txn, address);
      for (size_t i = 0; i < parts.size(); ++i) {
        std::optional<Row<UploadedPart>> part =
            txn.Find<UploadedPart>(PartKey(address.id, parts[i].number));
        if (!part || part->value.blob != joined_parts[i].blob) RefuseMissingPart();
      }
      freed = Erase(txn, UploadKey(address), address.id);
    });
    store_.DropFreed(freed);
    return row;
  } catch (const Failure&) {
    if (held) {
      BlobId joined = held->id();
      held.reset();
      store_.DropFreed({joined});
    }
    throw;
  }
}

void PartUploads::Abort(const PartUploadAddress& address) {
  std::vector<BlobId> freed = Update(catalog_, "part upload abort", [&](Txn& txn) {
    FindUpload(txn, address);
    return Erase(txn, UploadKey(address), address.id);
  });
  store_.DropFreed(freed);
}

PartPage<ListedUpload> PartUploads::List(const std::string& bucket, const std::string& prefix,
                                         const std::string& after_name, const std::string& after_id,
                                         int limit) const {
  return Query(catalog_, [&](Txn& txn) {
    FindBucket(txn, bucket);
    ScanRange range;
    range.prefix = LiveKey(bucket, prefix);
    // 0xff is in no id: behind all uploads of that name.
    if (!after_name.empty()) {
      range.after = UploadKey({bucket, after_name, after_id.empty() ? "\xff" : after_id});
    }
    range.limit = limit + 1;
    PartPage<ListedUpload> page;
    for (Row<PartUpload>& row : txn.Scan<PartUpload>(range)) {
      page.items.push_back({row.key.substr(row.key.rfind('\0') + 1), std::move(row.value)});
    }
    page.truncated = page.items.size() > static_cast<size_t>(limit);
    if (page.truncated) page.items.pop_back();
    return page;
  });
}

void PartUploads::ForgetOrphans() {
  ForEach<PartUpload>(catalog_, {}, [&](const Row<PartUpload>& row) {
    auto has_bucket = [&](Txn& txn) {
      return txn.Find<api::storage::Bucket>(row.value.bucket).has_value();
    };
    if (Query(catalog_, has_bucket)) return;
    std::string id = row.key.substr(row.key.rfind('\0') + 1);
    store_.DropFreed(Update(catalog_, "part upload orphan", [&](Txn& txn) {
      return has_bucket(txn) ? std::vector<BlobId>() : Erase(txn, row.key, id);
    }));
  });
}

}  // namespace fireweed::storage
