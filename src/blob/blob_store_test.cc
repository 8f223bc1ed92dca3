// The contract of BlobStore, on every implementation.
#include "blob/blob_store.h"

#include <filesystem>
#include <map>
#include <thread>

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/memory_disk.h"
#include "base/sim_clock.h"
#include "blob/faulty_blob_store.h"
#include "blob/file_blob_store.h"
#include "blob/memory_blob_store.h"

namespace fireweed {
namespace {

// A store and what it stands on.
class Rig {
 public:
  virtual ~Rig() = default;
  virtual BlobStore& store() = 0;

 protected:
  SimClock clock_;
  SeededRandom random_{7};
  IdSource ids_{clock_, random_};
};

class MemoryRig : public Rig {
 public:
  BlobStore& store() override { return store_; }

 private:
  MemoryBlobStore store_{ids_};
};

class FileRig : public Rig {
 public:
  BlobStore& store() override { return *store_; }

 private:
  MemoryDisk disk_;
  std::unique_ptr<BlobStore> store_ = FileBlobStore::Open(disk_, "root", ids_).value();
};

class RealFileRig : public Rig {
 public:
  RealFileRig() {
    std::string pattern = testing::TempDir() + "/blobs.XXXXXX";
    root_ = mkdtemp(pattern.data());
    store_ = FileBlobStore::Open(*disk_, root_, ids_, {.reserve_bytes = 0}).value();
  }
  ~RealFileRig() override { std::filesystem::remove_all(root_); }
  BlobStore& store() override { return *store_; }

 private:
  std::unique_ptr<Disk> disk_ = MakeRealDisk();
  std::string root_;
  std::unique_ptr<BlobStore> store_;
};

template <class Inner>
class FaultlessRig : public Inner {
 public:
  BlobStore& store() override { return faulty_; }

 private:
  FaultyBlobStore faulty_{Inner::store()};
};

struct RigMaker {
  std::string name;
  std::function<std::unique_ptr<Rig>()> make;
};

template <class R>
RigMaker Make(std::string name) {
  return {std::move(name), [] { return std::make_unique<R>(); }};
}

class BlobContract : public testing::TestWithParam<RigMaker> {
 protected:
  std::string Read(const BlobId& id) {
    auto reader = store_.Open(id).value();
    std::string text(static_cast<size_t>(reader->size()) + 5, '?');
    text.resize(reader->ReadAt(0, std::as_writable_bytes(std::span(text))).value());
    return text;
  }
  std::unique_ptr<BlobWriter> Start(std::string_view text) {
    auto writer = store_.Create().value();
    writer->Append(AsBytes(text)).value();
    return writer;
  }
  std::map<BlobId, std::string> Listed() {
    std::map<BlobId, std::string> found;
    store_
        .List([&](const BlobListing& listing) {
          EXPECT_EQ(listing.created, TimeOfWord(listing.id));
          std::string state = listing.draft ? "draft" : "blob";
          EXPECT_TRUE(found.emplace(listing.id, state + (listing.held ? " held" : "")).second);
        })
        .value();
    return found;
  }

