// What the SQLite catalog promises beyond the contract: group commit, lanes, formats, full and
// failing disks, a log that stays short.
#include "catalog/sqlite_catalog.h"

#include <filesystem>
#include <future>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "base/memory_disk.h"
#include "catalog/catalog_fixture.h"
#include "catalog/migrations.h"
#include "catalog/sqlite_disk_vfs.h"

namespace fireweed {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Checkpoints = SqliteCatalogOptions::Checkpoints;

// A catalog on a disk in memory that can be closed and opened again.
class OnMemoryDisk {
 public:
  explicit OnMemoryDisk(Checkpoints checkpoints = Checkpoints::kInline, int checkpoint_pages = 1000)
      : layer_(disk_), options_{"/catalog.db", layer_.name(), checkpoint_pages, checkpoints} {
    Reopen();
  }
  void Reopen() {
    catalog_.reset();
    catalog_ = std::make_unique<SqliteCatalog>(options_, logger_);
  }
  SqliteCatalog& operator*() { return *catalog_; }
  SqliteCatalog* operator->() { return catalog_.get(); }
  MemoryDisk& disk() { return disk_; }
  int64_t SizeOf(const std::string& path) {
    return disk_.Open(path, OpenMode::kRead).value()->Size().value();
  }

 private:
  MemoryDisk disk_;
  SqliteDiskVfs layer_;
  NullLogger logger_;
  SqliteCatalogOptions options_;
  std::unique_ptr<SqliteCatalog> catalog_;
};

void Put(Catalog& catalog, std::string_view key, std::string_view body) {
  catalog.Write("put", [&](Txn& txn) { txn.PutRaw("a", key, body, {}); });
}
std::string Get(const Catalog& catalog, std::string_view key) {
  auto row = Query(catalog, [&](Txn& txn) { return txn.FindRaw("a", key); });
  return row ? row->body : "(none)";
}
std::optional<Error> ErrorOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const Failure& failure) {
    return failure.error();
  }
  return std::nullopt;
}

void WaitForQueue(const SqliteCatalog& catalog, int64_t waiting) {
  while (catalog.counters().waiting < waiting) std::this_thread::yield();
}

TEST(GroupCommit, OneThatThrowsInMidBatchIsAlone) {
  OnMemoryDisk catalog;
  std::vector<std::string> feed;
  catalog->OnCommit([&](std::string_view, const Key& key) { feed.push_back(key); });
  int64_t commits = catalog->counters().commits;
  std::vector<std::thread> others;
  auto write = [&](std::string key, bool fails) {
    auto body = [&](Txn& txn) {
      txn.PutRaw("a", key, "x", {});
      if (fails) throw std::runtime_error("no " + key);
    };
    if (fails) {
      EXPECT_THROW(catalog->Write("one of many", body), std::runtime_error);
    } else {
      catalog->Write("one of many", body);
    }
  };
  catalog->Write("first", [&](Txn& txn) {
    txn.PutRaw("a", "first", "x", {});
    if (!others.empty()) return;  // run again, because another one failed
    for (std::string key : {"b", "c", "d"}) {
      others.emplace_back(write, key, key == "c");
      WaitForQueue(*catalog, std::ssize(others));
    }
  });
  for (std::thread& other : others) other.join();
  EXPECT_EQ(catalog->counters().commits, commits + 1);
  EXPECT_THAT(feed, ElementsAre("first", "b", "d"));
  EXPECT_EQ(Get(*catalog, "c"), "(none)");
  EXPECT_EQ(Get(*catalog, "d"), "x");
}

TEST(GroupCommit, ControlGoesBeforeBulkThatCameEarlier) {
  OnMemoryDisk catalog;
  std::vector<std::string> order;
  std::vector<std::thread> others;
  auto write = [&](std::string name, Lane lane) {
    catalog->Write(
        "lane", [&](Txn&) { order.push_back(name); }, lane);
  };
  catalog->Write("first", [&](Txn&) {
    others.emplace_back(write, "bulk 1", Lane::kBulk);
    WaitForQueue(*catalog, 1);
    others.emplace_back(write, "bulk 2", Lane::kBulk);
    WaitForQueue(*catalog, 2);
    others.emplace_back(write, "control", Lane::kControl);
    WaitForQueue(*catalog, 3);
  });
  for (std::thread& other : others) other.join();
  EXPECT_THAT(order, ElementsAre("control", "bulk 1", "bulk 2"));
}

