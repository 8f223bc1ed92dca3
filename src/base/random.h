// Random bits, handed in like time so that a simulation can replay a seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <random>
#include <span>
#include <string>

namespace fireweed {

class Random {
 public:
  virtual ~Random() = default;
  // Any thread; does not block noticeably.
  virtual void Fill(std::span<std::byte> out) = 0;

  uint64_t Next64();
  // Uniform in [0, bound). REQUIRES: bound > 0.
  uint64_t Below(uint64_t bound);
  // `bytes` random bytes as lower-case hex.
  std::string Hex(size_t bytes);
};

// The kernel's generator: keys, tokens, everything secret.
class SystemRandom final : public Random {
 public:
  void Fill(std::span<std::byte> out) override;
};

// Repeatable; never for secrets.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(uint64_t seed) : engine_(seed) {}
  void Fill(std::span<std::byte> out) override;

 private:
  std::mutex mu_;
  std::mt19937_64 engine_;  // guarded by mu_
};

}  // namespace fireweed
