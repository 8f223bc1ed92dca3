// Any response body as a source that is read piece by piece. One reader at a time; may block.
#pragma once

#include "net/http_message.h"

namespace fireweed::storage {

class BodySource final : public net::ByteSource {
 public:
  // Takes the response's body away.
  explicit BodySource(net::Response& response) : body_(std::move(response.body)) {}
  Result<size_t> Read(std::span<std::byte> out) override;
  std::optional<int64_t> size() const override;

 private:
  decltype(net::Response::body) body_;
  int64_t at_ = 0;
};

}  // namespace fireweed::storage
