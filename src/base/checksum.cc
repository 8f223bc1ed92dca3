#include "base/checksum.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

#include <cstring>

#include "base/bytes.h"
#include "base/error.h"

namespace fireweed {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78;  // reflected Castagnoli

// Eight tables: slicing-by-8 reads eight bytes per step.
constexpr std::array<std::array<uint32_t, 256>, 8> MakeTables() {
  std::array<std::array<uint32_t, 256>, 8> tables{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? crc >> 1 ^ kPolynomial : crc >> 1;
    tables[0][i] = crc;
  }
  for (size_t t = 1; t < 8; ++t) {
    for (uint32_t i = 0; i < 256; ++i) {
      tables[t][i] = tables[t - 1][i] >> 8 ^ tables[0][tables[t - 1][i] & 255];
    }
  }
  return tables;
}
constexpr auto kTables = MakeTables();

// Multiplies two polynomials modulo the CRC polynomial, bit-reflected.
uint32_t MultiplyModP(uint32_t a, uint32_t b) {
  uint32_t product = 0;
  for (uint32_t mask = 0x80000000; mask != 0; mask >>= 1) {
    if (a & mask) product ^= b;
    b = b & 1 ? b >> 1 ^ kPolynomial : b >> 1;
  }
  return product;
}

// x^(8 * bytes) modulo the polynomial.
uint32_t ShiftOperator(int64_t bytes) {
  uint32_t result = 0x80000000;  // 1
  uint32_t power = 0x00800000;   // x^8
  for (uint64_t n = static_cast<uint64_t>(bytes); n != 0; n >>= 1) {
    if (n & 1) result = MultiplyModP(power, result);
    power = MultiplyModP(power, power);
  }
  return result;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t Crc32cHardware(std::span<const std::byte> bytes,
                                                          uint32_t start) {
  uint64_t crc = ~start;
  const std::byte* p = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; p += 8, left -= 8) {
    uint64_t word;
    std::memcpy(&word, p, 8);
    crc = _mm_crc32_u64(crc, word);
  }
  uint32_t crc32 = static_cast<uint32_t>(crc);
  for (; left > 0; ++p, --left) crc32 = _mm_crc32_u8(crc32, static_cast<unsigned char>(*p));
  return ~crc32;
}
#endif

// Each is looked up once: OpenSSL does it anew for every digest that is given EVP_md5() and the like, which takes longer
// than the sum of a KiB.
const EVP_MD* Algorithm(Digest digest) {
  static const EVP_MD* const md5 = EVP_MD_fetch(nullptr, "MD5", nullptr);
  static const EVP_MD* const sha1 = EVP_MD_fetch(nullptr, "SHA1", nullptr);
  static const EVP_MD* const sha256 = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  switch (digest) {
    case Digest::kMd5: return md5;
    case Digest::kSha1: return sha1;
    case Digest::kSha256: return sha256;
  }
  Abort("unknown digest");
}

}  // namespace

uint32_t Crc32cPortable(std::span<const std::byte> bytes, uint32_t start) {
  uint32_t crc = ~start;
  const std::byte* p = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; p += 8, left -= 8) {
    uint32_t word[2];
    for (int w = 0; w < 2; ++w) {
      word[w] = 0;
      for (int i = 0; i < 4; ++i) word[w] |= static_cast<uint32_t>(p[w * 4 + i]) << (8 * i);
    }
    word[0] ^= crc;
    crc = 0;
    for (int w = 0; w < 2; ++w) {
      for (int i = 0; i < 4; ++i) {
        crc ^= kTables[static_cast<size_t>(7 - w * 4 - i)][word[w] >> (8 * i) & 255];
      }
    }
  }
  for (; left > 0; ++p, --left)
    crc = crc >> 8 ^ kTables[0][(crc ^ static_cast<uint32_t>(*p)) & 255];
  return ~crc;
}

uint32_t Crc32c(std::span<const std::byte> bytes, uint32_t start) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2");
  if (has_instruction) return Crc32cHardware(bytes, start);
#endif
  return Crc32cPortable(bytes, start);
}

uint32_t Crc32cConcat(uint32_t a, uint32_t b, int64_t b_size) {
  return MultiplyModP(ShiftOperator(b_size), a) ^ b;
}

std::string Crc32cToBase64(uint32_t crc) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(crc >> shift & 255);
  return Base64Encode(bytes);
}

struct Hasher::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

Hasher::Hasher(Digest digest) : state_(std::make_unique<State>()) {
  if (EVP_DigestInit_ex(state_->context, Algorithm(digest), nullptr) != 1) Abort("digest init");
}
Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;

void Hasher::Update(std::span<const std::byte> bytes) {
  if (EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) != 1) Abort("digest update");
}

std::string Hasher::Current() const {
  State copy;
  unsigned char out[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  if (EVP_MD_CTX_copy_ex(copy.context, state_->context) != 1 ||
      EVP_DigestFinal_ex(copy.context, out, &size) != 1) {
    Abort("digest final");
  }
  return std::string(reinterpret_cast<char*>(out), size);
}

std::string Hash(Digest digest, std::string_view bytes) {
  Hasher hasher(digest);
  hasher.Update(AsBytes(bytes));
  return hasher.Current();
}

std::string Hmac(Digest digest, std::string_view key, std::string_view bytes) {
  unsigned char out[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  HMAC(Algorithm(digest), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), out, &size);
  return std::string(reinterpret_cast<char*>(out), size);
}

}  // namespace fireweed
