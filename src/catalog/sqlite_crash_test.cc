// Power cuts, enumerated: before every single change that SQLite makes to its files in a recorded
// run, and with every kind of loss, the catalog opens again with everything acknowledged in it and
// nothing half done.
#include <atomic>

#include <gtest/gtest.h>

#include "base/memory_disk.h"
#include "catalog/sqlite_catalog.h"
#include "catalog/sqlite_disk_vfs.h"

namespace fireweed {
namespace {

constexpr int kWrites = 12;

SqliteCatalogOptions OptionsOn(const SqliteDiskVfs& layer) {
  return {.path = "/catalog.db",
          .vfs = layer.name(),
          .checkpoint_pages = 6,
          .checkpoints = SqliteCatalogOptions::Checkpoints::kInline};
}

std::string BodyOf(int i) {
  return std::to_string(i) + std::string(static_cast<size_t>(i % 3) * 3000, '.');
}

// Three rows that always say the same number, and one row per write.
void WriteStep(Catalog& catalog, int i) {
  catalog.Write("step", [&](Txn& txn) {
    for (const char* key : {"x", "y", "z"}) txn.PutRaw("same", key, BodyOf(i), {});
    txn.PutRaw("each", std::to_string(i), "", 0);
    if (i > 3) txn.EraseRaw("each", std::to_string(i - 3));
  });
}

// What a machine finds: all of a prefix of the writes, at least the acknowledged ones.
void CheckAfterCrash(MemoryDisk& disk, int acknowledged, int begun) {
  NullLogger logger;
  SqliteDiskVfs layer(disk);
  SqliteCatalog catalog(OptionsOn(layer), logger);
  int found = 0;
  catalog.Read([&](Txn& txn) {
    auto rows = txn.ScanRaw("same", {});
    if (!rows.empty()) found = std::stoi(rows[0].body);
    ASSERT_EQ(rows.size(), found == 0 ? 0u : 3u);
    for (const RawRow& row : rows) {
      EXPECT_EQ(row.body, BodyOf(found));
      EXPECT_EQ(row.version, found);
    }
    auto each = txn.ScanRaw("each", {});
    EXPECT_EQ(each.size(), static_cast<size_t>(std::min(found, 3)));
    for (int i = std::max(1, found - 2); i <= found; ++i) {
      EXPECT_TRUE(txn.FindRaw("each", std::to_string(i)));
    }
  });
  EXPECT_GE(found, acknowledged);
  EXPECT_LE(found, begun);
  WriteStep(catalog, found + 1);  // and it goes on
}

TEST(SqliteCrash, NothingAcknowledgedIsLostAtAnyPoint) {
  MemoryDisk disk;
  NullLogger logger;
  std::atomic<int> acknowledged = 0, begun = 0;
  int moments = 0;
  disk.Watch([&](const MemoryDisk::Moment& moment) {
    ++moments;
    for (Loss loss : {Loss::kNothing, Loss::kUnsynced, Loss::kTorn}) {
      SCOPED_TRACE(moment.what() + ", call " + std::to_string(moment.call()) + ", loss " +
                   std::to_string(static_cast<int>(loss)));
      std::unique_ptr<MemoryDisk> after =
          moment.AfterCrash(loss, static_cast<uint64_t>(moment.call()));
      CheckAfterCrash(*after, acknowledged, begun);
    }
  });
  SqliteDiskVfs layer(disk);
  {
    SqliteCatalog catalog(OptionsOn(layer), logger);
    for (int i = 1; i <= kWrites; ++i) {
      begun = i;
      WriteStep(catalog, i);
      acknowledged = i;
    }
    EXPECT_GT(catalog.counters().checkpoints, 1);
  }
  RecordProperty("moments", moments);
  EXPECT_GT(moments, 60);
}

// The same for the second life: a crash while the first one's leftovers are recovered.
TEST(SqliteCrash, RecoveryItselfMayBeCutOff) {
  MemoryDisk first;
  NullLogger logger;
  SqliteDiskVfs first_layer(first);
  std::unique_ptr<MemoryDisk> second;
  {
    SqliteCatalog catalog(OptionsOn(first_layer), logger);
    for (int i = 1; i <= 7; ++i) WriteStep(catalog, i);
    second = first.AfterCrash(Loss::kUnsynced);
  }
  int moments = 0;
  second->Watch([&](const MemoryDisk::Moment& moment) {
    ++moments;
    for (Loss loss : {Loss::kNothing, Loss::kUnsynced, Loss::kTorn}) {
      SCOPED_TRACE(moment.what() + ", call " + std::to_string(moment.call()));
      CheckAfterCrash(*moment.AfterCrash(loss, 7), 7, 7);
    }
  });
  SqliteDiskVfs second_layer(*second);
  { SqliteCatalog catalog(OptionsOn(second_layer), logger); }
  EXPECT_GT(moments, 0);
}

}  // namespace
}  // namespace fireweed
