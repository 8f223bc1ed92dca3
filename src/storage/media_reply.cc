#include "storage/media_reply.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "net/content_coding.h"
#include "net/errors.h"
#include "storage/gunzip_source.h"
#include "storage/http_conditions.h"

namespace fireweed::storage {
namespace {

std::string EtagOf(const ObjectRow& row, EtagForm form) {
  if (form == EtagForm::kMd5 && !row.md5.empty()) return "\"" + HexEncode(row.md5) + "\"";
  std::string etag = ObjectEtag(row.generation, row.metageneration);
  return form == EtagForm::kMd5 ? "\"" + etag + "\"" : etag;
}

void AddUnlessEmpty(net::Response& response, std::string_view name, const std::string& value) {
  if (!value.empty()) response.Add(name, value);
}

// One line in the JSON API, one for each in the XML API.
void AddHashes(net::Response& response, const ObjectRow& row, EtagForm form) {
  std::string crc32c = "crc32c=" + Crc32cToBase64(row.crc32c);
  std::string md5 = row.md5.empty() ? "" : "md5=" + Base64Encode(row.md5);
  if (form == EtagForm::kOpaque && !md5.empty()) crc32c += "," + std::exchange(md5, "");
  response.Add("x-goog-hash", std::move(crc32c));
  AddUnlessEmpty(response, "x-goog-hash", md5);
}

// boto knows the names that begin with x-goog- in small letters only, as Google writes them.
void AddHeaders(net::Response& response, const ObjectRow& row, const std::string& etag,
                EtagForm form) {
  response.Add("Content-Type",
               row.content_type.empty() ? "application/octet-stream" : row.content_type);
  response.Add("ETag", etag);
  response.Add("Last-Modified", FormatHttpDate(row.updated));
  if (row.cache_control.empty()) {
    response.Add("Cache-Control", "no-cache, no-store, max-age=0, must-revalidate");
    response.Add("Expires", "Mon, 01 Jan 1990 00:00:00 GMT");
  } else {
    response.Add("Cache-Control", row.cache_control);
  }
  AddUnlessEmpty(response, "Content-Disposition", row.content_disposition);
  AddUnlessEmpty(response, "Content-Language", row.content_language);
  response.Add("x-goog-generation", std::to_string(row.generation));
  response.Add("x-goog-metageneration", std::to_string(row.metageneration));
  AddHashes(response, row, form);
  response.Add("x-goog-stored-content-length", std::to_string(row.size));
  response.Add("x-goog-stored-content-encoding",
               row.content_encoding.empty() ? "identity" : row.content_encoding);
  response.Add("x-goog-storage-class", row.storage_class);
  if (row.component_count > 0) {
    response.Add("x-goog-component-count", std::to_string(row.component_count));
  }
}

// Whether the bytes are what their encoding says: what was marked by mistake is sent as it is, because
// an answer that breaks off tells nobody why.
bool BeginsAsGzip(const ObjectBytes& bytes) {
  constexpr std::array kMark{std::byte{0x1f}, std::byte{0x8b}};
  for (size_t i = 0; i < kMark.size() && bytes.size() > 0; ++i) {
    std::byte one{};  // each by itself: they may lie in two parts
    size_t got = bytes.ReadAt(static_cast<int64_t>(i), std::span(&one, 1)).value();
    if (got != 1 || one != kMark[i]) return false;
  }
  return true;
}

// Stored as gzip, wanted plain: unpacked on the way, unless the object says that nobody may.
bool IsUnpackedFor(const net::Request& request, const ObjectRow& row) {
  if (!EqualIgnoreCase(row.content_encoding, "gzip")) return false;
  if (ToLower(row.cache_control).find("no-transform") != std::string::npos) return false;
  return !net::AcceptsGzip(request.Header("Accept-Encoding").value_or(""));
}

// Readers take it for the end of the file; it names the length that they went beyond.
net::Response BehindTheEnd(const Error& error, EtagForm form, int64_t size) {
  net::Response response = form == EtagForm::kMd5 ? net::XmlError(error) : net::JsonError(error);
  response.Set("Content-Range", fmt::format("bytes */{}", size));
  return response;
}

}  // namespace

net::Response MediaReply(const OpenedObject& object, const net::Request& request, EtagForm form) {
  const ObjectRow& row = object.row;
  std::string etag = EtagOf(row, form);
  RequireVerdict(CheckHttpConditions(request, etag, row.updated));
  net::Response response;
  response.headers.reserve(20);
  AddHeaders(response, row, etag, form);
  if (EqualIgnoreCase(row.content_encoding, "gzip")) response.Add("Vary", "Accept-Encoding");
  bool plain = IsUnpackedFor(request, row);
  if (plain && BeginsAsGzip(*object.bytes)) {
    // A range would be one of bytes that nobody has counted: it is passed over, as Google does.
    response.Add("Accept-Ranges", "none");
    response.Add("Warning", "214 UploadServer gunzipped");
    response.body = std::make_unique<GunzipSource>(object.bytes);
    return response;
  }
  response.Add("Accept-Ranges", "bytes");
  if (!plain) AddUnlessEmpty(response, "Content-Encoding", row.content_encoding);
  std::optional<ByteRange> range;
  std::optional<std::string_view> header = request.Header("Range");
  if (header && RangeCounts(request, etag, row.updated)) {
    try {
      range = ParseRange(*header, row.size);
    } catch (const Failure& failure) {
      return BehindTheEnd(failure.error(), form, row.size);
    }
  }
  if (range) {
    response.status = 206;
    response.Add("Content-Range", fmt::format("bytes {}-{}/{}", range->first,
                                              range->first + range->length - 1, row.size));
  }
  object.bytes->SendAs(response, range.value_or(ByteRange{0, row.size}));
  return response;
}

net::Response HotMediaReply(const HotObject& hot, const net::Request& request, EtagForm form) {
  const OpenedObject& object = hot.object();
  bool plain = object.row.content_encoding.empty();
  for (const char* asks :
       {"Range", "If-None-Match", "If-Match", "If-Modified-Since", "If-Unmodified-Since"}) {
    plain = plain && !request.Header(asks);
  }
  if (!plain) return MediaReply(object, request, form);
  net::Response response;
  response.head_lines = hot.Lines([&] {
    std::string lines;
    for (const net::ResponseHeader& header : MediaReply(object, net::Request(), form).headers) {
      lines += header.name + ": ";
      // As AppendHead does: no value makes a line of its own.
      std::copy_if(header.value.begin(), header.value.end(), std::back_inserter(lines),
                   [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; });
      lines += "\r\n";
    }
    return lines;
  });
  object.bytes->SendAs(response, {0, object.row.size});
  return response;
}

}  // namespace fireweed::storage
