// SipHash-2-4 with 128 bits of result: a fast keyed hash for tables whose keys come from outside. With a key that
// is drawn at start, nobody can make two inputs meet, and a stored hash gives its input away to no one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/random.h"

namespace fireweed::identity {

struct Tag128 {
  uint64_t low = 0, high = 0;
  friend bool operator==(const Tag128&, const Tag128&) = default;
};

struct HashKey {
  uint64_t k0 = 0, k1 = 0;
  static HashKey Draw(Random& random) { return {random.Next64(), random.Next64()}; }
};

// Takes pieces one after another, each led by its length, so that ("ab", "c") and ("a", "bc") differ.
class KeyedHash {
 public:
  explicit KeyedHash(const HashKey& key)
      : v0_(key.k0 ^ 0x736f6d6570736575),
        v1_(key.k1 ^ 0x646f72616e646f6d ^ 0xee),
        v2_(key.k0 ^ 0x6c7967656e657261),
        v3_(key.k1 ^ 0x7465646279746573) {}

  KeyedHash& Add(std::string_view piece) {
    Word(piece.size());
    for (; piece.size() >= 8; piece.remove_prefix(8)) {
      uint64_t word;
      std::memcpy(&word, piece.data(), 8);
      Word(word);
    }
    if (!piece.empty()) {
      uint64_t word = 0;
      std::memcpy(&word, piece.data(), piece.size());
      Word(word);
    }
    return *this;
  }
  KeyedHash& Add(uint64_t number) {
    Word(number);
    return *this;
  }

  Tag128 Finish() {
    v2_ ^= 0xee;
    for (int i = 0; i < 4; ++i) Round();
    Tag128 tag;
    tag.low = v0_ ^ v1_ ^ v2_ ^ v3_;
    v1_ ^= 0xdd;
    for (int i = 0; i < 4; ++i) Round();
    tag.high = v0_ ^ v1_ ^ v2_ ^ v3_;
    return tag;
  }

 private:
  static uint64_t Turn(uint64_t x, int by) { return x << by | x >> (64 - by); }
  void Round() {
    v0_ += v1_;
    v1_ = Turn(v1_, 13) ^ v0_;
    v0_ = Turn(v0_, 32);
    v2_ += v3_;
    v3_ = Turn(v3_, 16) ^ v2_;
    v0_ += v3_;
    v3_ = Turn(v3_, 21) ^ v0_;
    v2_ += v1_;
    v1_ = Turn(v1_, 17) ^ v2_;
    v2_ = Turn(v2_, 32);
  }
  void Word(uint64_t word) {
    v3_ ^= word;
    Round();
    Round();
    v0_ ^= word;
  }

  uint64_t v0_, v1_, v2_, v3_;
};

}  // namespace fireweed::identity
