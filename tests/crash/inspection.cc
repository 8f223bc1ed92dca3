#include "crash/inspection.h"

#include <functional>
#include <map>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "base/checksum.h"
#include "catalog/sqlite_connection.h"

namespace fireweed::crash {
namespace {

class Inspector {
 public:
  Inspector(const DepotMaker& make, MemoryDisk& disk, const Promises& promises, uint64_t life)
      : make_(make), disk_(disk), promises_(promises), life_(life) {}

  std::vector<std::string> Run(Depth depth) {
    Guard("restart", [&] {
      CheckDatabase();
      std::unique_ptr<Depot> depot = make_(disk_, life_);
      CheckAll(*depot);
      depot->Sweep();
      CheckNoOrphans(*depot);
      CheckAll(*depot);
      if (depth == Depth::kTwoLives) LiveOn(*depot);
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
    for (FoundObject& object : depot.Objects()) {
      if (object.problem) Complain("object " + object.name + ": " + *object.problem);
      if (!promises_.objects.contains(object.name)) {
        Complain("object " + object.name + " came from nowhere");
      }
      found[object.name] = std::move(object.content);
    }
    for (const auto& [name, possible] : promises_.objects) {
      if (possible.contains(found[name]) || MayHaveCome(name, found[name])) continue;
      Complain(fmt::format("object {} is {}", name, found[name] ? "another one" : "gone"));
    }
  }

  // Whether an upload whose end was asked for and not acknowledged has ended since, maybe just now.
  bool MayHaveCome(const std::string& name, const Promises::Content& content) const {
    for (const auto& [key, promise] : promises_.uploads) {
      bool asked = promise.may_have_ended && !promise.must_have_ended;
      if (asked && promise.name == name && content == promise.content) return true;
    }
    return false;
  }

  void CheckUploads(Depot& depot) {
    for (const auto& [key, promise] : promises_.uploads) {
      Guard("upload " + key,
            [&, &key = key, &promise = promise] { CheckUpload(key, depot.Look(key), promise); });
    }
  }

  void CheckUpload(const UploadKey& key, const FoundUpload& found, const UploadPromise& promise) {
    if (!found.open) {
      if (!promise.may_have_ended) Complain("upload " + key + " is gone");
      return;
    }
    if (promise.must_have_ended) Complain("upload " + key + " is open again");
    if (found.durable < promise.durable) {
      Complain(fmt::format("upload {} has {} bytes of {}", key, found.durable, promise.durable));
    }
    std::string sent = promise.content.substr(0, static_cast<size_t>(found.durable));
    if (found.md5 && *found.md5 != Hash(Digest::kMd5, sent)) {
      Complain(fmt::format("upload {} has other bytes than were sent", key));
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
    std::set<BlobId> referred = depot.ReferredTo();
    auto look = [&](const BlobListing& listing) {
      if (!referred.contains(listing.id)) Complain("orphan " + listing.id);
    };
    depot.blobs().List(look).value();
    for (const std::string& name :
         disk_.List(fmt::format("{}/drafts", Depot::kBlobsPath)).value()) {
      if (!referred.contains(name.substr(0, name.find('.')))) Complain("leftover " + name);
    }
  }

  // Ends the uploads and writes an object; then the power is cut again.
  void LiveOn(Depot& depot) {
    Promises after = promises_;
    for (auto& [key, promise] : after.uploads) {
      FoundUpload found = depot.Look(key);
      if (!found.open) continue;
      std::string rest = promise.content.substr(static_cast<size_t>(found.durable));
      if (!rest.empty()) depot.Send(key, found.durable, rest);
      depot.Finish(key, static_cast<int64_t>(promise.content.size()));
      after.objects[promise.name] = {promise.content};
      promise.may_have_ended = promise.must_have_ended = true;
    }
    depot.Put("second-life", "content");
    after.objects["second-life"] = {"content"};
    std::unique_ptr<MemoryDisk> again = disk_.AfterCrash(Loss::kUnsynced);
    for (std::string& complaint : Inspect(make_, *again, after, life_ + 1, Depth::kOneLife)) {
      Complain("second life: " + std::move(complaint));
    }
  }

  const DepotMaker& make_;
  MemoryDisk& disk_;
  const Promises& promises_;
  const uint64_t life_;
  std::vector<std::string> complaints_;
};

}  // namespace

std::vector<std::string> Inspect(const DepotMaker& make, MemoryDisk& disk, const Promises& promises,
                                 uint64_t life, Depth depth) {
  return Inspector(make, disk, promises, life).Run(depth);
}

}  // namespace fireweed::crash
