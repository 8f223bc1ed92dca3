// An object that is stored compressed, as the bytes that were meant: unpacked while it is sent.
#pragma once

#include <memory>

#include "base/gunzip.h"
#include "net/http_message.h"
#include "storage/object_bytes.h"

namespace fireweed::storage {

// One reader at a time; may block. Its length is not known before its end. Holds one buffer of
// either kind, whatever the object's size. A failure: bytes that are no gzip break the reply off.
class GunzipSource final : public net::ByteSource {
 public:
  explicit GunzipSource(std::shared_ptr<const ObjectBytes> packed) : packed_(std::move(packed)) {}
  Result<size_t> Read(std::span<std::byte> out) override;

 private:
  Result<> Fill();  // takes the next packed bytes until there is something plain, or the end

  std::shared_ptr<const ObjectBytes> packed_;
  Gunzip gunzip_;
  int64_t at_ = 0;     // of the packed bytes
  std::string plain_;  // unpacked, from taken_ on not yet handed out
  size_t taken_ = 0;
};

}  // namespace fireweed::storage
