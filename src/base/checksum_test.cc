#include "base/checksum.h"

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/random.h"

namespace fireweed {
namespace {

TEST(Crc32c, KnownValues) {
  EXPECT_EQ(Crc32c(AsBytes("123456789")), 0xe3069283u);
  EXPECT_EQ(Crc32cPortable(AsBytes("123456789")), 0xe3069283u);
  EXPECT_EQ(Crc32c({}), 0u);
  EXPECT_EQ(Crc32cToBase64(0xe3069283u), "4waSgw==");
}

TEST(Crc32c, TwinsAgreeAndConcatenate) {
  SeededRandom random(3);
  for (size_t size : {0u, 1u, 7u, 8u, 9u, 63u, 64u, 1000u, 4097u}) {
    std::string raw(size, '\0');
    random.Fill(std::as_writable_bytes(std::span(raw)));
    uint32_t whole = Crc32c(AsBytes(raw));
    EXPECT_EQ(Crc32cPortable(AsBytes(raw)), whole);
    for (size_t cut : {size_t{0}, size / 3, size}) {
      auto head = AsBytes(raw).first(cut), tail = AsBytes(raw).subspan(cut);
      EXPECT_EQ(Crc32c(tail, Crc32c(head)), whole);
      EXPECT_EQ(Crc32cConcat(Crc32c(head), Crc32c(tail), static_cast<int64_t>(tail.size())), whole);
    }
  }
}

TEST(Hasher, StreamsAndCanGoOn) {
  Hasher hasher(Digest::kMd5);
  hasher.Update(AsBytes("hello "));
  std::string early = hasher.Current();
  hasher.Update(AsBytes("world"));
  EXPECT_EQ(early, Hash(Digest::kMd5, "hello "));
  EXPECT_EQ(HexEncode(hasher.Current()), "5eb63bbbe01eeed093cb22bb8f5acdc3");
  EXPECT_EQ(HexEncode(Hmac(Digest::kSha256, "key", "what")),
            "b59f11781f13ebddc6e28e44ba0214d79f27e3fe1ec643e09a9ffe90eeceff7b");
}

}  // namespace
}  // namespace fireweed
