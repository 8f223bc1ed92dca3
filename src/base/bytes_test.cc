#include "base/bytes.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace fireweed {
namespace {

TEST(Bytes, Base64RoundTripsInBothAlphabets) {
  SeededRandom random(7);
  for (size_t size = 0; size < 70; ++size) {
    std::string raw(size, '\0');
    random.Fill(std::as_writable_bytes(std::span(raw)));
    EXPECT_EQ(Base64Decode(Base64Encode(raw)), raw);
    EXPECT_EQ(Base64Decode(Base64Encode(raw, Base64::kUrl)), raw);
    EXPECT_EQ(HexDecode(HexEncode(raw)), raw);
    EXPECT_EQ(PercentDecode(PercentEncode(raw)), raw);
  }
  EXPECT_EQ(Base64Encode("a"), "YQ==");
  EXPECT_EQ(Base64Encode("a", Base64::kUrl), "YQ");
}

TEST(Bytes, DecodersRefuseWhatIsBroken) {
  EXPECT_FALSE(Base64Decode("a"));
  EXPECT_FALSE(Base64Decode("a*bc"));
  EXPECT_FALSE(HexDecode("abc"));
  EXPECT_FALSE(HexDecode("zz"));
  EXPECT_FALSE(PercentDecode("%4"));
  EXPECT_FALSE(PercentDecode("%g0"));
}

TEST(Bytes, PercentEncodingKeepsSlashesApart) {
  EXPECT_EQ(PercentEncode("we ird+name#1?\xC3\xA9%/x"), "we%20ird%2Bname%231%3F%C3%A9%25%2Fx");
  EXPECT_EQ(PercentDecode("a+b%20c", Plus::kSpace), "a b c");
  EXPECT_EQ(PercentDecode("a+b", Plus::kLiteral), "a+b");
}

TEST(Bytes, ComparisonsAndTrim) {
  EXPECT_TRUE(EqualIgnoreCase("Content-Type", "content-type"));
  EXPECT_FALSE(EqualIgnoreCase("a", "ab"));
  EXPECT_TRUE(EqualConstantTime("secret", "secret"));
  EXPECT_FALSE(EqualConstantTime("secret", "secreT"));
  EXPECT_EQ(Trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(Trim(" \n"), "");
}

}  // namespace
}  // namespace fireweed
