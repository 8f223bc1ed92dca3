#include "base/counter_cipher.h"

#include <string>

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/error.h"

namespace fireweed {
namespace {

std::string Hex(std::string_view text) { return HexDecode(text).value(); }

std::string Apply(CounterCipher& cipher, int64_t offset, std::string text) {
  cipher.Apply(offset, std::as_writable_bytes(std::span(text)));
  return text;
}

// NIST SP 800-38A, F.5.5.
TEST(CounterCipher, MatchesThePublishedVectors) {
  CounterCipher cipher(Hex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"),
                       Hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"));
  std::string plain =
      Hex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
          "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710");
  std::string locked =
      Hex("601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
          "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6");
  EXPECT_EQ(Apply(cipher, 0, plain), locked);
  EXPECT_EQ(Apply(cipher, 0, locked), plain);
}

TEST(CounterCipher, BeginsAnywhere) {
  std::string key(32, 'k'), nonce(16, '\xff');  // the counter carries over all of it
  CounterCipher cipher(key, nonce);
  std::string plain;
  for (int i = 0; i < 5000; ++i) plain += static_cast<char>(i * 7);
  std::string whole = Apply(cipher, 0, plain);
  EXPECT_NE(whole, plain);
  for (int64_t from : {0, 1, 15, 16, 17, 255, 256, 4095, 4096, 4999}) {
    for (size_t size : {1, 15, 16, 33, 1000}) {
      std::string piece = plain.substr(static_cast<size_t>(from), size);
      EXPECT_EQ(Apply(cipher, from, piece), whole.substr(static_cast<size_t>(from), size)) << from;
    }
  }
  EXPECT_EQ(Apply(cipher, 100, ""), "");
}

TEST(CounterCipher, WrongSizesAreRefused) {
  EXPECT_THROW(CounterCipher("short", std::string(16, 'n')), Failure);
  EXPECT_THROW(CounterCipher(std::string(32, 'k'), "short"), Failure);
}

}  // namespace
}  // namespace fireweed
