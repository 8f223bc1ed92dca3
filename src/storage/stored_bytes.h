// Counts the bytes of objects by project and by user, and holds them to their quotas (STORAGE_TOTAL_GB). All versions
// count, each with its full size, also where copies share bytes.
//
// Counts are rows that change in the transactions that change objects, so that they are exact and survive a crash. They
// exist only while a limit is set: without one nothing is counted, and setting one counts all objects once, at the start.
//
// Threading: any thread; Charge inside a transaction body.
// Blocking: the constructor and RequireRoom for the catalog.
// Errors: Failure(kDenied, "quotaExceeded") if a change does not fit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.h"
#include "catalog/record.h"
#include "identity/quota_limits.h"
#include "storage/known_buckets.h"
#include "storage/object_index.h"

namespace fireweed::storage {

// Key: "projects/NUMBER", "users/EMAIL"; "counted" is present while the others are exact.
struct StoredBytesRecord {
  int64_t bytes = 0;
};

class StoredBytes {
 public:
  StoredBytes(Catalog& catalog, identity::QuotaLimits limits);

  bool counts() const { return counts_; }
  // Notes what a transaction did. A count that does not grow is never refused.
  void Charge(Txn& txn, KnownBuckets& buckets, const std::vector<StoredChange>& changes) const;
  // Refuses an upload of this size before its bytes arrive; Charge decides.
  void RequireRoom(const std::string& bucket, const std::string& name, const std::string& owner,
                   int64_t bytes) const;

 private:
  struct Account {
    std::string key;       // of its row
    std::string subject;   // "project vision", "user ann@example.com"
    double limit_gb = -1;  // below 0: none
  };
  std::vector<Account> AccountsOf(Txn& txn, int64_t project_number, const std::string& owner) const;
  void CountAll(Txn& txn) const;

  // Constant after construction.
  Catalog& catalog_;
  const identity::QuotaLimits limits_;
  const bool counts_;
};

// Bytes of a project's objects; 0 while nothing is counted. `number`: the project's.
int64_t StoredBytesOf(Txn& txn, int64_t number);

}  // namespace fireweed::storage

namespace fireweed {
template <>
inline constexpr auto kFields<storage::StoredBytesRecord> =
    [](auto...) { return Fields{F("bytes", &storage::StoredBytesRecord::bytes)}; };
template <>
inline constexpr std::string_view kRecordKind<storage::StoredBytesRecord> = "stored_bytes";
}  // namespace fireweed
