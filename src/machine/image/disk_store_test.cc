#include "machine/image/disk_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machine/testing/test_host.h"

namespace fireweed {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class DiskStoreTest : public ::testing::Test {
 protected:
  void Write(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  fs::path Upper(const std::string& disk) { return store_.DiskDirectory(disk) + "/upper"; }
  fs::path Layer(const std::string& layer) { return store_.LayerDirectory(layer); }

  TemporaryDirectory directory_;
  DiskStore store_{directory_.path()};
};

TEST_F(DiskStoreTest, CopiesFilesWithWhatIsKnownOfThem) {
  ASSERT_TRUE(store_.MakeDisk("d-1").ok());
  fs::path upper = Upper("d-1");
  Write(upper / "etc/motd", "hello");
  Write(upper / "var/deep/er/file", std::string(100'000, 'x'));
  fs::create_symlink("../etc/motd", upper / "var/link");
  fs::create_hard_link(upper / "etc/motd", upper / "var/same");
  ASSERT_EQ(chmod((upper / "etc/motd").c_str(), 04751), 0);
  ASSERT_EQ(chmod((upper / "etc").c_str(), 02770), 0);
  ASSERT_EQ(setxattr((upper / "etc/motd").c_str(), "user.colour", "red", 3, 0), 0);
  timespec times[2] = {{1000, 5}, {2000, 6}};
  ASSERT_EQ(utimensat(AT_FDCWD, (upper / "etc/motd").c_str(), times, 0), 0);
  ASSERT_EQ(utimensat(AT_FDCWD, (upper / "var").c_str(), times, 0), 0);

  Result<LayerCopy> copy = store_.MakeLayer("d-1", "l-1");
  ASSERT_TRUE(copy.ok()) << copy.error().message;
  EXPECT_EQ(copy->bytes, 100'005);
  fs::path layer = Layer("l-1");
  struct stat a {
  }, b{};
  ASSERT_EQ(stat((layer / "etc/motd").c_str(), &a), 0);
  EXPECT_EQ(a.st_mode & 07777, 04751u);
  EXPECT_EQ(a.st_mtim.tv_sec, 2000);
  EXPECT_EQ(a.st_mtim.tv_nsec, 6);
  ASSERT_EQ(stat((layer / "var/same").c_str(), &b), 0);
  EXPECT_EQ(a.st_ino, b.st_ino);
  ASSERT_EQ(stat((layer / "var").c_str(), &b), 0);
  EXPECT_EQ(b.st_mtim.tv_sec, 2000);
  ASSERT_EQ(stat((layer / "etc").c_str(), &b), 0);
  EXPECT_EQ(b.st_mode & 07777, 02770u);
  EXPECT_EQ(fs::read_symlink(layer / "var/link"), "../etc/motd");
  char colour[8] = {};
  EXPECT_EQ(getxattr((layer / "etc/motd").c_str(), "user.colour", colour, sizeof colour), 3);
  EXPECT_STREQ(colour, "red");
  EXPECT_EQ(fs::file_size(layer / "var/deep/er/file"), 100'000u);
}

TEST_F(DiskStoreTest, KeepsTheOverlaysMarksAndOwners) {
  if (geteuid() != 0) GTEST_SKIP() << "owners and the overlay's marks need root";
  ASSERT_TRUE(store_.MakeDisk("d-1").ok());
  fs::path upper = Upper("d-1");
  Write(upper / "home/note", "n");
  ASSERT_EQ(lchown((upper / "home/note").c_str(), 1000, 1001), 0);
  ASSERT_EQ(mknod((upper / "deleted").c_str(), S_IFCHR, makedev(0, 0)), 0);
  bool may_make_devices = mknod((upper / "disk").c_str(), S_IFBLK | 0600, makedev(7, 200)) == 0;
  ASSERT_EQ(setxattr((upper / "home").c_str(), "trusted.overlay.opaque", "y", 1, 0), 0);
  ASSERT_EQ(setxattr((upper / "home").c_str(), "trusted.overlay.origin", "o", 1, 0), 0);
  ASSERT_TRUE(store_.MakeLayer("d-1", "l-1").ok());
  struct stat meta {};
  ASSERT_EQ(lstat((Layer("l-1") / "home/note").c_str(), &meta), 0);
  EXPECT_EQ(meta.st_uid, 1000u);
  EXPECT_EQ(meta.st_gid, 1001u);
  ASSERT_EQ(lstat((Layer("l-1") / "deleted").c_str(), &meta), 0);
  EXPECT_TRUE(S_ISCHR(meta.st_mode));
  EXPECT_EQ(meta.st_rdev, makedev(0, 0));
  std::string home = Layer("l-1") / "home";
  char value[8];
  EXPECT_EQ(getxattr(home.c_str(), "trusted.overlay.opaque", value, sizeof value), 1);
  EXPECT_EQ(getxattr(home.c_str(), "trusted.overlay.origin", value, sizeof value), -1);
  if (may_make_devices) {
    EXPECT_FALSE(fs::exists(fs::symlink_status(Layer("l-1") / "disk")));
  }
}

TEST_F(DiskStoreTest, HolesStayHoles) {
  ASSERT_TRUE(store_.MakeDisk("d-1").ok());
  Write(Upper("d-1") / "sparse", "begin");
  fs::resize_file(Upper("d-1") / "sparse", 64 << 20);
  ASSERT_TRUE(store_.MakeLayer("d-1", "l-1").ok());
  struct stat meta {};
  ASSERT_EQ(stat((Layer("l-1") / "sparse").c_str(), &meta), 0);
  EXPECT_EQ(meta.st_size, 64 << 20);
  EXPECT_LT(meta.st_blocks * 512, 1 << 20);
}

TEST_F(DiskStoreTest, NothingWrittenIsNoLayer) {
  Result<LayerCopy> none = store_.MakeLayer("never-made", "l-1");
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(none->files, 0);
  EXPECT_FALSE(fs::exists(Layer("l-1")));
}

TEST_F(DiskStoreTest, AFailedFillLeavesNothingAndAnInterruptedOneIsMadeAgain) {
  Result<> failed = store_.FillLayer("l-1", [&](const std::string& part) -> Result<> {
    std::ofstream(part + "/half") << "x";
    return Error{Code::kExhausted, "", "disk full"};
  });
  EXPECT_EQ(failed.error().message, "disk full");
  EXPECT_TRUE(fs::is_empty(directory_.path() + "/layers"));
  Write(directory_.path() + "/layers/l-1.part/stale", "from a crash");
  auto fill = [&](const std::string& part) -> Result<> {
    std::ofstream(part + "/whole") << "x";
    return Done{};
  };
  ASSERT_TRUE(store_.FillLayer("l-1", fill).ok());
  EXPECT_TRUE(fs::exists(Layer("l-1") / "whole"));
  EXPECT_FALSE(fs::exists(Layer("l-1") / "stale"));
  // Finished once is finished: a second try after a crash does not begin again.
  ASSERT_TRUE(store_
                  .FillLayer("l-1",
                             [](const std::string&) -> Result<> {
                               return Error{Code::kInternal, "", "called"};
                             })
                  .ok());
}

TEST_F(DiskStoreTest, SweepsWhatNobodyKnows) {
  for (const char* disk : {"d-1", "d-2"}) ASSERT_TRUE(store_.MakeDisk(disk).ok());
  for (const char* layer : {"l-1", "l-2", "l-3.part", "l-4.part"}) {
    Write(Layer(layer) / "file", "x");
  }
  Result<int> removed = store_.Sweep([] {
    return DiskStore::Names{.disks = {"d-1"}, .layers = {"l-1", "l-3"}};
  });
  ASSERT_TRUE(removed.ok());
  EXPECT_EQ(*removed, 3);
  EXPECT_TRUE(fs::exists(Upper("d-1")));
  EXPECT_FALSE(fs::exists(store_.DiskDirectory("d-2")));
  EXPECT_TRUE(fs::exists(Layer("l-3.part")));
  EXPECT_FALSE(fs::exists(Layer("l-4.part")));
}

TEST_F(DiskStoreTest, ASweepRemovesDeepTreesAndFollowsNoLink) {
  Write(Layer("kept") / "file", "x");
  fs::path deep = Layer("l-1");
  for (int i = 0; i < 30; ++i) deep /= "d";
  Write(deep / "file", "x");
  fs::create_directory_symlink(Layer("kept"), Layer("l-1") / "link");
  Result<int> removed = store_.Sweep([] { return DiskStore::Names{.layers = {"kept"}}; });
  ASSERT_TRUE(removed.ok());
  EXPECT_EQ(*removed, 1);
  EXPECT_FALSE(fs::exists(Layer("l-1")));
  EXPECT_TRUE(fs::exists(Layer("kept") / "file"));
}

TEST_F(DiskStoreTest, AStoppedSweepLeavesTheRestToTheNextStart) {
  Write(Layer("l-1") / "file", "x");
  // It has listed what is there, and is about to begin.
  Result<int> removed = store_.Sweep([&] {
    store_.Stop();
    return DiskStore::Names{};
  });
  ASSERT_TRUE(removed.ok());
  EXPECT_EQ(*removed, 0);
  EXPECT_TRUE(fs::exists(Layer("l-1") / "file"));
  DiskStore next(directory_.path());
  EXPECT_EQ(next.Sweep([] { return DiskStore::Names{}; }).value(), 1);
  EXPECT_FALSE(fs::exists(Layer("l-1")));
}

TEST_F(DiskStoreTest, AStoppedCopyIsBegunAnewByTheNextStart) {
  Write(Upper("d-1") / "file", "x");
  store_.Stop();
  EXPECT_EQ(store_.MakeLayer("d-1", "l-1").error().code, Code::kCancelled);
  EXPECT_FALSE(fs::exists(Layer("l-1")));
  EXPECT_TRUE(fs::exists(Layer("l-1.part")));  // removing it could take as long
  DiskStore next(directory_.path());
  EXPECT_EQ(next.MakeLayer("d-1", "l-1").value().bytes, 1);
  EXPECT_TRUE(fs::exists(Layer("l-1") / "file"));
  EXPECT_FALSE(fs::exists(Layer("l-1.part")));
}

TEST_F(DiskStoreTest, AHeldDiskIsWaitedFor) {
  auto hold = std::make_unique<DiskStore::Hold>(store_, "d-1");
  store_.AwaitFree("d-2");
  std::future<void> waiter = std::async(std::launch::async, [&] { store_.AwaitFree("d-1"); });
  hold.reset();
  waiter.get();
}

}  // namespace
}  // namespace fireweed
