// The contract of Disk, on every implementation.
#include "base/disk.h"

#include <filesystem>
#include <functional>
#include <memory>

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/memory_disk.h"

namespace fireweed {
namespace {

struct DiskMaker {
  std::string name;
  std::function<std::unique_ptr<Disk>()> make;
};

class DiskContract : public testing::TestWithParam<DiskMaker> {
 protected:
  DiskContract() : disk_(GetParam().make()) {
    std::string pattern = testing::TempDir() + "/disk.XXXXXX";
    root_ = mkdtemp(pattern.data());
    disk_->MakeDirectories(root_).value();
  }
  ~DiskContract() override { std::filesystem::remove_all(root_); }

  std::string Path(const std::string& name) const { return root_ + "/" + name; }
  std::unique_ptr<File> Open(const std::string& name, OpenMode mode = OpenMode::kCreate) {
    return disk_->Open(Path(name), mode).value();
  }
  void Write(const std::string& name, std::string_view text) {
    Open(name)->WriteAt(0, AsBytes(text)).value();
  }
  std::string Read(const File& file) {
    std::string text(static_cast<size_t>(file.Size().value()) + 10, '?');
    text.resize(file.ReadAt(0, std::as_writable_bytes(std::span(text))).value());
    return text;
  }
  std::string Read(const std::string& name) { return Read(*Open(name, OpenMode::kRead)); }

  std::unique_ptr<Disk> disk_;
  std::string root_;
};

TEST_P(DiskContract, WritesAreSeenByEveryOpenFile) {
  auto writer = Open("f"), reader = Open("f", OpenMode::kRead);
  writer->WriteAt(0, AsBytes("hello world")).value();
  writer->WriteAt(6, AsBytes("there")).value();
  EXPECT_EQ(Read(*reader), "hello there");
  EXPECT_EQ(reader->Size().value(), 11);
  writer->Sync().value();
  EXPECT_EQ(Read("f"), "hello there");
}

TEST_P(DiskContract, ReadsAreShortOnlyAtTheEnd) {
  Write("f", "0123456789");
  auto file = Open("f", OpenMode::kRead);
  std::string part(4, '?');
  EXPECT_EQ(file->ReadAt(3, std::as_writable_bytes(std::span(part))).value(), 4u);
  EXPECT_EQ(part, "3456");
  EXPECT_EQ(file->ReadAt(8, std::as_writable_bytes(std::span(part))).value(), 2u);
  EXPECT_EQ(file->ReadAt(10, std::as_writable_bytes(std::span(part))).value(), 0u);
  EXPECT_EQ(file->ReadAt(99, std::as_writable_bytes(std::span(part))).value(), 0u);
  EXPECT_FALSE(file->ReadAt(-1, std::as_writable_bytes(std::span(part))).ok());
}

TEST_P(DiskContract, WritingPastTheEndAndGrowingLeaveZeros) {
  auto file = Open("f");
  file->WriteAt(3, AsBytes("x")).value();
  EXPECT_EQ(Read(*file), std::string("\0\0\0x", 4));
  file->Truncate(1).value();
  file->Truncate(2).value();
  EXPECT_EQ(Read(*file), std::string(2, '\0'));
}

TEST_P(DiskContract, OpenModes) {
  EXPECT_EQ(disk_->Open(Path("f"), OpenMode::kRead).error().code, Code::kNotFound);
  EXPECT_EQ(disk_->Open(Path("f"), OpenMode::kReadWrite).error().code, Code::kNotFound);
  EXPECT_EQ(disk_->Open(Path("none/f"), OpenMode::kCreate).error().code, Code::kNotFound);
  EXPECT_TRUE(disk_->Open(Path("f"), OpenMode::kCreateNew).ok());
  EXPECT_EQ(disk_->Open(Path("f"), OpenMode::kCreateNew).error().code, Code::kExists);
  Open("f", OpenMode::kReadWrite)->WriteAt(0, AsBytes("kept")).value();
  EXPECT_EQ(Read(*Open("f", OpenMode::kCreate)), "kept");
  EXPECT_FALSE(Open("f", OpenMode::kRead)->WriteAt(0, AsBytes("no")).ok());
  EXPECT_FALSE(Open("f", OpenMode::kRead)->Truncate(0).ok());
  EXPECT_FALSE(disk_->Open(root_, OpenMode::kReadWrite).ok());
}

TEST_P(DiskContract, RenameReplacesAndOpenFilesGoOn) {
  Write("a", "new");
  Write("b", "old");
  auto old_b = Open("b", OpenMode::kRead), moved = Open("a");
  disk_->Rename(Path("a"), Path("b")).value();
  EXPECT_FALSE(disk_->Exists(Path("a")).value());
  EXPECT_EQ(Read("b"), "new");
  EXPECT_EQ(Read(*old_b), "old");
  moved->WriteAt(3, AsBytes("er")).value();
  EXPECT_EQ(Read("b"), "newer");
  EXPECT_EQ(disk_->Rename(Path("a"), Path("c")).error().code, Code::kNotFound);
  EXPECT_EQ(disk_->Rename(Path("b"), Path("none/b")).error().code, Code::kNotFound);
  disk_->Rename(Path("b"), Path("b")).value();
  EXPECT_EQ(Read("b"), "newer");
}

TEST_P(DiskContract, RemovedFilesStayReadableWhereOpen) {
  Write("f", "text");
  auto file = Open("f", OpenMode::kRead);
  disk_->Remove(Path("f")).value();
  EXPECT_EQ(Read(*file), "text");
  EXPECT_FALSE(disk_->Exists(Path("f")).value());
  EXPECT_EQ(disk_->Remove(Path("f")).error().code, Code::kNotFound);
  EXPECT_FALSE(disk_->Remove(root_).ok());
  Write("f", "other");
  EXPECT_EQ(Read(*file), "text");
}

TEST_P(DiskContract, DirectoriesAreMadeListedAndSynced) {
  disk_->MakeDirectories(Path("x/y/z")).value();
  disk_->MakeDirectories(Path("x/y/z")).value();
  for (const char* name : {"x/b", "x/a", "x/y/inner", "x/y-"}) Write(name, "");
  EXPECT_EQ(disk_->List(Path("x")).value(), (std::vector<std::string>{"a", "b", "y", "y-"}));
  EXPECT_EQ(disk_->List(Path("x/y/z")).value(), std::vector<std::string>{});
  EXPECT_EQ(disk_->List(Path("none")).error().code, Code::kNotFound);
  EXPECT_TRUE(disk_->Exists(Path("x/y/z")).value());
  EXPECT_FALSE(disk_->Exists(Path("x/a/under-a-file")).value());
  EXPECT_FALSE(disk_->MakeDirectories(Path("x/a")).ok());
  EXPECT_FALSE(disk_->MakeDirectories(Path("x/a/b")).ok());
  disk_->SyncDirectory(Path("x")).value();
  EXPECT_FALSE(disk_->SyncDirectory(Path("none")).ok());
  EXPECT_FALSE(disk_->SyncDirectory(Path("x/a")).ok());
}

TEST_P(DiskContract, FreeBytesIsKnown) {
  EXPECT_GT(disk_->FreeBytes(root_).value(), 0);
  EXPECT_FALSE(disk_->FreeBytes(Path("none")).ok());
}

INSTANTIATE_TEST_SUITE_P(Disks, DiskContract,
                         testing::Values(DiskMaker{"Real", [] { return MakeRealDisk(); }},
                                         DiskMaker{"Memory",
                                                   [] { return std::make_unique<MemoryDisk>(); }}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace fireweed
