#include "base/counter_cipher.h"

#include <algorithm>
#include <climits>

#include <openssl/evp.h>

#include "base/error.h"

namespace fireweed {
namespace {

constexpr int64_t kBlock = 16;

void Check(int outcome) {
  if (outcome != 1) throw Failure(Code::kInternal, "the cipher failed");
}

uint8_t* Raw(std::byte* bytes) { return reinterpret_cast<uint8_t*>(bytes); }

}  // namespace

struct CounterCipher::State {
  std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context{EVP_CIPHER_CTX_new(),
                                                                          EVP_CIPHER_CTX_free};
  std::array<uint8_t, kNonceBytes> nonce{};
  int64_t at = 0;  // where the key stream stands

  // The counter is a big-endian number that begins at the nonce.
  void Seek(int64_t offset) {
    std::array<uint8_t, kNonceBytes> counter = nonce;
    uint64_t carry = static_cast<uint64_t>(offset / kBlock);
    for (size_t i = counter.size(); i-- > 0 && carry > 0;) {
      carry += counter[i];
      counter[i] = static_cast<uint8_t>(carry);
      carry >>= 8;
    }
    Check(EVP_EncryptInit_ex(context.get(), nullptr, nullptr, nullptr, counter.data()));
    std::array<std::byte, kBlock> skipped{};
    at = offset - offset % kBlock;
    if (offset > at) Run({skipped.data(), static_cast<size_t>(offset - at)});
  }

  void Run(std::span<std::byte> bytes) {
    while (!bytes.empty()) {
      int count = static_cast<int>(std::min<size_t>(bytes.size(), INT_MAX / 2));
      int written = 0;
      Check(
          EVP_EncryptUpdate(context.get(), Raw(bytes.data()), &written, Raw(bytes.data()), count));
      at += count;
      bytes = bytes.subspan(static_cast<size_t>(count));
    }
  }
};

CounterCipher::CounterCipher(std::string_view key, std::string_view nonce)
    : state_(std::make_unique<State>()) {
  if (key.size() != kKeyBytes || nonce.size() != kNonceBytes || !state_->context) {
    throw Failure(Code::kInternal, "a cipher needs 32 bytes of key and 16 of nonce");
  }
  std::copy(nonce.begin(), nonce.end(), state_->nonce.begin());
  Check(EVP_EncryptInit_ex(state_->context.get(), EVP_aes_256_ctr(), nullptr,
                           reinterpret_cast<const uint8_t*>(key.data()), state_->nonce.data()));
}

CounterCipher::~CounterCipher() = default;
CounterCipher::CounterCipher(CounterCipher&&) noexcept = default;
CounterCipher& CounterCipher::operator=(CounterCipher&&) noexcept = default;

void CounterCipher::Apply(int64_t offset, std::span<std::byte> bytes) {
  if (offset != state_->at) state_->Seek(offset);
  state_->Run(bytes);
}

}  // namespace fireweed
