// AES-256 in counter mode: a key stream laid over bytes, that can begin at any offset. The same
// operation locks and unlocks. It says nothing of whether bytes were changed: sums do.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace fireweed {

// One thread at a time; does not block. A pair of key and nonce is for one sequence of bytes only.
class CounterCipher {
 public:
  static constexpr size_t kKeyBytes = 32, kNonceBytes = 16;

  // REQUIRES: sizes as above. Throws Failure(kInternal) when the library cannot.
  CounterCipher(std::string_view key, std::string_view nonce);
  ~CounterCipher();
  CounterCipher(CounterCipher&&) noexcept;
  CounterCipher& operator=(CounterCipher&&) noexcept;

  // In place; `offset` is where the bytes stand in their sequence.
  void Apply(int64_t offset, std::span<std::byte> bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fireweed
