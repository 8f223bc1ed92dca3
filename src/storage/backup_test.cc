// Copies of a whole store: what they hold, what they cost the second time, and the way back.
#include "storage/backup.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "blob/file_blob_store.h"
#include "catalog/sqlite_catalog.h"
#include "storage/storage_fixture.h"

namespace fireweed::storage {
namespace {

namespace fs = std::filesystem;

// A store on real files, which is what SQLite's copy needs.
class Store {
 public:
  Store(const std::string& state, StorageFixture& world)
      : state_(state),
        catalog({.path = state + "/catalog.db"}, world.log),
        blobs(
            FileBlobStore::Open(*disk, state + "/blobs", world.ids, {.reserve_bytes = 0}).value()) {
    world.router.reset();
    world.service = std::make_unique<StorageService>(StorageParts{
        catalog, *blobs, world.projects, world.access, world.clock, world.random, world.log});
    world.router = std::make_unique<net::Router>(world.access);
    world.service->Serve(*world.router);
  }
  BackupSource source() {
    return {*blobs,
            [this](const std::string& path) { catalog.CopyTo(path); },
            state_,
            {"note", "none"}};
  }

 private:
  const std::string state_;

 public:
  std::unique_ptr<Disk> disk = MakeRealDisk();
  SqliteCatalog catalog;
  std::unique_ptr<FileBlobStore> blobs;
};

class BackupTest : public testing::Test {
 protected:
  BackupTest() {
    std::string pattern = testing::TempDir() + "/backup.XXXXXX";
    root_ = mkdtemp(pattern.data());
    for (const char* name : {"state", "second"}) fs::create_directory(Path(name));
    Start("state");
    world_.Send("POST", "/storage/v1/b?project=p-backup-1", R"({"name":"kept-bucket"})");
    world_.Upload("kept-bucket", "small", "few bytes");
    world_.Upload("kept-bucket", "large", large_);
  }
  ~BackupTest() override {
    Stop();
    fs::remove_all(root_);
  }
  std::string Path(const std::string& name) const { return root_ + "/" + name; }
  void Start(const std::string& name) {
    Stop();
    store_ = std::make_unique<Store>(Path(name), world_);
  }
  void Stop() {
    world_.router.reset();
    world_.service.reset();
    store_.reset();
  }
  BackupWorld World() {
    return {*disk_, world_.clock, world_.log, [](const auto&) {}, pace_};
  }
  api::admin::BackupReport BackUp() { return MakeBackup(store_->source(), Path("copy"), World()); }
  api::admin::BackupReport Restore() {
    return RestoreBackup(Path("copy"), Path("second"), World());
  }

  const std::string large_ = std::string(50'000, 'l');
  std::string root_;
  StorageFixture world_;
  std::unique_ptr<Disk> disk_ = MakeRealDisk();
  std::unique_ptr<Store> store_;
  Pace pace_ = [](int64_t) { return true; };
};

TEST_F(BackupTest, WhatWasBackedUpComesBack) {
  disk_->Open(Path("state/note"), OpenMode::kCreate).value()->WriteAt(0, AsBytes("hi")).value();
  api::admin::BackupReport made = BackUp();
  EXPECT_EQ(made.blobs, 1);
  EXPECT_EQ(made.copiedBlobs, 1);
  EXPECT_EQ(made.objects, 2);
  EXPECT_EQ(made.problemCount, 0);
  world_.Upload("kept-bucket", "later", "not in it");
  Stop();
  api::admin::BackupReport restored = Restore();
  EXPECT_EQ(restored.objects, 2);
  EXPECT_EQ(restored.problemCount, 0);
  EXPECT_FALSE(fs::exists(Path("second/restoring")));
  EXPECT_EQ(ReadSmallFile(*disk_, Path("second/note")), "hi");
  Start("second");
  EXPECT_EQ(world_.Read("kept-bucket", "small"), "few bytes");
  EXPECT_EQ(world_.Read("kept-bucket", "large"), large_);
  EXPECT_EQ(world_.Read("kept-bucket", "later"), "status 404");
}

TEST_F(BackupTest, TheSecondOneCopiesOnlyWhatIsNew) {
  BackUp();
  world_.Upload("kept-bucket", "more", std::string(60'000, 'm'));
  world_.Send("DELETE", "/storage/v1/b/kept-bucket/o/large");
  api::admin::BackupReport second = BackUp();
  EXPECT_EQ(second.copiedBlobs, 1);
  EXPECT_EQ(second.copiedBytes, 60'000);
  EXPECT_EQ(second.removedBlobs, 1);
  EXPECT_EQ(second.blobs, 1);
  EXPECT_EQ(second.problemCount, 0);
}

// A deletion that comes while blobs are copied takes none of them away.
TEST_F(BackupTest, WhatIsDeletedMeanwhileIsStillCopied) {
  world_.Upload("kept-bucket", "other", std::string(70'000, 'o'));
  bool deleted = false;
  pace_ = [&](int64_t) {
    if (!std::exchange(deleted, true)) {
      for (const char* name : {"large", "other"}) {
        world_.Send("DELETE", std::string("/storage/v1/b/kept-bucket/o/") + name);
      }
    }
    return true;
  };
  api::admin::BackupReport report = BackUp();
  EXPECT_TRUE(deleted);
  EXPECT_EQ(report.problemCount, 0);
  EXPECT_EQ(report.blobs, 2);
  EXPECT_EQ(
      store_->blobs->List([](const BlobListing&) { ADD_FAILURE() << "dropped afterwards"; }).ok(),
      true);
}

TEST_F(BackupTest, OneThatIsBrokenOffLeavesTheOldOneAndGoesOn) {
  BackUp();
  world_.Upload("kept-bucket", "a", std::string(2 << 20, 'a'));
  world_.Upload("kept-bucket", "b", std::string(2 << 20, 'b'));
  int64_t allowed = 3 << 20;
  pace_ = [&](int64_t bytes) { return (allowed -= bytes) > 0; };
  EXPECT_THROW(BackUp(), Failure);
  Stop();
  allowed = 100 << 20;
  EXPECT_EQ(Restore().objects, 2) << "the old backup is whole";
  Start("state");
  EXPECT_EQ(BackUp().copiedBlobs, 1) << "the other one was copied already";
}

TEST_F(BackupTest, ARestoreThatIsBrokenOffIsGoneOnWith) {
  BackUp();
  Stop();
  pace_ = [](int64_t) { return false; };
  EXPECT_THROW(Restore(), Failure);
  EXPECT_TRUE(fs::exists(Path("second/restoring")));
  pace_ = [](int64_t) { return true; };
  EXPECT_EQ(Restore().problemCount, 0);
  EXPECT_FALSE(fs::exists(Path("second/restoring")));
  EXPECT_THROW(Restore(), Failure) << "it is not empty any more";
}

TEST_F(BackupTest, WhatTheStoreHasLostIsTold) {
  fs::remove_all(Path("state/blobs/blobs"));
  api::admin::BackupReport report = BackUp();
  ASSERT_EQ(report.problemCount, 1);
  EXPECT_NE(report.problems[0].find("kept-bucket/large"), std::string::npos);
}

TEST_F(BackupTest, AStrangersDirectoryIsLeftAlone) {
  fs::create_directory(Path("copy"));
  disk_->Open(Path("copy/thesis.tex"), OpenMode::kCreate).value();
  EXPECT_THROW(BackUp(), Failure);
  EXPECT_THROW(Restore(), Failure);
}

}  // namespace
}  // namespace fireweed::storage
