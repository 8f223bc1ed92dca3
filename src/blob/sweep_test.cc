#include "blob/sweep.h"

#include <atomic>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/guarded.h"
#include "base/memory_disk.h"
#include "base/sim_clock.h"
#include "blob/faulty_blob_store.h"
#include "blob/file_blob_store.h"

namespace fireweed {
namespace {

using std::chrono::hours;

class SweepTest : public testing::Test {
 protected:
  BlobId MakeDraft() {
    auto writer = store_->Create().value();
    writer->Append(AsBytes("text")).value();
    return writer->id();
  }
  BlobId MakeBlob() { return store_->Create().value()->Commit().value().id; }
  SweepReport Run(const std::set<BlobId>& rows, SweepRules rules = {}) {
    return Sweep(
               *store_, [&](const BlobId& id) { return rows.contains(id); }, rules, clock_.Now())
        .value();
  }
  std::set<BlobId> Left() {
    std::set<BlobId> ids;
    store_->List([&](const BlobListing& listing) { ids.insert(listing.id); }).value();
    return ids;
  }

  SimClock clock_;
  SeededRandom random_{7};
  IdSource ids_{clock_, random_};
  MemoryDisk disk_;
  std::unique_ptr<BlobStore> store_ = FileBlobStore::Open(disk_, "root", ids_).value();
};

TEST_F(SweepTest, DropsWhatNoRowRefersTo) {
  BlobId kept_blob = MakeBlob(), kept_draft = MakeDraft();
  MakeBlob();
  MakeDraft();
  MakeDraft();
  SweepReport report = Run({kept_blob, kept_draft});
  EXPECT_EQ(report.seen, 5);
  EXPECT_EQ(report.dropped_blobs, 1);
  EXPECT_EQ(report.dropped_drafts, 2);
  EXPECT_EQ(report.failed, 0);
  EXPECT_EQ(Left(), (std::set<BlobId>{kept_blob, kept_draft}));
}

TEST_F(SweepTest, KeepsWhatAWriterHolds) {
  auto draft = store_->Create().value(), blob = store_->Create().value();
  blob->Commit().value();
  SweepReport report = Run({}, {.keep_drafts = hours(0)});
  EXPECT_EQ(report.held, 2);
  EXPECT_EQ(Left(), (std::set<BlobId>{draft->id(), blob->id()}));
  draft.reset();
  blob.reset();
  Run({});
  EXPECT_EQ(Left(), std::set<BlobId>{});
}

TEST_F(SweepTest, OldDraftsGoAlthoughReferredTo) {
  BlobId draft = MakeDraft(), blob = MakeBlob();
  clock_.Advance(hours(7 * 24));
  Run({draft, blob});
  EXPECT_EQ(Left(), (std::set<BlobId>{draft, blob}));
  clock_.Advance(hours(1));
  EXPECT_EQ(Run({draft, blob}).dropped_drafts, 1);
  EXPECT_EQ(Left(), std::set<BlobId>{blob});
}

TEST_F(SweepTest, AnOldDraftThatIsCommittedWhileListedStays) {
  BlobId id = MakeDraft();
  clock_.Advance(hours(8 * 24));
  auto finish_the_upload = [&](const BlobId&) {
    store_->Resume(id).value()->Commit().value();
    return true;
  };
  Sweep(*store_, finish_the_upload, {}, clock_.Now()).value();
  EXPECT_TRUE(store_->Open(id).ok());
}

TEST_F(SweepTest, YoungOnesMayBeKeptAlsoWhenTheClockWasSetBack) {
  MakeBlob();
  SweepRules rules{.keep_unreferenced = hours(1)};
  EXPECT_EQ(Run({}, rules).dropped_blobs, 0);
  auto report = Sweep(
      *store_, [](const BlobId&) { return false; }, rules, clock_.Now() - hours(5));
  EXPECT_EQ(report.value().dropped_blobs, 0);
  clock_.Advance(hours(1));
  EXPECT_EQ(Run({}, rules).dropped_blobs, 1);
}

TEST_F(SweepTest, OneThatCannotBeDroppedDoesNotStopTheRest) {
  MakeBlob();
  MakeBlob();
  FaultyBlobStore faulty(*store_);
  faulty.FailAt(2, BlobFault::kBefore, {Code::kInternal, "", "injected"});
  auto report = Sweep(
      faulty, [](const BlobId&) { return false; }, {}, clock_.Now());
  EXPECT_EQ(report.value().failed, 1);
  EXPECT_EQ(report.value().dropped_blobs, 1);
  faulty.FailAt(faulty.calls() + 1, BlobFault::kBefore, {Code::kInternal, "", "injected"});
  EXPECT_FALSE(Sweep(
                   faulty, [](const BlobId&) { return false; }, {}, clock_.Now())
                   .ok());
}

TEST_F(SweepTest, UploadsInFlightLoseNothing) {
  constexpr int kThreads = 3, kUploads = 150;
  Guarded<std::set<BlobId>> rows;
  std::atomic<int> busy{kThreads};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kUploads; ++i) {
        auto writer = store_->Create().value();
        writer->Append(AsBytes("text")).value();
        if (i % 3 == 0) writer->Sync().value();
        writer->Commit().value();
        std::this_thread::yield();
        rows.With([&](auto& ids) { ids.insert(writer->id()); });
      }
      --busy;
    });
  }
  auto is_referenced = [&](const BlobId& id) {
    return rows.With([&](auto& ids) { return ids.contains(id); });
  };
  while (busy > 0) {
    EXPECT_EQ(Sweep(*store_, is_referenced, {}, clock_.Now()).value().dropped_blobs, 0);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Left().size(), size_t{kThreads * kUploads});
}

}  // namespace
}  // namespace fireweed