TEST(GroupCommit, BulkDoesNotStarve) {
  WriteQueue queue;
  std::function<void(Txn&)> body = [](Txn&) {};
  auto bulk = std::make_shared<WriteJob>("bulk", &body);
  for (int i = 0; i < 2 * WriteQueue::kControlPerBatch; ++i) {
    queue.Push(std::make_shared<WriteJob>("control", &body), Lane::kControl);
  }
  queue.Push(bulk, Lane::kBulk);
  WriteQueue::Batch batch;
  std::shared_ptr<WriteJob> last;
  int taken = 0;
  while (auto job = queue.Take(batch)) {
    last = job;
    ++taken;
    queue.Push(std::make_shared<WriteJob>("control", &body), Lane::kControl);  // they keep coming
  }
  EXPECT_EQ(last, bulk);
  EXPECT_EQ(taken, WriteQueue::kControlPerBatch + 1);
}

TEST(GroupCommit, ManyWritersShareSyncs) {
  int64_t syncs = 0;  // outlives the catalog, which syncs once more when it closes
  OnMemoryDisk catalog;
  catalog.disk().Watch([&](const MemoryDisk::Moment& moment) {
    if (moment.what().starts_with("sync ")) ++syncs;
  });
  SqliteCatalog::Counters before = catalog->counters();
  std::vector<std::thread> writers;
  for (int t = 0; t < 16; ++t) {
    writers.emplace_back([&, t] {
      for (int i = 0; i < 25; ++i) Put(*catalog, std::to_string(t) + "/" + std::to_string(i), "x");
    });
  }
  for (std::thread& writer : writers) writer.join();
  SqliteCatalog::Counters after = catalog->counters();
  EXPECT_EQ(after.bodies - before.bodies, 400);
  EXPECT_LE(syncs, after.commits - before.commits + 2);  // one each, and the new log's name
}

TEST(SqliteCatalog, IsThereAfterReopening) {
  ScratchDirectory directory;
  NullLogger logger;
  SqliteCatalogOptions options{directory.path() + "/catalog.db"};
  {
    SqliteCatalog catalog(options, logger);
    Put(catalog, "k", "one");
    Put(catalog, "k", "two");
  }
  SqliteCatalog catalog(options, logger);
  auto row = Query(catalog, [](Txn& txn) { return txn.FindRaw("a", "k"); });
  EXPECT_EQ(row->body, "two");
  EXPECT_EQ(row->version, 2);
}

TEST(SqliteCatalog, OnlyTheOwnerMayReadItsFiles) {
  ScratchDirectory directory;
  NullLogger logger;
  SqliteCatalog catalog({directory.path() + "/catalog.db"}, logger);
  Put(catalog, "k", "secret");
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
    EXPECT_EQ(entry.status().permissions(), std::filesystem::perms(0600)) << entry.path();
    ++files;
  }
  EXPECT_EQ(files, 3);
}

TEST(SqliteCatalog, ScansSeekAndNeverSort) {
  NullLogger logger;
  ScratchDirectory directory;
  { SqliteCatalog on_file({directory.path() + "/catalog.db"}, logger); }
  SqliteConnection connection(directory.path() + "/catalog.db", nullptr);
  for (Sql sql : {Sql::kFind, Sql::kVersion, Sql::kErase, Sql::kScan, Sql::kScanToEnd,
                  Sql::kScanBack, Sql::kScanBackFromEnd}) {
    std::string plan;
    sqlite3_stmt* explain = nullptr;
    std::string text = std::string("EXPLAIN QUERY PLAN ") + SqlText(sql);
    ASSERT_EQ(sqlite3_prepare_v2(connection.db(), text.c_str(), -1, &explain, nullptr), SQLITE_OK);
    while (sqlite3_step(explain) == SQLITE_ROW) {
      plan += reinterpret_cast<const char*>(sqlite3_column_text(explain, 3));
    }
    sqlite3_finalize(explain);
    EXPECT_THAT(plan, HasSubstr("SEARCH record USING PRIMARY KEY (kind=? AND key")) << text;
    EXPECT_THAT(plan, ::testing::Not(HasSubstr("TEMP B-TREE"))) << text;
  }
}

