#include "catalog/row_cache.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "catalog/catalog_fixture.h"
#include "catalog/memory_catalog.h"

namespace fireweed {

struct Note {
  std::string text;
};
template <>
struct RecordCodec<Note> {
  static constexpr std::string_view kKind = "note";
  static std::string Encode(const Note& note) { return note.text; }
  static Note Decode(std::string_view body) { return {std::string(body)}; }
};

namespace {

void PutNote(Catalog& catalog, std::string_view key, std::string text) {
  catalog.Write("test note", [&](Txn& txn) { txn.Put(key, Note{text}); });
}

// A catalog in which something can happen between a reader's snapshot and its return.
class SlowReads final : public Catalog {
 public:
  void Write(std::string_view why, const std::function<void(Txn&)>& body, Lane lane) override {
    inner_.Write(why, body, lane);
  }
  void Read(const std::function<void(Txn&)>& body) const override {
    ++reads;
    inner_.Read(body);
    if (after_read) after_read();
  }
  void OnCommit(Sink sink) override { inner_.OnCommit(std::move(sink)); }

  mutable int reads = 0;
  std::function<void()> after_read;

 private:
  MemoryCatalog inner_;
};

TEST(RowCache, AnswersFromMemoryUntilTheRowChanges) {
  SlowReads catalog;
  RowCache<Note> cache(catalog, 100);
  PutNote(catalog, "k", "one");
  EXPECT_FALSE(cache.Peek("k"));
  EXPECT_EQ(cache.Get("k")->value.text, "one");
  EXPECT_EQ((*cache.Peek("k"))->value.text, "one");
  EXPECT_EQ(cache.Get("k")->version, 1);
  EXPECT_EQ(catalog.reads, 1);
  PutNote(catalog, "other", "x");
  PutNote(catalog, "k", "two");
  EXPECT_FALSE(cache.Peek("k"));
  EXPECT_EQ(cache.Get("k")->value.text, "two");
  EXPECT_EQ(catalog.reads, 2);
}

TEST(RowCache, RemembersAbsenceUntilTheRowComes) {
  SlowReads catalog;
  RowCache<Note> cache(catalog, 100);
  EXPECT_EQ(cache.Get("k"), nullptr);
  ASSERT_TRUE(cache.Peek("k"));
  EXPECT_EQ(*cache.Peek("k"), nullptr);
  PutNote(catalog, "k", "here");
  EXPECT_EQ(cache.Get("k")->value.text, "here");
  catalog.Write(
      "test", [](Txn& txn) { txn.Erase<Note>("k"); }, Lane::kControl);
  EXPECT_EQ(cache.Get("k"), nullptr);
}

TEST(RowCache, IgnoresOtherKinds) {
  SlowReads catalog;
  RowCache<Note> cache(catalog, 100);
  PutNote(catalog, "k", "one");
  cache.Get("k");
  catalog.Write(
      "test", [](Txn& txn) { txn.PutRaw("other", "k", "", {}); }, Lane::kControl);
  EXPECT_TRUE(cache.Peek("k"));
}

TEST(RowCache, AFillFromBeforeACommitIsNotKept) {
  SlowReads catalog;
  RowCache<Note> cache(catalog, 100);
  PutNote(catalog, "k", "old");
  catalog.after_read = [&] { PutNote(catalog, "k", "new"); };
  EXPECT_EQ(cache.Get("k")->value.text, "old");  // it asked before the write was acknowledged
  catalog.after_read = nullptr;
  EXPECT_FALSE(cache.Peek("k"));
  EXPECT_EQ(cache.Get("k")->value.text, "new");
}

TEST(RowCache, HoldsItsCapacityAndKeepsWhatIsUsed) {
  SlowReads catalog;
  RowCache<Note> cache(catalog, 160);
  cache.Get("hot");
  int cached = 0;
  for (int i = 0; i < 2000; ++i) {
    cache.Get("k" + std::to_string(i));
    EXPECT_TRUE(cache.Peek("hot"));
  }
  for (int i = 0; i < 2000; ++i) cached += cache.Peek("k" + std::to_string(i)) ? 1 : 0;
  EXPECT_GT(cached, 100);
  EXPECT_LE(cached, 176);
}

class RowCacheRace : public ::testing::TestWithParam<CatalogMaker> {};

// Writers publish what was acknowledged; no reader that looks afterwards may get less.
TEST_P(RowCacheRace, NeverBehindAnAcknowledgedWrite) {
  constexpr int kKeys = 4, kRounds = 150;
  std::unique_ptr<CatalogHome> home = GetParam().make();
  RowCache<Note> cache(home->catalog(), 2);  // small: evictions are part of the race
  std::array<std::atomic<int64_t>, kKeys> acknowledged{};
  std::atomic<bool> stop = false;
  std::vector<std::thread> readers, writers;
  for (int r = 0; r < 3; ++r) {
    readers.emplace_back([&, r] {
      for (int i = r; !stop; ++i) {
        int k = i % kKeys;
        int64_t least = acknowledged[k].load();
        std::optional<RowCache<Note>::Snapshot> row = cache.Peek(std::to_string(k));
        if (!row) row = cache.Get(std::to_string(k));
        EXPECT_GE(*row ? (*row)->version : 0, least);
      }
    });
  }
  for (int k = 0; k < kKeys; ++k) {
    writers.emplace_back([&, k] {
      for (int i = 1; i <= kRounds; ++i) {
        PutNote(home->catalog(), std::to_string(k), "x");
        acknowledged[k] = i;
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  stop = true;
  for (std::thread& reader : readers) reader.join();
}

INSTANTIATE_TEST_SUITE_P(Catalogs, RowCacheRace, ::testing::ValuesIn(CatalogMakers()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace fireweed
