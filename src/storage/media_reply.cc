#include "storage/media_reply.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/checksum.h"

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
  response.Add("Accept-Ranges", "bytes");
  response.Add("ETag", etag);
  response.Add("Last-Modified", FormatHttpDate(row.updated));
  response.Add("Cache-Control", row.cache_control.empty()
                                    ? "no-cache, no-store, max-age=0, must-revalidate"
                                    : row.cache_control);
  AddUnlessEmpty(response, "Content-Encoding", row.content_encoding);
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

}  // namespace

net::Response MediaReply(const OpenedObject& object, const net::Request& request, EtagForm form) {
  const ObjectRow& row = object.row;
  std::string etag = EtagOf(row, form);
  if (request.Header("If-None-Match") == etag) throw Failure(Code::kNotModified, "Not Modified");
  if (std::optional<std::string_view> match = request.Header("If-Match");
      match && *match != etag && *match != "*") {
    throw Failure(Code::kPrecondition,
                  "At least one of the pre-conditions you specified did not hold.");
  }
  net::Response response;
  response.headers.reserve(20);
  AddHeaders(response, row, etag);
  std::optional<ByteRange> range;
  if (std::optional<std::string_view> header = request.Header("Range")) {
    range = ParseRange(*header, row.size);
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
  bool plain = object.row.content_encoding.empty() && !request.Header("Range") &&
               !request.Header("If-None-Match") && !request.Header("If-Match");
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
