// Unpacks a gzip stream as it comes by: bodies of uploads, files of batch prediction. One thread at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

namespace fireweed {

class Gunzip {
 public:
  using Out = std::function<void(std::span<const std::byte>)>;

  Gunzip();
  ~Gunzip();
  Gunzip(const Gunzip&) = delete;

  // Hands the unpacked bytes on in pieces of a bounded size. Throws Failure(kInvalid) on bytes that
  // are no gzip.
  void Feed(std::span<const std::byte> bytes, const Out& out);
  // True when the stream has come to its end; several members may follow one another.
  bool complete() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fireweed
