#include "blob/file_blob_store.h"

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/memory_disk.h"
#include "base/sim_clock.h"

namespace fireweed {
namespace {

class FileBlobStoreTest : public testing::Test {
 protected:
  std::unique_ptr<FileBlobStore> OpenOn(Disk& disk, FileBlobOptions options = {}) {
    return FileBlobStore::Open(disk, "state/objects", ids_, options).value();
  }
  std::string Read(BlobStore& store, const BlobId& id) {
    auto reader = store.Open(id).value();
    std::string text(static_cast<size_t>(reader->size()), '?');
    EXPECT_EQ(reader->ReadAt(0, std::as_writable_bytes(std::span(text))).value(), text.size());
    return text;
  }

  // Makes the state directory, whose own name is its maker's business.
  FileBlobStoreTest() {
    disk_.MakeDirectories("state").value();
    disk_.SyncDirectory(".").value();
  }

  SimClock clock_;
  SeededRandom random_{7};
  IdSource ids_{clock_, random_};
  MemoryDisk disk_;
};

// What one writer was told: every crash has to keep it.
struct Told {
  BlobId id;
  int64_t durable = -1;  // the answer of the last Sync
  bool committed = false;
};

constexpr std::string_view kText = "The quick brown fox jumps over the lazy dog";

Result<Told> Upload(BlobStore& store, Told& told) {
  auto writer = store.Create();
  if (!writer) return writer.error();
  told.id = (*writer)->id();
  for (size_t at = 0; at < kText.size(); at += 10) {
    auto appended = (*writer)->Append(AsBytes(kText.substr(at, 10)));
    if (!appended) return appended.error();
    if (at == 20) continue;  // not every piece is synced
    auto synced = (*writer)->Sync();
    if (!synced) return synced.error();
    told.durable = *synced;
  }
  auto committed = (*writer)->Commit();
  if (!committed) return committed.error();
  told.committed = true;
  return told;
}

// Brings an upload to its end on what a crash left, whatever it left.
void Finish(BlobStore& store, const Told& told) {
  auto resumed = store.Resume(told.id);
  if (!resumed && resumed.error().code == Code::kExists) return;
  ASSERT_FALSE(told.committed);
  if (!resumed) {
    ASSERT_EQ(resumed.error().code, Code::kNotFound) << resumed.error().message;
    ASSERT_LT(told.durable, 0) << "a draft with durable bytes is gone";
    return;
  }
  int64_t size = (*resumed)->size();
  ASSERT_GE(size, told.durable);
  ASSERT_EQ((*resumed)->Sums().crc32c, Crc32c(AsBytes(kText.substr(0, static_cast<size_t>(size)))));
  (*resumed)->Append(AsBytes(kText.substr(static_cast<size_t>(size)))).value();
  EXPECT_EQ((*resumed)->Commit().value().md5, Hash(Digest::kMd5, kText));
}

TEST_F(FileBlobStoreTest, EveryCrashKeepsWhatWasToldAndCanBeResumed) {
  MemoryDisk whole;
  whole.MakeDirectories("state").value();
  whole.SyncDirectory(".").value();
  const int64_t first = whole.calls() + 1;
  Told all;
  Upload(*OpenOn(whole), all).value();
  const int64_t last = whole.calls() + 1;
  EXPECT_GT(last - first, 25);
  for (int64_t call = first; call <= last; ++call) {
    MemoryDisk disk;
    disk.MakeDirectories("state").value();
    disk.SyncDirectory(".").value();
    disk.StopAt(call);
    Told told;
    if (auto store = FileBlobStore::Open(disk, "state/objects", ids_, {}); store) {
      (void)Upload(**store, told);
    }
    for (uint64_t seed = 0; seed < 12; ++seed) {
      SCOPED_TRACE(testing::Message() << "call " << call << " seed " << seed);
      Loss loss = seed == 0 ? Loss::kUnsynced : seed == 1 ? Loss::kNothing : Loss::kTorn;
      auto after = disk.AfterCrash(loss, seed);
      auto store = OpenOn(*after);
      if (told.id.empty()) continue;
      Finish(*store, told);
      // What the second life was told survives a second crash.
      if (!store->Open(told.id).ok()) continue;
      EXPECT_EQ(Read(*store, told.id), kText);
      auto later = after->AfterCrash(Loss::kUnsynced);
      EXPECT_EQ(Read(*OpenOn(*later), told.id), kText);
    }
  }
}

TEST_F(FileBlobStoreTest, AKilledProcessLeavesACommitThatResumeMakesDurable) {
  Told told;
  bool seen = false;
  auto store = OpenOn(disk_);
  // Killed at the directory sync that would have made the blob's name durable.
  disk_.Watch([&](const MemoryDisk::Moment& moment) {
    if (!moment.what().starts_with("sync directory state/objects/blobs/")) return;
    auto after = moment.AfterCrash(Loss::kNothing);
    EXPECT_EQ(OpenOn(*after)->Resume(told.id).error().code, Code::kExists);
    EXPECT_EQ(Read(*OpenOn(*after->AfterCrash(Loss::kUnsynced)), told.id), kText);
    seen = true;
  });
  Upload(*store, told).value();
  EXPECT_TRUE(seen);
}

TEST_F(FileBlobStoreTest, AKilledProcessLeavesADraftThatResumeMakesDurable) {
  Told told;
  int points = 0;
  auto store = OpenOn(disk_);
  disk_.Watch([&](const MemoryDisk::Moment& moment) {
    auto killed = moment.AfterCrash(Loss::kNothing);
    auto restarted = OpenOn(*killed);
    auto writer = restarted->Resume(told.id);
    if (!writer) return;
    int64_t size = (*writer)->Sync().value();
    auto after = killed->AfterCrash(Loss::kUnsynced);
    EXPECT_EQ(OpenOn(*after)->Resume(told.id).value()->size(), size) << moment.what();
    ++points;
  });
  Upload(*store, told).value();
  EXPECT_GT(points, 15);
}

TEST_F(FileBlobStoreTest, EveryFailedCallLeavesADraftThatCanBeResumed) {
  MemoryDisk whole;
  whole.MakeDirectories("state").value();
  Told all;
  auto whole_store = OpenOn(whole);
  const int64_t first = whole.calls() + 1;
  Upload(*whole_store, all).value();
  const int64_t last = whole.calls();
  for (int64_t call = first; call <= last; ++call) {
    SCOPED_TRACE(call);
    MemoryDisk disk;
    disk.MakeDirectories("state").value();
    disk.SyncDirectory(".").value();
    auto store = OpenOn(disk);
    disk.FailAt(disk.calls() + call - first + 1, ErrnoError(5, "injected"));
    Told told;
    Result<Told> outcome = Upload(*store, told);
    EXPECT_EQ(outcome.ok(), told.committed);
    EXPECT_EQ(store->Open(told.id).ok(), told.committed);
    if (!told.id.empty()) Finish(*store, told);
    auto after = disk.AfterCrash(Loss::kUnsynced);
    if (told.id.empty() || !store->Open(told.id).ok()) continue;
    EXPECT_EQ(Read(*OpenOn(*after), told.id), kText);
  }
}

TEST_F(FileBlobStoreTest, AStartClearsDoubleNamesAndStrayMarks) {
  Told told;
  Upload(*OpenOn(disk_), told).value();
  std::string drafts = "state/objects/drafts/";
  for (const std::string& name : {told.id, told.id + ".mark", ids_.NextWord() + ".mark",
                                  std::string("stranger"), std::string("stranger.mark")}) {
    disk_.Open(drafts + name, OpenMode::kCreateNew).value();
  }
  BlobId draft = ids_.NextWord();
  for (const char* suffix : {"", ".mark"}) {
    disk_.Open(drafts + draft + suffix, OpenMode::kCreateNew).value();
  }
  auto store = OpenOn(disk_);
  EXPECT_EQ(disk_.List("state/objects/drafts").value(),
            (std::vector<std::string>{draft, draft + ".mark", "stranger", "stranger.mark"}));
  EXPECT_EQ(Read(*store, told.id), kText);
}

TEST_F(FileBlobStoreTest, ADamagedDraftIsNotResumed) {
  auto store = OpenOn(disk_);
  auto writer = store->Create().value();
  BlobId id = writer->id();
  writer->Append(AsBytes(kText)).value();
  writer->Sync().value();
  writer.reset();
  auto file = disk_.Open("state/objects/drafts/" + id, OpenMode::kReadWrite).value();
  file->WriteAt(5, AsBytes("Q")).value();
  EXPECT_EQ(store->Resume(id).error().code, Code::kInternal);
  file->Truncate(3).value();
  EXPECT_EQ(store->Resume(id).error().code, Code::kInternal);
  store->Drop(id).value();
}

TEST_F(FileBlobStoreTest, TheReserveIsKeptFree) {
  constexpr int64_t kMiB = 1 << 20;
  disk_.SetCapacity(4 * kMiB);
  auto store = OpenOn(disk_, {.reserve_bytes = 2 * kMiB});
  std::string chunk(kMiB / 2, 'x');
  auto writer = store->Create().value();
  Result<> appended = Done{};
  while (appended.ok()) appended = writer->Append(AsBytes(chunk));
  EXPECT_EQ(appended.error().code, Code::kExhausted);
  EXPECT_EQ(writer->Commit().error().code, Code::kExhausted);
  EXPECT_GE(disk_.FreeBytes(".").value(), kMiB / 2);
  EXPECT_EQ(store->Create().error().code, Code::kExhausted);
  store->Drop(writer->id()).value();
  EXPECT_TRUE(store->Create().ok());
}

TEST_F(FileBlobStoreTest, ADiskThatFillsUpIsNoticedSoon) {
  constexpr int64_t kGiB = 1 << 30;
  disk_.SetCapacity(4 * kGiB);
  auto store = OpenOn(disk_, {.reserve_bytes = kGiB});
  EXPECT_TRUE(store->CheckRoom().ok());
  disk_.SetCapacity(kGiB / 2);
  int answers = 0;
  while (store->CheckRoom().ok() && answers < 1000) ++answers;
  EXPECT_LE(answers, 64);
  EXPECT_EQ(store->CheckRoom().error().code, Code::kExhausted);
  EXPECT_EQ(store->CheckRoom().error().reason, "quotaExceeded") << "clients must not retry";
  EXPECT_GT(store->refused(), 0);
  disk_.SetCapacity(4 * kGiB);
  EXPECT_TRUE(store->CheckRoom().ok());
}

TEST_F(FileBlobStoreTest, BlobsOfOneMomentShareADirectory) {
  auto store = OpenOn(disk_);
  for (int i = 0; i < 10; ++i) store->Create().value()->Commit().value();
  EXPECT_EQ(disk_.List("state/objects/blobs").value().size(), 1u);
  for (int i = 0; i < 256; ++i) {
    store->Create().value()->Commit().value();
    clock_.Advance(std::chrono::microseconds(1 << 24));
  }
  EXPECT_EQ(disk_.List("state/objects/blobs").value().size(), 256u);
}

TEST(FileBlobStoreDrops, ArePutOffWhileSomebodyCopies) {
  MemoryDisk disk;
  SimClock clock;
  SeededRandom random(5);
  IdSource ids(clock, random);
  auto store = FileBlobStore::Open(disk, "root", ids).value();
  auto put = [&] {
    auto writer = store->Create().value();
    writer->Append(AsBytes("text")).value();
    return writer->Commit().value().id;
  };
  BlobId first = put(), second = put();
  std::shared_ptr<const void> one = store->PauseDrops(), two = store->PauseDrops();
  store->Drop(first).value();
  EXPECT_TRUE(store->Open(first).ok());
  one.reset();
  store->Drop(second).value();
  EXPECT_TRUE(store->Open(first).ok()) << "somebody else still copies";
  two.reset();
  EXPECT_EQ(store->Open(first).error().code, Code::kNotFound);
  EXPECT_EQ(store->Open(second).error().code, Code::kNotFound);
}

}  // namespace
}  // namespace fireweed
