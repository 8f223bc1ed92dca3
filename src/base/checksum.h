// Checksums of the storage API and digests for secrets, each computable while bytes stream by.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace fireweed {

// CRC-32C (Castagnoli). Uses the processor's instruction where there is one.
uint32_t Crc32c(std::span<const std::byte> bytes, uint32_t start = 0);
// The table-driven twin, also the only one on processors without the instruction.
uint32_t Crc32cPortable(std::span<const std::byte> bytes, uint32_t start = 0);
// The checksum of A then B, from theirs and B's length: compose needs no second read.
uint32_t Crc32cConcat(uint32_t a, uint32_t b, int64_t b_size);
// As the JSON API shows it: base64 of the big-endian four bytes.
std::string Crc32cToBase64(uint32_t crc);

enum class Digest { kMd5, kSha1, kSha256 };

// A running digest. One thread at a time.
class Hasher {
 public:
  explicit Hasher(Digest digest);
  ~Hasher();
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;

  void Update(std::span<const std::byte> bytes);
  // Raw digest bytes of everything so far; the hasher can go on afterwards.
  std::string Current() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string Hash(Digest digest, std::string_view bytes);                        // raw bytes
std::string Hmac(Digest digest, std::string_view key, std::string_view bytes);  // raw bytes

}  // namespace fireweed
