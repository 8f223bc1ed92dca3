#include "storage/declared_sums.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/error.h"

namespace fireweed::storage {
namespace {

constexpr size_t kMd5Bytes = 16, kCrcBytes = 4;

std::string DecodeSum(std::string_view what, std::string_view text, size_t bytes) {
  std::optional<std::string> raw = Base64Decode(text);
  if (!raw || raw->size() != bytes) {
    throw Failure(Code::kInvalid, "invalid",
                  fmt::format("Invalid {} value: \"{}\"", what, text.substr(0, 100)));
  }
  return *std::move(raw);
}

uint32_t DecodeCrc(std::string_view text) {
  std::string raw = DecodeSum("CRC32C", text, kCrcBytes);
  uint32_t crc = 0;
  for (char c : raw) crc = crc << 8 | static_cast<uint8_t>(c);
  return crc;
}

}  // namespace

void DeclaredSums::Take(const api::storage::Object& metadata) {
  if (!metadata.md5Hash.empty()) md5 = DecodeSum("MD5", metadata.md5Hash, kMd5Bytes);
  if (!metadata.crc32c.empty()) crc32c = DecodeCrc(metadata.crc32c);
}

void DeclaredSums::Take(const net::Request& request) {
  for (const net::RequestHeader& header : request.headers) {
    if (EqualIgnoreCase(header.name, "Content-MD5"))
      md5 = DecodeSum("MD5", header.value, kMd5Bytes);
    if (!EqualIgnoreCase(header.name, "X-Goog-Hash")) continue;
    std::string_view rest = header.value;
    while (!rest.empty()) {
      size_t comma = rest.find(',');
      std::string_view one = Trim(rest.substr(0, comma));
      rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
      if (one.starts_with("md5=")) md5 = DecodeSum("MD5", one.substr(4), kMd5Bytes);
      if (one.starts_with("crc32c=")) crc32c = DecodeCrc(one.substr(7));
    }
  }
}

void DeclaredSums::Check(const BlobInfo& info) const {
  if (md5 && *md5 != info.md5) {
    throw Failure(Code::kInvalid, "invalid",
                  fmt::format("Provided MD5 hash \"{}\" doesn't match calculated MD5 hash \"{}\".",
                              Base64Encode(*md5), Base64Encode(info.md5)));
  }
  if (crc32c && *crc32c != info.crc32c) {
    throw Failure(Code::kInvalid, "invalid",
                  fmt::format("Provided CRC32C \"{}\" doesn't match calculated CRC32C \"{}\".",
                              Crc32cToBase64(*crc32c), Crc32cToBase64(info.crc32c)));
  }
}

}  // namespace fireweed::storage
