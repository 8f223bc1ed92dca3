// What a client says its bytes add up to, and whether they do. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/storage/object.h"
#include "blob/blob_store.h"
#include "net/http_message.h"

namespace fireweed::storage {

struct DeclaredSums {
  std::optional<std::string> md5;  // 16 raw bytes
  std::optional<uint32_t> crc32c;

  // md5Hash and crc32c of the metadata; Failure(kInvalid) when they are no sums at all.
  void Take(const api::storage::Object& metadata);
  // Every X-Goog-Hash header ("crc32c=...,md5=...") and Content-MD5.
  void Take(const net::Request& request);

  // Throws Failure(kInvalid) when the bytes do not add up.
  void Check(const BlobInfo& info) const;
};

}  // namespace fireweed::storage