  std::unique_ptr<Rig> rig_ = GetParam().make();
  BlobStore& store_ = rig_->store();
};

TEST_P(BlobContract, WhatIsCommittedCanBeRead) {
  auto writer = Start("hello ");
  writer->Append(AsBytes("world")).value();
  EXPECT_EQ(writer->size(), 11);
  BlobInfo info = writer->Commit().value();
  EXPECT_EQ(info.id, writer->id());
  EXPECT_EQ(info.size, 11);
  EXPECT_EQ(info.crc32c, Crc32c(AsBytes("hello world")));
  EXPECT_EQ(info.md5, Hash(Digest::kMd5, "hello world"));
  EXPECT_EQ(Read(info.id), "hello world");
}

TEST_P(BlobContract, AnEmptyBlobIsABlob) {
  auto writer = store_.Create().value();
  BlobInfo info = writer->Commit().value();
  EXPECT_EQ(info.size, 0);
  EXPECT_EQ(info.crc32c, 0u);
  EXPECT_EQ(Read(info.id), "");
}

TEST_P(BlobContract, ReadsAreShortOnlyAtTheEnd) {
  BlobId id = Start("0123456789")->Commit().value().id;
  auto reader = store_.Open(id).value();
  std::string part(4, '?');
  EXPECT_EQ(reader->ReadAt(3, std::as_writable_bytes(std::span(part))).value(), 4u);
  EXPECT_EQ(part, "3456");
  EXPECT_EQ(reader->ReadAt(8, std::as_writable_bytes(std::span(part))).value(), 2u);
  EXPECT_EQ(reader->ReadAt(10, std::as_writable_bytes(std::span(part))).value(), 0u);
  EXPECT_FALSE(reader->ReadAt(-1, std::as_writable_bytes(std::span(part))).ok());
}

TEST_P(BlobContract, ADraftIsNotVisible) {
  auto writer = Start("text");
  writer->Sync().value();
  EXPECT_EQ(store_.Open(writer->id()).error().code, Code::kNotFound);
}

TEST_P(BlobContract, AWriterIsSpentByCommit) {
  auto writer = Start("text");
  BlobInfo info = writer->Commit().value();
  EXPECT_FALSE(writer->Append(AsBytes("more")).ok());
  EXPECT_FALSE(writer->Sync().ok());
  EXPECT_FALSE(writer->Commit().ok());
  EXPECT_EQ(writer->size(), 4);
  EXPECT_EQ(writer->Sums().crc32c, info.crc32c);
  EXPECT_EQ(Read(info.id), "text");
}

TEST_P(BlobContract, ADraftGoesOnFromWhatWasSynced) {
  auto writer = Start("synced");
  EXPECT_EQ(writer->Sync().value(), 6);
  EXPECT_EQ(writer->Sync().value(), 6);
  writer->Append(AsBytes(", more")).value();
  EXPECT_EQ(writer->Sync().value(), 12);
  writer->Append(AsBytes(" and lost")).value();
  BlobId id = writer->id();
  EXPECT_EQ(store_.Resume(id).error().code, Code::kUnavailable) << "one writer at a time";
  writer.reset();
  writer = store_.Resume(id).value();
  EXPECT_EQ(writer->id(), id);
  EXPECT_EQ(writer->size(), 12);
  writer->Append(AsBytes(", kept")).value();
  BlobInfo info = writer->Commit().value();
  EXPECT_EQ(Read(id), "synced, more, kept");
  EXPECT_EQ(info.crc32c, Crc32c(AsBytes("synced, more, kept")));
  EXPECT_EQ(info.md5, Hash(Digest::kMd5, "synced, more, kept"));
}

TEST_P(BlobContract, ADraftThatWasNeverSyncedGoesOnFromNothing) {
  BlobId id = Start("lost")->id();
  auto writer = store_.Resume(id).value();
  EXPECT_EQ(writer->size(), 0);
  writer->Append(AsBytes("new")).value();
  EXPECT_EQ(writer->Commit().value().crc32c, Crc32c(AsBytes("new")));
  EXPECT_EQ(Read(id), "new");
}

TEST_P(BlobContract, WhatCannotBeResumedSaysWhy) {
  EXPECT_EQ(store_.Resume("").error().code, Code::kNotFound);
  EXPECT_EQ(store_.Resume("../drafts/x").error().code, Code::kNotFound);
  EXPECT_EQ(store_.Resume("000600000000000000000000ab").error().code, Code::kNotFound);
  BlobId id = Start("text")->Commit().value().id;
  EXPECT_EQ(store_.Resume(id).error().code, Code::kExists);
  EXPECT_EQ(Read(id), "text");
}

TEST_P(BlobContract, UnknownIdsAreNotFound) {
  for (const char* id : {"", ".", "../x", "000600000000000000000000ab", "x/y"}) {
    EXPECT_EQ(store_.Open(id).error().code, Code::kNotFound) << id;
    EXPECT_TRUE(store_.Drop(id).ok()) << id;
    EXPECT_TRUE(store_.DropDraft(id).ok()) << id;
  }
}

TEST_P(BlobContract, DroppedBlobsAreGoneButReadersGoOn) {
  BlobId id = Start("text")->Commit().value().id;
  auto reader = store_.Open(id).value();
  store_.Drop(id).value();
  store_.Drop(id).value();
  EXPECT_EQ(store_.Open(id).error().code, Code::kNotFound);
  std::string text(4, '?');
  EXPECT_EQ(reader->ReadAt(0, std::as_writable_bytes(std::span(text))).value(), 4u);
  EXPECT_EQ(text, "text");
  EXPECT_TRUE(Listed().empty());
}

TEST_P(BlobContract, DroppedDraftsCannotBeCommittedOrResumed) {
  auto writer = Start("text");
  BlobId id = writer->id();
  writer->Sync().value();
  EXPECT_EQ(store_.DropDraft(id).error().code, Code::kUnavailable);
  store_.Drop(id).value();
  EXPECT_EQ(writer->Commit().error().code, Code::kNotFound);
  EXPECT_EQ(writer->Commit().error().code, Code::kNotFound) << "a failed writer stays so";
  writer.reset();
  EXPECT_EQ(store_.Resume(id).error().code, Code::kNotFound);
  EXPECT_TRUE(Listed().empty());
}

TEST_P(BlobContract, DropDraftLeavesBlobsAlone) {
  BlobId blob = Start("blob")->Commit().value().id;
  BlobId draft = Start("draft")->id();
  store_.DropDraft(blob).value();
  store_.DropDraft(draft).value();
  EXPECT_EQ(Listed(), (std::map<BlobId, std::string>{{blob, "blob"}}));
}

TEST_P(BlobContract, ListingTellsDraftsBlobsAndWhoIsHeld) {
  auto held_draft = Start("1"), held_blob = Start("2");
  held_blob->Commit().value();
  BlobId draft = Start("3")->id(), blob = Start("4")->Commit().value().id;
  EXPECT_EQ(Listed(), (std::map<BlobId, std::string>{{held_draft->id(), "draft held"},
                                                     {held_blob->id(), "blob held"},
                                                     {draft, "draft"},
                                                     {blob, "blob"}}));
}

TEST_P(BlobContract, TheListingMayDropWhatItShows) {
  for (int i = 0; i < 5; ++i) Start("x")->Commit().value();
  store_.List([&](const BlobListing& listing) { store_.Drop(listing.id).value(); }).value();
  EXPECT_TRUE(Listed().empty());
}

TEST_P(BlobContract, ManyThreadsWriteAtOnce) {
  constexpr int kThreads = 4, kBlobs = 20;
  std::vector<std::vector<BlobInfo>> made(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kBlobs; ++i) {
        std::string text = std::to_string(t) + "/" + std::to_string(i);
        made[static_cast<size_t>(t)].push_back(Start(text)->Commit().value());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int t = 0; t < kThreads; ++t) {
    for (int i = 0; i < kBlobs; ++i) {
      const BlobInfo& info = made[static_cast<size_t>(t)][static_cast<size_t>(i)];
      EXPECT_EQ(Read(info.id), std::to_string(t) + "/" + std::to_string(i));
    }
  }
  EXPECT_EQ(Listed().size(), size_t{kThreads * kBlobs});
}

INSTANTIATE_TEST_SUITE_P(Stores, BlobContract,
                         testing::Values(Make<MemoryRig>("Memory"),
                                         Make<FileRig>("FileOnMemoryDisk"),
                                         Make<RealFileRig>("FileOnRealDisk"),
                                         Make<FaultlessRig<MemoryRig>>("FaultlessMemory"),
                                         Make<FaultlessRig<FileRig>>("FaultlessFile")),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace fireweed
