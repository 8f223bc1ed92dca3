#include "blob/draft_mark.h"

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/memory_disk.h"

namespace fireweed {
namespace {

TEST(DraftMark, BytesAreAsDocumented) {
  EXPECT_EQ(HexEncode(EncodeDraftMark({0x0102030405060708, 0xaabbccdd})),
            "4657444d"
            "0807060504030201"
            "ddccbbaa"
            "8122296c");
}

TEST(DraftMark, OnlyWholeMarksAreTaken) {
  DraftMark mark{123456789012, 0xdeadbeef};
  std::string bytes = EncodeDraftMark(mark);
  EXPECT_EQ(DecodeDraftMark(bytes), mark);
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string bad = bytes;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    EXPECT_EQ(DecodeDraftMark(bad), std::nullopt) << i;
    EXPECT_EQ(DecodeDraftMark(bytes.substr(0, i)), std::nullopt) << i;
  }
  EXPECT_EQ(DecodeDraftMark(bytes + "x"), std::nullopt);
  EXPECT_EQ(DecodeDraftMark(EncodeDraftMark({-1, 0})), std::nullopt);
}

TEST(DraftMarkFile, TheLargerMarkIsTheNewest) {
  MemoryDisk disk;
  for (int64_t size : {0, 10, 20, 30}) {
    DraftMarkFile marks = DraftMarkFile::Open(disk, "m").value();
    EXPECT_EQ(marks.newest().value_or(DraftMark{-10, 1}), (DraftMark{size - 10, 1}));
    marks.Write({size, 1}).value();
  }
}

TEST(DraftMarkFile, ATornWriteLeavesTheOtherMark) {
  MemoryDisk disk;
  {
    DraftMarkFile marks = DraftMarkFile::Open(disk, "m").value();
    for (int64_t size : {1, 2, 3}) marks.Write({size, 7}).value();
    disk.SyncDirectory(".").value();
    disk.StopAt(disk.calls() + 2);  // written, not synced
    EXPECT_FALSE(marks.Write({4, 7}).ok());
  }
  for (uint64_t seed = 0; seed < 20; ++seed) {
    auto after = disk.AfterCrash(Loss::kTorn, seed);
    int64_t size = DraftMarkFile::Open(*after, "m").value().newest()->size;
    EXPECT_TRUE(size == 3 || size == 4) << size;
  }
  EXPECT_EQ(DraftMarkFile::Open(*disk.AfterCrash(Loss::kUnsynced), "m").value().newest()->size, 3);
}

}  // namespace
}  // namespace fireweed
