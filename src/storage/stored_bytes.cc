#include "storage/stored_bytes.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "identity/records.h"
#include "storage/bucket_record.h"

namespace fireweed::storage {
namespace {

constexpr const char* kCountedKey = "counted";
constexpr double kBytesPerGb = 1 << 30;

std::string ProjectKey(int64_t number) { return fmt::format("projects/{}", number); }

double LimitIn(const identity::QuotaAmounts& limits) {
  auto limit = limits.find(identity::kStorageMetric);
  return limit == limits.end() ? -1 : limit->second;
}

int64_t BytesIn(Txn& txn, const std::string& key) {
  auto row = txn.Find<StoredBytesRecord>(key);
  return row ? row->value.bytes : 0;
}

void RequireWithin(double limit_gb, const std::string& subject, int64_t bytes) {
  if (limit_gb < 0 || static_cast<double>(bytes) <= limit_gb * kBytesPerGb) return;
  throw Failure(Code::kDenied, "quotaExceeded",
                fmt::format("Quota '{}' exceeded.  Limit: {:g} for {}.", identity::kStorageMetric,
                            limit_gb, subject));
}

}  // namespace

StoredBytes::StoredBytes(Catalog& catalog, identity::QuotaLimits limits)
    : catalog_(catalog),
      limits_(std::move(limits)),
      counts_(limits_.Limits(identity::kStorageMetric)) {
  bool counted = Query(
      catalog_, [](Txn& txn) { return txn.Find<StoredBytesRecord>(kCountedKey).has_value(); });
  if (counted == counts_) return;
  catalog_.Write("count stored bytes", [this](Txn& txn) {
    txn.ForEach<StoredBytesRecord>({},
                                   [&](const auto& row) { txn.Erase<StoredBytesRecord>(row.key); });
    if (counts_) CountAll(txn);
  });
}

void StoredBytes::CountAll(Txn& txn) const {
  std::map<std::string, int64_t> numbers;  // by bucket
  txn.ForEach<api::storage::Bucket>(
      {}, [&](const auto& row) { numbers[row.key] = row.value.projectNumber; });
  std::map<Key, int64_t> bytes;
  auto add = [&](const auto& row) {
    const ObjectRow& version = row.value.row;
    bytes[ProjectKey(numbers[row.key.substr(0, row.key.find('/'))])] += version.size;
    if (!version.owner.empty()) bytes["users/" + version.owner] += version.size;
  };
  txn.ForEach<LiveObject>({}, add);
  txn.ForEach<ArchivedObject>({}, add);
  for (const auto& [key, sum] : bytes) txn.Put(key, StoredBytesRecord{sum});
  txn.Put(kCountedKey, StoredBytesRecord{});
}

std::vector<StoredBytes::Account> StoredBytes::AccountsOf(Txn& txn, int64_t project_number,
                                                          const std::string& owner) const {
  auto named = txn.Find<identity::ProjectNumberRecord>(std::to_string(project_number));
  std::string project = named ? named->value.project : std::to_string(project_number);
  std::vector<Account> accounts{
      {ProjectKey(project_number), "project " + project, LimitIn(limits_.OfProject(project))}};
  if (!owner.empty()) {
    accounts.push_back({"users/" + owner, "user " + owner, LimitIn(limits_.OfUser(owner))});
  }
  return accounts;
}

void StoredBytes::Charge(Txn& txn, KnownBuckets& buckets,
                         const std::vector<StoredChange>& changes) const {
  if (!counts_) return;
  struct Sum {
    Account account;
    int64_t bytes = 0;
  };
  std::map<Key, Sum> sums;
  for (const StoredChange& change : changes) {
    int64_t number = buckets.Find(txn, change.bucket)->projectNumber;
    for (Account& account : AccountsOf(txn, number, change.owner)) {
      Sum& sum = sums[account.key];
      sum.bytes += change.bytes;
      sum.account = std::move(account);
    }
  }
  for (const auto& [key, sum] : sums) {
    if (sum.bytes == 0) continue;
    int64_t bytes = BytesIn(txn, key) + sum.bytes;
    if (sum.bytes > 0) RequireWithin(sum.account.limit_gb, sum.account.subject, bytes);
    txn.Put(key, StoredBytesRecord{bytes});
  }
}

void StoredBytes::RequireRoom(const std::string& bucket, const std::string& name,
                              const std::string& owner, int64_t bytes) const {
  if (!counts_ || bytes <= 0) return;
  catalog_.Read([&](Txn& txn) {
    int64_t number = FindBucket(txn, bucket).value.projectNumber;
    std::optional<ObjectRow> replaced = ObjectIndex(txn).FindLive(bucket, name);
    for (const Account& account : AccountsOf(txn, number, owner)) {
      int64_t held = BytesIn(txn, account.key) - (replaced ? replaced->size : 0);
      RequireWithin(account.limit_gb, account.subject, std::max<int64_t>(held, 0) + bytes);
    }
  });
}

int64_t StoredBytesOf(Txn& txn, int64_t number) { return BytesIn(txn, ProjectKey(number)); }

}  // namespace fireweed::storage
