// Bytes that go bad: found by the scrub and fsck, and never served.
#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/memory_disk.h"
#include "blob/file_blob_store.h"
#include "storage/blob_refs.h"
#include "storage/fsck.h"
#include "storage/scrub.h"
#include "storage/small_blobs.h"
#include "storage/storage_fixture.h"

namespace fireweed::storage {
namespace {

const Pace kFullSpeed = [](int64_t) { return true; };
constexpr size_t kLarge = 40'000;

// The services on blob files of a disk that the test can change behind their back.
class Integrity : public StorageFixture, public testing::Test {
 protected:
  Integrity() {
    Renew();
    Send("POST", "/storage/v1/b?project=p-bytes-1", R"({"name":"bytes-bucket"})");
    Upload("bytes-bucket", "small", "few bytes");
    Upload("bytes-bucket", "large", std::string(kLarge, 'x'));
    Upload("bytes-bucket", "empty", "");
  }
  // As after a restart.
  void Renew() {
    router.reset();
    service = std::make_unique<StorageService>(
        StorageParts{catalog, *files, projects, access, clock, random, log});
    router = std::make_unique<net::Router>(access);
    service->Serve(*router);
  }
  std::string BlobPath(std::string_view name) {
    ObjectRow row = service->store().Find({"bytes-bucket", std::string(name), std::nullopt}, {});
    const BlobId& id = row.parts.at(0).blob;
    return "root/blobs/" + id.substr(8, 2) + "/" + id;
  }
  void Rot(const std::string& path) {
    disk.Open(path, OpenMode::kReadWrite).value()->WriteAt(1234, AsBytes("rot")).value();
  }
  void RotSmall(const std::string& name) {
    ObjectRow row = service->store().Find({"bytes-bucket", name, std::nullopt}, {});
    catalog.Write("rot", [&](Txn& txn) {
      txn.Put(row.parts.at(0).blob, SmallBlob{1, "few bytez"});
    });
  }
  api::admin::FsckReport Examine() {
    return Fsck(
        catalog, *files, [](const auto&) {}, kFullSpeed);
  }

  MemoryDisk disk;
  std::unique_ptr<FileBlobStore> files = FileBlobStore::Open(disk, "root", ids).value();
};

TEST_F(Integrity, ASoundStoreIsSaidToBe) {
  EXPECT_TRUE(service->scrub().Pass(kFullSpeed));
  ScrubCounters counters = service->scrub().counters();
  EXPECT_EQ(counters.passes, 1);
  EXPECT_EQ(counters.objects, 3);
  EXPECT_EQ(counters.bytes, int64_t{kLarge} + 9);
  EXPECT_EQ(counters.mismatches, 0);
  api::admin::FsckReport report = Examine();
  EXPECT_EQ(report.problems, std::vector<std::string>{});
  EXPECT_EQ(report.buckets, 1);
  EXPECT_EQ(report.objects, 3);
  EXPECT_EQ(report.blobs, 1);
  EXPECT_EQ(report.smallBlobs, 1);
  EXPECT_EQ(report.bytes, int64_t{kLarge} + 9);
}

TEST_F(Integrity, ARottenFileIsFoundAndNotServedAnyMore) {
  EXPECT_EQ(Read("bytes-bucket", "large").size(), kLarge);
  Rot(BlobPath("large"));
  EXPECT_TRUE(service->scrub().Pass(kFullSpeed));
  EXPECT_EQ(service->scrub().counters().mismatches, 1);
  EXPECT_EQ(service->scrub().counters().damaged, 1);
  EXPECT_EQ(Read("bytes-bucket", "large"), "status 500") << "not from memory either";
  EXPECT_EQ(Read("bytes-bucket", "small"), "few bytes");
  Send("POST", "/storage/v1/b/bytes-bucket/o/large/copyTo/b/bytes-bucket/o/copy");
  EXPECT_EQ(Read("bytes-bucket", "copy"), "status 500") << "a copy has the same bytes";
  Renew();
  EXPECT_EQ(Read("bytes-bucket", "large"), "status 500") << "it is remembered";
}

TEST_F(Integrity, WhatIsWrittenAnewIsServedAgain) {
  Rot(BlobPath("large"));
  service->scrub().Pass(kFullSpeed);
  Upload("bytes-bucket", "large", "new");
  EXPECT_EQ(Read("bytes-bucket", "large"), "new");
  service->scrub().Pass(kFullSpeed);
  EXPECT_EQ(service->scrub().counters().damaged, 0) << "nothing refers to the bad blob";
}

TEST_F(Integrity, BytesThatAreSoundAgainAreServedAgain) {
  std::string path = BlobPath("large");
  Rot(path);
  service->scrub().Pass(kFullSpeed);
  disk.Open(path, OpenMode::kReadWrite).value()->WriteAt(1234, AsBytes("xxx")).value();
  service->scrub().Pass(kFullSpeed);
  EXPECT_EQ(Read("bytes-bucket", "large").size(), kLarge);
}

TEST_F(Integrity, ARottenSmallBlobIsNotServedEvenBeforeAScrub) {
  RotSmall("small");
  EXPECT_EQ(Read("bytes-bucket", "small"), "status 500");
  service->scrub().Pass(kFullSpeed);
  EXPECT_EQ(service->scrub().counters().damaged, 1);
}

TEST_F(Integrity, FsckNamesEveryKindOfProblem) {
  Rot(BlobPath("large"));
  Upload("bytes-bucket", "lost", std::string(kLarge, 'y'));
  disk.Remove(BlobPath("lost")).value();
  Upload("bytes-bucket", "miscounted", std::string(kLarge, 'z'));
  Upload("bytes-bucket", "short", std::string(kLarge, 's'));
  disk.Open(BlobPath("short"), OpenMode::kReadWrite).value()->Truncate(5).value();
  ObjectRow row = service->store().Find({"bytes-bucket", "miscounted", std::nullopt}, {});
  catalog.Write("harm", [&](Txn& txn) {
    txn.Put(row.parts[0].blob, BlobRefCount{7});
    ObjectRow stray = row;
    stray.parts.clear();
    stray.size = 0;
    stray.crc32c = 0;
    stray.md5.clear();
    txn.Put(LiveKey("no-bucket", "stray"), LiveObject{stray});
  });
  std::unique_ptr<BlobWriter> orphan = files->Create().value();
  orphan->Append(AsBytes("nobody's")).value();
  orphan->Commit().value();
  orphan.reset();
  api::admin::FsckReport report = Examine();
  auto complains = [&](std::string_view part) {
    return std::any_of(report.problems.begin(), report.problems.end(),
                       [&](const std::string& p) { return p.find(part) != p.npos; });
  };
  EXPECT_EQ(report.problemCount, 5);
  EXPECT_TRUE(complains("gs://bytes-bucket/large#"));
  EXPECT_TRUE(complains("gs://bytes-bucket/lost#"));
  EXPECT_TRUE(complains("gs://bytes-bucket/short#"));
  EXPECT_TRUE(complains("1 rows refer to it, 7 were counted"));
  EXPECT_TRUE(complains("gs://no-bucket/stray#"));
  EXPECT_EQ(report.unreferenced, 1);
}

TEST_F(Integrity, APassCanBeStopped) {
  int pieces = 0;
  EXPECT_FALSE(service->scrub().Pass([&](int64_t) { return ++pieces < 3; }));
  EXPECT_EQ(service->scrub().counters().passes, 0);
}

}  // namespace
}  // namespace fireweed::storage
