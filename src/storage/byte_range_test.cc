#include "storage/byte_range.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"

namespace fireweed::storage {
namespace {

TEST(ParseRange, ClipsTheEnd) {
  EXPECT_EQ(ParseRange("bytes=0-67108863", 10), (ByteRange{0, 10}));
  EXPECT_EQ(ParseRange("bytes=3-5", 10), (ByteRange{3, 3}));
  EXPECT_EQ(ParseRange("bytes=9-", 10), (ByteRange{9, 1}));
  EXPECT_EQ(ParseRange("bytes=-4", 10), (ByteRange{6, 4}));
  EXPECT_EQ(ParseRange("bytes=-400", 10), (ByteRange{0, 10}));
  EXPECT_EQ(ParseRange("Bytes = 1 - 2", 10), (ByteRange{1, 2}));
  EXPECT_EQ(ParseRange("bytes=0-99999999999999999999999", 10), (ByteRange{0, 10}));
}

TEST(ParseRange, AtTheEndIsNotSatisfiable) {
  for (const char* header :
       {"bytes=10-", "bytes=10-20", "bytes=-0", "bytes=99999999999999999999-"}) {
    EXPECT_THROW(ParseRange(header, 10), Failure) << header;
  }
  EXPECT_THROW(ParseRange("bytes=0-", 0), Failure);
  EXPECT_THROW(ParseRange("bytes=-1", 0), Failure);
}

TEST(ParseRange, IgnoresWhatItDoesNotKnow) {
  for (const char* header : {"", "bytes", "bytes=", "lines=0-1", "bytes=0-1,3-4", "bytes=5-4",
                             "bytes=a-b", "bytes=-", "bytes=--1", "bytes=+1-2"}) {
    EXPECT_EQ(ParseRange(header, 10), std::nullopt) << header;
  }
}

TEST(ParseRange, AgreesWithAByteModel) {
  SeededRandom random(7);
  std::string object = "0123456789abcdef";
  for (int round = 0; round < 2000; ++round) {
    size_t first = random.Below(20), last = first + random.Below(8);
    std::string header = "bytes=" + std::to_string(first) + "-" + std::to_string(last);
    std::string expected = first < object.size() ? object.substr(first, last - first + 1) : "";
    try {
      std::optional<ByteRange> range = ParseRange(header, static_cast<int64_t>(object.size()));
      ASSERT_TRUE(range) << header;
      EXPECT_EQ(object.substr(range->first, range->length), expected) << header;
      EXPECT_FALSE(expected.empty()) << header;
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.error().code, Code::kRange);
      EXPECT_TRUE(expected.empty()) << header;
    }
  }
}

TEST(ParseContentRange, KnowsTheFourForms) {
  EXPECT_EQ(ParseContentRange("bytes 0-9/100"), (ContentRange{ByteRange{0, 10}, 100}));
  EXPECT_EQ(ParseContentRange("bytes 5-9/*"), (ContentRange{ByteRange{5, 5}, std::nullopt}));
  EXPECT_EQ(ParseContentRange("bytes */100"), (ContentRange{std::nullopt, 100}));
  EXPECT_EQ(ParseContentRange("bytes */*"), (ContentRange{}));
  for (const char* header :
       {"", "bytes", "bytes 0-9", "bytes 9-0/100", "bytes 0-100/100", "0-9/100", "bytes -1-9/100",
        "bytes 0-x/1", "bytes 0-9223372036854775807/*"}) {
    EXPECT_THROW(ParseContentRange(header), Failure) << header;
  }
}

}  // namespace
}  // namespace fireweed::storage
