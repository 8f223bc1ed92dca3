#include "net/content_coding.h"

#include <algorithm>
#include <array>

#include <zlib.h>

#include "base/bytes.h"
#include "base/gunzip.h"

namespace fireweed::net {
namespace {

constexpr size_t kLeastBytes = 1024;  // below this the packet count is the same
constexpr int kFast = 1;              // JSON shrinks by 80 % at the fastest level already
constexpr int kGzipWindow = 15 + 16;  // zlib: the largest window, with a gzip header
constexpr int kMemoryLevel = 8;

bool IsText(std::string_view type) {
  type = Trim(type.substr(0, type.find(';')));
  static constexpr std::array<std::string_view, 6> kTypes = {
      "application/json", "application/xml", "application/javascript",
      "text/javascript",  "image/svg+xml",   "application/x-ndjson"};
  return type.starts_with("text/") || type.ends_with("+json") ||
         std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

std::string_view BodyText(const Response& response) {
  if (auto* text = std::get_if<std::string>(&response.body)) return *text;
  auto* shared = std::get_if<std::shared_ptr<const std::string>>(&response.body);
  return shared && *shared ? std::string_view(**shared) : std::string_view();
}

std::string Gzip(std::string_view text) {
  z_stream stream{};
  if (deflateInit2(&stream, kFast, Z_DEFLATED, kGzipWindow, kMemoryLevel, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    throw Failure(Code::kInternal, "cannot compress");
  }
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  int outcome = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (outcome != Z_STREAM_END) throw Failure(Code::kInternal, "cannot compress");
  return out;
}

}  // namespace

bool AcceptsGzip(std::string_view accept_encoding) {
  while (!accept_encoding.empty()) {
    size_t comma = accept_encoding.find(',');
    std::string_view item = accept_encoding.substr(0, comma);
    accept_encoding.remove_prefix(comma == std::string_view::npos ? accept_encoding.size()
                                                                  : comma + 1);
    size_t semicolon = item.find(';');
    std::string_view name = Trim(item.substr(0, semicolon));
    if (!EqualIgnoreCase(name, "gzip") && name != "*") continue;
    if (semicolon == std::string_view::npos) return true;
    std::string_view weight = Trim(item.substr(semicolon + 1));
    return weight.find_first_of("123456789") != std::string_view::npos;
  }
  return false;
}

bool IsWorthCompressing(const Response& response) {
  if (response.status != 200) return false;
  size_t size = BodyText(response).size();
  if (size < kLeastBytes || size > (1u << 30)) return false;
  if (!IsText(response.Header("Content-Type").value_or(""))) return false;
  for (std::string_view name :
       {"Content-Encoding", "Content-Range", "Accept-Ranges", "X-Goog-Hash", "Content-MD5"}) {
    if (response.Header(name)) return false;
  }
  std::string_view cache = response.Header("Cache-Control").value_or("");
  return cache.find("no-transform") == std::string_view::npos;
}

void Compress(Response& response) {
  std::string packed = Gzip(BodyText(response));
  if (packed.size() < BodyText(response).size()) {
    response.body = std::move(packed);
    response.Set("Content-Encoding", "gzip");
  }
  response.Add("Vary", "Accept-Encoding");
}

std::string Uncompressed(std::string_view packed, int64_t most) {
  std::string plain;
  Gunzip gunzip;
  gunzip.Feed(AsBytes(packed), [&](std::span<const std::byte> bytes) {
    if (std::ssize(plain) + std::ssize(bytes) > most) {
      throw Failure(Code::kTooLarge, "The request is too large when it is unpacked.");
    }
    plain.append(AsText(bytes));
  });
  if (!gunzip.complete()) {
    throw Failure(Code::kInvalid, "badContent", "The compressed body ends too early.");
  }
  return plain;
}

}  // namespace fireweed::net