TEST(Formats, AnOlderProgramRefusesANewerFile) {
  ScratchDirectory directory;
  NullLogger logger;
  std::string path = directory.path() + "/catalog.db";
  { SqliteCatalog catalog({path}, logger); }
  { SqliteConnection(path, nullptr).Exec("PRAGMA user_version = 99"); }
  std::optional<Error> error = ErrorOf([&] { SqliteCatalog catalog({path}, logger); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, Code::kPrecondition);
  EXPECT_THAT(error->message, HasSubstr("newer Fireweed (format 99"));
}

TEST(Formats, AnotherProgramsDatabaseIsRefused) {
  ScratchDirectory directory;
  NullLogger logger;
  std::string path = directory.path() + "/catalog.db";
  { SqliteConnection(path, nullptr).Exec("CREATE TABLE theirs (x)"); }
  std::optional<Error> error = ErrorOf([&] { SqliteCatalog catalog({path}, logger); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, Code::kPrecondition);
  EXPECT_EQ(SqliteConnection(path, nullptr).QueryNumber("SELECT count(*) FROM theirs"), 0);
}

TEST(Formats, OlderFilesAreBroughtForwardStepByStep) {
  ScratchDirectory directory;
  std::string path = directory.path() + "/catalog.db";
  std::vector<Migration> steps(CatalogMigrations().begin(), CatalogMigrations().end());
  int known = steps.back().to;
  SqliteConnection connection(path, nullptr);
  MigrateCatalog(connection, steps);
  bool fail = true;
  steps.push_back(
      {known + 1, "next", [](SqliteConnection& c) { c.Exec("CREATE TABLE next (x)"); }});
  steps.push_back({known + 2, "broken", [&](SqliteConnection& c) {
                     c.Exec("CREATE TABLE broken (x)");
                     if (fail) throw Failure(Code::kExhausted, "no room");
                   }});
  EXPECT_THROW(MigrateCatalog(connection, steps), Failure);
  EXPECT_EQ(connection.QueryNumber("PRAGMA user_version"), known + 1);
  fail = false;
  MigrateCatalog(connection, steps);
  EXPECT_EQ(connection.QueryNumber("PRAGMA user_version"), known + 2);
  EXPECT_THROW(MigrateCatalog(connection, CatalogMigrations()), Failure);
}

TEST(FullDisk, RefusesWritesKeepsReadingAndRecovers) {
  OnMemoryDisk catalog;
  Put(*catalog, "before", "x");
  catalog.disk().SetCapacity(256 << 10);
  int kept = 0;
  std::optional<Error> error;
  while (!error && kept < 1000) {
    error = ErrorOf([&] { Put(*catalog, "fill" + std::to_string(kept), std::string(8000, 'x')); });
    if (!error) ++kept;
  }
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, Code::kExhausted);
  EXPECT_THAT(error->message, HasSubstr("full"));
  EXPECT_EQ(Get(*catalog, "before"), "x");
  EXPECT_EQ(Get(*catalog, "fill" + std::to_string(kept - 1)).size(), 8000u);
  EXPECT_EQ(Get(*catalog, "fill" + std::to_string(kept)), "(none)");
  catalog.disk().SetCapacity(INT64_MAX);
  Put(*catalog, "after", "y");
  catalog.Reopen();
  EXPECT_EQ(Get(*catalog, "after"), "y");
  EXPECT_EQ(Get(*catalog, "fill0").size(), 8000u);
  EXPECT_EQ(Get(*catalog, "fill" + std::to_string(kept)), "(none)");
}

TEST(FullDisk, ABodyThatIsTooMuchFailsAlone) {
  OnMemoryDisk catalog;
  Put(*catalog, "before", "x");
  catalog.disk().SetCapacity(256 << 10);
  std::optional<Error> large;
  std::vector<std::thread> others;
  catalog->Write("first", [&](Txn& txn) {
    txn.PutRaw("a", "small 1", "x", {});
    if (!others.empty()) return;  // run again by itself
    others.emplace_back(
        [&] { large = ErrorOf([&] { Put(*catalog, "large", std::string(4 << 20, 'x')); }); });
    WaitForQueue(*catalog, 1);
    others.emplace_back([&] { Put(*catalog, "small 2", "x"); });
    WaitForQueue(*catalog, 2);
  });
  for (std::thread& other : others) other.join();
  ASSERT_TRUE(large);
  EXPECT_EQ(large->code, Code::kExhausted);
  EXPECT_EQ(Get(*catalog, "small 1"), "x");
  EXPECT_EQ(Get(*catalog, "small 2"), "x");
  EXPECT_EQ(Get(*catalog, "large"), "(none)");
}

// Every single change to the files fails once; the write it belonged to is refused or kept, never
// half done, and the next one works.
TEST(FailingDisk, EveryCallMayFailOnce) {
  OnMemoryDisk recorded(Checkpoints::kInline, 4);
  int64_t first = recorded.disk().calls() + 1;
  auto writes = [](SqliteCatalog& catalog) {
    int acknowledged = 0;
    for (int i = 1; i <= 6; ++i) {
      std::string body = std::to_string(i) + std::string(6000, '.');
      std::optional<Error> error = ErrorOf([&] {
        catalog.Write("pair", [&](Txn& txn) {
          txn.PutRaw("a", "left", body, {});
          txn.PutRaw("a", "right", body, {});
        });
      });
      if (!error) acknowledged = i;
    }
    return acknowledged;
  };
  ASSERT_EQ(writes(*recorded), 6);
  int64_t last = recorded.disk().calls();
  ASSERT_GT(last - first, 20);
  for (int64_t call = first; call <= last; ++call) {
    SCOPED_TRACE(call);
    OnMemoryDisk catalog(Checkpoints::kInline, 4);
    catalog.disk().FailAt(call, Error{Code::kInternal, "", "medium error"});
    int acknowledged = writes(*catalog);
    EXPECT_GE(acknowledged, 5);
    for (int round = 0; round < 2; ++round) {
      EXPECT_EQ(Get(*catalog, "left"), Get(*catalog, "right"));
      EXPECT_GE(std::stoi(Get(*catalog, "left")), acknowledged);
      catalog.Reopen();
    }
  }
}

// What one commit of many small objects costs: their rows share pages (docs/adr/0035).
TEST(Pages, RowsOfAKiBDoNotTakeOneEach) {
  constexpr int kRows = 100, kRowBytes = 1030;
  OnMemoryDisk catalog;
  Put(*catalog, "first", "x");
  int64_t before = catalog.SizeOf("/catalog.db-wal");
  catalog->Write("many", [&](Txn& txn) {
    for (int i = 0; i < kRows; ++i) {
      txn.PutRaw("a", std::to_string(1000 + i), std::string(kRowBytes, 'x'), 0);
    }
  });
  EXPECT_LT(catalog.SizeOf("/catalog.db-wal") - before, 2 * kRows * kRowBytes);
}

class LogLength : public ::testing::TestWithParam<Checkpoints> {};

TEST_P(LogLength, StaysShortUnderWrites) {
  constexpr int kPages = 20, kPageBytes = 8192;
  OnMemoryDisk catalog(GetParam(), kPages);
  for (int i = 0; i < 2000; ++i) Put(*catalog, std::to_string(i % 50), std::string(500, 'x'));
  EXPECT_GT(catalog->counters().checkpoints, 5);
  EXPECT_LT(catalog.SizeOf("/catalog.db-wal"), 40 * kPages * kPageBytes);
}

TEST_P(LogLength, AReaderKeepsItsMomentAndTheLogShrinksLater) {
  OnMemoryDisk catalog(GetParam(), 10);
  Put(*catalog, "k", "before");
  catalog->Read([&](Txn& txn) {
    EXPECT_EQ(txn.FindRaw("a", "k")->body, "before");
    for (int i = 0; i < 300; ++i) Put(*catalog, "k", "after" + std::string(500, 'x'));
    EXPECT_EQ(txn.FindRaw("a", "k")->body, "before");
  });
  int64_t long_log = catalog.SizeOf("/catalog.db-wal");
  for (int i = 0; i < 300; ++i) Put(*catalog, "k", "later" + std::string(500, 'x'));
  // Until the first checkpoint after the reader; without one it would be 300 pages.
  constexpr int64_t kFewPages = 100 * (8192 + 24);
  EXPECT_LE(catalog.SizeOf("/catalog.db-wal"), long_log + kFewPages) << "it did not start over";
  EXPECT_THAT(Get(*catalog, "k"), HasSubstr("later"));
}

INSTANTIATE_TEST_SUITE_P(Checkpoints, LogLength,
                         ::testing::Values(Checkpoints::kInline, Checkpoints::kBackground),
                         [](const auto& info) {
                           return info.param == Checkpoints::kInline ? "Inline" : "Background";
                         });

}  // namespace
}  // namespace fireweed
