#include "base/memory_disk.h"

#include <set>

#include <gtest/gtest.h>

#include "base/bytes.h"

namespace fireweed {
namespace {

std::unique_ptr<File> Open(MemoryDisk& disk, const std::string& path) {
  return disk.Open(path, OpenMode::kCreate).value();
}

// nullopt where there is no such file.
std::optional<std::string> Read(MemoryDisk& disk, const std::string& path) {
  auto file = disk.Open(path, OpenMode::kRead);
  if (!file) return std::nullopt;
  std::string text(static_cast<size_t>((*file)->Size().value()), '\0');
  (*file)->ReadAt(0, std::as_writable_bytes(std::span(text))).value();
  return text;
}

TEST(MemoryDisk, OnlySyncedBytesUnderSyncedNamesSurvive) {
  MemoryDisk disk;
  auto file = Open(disk, "f");
  file->WriteAt(0, AsBytes("synced")).value();
  file->Sync().value();
  EXPECT_EQ(Read(*disk.AfterCrash(Loss::kUnsynced), "f"), std::nullopt)
      << "the name was not synced";
  disk.SyncDirectory(".").value();
  file->WriteAt(0, AsBytes("S")).value();
  file->WriteAt(6, AsBytes(" and not")).value();
  EXPECT_EQ(Read(disk, "f"), "Synced and not");
  EXPECT_EQ(Read(*disk.AfterCrash(Loss::kUnsynced), "f"), "synced");
  EXPECT_EQ(Read(*disk.AfterCrash(Loss::kNothing), "f"), "Synced and not");
  file->Sync().value();
  EXPECT_EQ(Read(*disk.AfterCrash(Loss::kUnsynced), "f"), "Synced and not");
}

TEST(MemoryDisk, DirectoriesAreNamesOfTheirParents) {
  MemoryDisk disk;
  disk.MakeDirectories("a/b").value();
  Open(disk, "a/b/f")->Sync().value();
  disk.SyncDirectory("a/b").value();
  disk.SyncDirectory("a").value();
  EXPECT_FALSE(disk.AfterCrash(Loss::kUnsynced)->Exists("a").value());
  disk.SyncDirectory(".").value();
  EXPECT_TRUE(disk.AfterCrash(Loss::kUnsynced)->Exists("a/b/f").value());
}

TEST(MemoryDisk, RemovalsAndRenamesComeBackUntilTheirDirectoryIsSynced) {
  MemoryDisk disk;
  disk.MakeDirectories("from").value();
  disk.MakeDirectories("to").value();
  for (const char* path : {"from/moved", "from/removed"}) Open(disk, path)->Sync().value();
  for (const char* path : {".", "from"}) disk.SyncDirectory(path).value();
  disk.Rename("from/moved", "to/moved").value();
  disk.Remove("from/removed").value();
  auto before = disk.AfterCrash(Loss::kUnsynced);
  EXPECT_EQ(before->List("from").value(), (std::vector<std::string>{"moved", "removed"}));
  EXPECT_EQ(before->List("to").value(), std::vector<std::string>{});
  disk.SyncDirectory("to").value();
  auto between = disk.AfterCrash(Loss::kUnsynced);
  EXPECT_EQ(between->List("from").value(), (std::vector<std::string>{"moved", "removed"}));
  EXPECT_EQ(between->List("to").value(), std::vector<std::string>{"moved"});
  disk.SyncDirectory("from").value();
  EXPECT_EQ(disk.AfterCrash(Loss::kUnsynced)->List("from").value(), std::vector<std::string>{});
}

TEST(MemoryDisk, AFileThatWasMovedAwayAndBackStays) {
  MemoryDisk disk;
  disk.MakeDirectories("here").value();
  disk.MakeDirectories("there").value();
  Open(disk, "here/f")->Sync().value();
  for (const char* path : {".", "here"}) disk.SyncDirectory(path).value();
  disk.Rename("here/f", "there/f").value();
  disk.Rename("there/f", "here/f").value();
  for (const char* path : {"there", "here"}) {
    disk.SyncDirectory(path).value();
    EXPECT_TRUE(disk.AfterCrash(Loss::kUnsynced)->Exists("here/f").value()) << path;
  }
}

TEST(MemoryDisk, ARenameIsNeverWithoutEitherName) {
  MemoryDisk disk;
  disk.MakeDirectories("from").value();
  disk.MakeDirectories("to").value();
  Open(disk, "from/f")->Sync().value();
  for (const char* path : {".", "from"}) disk.SyncDirectory(path).value();
  disk.Rename("from/f", "to/f").value();
  for (uint64_t seed = 0; seed < 50; ++seed) {
    auto after = disk.AfterCrash(Loss::kTorn, seed);
    EXPECT_TRUE(after->Exists("from/f").value() || after->Exists("to/f").value()) << seed;
  }
  disk.SyncDirectory("from").value();
  EXPECT_TRUE(disk.AfterCrash(Loss::kUnsynced)->Exists("to/f").value());
}

TEST(MemoryDisk, TornWritesKeepAnyPartAndRepeatBySeed) {
  MemoryDisk disk;
  auto file = Open(disk, "f");
  file->WriteAt(0, AsBytes("....")).value();
  file->Sync().value();
  disk.SyncDirectory(".").value();
  for (int64_t at = 0; at < 3; ++at) file->WriteAt(at, AsBytes("x")).value();
  std::set<std::string> found;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    found.insert(Read(*disk.AfterCrash(Loss::kTorn, seed), "f").value());
    EXPECT_EQ(Read(*disk.AfterCrash(Loss::kTorn, seed), "f"),
              Read(*disk.AfterCrash(Loss::kTorn, seed), "f"));
  }
  EXPECT_EQ(found, (std::set<std::string>{"....", "x...", ".x..", "..x.", "xx..", "x.x.", ".xx.",
                                          "xxx."}));
}

TEST(MemoryDisk, TornWritesAreCutAtSectors) {
  MemoryDisk disk;
  auto file = Open(disk, "f");
  file->Truncate(2048).value();
  file->Sync().value();
  disk.SyncDirectory(".").value();
  file->WriteAt(256, AsBytes(std::string(1024, 'x'))).value();
  std::set<std::string> found;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    std::string text = Read(*disk.AfterCrash(Loss::kTorn, seed), "f").value();
    EXPECT_EQ(text.size(), 2048u);
    std::string fate;
    for (size_t at : {256u, 512u, 1024u}) {
      size_t length = at == 512 ? 512 : 256;
      EXPECT_EQ(text.substr(at, length), std::string(length, text[at]));
      fate += text[at] == 'x' ? 'x' : '.';
    }
    found.insert(fate);
  }
  EXPECT_EQ(found.size(), 8u);
}

