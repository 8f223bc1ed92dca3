#include "crash/inspection.h"

#include <algorithm>
#include <functional>
#include <memory>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "catalog/sqlite_connection.h"
#include "crash/depot.h"

namespace fireweed::crash {
namespace {

class Inspector {
 public:
  Inspector(MemoryDisk& disk, const Promises& promises, uint64_t life)
      : disk_(disk), promises_(promises), life_(life) {}

  std::vector<std::string> Run(Depth depth) {
    Guard("restart", [&] {
      CheckDatabase();
      Depot depot(disk_, life_);
      CheckAll(depot);
      depot.Sweep();
      CheckNoOrphans(depot);
      CheckAll(depot);
      if (depth == Depth::kTwoLives) LiveOn(depot);
    });
    return std::move(complaints_);
  }

 private:
  void Guard(std::string_view what, const std::function<void()>& body) {
    try {
      body();
    } catch (const Failure& failure) {
      Complain(fmt::format("{} failed: {}", what, failure.what()));
    }
  }
  void Complain(std::string complaint) { complaints_.push_back(std::move(complaint)); }

  // Before the program comes near it.
  void CheckDatabase() {
    if (!disk_.Exists(Depot::kCatalogPath).value()) return;
    SqliteDiskVfs vfs(disk_);
    SqliteConnection connection(Depot::kCatalogPath, vfs.name());
    int64_t faults = connection.QueryNumber(
        "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'");
    if (faults != 0) Complain(fmt::format("the database has {} faults", faults));
  }

  void CheckAll(Depot& depot) {
    CheckObjects(depot);
    CheckUploads(depot);
    CheckCounts(depot);
  }

  void CheckObjects(Depot& depot) {
    std::map<std::string, Promises::Content> found;
    for (const auto& [name, row] : depot.Objects()) {
      Guard("object " + name, [&, &name = name, &row = row] {
        std::string content = depot.Read(row.blob);
        if (static_cast<int64_t>(content.size()) != row.size ||
            Crc32c(AsBytes(content)) != row.crc32c || Hash(Digest::kMd5, content) != row.md5) {
          Complain(fmt::format("object {} is not as its row says", name));
        }
        if (!depot.IsReferenced(row.blob)) Complain("object " + name + " is not referred to");
        found[name] = std::move(content);
      });
      if (!promises_.objects.contains(name)) Complain("object " + name + " came from nowhere");
    }
    for (const auto& [name, possible] : promises_.objects) {
      if (possible.contains(found[name])) continue;
      Complain(fmt::format("object {} is {}", name, found[name] ? "another one" : "gone"));
    }
  }

  void CheckUploads(Depot& depot) {
    std::vector<BlobId> open = depot.Uploads();
    for (const auto& [draft, promise] : promises_.uploads) {
      bool there = std::find(open.begin(), open.end(), draft) != open.end();
      if (there && promise.must_be_gone) Complain("upload " + draft + " is open again");
      if (!there && !promise.may_be_gone) Complain("upload " + draft + " is gone");
      if (there) CheckUpload(depot, draft, promise);
    }
  }

  void CheckUpload(Depot& depot, const BlobId& draft, const UploadPromise& promise) {
    auto resumed = depot.blobs().Resume(draft);
    if (!resumed && resumed.error().code == Code::kExists && promise.may_be_gone) {
      if (depot.Read(draft) != promise.content) Complain("upload " + draft + " ended wrong");
      return;
    }
    if (!resumed) return Complain("upload " + draft + ": " + resumed.error().message);
    int64_t size = (*resumed)->size();
    if (size < promise.durable) {
      Complain(fmt::format("upload {} has {} bytes of {}", draft, size, promise.durable));
    }
    std::string_view expected =
        std::string_view(promise.content).substr(0, static_cast<size_t>(size));
    if ((*resumed)->Sums().md5 != Hash(Digest::kMd5, expected)) {
      Complain(fmt::format("upload {} has other bytes than were sent", draft));
    }
  }

  void CheckCounts(Depot& depot) {
    std::vector<int64_t> counts = depot.Counts();
    for (int64_t count : counts) {
      if (count != counts.front()) Complain("a transaction is there in part");
    }
    if (!promises_.counts.contains(counts.front())) {
      Complain(fmt::format("the count is {}", counts.front()));
    }
  }

  void CheckNoOrphans(Depot& depot) {
    depot.blobs()
        .List([&](const BlobListing& listing) {
          if (!depot.IsReferenced(listing.id)) Complain("orphan " + listing.id);
        })
        .value();
    for (const std::string& name : disk_.List("state/objects/drafts").value()) {
      if (!depot.IsReferenced(name.substr(0, name.find('.')))) Complain("leftover draft " + name);
    }
  }

  // Ends the uploads and writes an object; then the power is cut again.
  void LiveOn(Depot& depot) {
    Promises after = promises_;
    for (const BlobId& draft : depot.Uploads()) {
      auto known = promises_.uploads.find(draft);
      if (known == promises_.uploads.end()) continue;  // begun, its draft not yet told to anyone
      UploadPromise& promise = after.uploads[draft];
      auto resumed = depot.blobs().Resume(draft);
      int64_t size = resumed ? (*resumed)->size() : static_cast<int64_t>(promise.content.size());
      if (resumed) resumed->reset();
      std::string rest = promise.content.substr(static_cast<size_t>(size));
      if (!rest.empty()) depot.Send(draft, rest);
      depot.Finish(draft, promise.name);
      after.objects[promise.name] = {promise.content};
      promise.may_be_gone = promise.must_be_gone = true;
    }
    depot.Put("second-life", "content");
    after.objects["second-life"] = {"content"};
    std::unique_ptr<MemoryDisk> again = disk_.AfterCrash(Loss::kUnsynced);
    for (std::string& complaint : Inspect(*again, after, life_ + 1, Depth::kOneLife)) {
      Complain("second life: " + std::move(complaint));
    }
  }

  MemoryDisk& disk_;
  const Promises& promises_;
  const uint64_t life_;
  std::vector<std::string> complaints_;
};

}  // namespace

std::vector<std::string> Inspect(MemoryDisk& disk, const Promises& promises, uint64_t life,
                                 Depth depth) {
  return Inspector(disk, promises, life).Run(depth);
}

}  // namespace fireweed::crash
