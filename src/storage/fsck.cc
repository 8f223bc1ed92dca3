#include "storage/fsck.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "storage/blob_refs.h"
#include "storage/bucket_record.h"
#include "storage/part_uploads.h"
#include "storage/resumable.h"
#include "storage/small_blobs.h"

namespace fireweed::storage {
namespace {

using api::admin::FsckReport;

constexpr size_t kShownProblems = 100;
constexpr int64_t kProgressEvery = 256;  // objects

class Examination {
 public:
  Examination(const Catalog& catalog, const BlobStore& blobs,
              const std::function<void(const FsckReport&)>& progress, const Pace& pace)
      : catalog_(catalog), blobs_(blobs), progress_(progress), pace_(pace) {}

  FsckReport Run() {
    catalog_.Read([&](Txn& txn) { CheckRows(txn); });
    CheckFiles();
    ForEachVersion(catalog_, [&](const StoredVersion& version) {
      CheckBytes(version);
      return true;
    });
    return std::move(report_);
  }

 private:
  void Complain(std::string problem) {
    ++report_.problemCount;
    if (report_.problems.size() < kShownProblems) report_.problems.push_back(std::move(problem));
  }

  // Rows against rows, all of one moment. May run again from the start.
  void CheckRows(Txn& txn) {
    report_ = {};
    referred_.clear();
    std::set<std::string> buckets;
    txn.ForEach<api::storage::Bucket>({}, [&](const auto& row) { buckets.insert(row.key); });
    report_.buckets = std::ssize(buckets);
    ForEachVersion(txn, [&](const StoredVersion& version) {
      if (!buckets.contains(version.bucket)) Complain(Named(version) + ": there is no such bucket");
      int64_t size = 0;
      for (const ObjectPart& part : version.row.parts) {
        ++referred_[part.blob];
        size += part.size;
      }
      if (size != version.row.size) {
        Complain(fmt::format("{}: its parts have {} bytes, its row says {}", Named(version), size,
                             version.row.size));
      }
      return true;
    });
    txn.ForEach<UploadRecord>({}, [&](const auto& row) {
      if (!row.value.draft.empty()) ++referred_[row.value.draft];
    });
    txn.ForEach<UploadedPart>({}, [&](const auto& row) { ++referred_[row.value.blob]; });
    CheckCounts(txn);
  }

  void CheckCounts(Txn& txn) {
    std::unordered_map<BlobId, int64_t> left = referred_;
    auto compare = [&](const BlobId& blob, int64_t counted) {
      auto it = left.find(blob);
      int64_t found = it == left.end() ? 0 : it->second;
      if (found != counted) {
        Complain(
            fmt::format("blob {}: {} rows refer to it, {} were counted", blob, found, counted));
      }
      if (it != left.end()) left.erase(it);
    };
    txn.ForEach<SmallBlob>({}, [&](const auto& row) {
      ++report_.smallBlobs;
      compare(row.key, row.value.refs);
    });
    txn.ForEach<BlobRefCount>({}, [&](const auto& row) { compare(row.key, row.value.count); });
    for (const auto& [blob, count] : left) {
      Complain(fmt::format("blob {}: {} rows refer to it, none was counted", blob, count));
    }
  }

  // Files against rows. What came since the rows were read is looked up anew.
  void CheckFiles() {
    Result<> listed = blobs_.List([&](const BlobListing& listing) {
      if (!listing.draft) ++report_.blobs;
      if (listing.held || referred_.contains(listing.id)) return;
      bool known = Query(catalog_, [&](Txn& txn) { return HasBlobRef(txn, listing.id); });
      if (!known) ++report_.unreferenced;
    });
    if (!listed.ok()) Complain("blobs cannot be listed: " + listed.error().message);
  }

  void CheckBytes(const StoredVersion& version) {
    auto counted = [&](int64_t bytes) {
      report_.bytes += bytes;
      return pace_(bytes);
    };
    ObjectVerdict verdict = CheckObject(catalog_, blobs_, version, counted);
    if (verdict.kind == ObjectVerdict::Kind::kStopped || !pace_(0)) {
      throw Failure(Code::kCancelled, "The examination was broken off.");
    }
    if (verdict.kind == ObjectVerdict::Kind::kGone) return;
    ++report_.objects;
    if (verdict.damaged()) Complain(Named(version) + ": " + verdict.why);
    if (report_.objects % kProgressEvery == 0) progress_(report_);
  }

  static std::string Named(const StoredVersion& version) {
    return fmt::format("gs://{}/{}#{}", version.bucket, version.name, version.row.generation);
  }

  const Catalog& catalog_;
  const BlobStore& blobs_;
  const std::function<void(const FsckReport&)>& progress_;
  const Pace& pace_;
  FsckReport report_;
  std::unordered_map<BlobId, int64_t> referred_;
};

}  // namespace

FsckReport Fsck(const Catalog& catalog, const BlobStore& blobs,
                const std::function<void(const FsckReport&)>& progress, const Pace& pace) {
  return Examination(catalog, blobs, progress, pace).Run();
}

}  // namespace fireweed::storage
