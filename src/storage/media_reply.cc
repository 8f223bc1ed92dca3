#include "storage/media_reply.h"

#include <algorithm>
#include <iterator>

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

void AddHeaders(net::Response& response, const ObjectRow& row, const std::string& etag) {
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
  response.Add("X-Goog-Generation", std::to_string(row.generation));
  response.Add("X-Goog-Metageneration", std::to_string(row.metageneration));
  std::string hash = "crc32c=" + Crc32cToBase64(row.crc32c);
  if (!row.md5.empty()) hash += ",md5=" + Base64Encode(row.md5);
  response.Add("X-Goog-Hash", std::move(hash));
  response.Add("X-Goog-Stored-Content-Length", std::to_string(row.size));
  response.Add("X-Goog-Stored-Content-Encoding",
               row.content_encoding.empty() ? "identity" : row.content_encoding);
  response.Add("X-Goog-Storage-Class", row.storage_class);
  if (row.component_count > 0) {
    response.Add("X-Goog-Component-Count", std::to_string(row.component_count));
  }
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
  AddHeaders(response, row, etag);
  if (EqualIgnoreCase(row.content_encoding, "gzip")) response.Add("Vary", "Accept-Encoding");
  if (IsUnpackedFor(request, row)) {
    // A range would be one of bytes that nobody has counted: it is passed over, as Google does.
    response.Add("Accept-Ranges", "none");
    response.Add("Warning", "214 UploadServer gunzipped");
    response.body = std::make_unique<GunzipSource>(object.bytes);
    return response;
  }
  response.Add("Accept-Ranges", "bytes");
  AddUnlessEmpty(response, "Content-Encoding", row.content_encoding);
  std::optional<ByteRange> range;
  if (std::optional<std::string_view> header = request.Header("Range")) {
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