TEST(MemoryDisk, AKilledProcessLeavesWhatIsSeenNoMoreDurableThanItWas) {
  MemoryDisk disk;
  auto file = Open(disk, "f");
  file->WriteAt(0, AsBytes("synced")).value();
  file->Sync().value();
  disk.SyncDirectory(".").value();
  file->WriteAt(0, AsBytes("unsync")).value();
  disk.Rename("f", "g").value();
  auto killed = disk.AfterCrash(Loss::kNothing);
  file->WriteAt(0, AsBytes("other!")).value();
  EXPECT_EQ(Read(*killed, "g"), "unsync");
  EXPECT_EQ(Read(*killed->AfterCrash(Loss::kUnsynced), "f"), "synced");
  EXPECT_EQ(Read(*killed->AfterCrash(Loss::kUnsynced), "g"), std::nullopt);
  killed->SyncDirectory(".").value();
  EXPECT_EQ(Read(*killed->AfterCrash(Loss::kUnsynced), "g"), "synced");
}

TEST(MemoryDisk, EveryChangeIsCountedAndCanBeTheLast) {
  auto run = [](MemoryDisk& disk) -> Result<> {
    if (auto made = disk.MakeDirectories("d"); !made) return made;
    auto file = disk.Open("d/f", OpenMode::kCreate);
    if (!file) return file.error();
    if (auto wrote = (*file)->WriteAt(0, AsBytes("abc")); !wrote) return wrote;
    if (auto cut = (*file)->Truncate(2); !cut) return cut;
    if (auto synced = (*file)->Sync(); !synced) return synced;
    if (auto renamed = disk.Rename("d/f", "d/g"); !renamed) return renamed;
    if (auto synced = disk.SyncDirectory("d"); !synced) return synced;
    return disk.Remove("d/g");
  };
  MemoryDisk whole;
  run(whole).value();
  EXPECT_EQ(whole.calls(), 8);
  for (int64_t call = 1; call <= 8; ++call) {
    MemoryDisk disk;
    disk.StopAt(call);
    EXPECT_FALSE(run(disk).ok()) << call;
    EXPECT_EQ(disk.calls(), call);
    EXPECT_FALSE(disk.Exists("d").ok()) << "a stopped disk answers nothing";
    EXPECT_EQ(disk.AfterCrash(Loss::kNothing)->Exists("d").value(), call > 1);
    EXPECT_EQ(disk.AfterCrash(Loss::kNothing)->Exists("d/g").value(), call > 6);
  }
}

TEST(MemoryDisk, TheWatcherSeesTheDiskJustBefore) {
  MemoryDisk disk;
  std::vector<std::string> seen;
  disk.Watch([&](const MemoryDisk::Moment& moment) {
    seen.push_back(moment.what() + "=" +
                   Read(*moment.AfterCrash(Loss::kNothing), "f").value_or("none"));
    EXPECT_EQ(moment.call(), static_cast<int64_t>(seen.size()));
  });
  auto file = Open(disk, "f");
  file->WriteAt(0, AsBytes("a")).value();
  file->Sync().value();
  EXPECT_EQ(seen, (std::vector<std::string>{"create f=none", "write f=", "sync f=a"}));
}

TEST(MemoryDisk, AFailedSyncLosesTheBytesForGood) {
  MemoryDisk disk;
  auto file = Open(disk, "f");
  disk.SyncDirectory(".").value();
  file->WriteAt(0, AsBytes("lost")).value();
  disk.FailAt(disk.calls() + 1, ErrnoError(5, "sync"));
  EXPECT_FALSE(file->Sync().ok());
  EXPECT_EQ(Read(disk, "f"), "lost");
  file->Sync().value();
  EXPECT_EQ(Read(*disk.AfterCrash(Loss::kUnsynced), "f"), "");
  file->WriteAt(0, AsBytes("kept")).value();
  file->Sync().value();
  EXPECT_EQ(Read(*disk.AfterCrash(Loss::kUnsynced), "f"), "kept");
}

TEST(MemoryDisk, AFullDiskTakesWhatFits) {
  MemoryDisk disk;
  disk.SetCapacity(10);
  auto file = Open(disk, "f");
  file->WriteAt(0, AsBytes("12345678")).value();
  EXPECT_EQ(disk.FreeBytes(".").value(), 2);
  EXPECT_EQ(file->WriteAt(8, AsBytes("9abc")).error().code, Code::kExhausted);
  EXPECT_EQ(Read(disk, "f"), "123456789a");
  file->WriteAt(0, AsBytes("overwriting needs no room").first(5)).value();
  disk.Remove("f").value();
  EXPECT_EQ(disk.FreeBytes(".").value(), 10);
}

}  // namespace
}  // namespace fireweed
