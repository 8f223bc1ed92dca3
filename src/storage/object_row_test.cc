#include "storage/object_row.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "describe/json_codec.h"
#include "describe/random_value.h"

namespace fireweed::storage {
namespace {

ObjectRow RandomRow(Random& random) {
  api::storage::Object object = RandomValue<api::storage::Object>(random);
  ObjectRow row;
  TakeMetadata(object, row);
  row.generation = static_cast<int64_t>(random.Below(1ull << 62));
  row.metageneration = static_cast<int64_t>(random.Below(1000));
  row.size = static_cast<int64_t>(random.Below(1ull << 40));
  row.crc32c = static_cast<uint32_t>(random.Next64());
  if (random.Below(2)) row.md5 = std::string(16, '\xfe');
  for (size_t i = random.Below(4); i > 0; --i) {
    row.parts.push_back({random.Hex(8), static_cast<int64_t>(random.Below(100))});
  }
  row.created = row.updated = FromMicros(static_cast<int64_t>(random.Below(1ull << 52)));
  return row;
}

TEST(ObjectRow, RoundTrips) {
  SeededRandom random(3);
  for (int i = 0; i < 500; ++i) {
    ObjectRow row = RandomRow(random);
    EXPECT_EQ(DecodeObjectRow(EncodeObjectRow(row)), row);
  }
}

TEST(ObjectRow, MetadataSurvivesTheWayThroughARow) {
  SeededRandom random(4);
  for (int i = 0; i < 200; ++i) {
    ObjectRow row = RandomRow(random);
    ObjectRow again = row;
    TakeMetadata(ToObject(row, "b", "n"), again);
    EXPECT_EQ(again, row);
  }
}

TEST(ObjectRow, IsSmallWhenLittleIsSet) {
  ObjectRow row;
  row.parts = {{"abcdefghijklmnopqrstuvwxyz", 3}};
  row.md5 = std::string(16, 'x');
  TakeMetadata(api::storage::Object{}, row);
  EXPECT_LT(EncodeObjectRow(row).size(), 90u);
}

TEST(ObjectRow, CutShortIsAnErrorNotACrash) {
  SeededRandom random(5);
  std::string bytes = EncodeObjectRow(RandomRow(random));
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(DecodeObjectRow(bytes.substr(0, size)), Failure);
  }
}

TEST(ObjectKeys, OrderAsNamesDo) {
  EXPECT_LT(ArchivedKey("b", "a", 5), ArchivedKey("b", "a", 6));
  EXPECT_LT(ArchivedKey("b", "a", INT64_MAX), ArchivedKey("b", "a\x01", 0));
  EXPECT_EQ(NameInLiveKey("b", LiveKey("b", "x/y")), "x/y");
  EXPECT_EQ(NameInArchivedKey("b", ArchivedKey("b", "x/y", 17)), "x/y");
}

}  // namespace
}  // namespace fireweed::storage
