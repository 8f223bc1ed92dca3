#include "storage/known_buckets.h"

#include "storage/bucket_record.h"

namespace fireweed::storage {
namespace {

constexpr size_t kMost = 1024;

}  // namespace

std::shared_ptr<const api::storage::Bucket> KnownBuckets::Find(Txn& txn, std::string_view bucket) {
  using Codec = RecordCodec<api::storage::Bucket>;
  std::optional<RawRow> row = txn.FindRaw(Codec::kKind, bucket);
  if (!row)
    return std::make_shared<api::storage::Bucket>(FindBucket(txn, bucket).value);  // says so
  std::shared_ptr<const api::storage::Bucket> known =
      entries_.With([&](auto& entries) -> std::shared_ptr<const api::storage::Bucket> {
        auto it = entries.find(bucket);
        return it != entries.end() && it->second.body == row->body ? it->second.bucket : nullptr;
      });
  if (known) return known;
  auto fresh = std::make_shared<const api::storage::Bucket>(Codec::Decode(row->body));
  entries_.With([&](auto& entries) {
    if (entries.size() >= kMost) entries.clear();
    entries.insert_or_assign(std::string(bucket), Entry{std::move(row->body), fresh});
  });
  return fresh;
}

}  // namespace fireweed::storage
