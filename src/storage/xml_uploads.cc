#include "storage/xml_uploads.h"

#include <algorithm>
#include <charconv>

#include "base/bytes.h"
#include "base/checksum.h"
#include "storage/xml_reader.h"
#include "storage/xml_writer.h"

namespace fireweed::storage {
namespace {

constexpr std::string_view kNamespace = " xmlns='http://s3.amazonaws.com/doc/2006-03-01/'";
constexpr int64_t kPage = 1000;

std::string Tagged(std::string_view name) { return std::string(name) + std::string(kNamespace); }

std::string Quoted(std::string_view tag) { return "\"" + std::string(tag) + "\""; }

PartUploadAddress UploadOf(const XmlAddress& address, const net::Request& request) {
  return {address.bucket, address.object, request.Query("uploadId").value_or("")};
}

int PageSize(const net::Request& request, std::string_view name) {
  int64_t asked = NumberQuery(request, name).value_or(kPage);
  return static_cast<int>(std::clamp<int64_t>(asked, 1, kPage));
}

class PartSink final : public net::BodySink {
 public:
  PartSink(PartUploads& uploads, BlobStore& blobs, PartUploadAddress address, int number,
           const net::Request& request)
      : uploads_(uploads), address_(std::move(address)), number_(number), draft_(blobs) {
    declared_.Take(request);
  }
  void Write(std::span<const std::byte> bytes) override { draft_.Append(bytes); }
  net::Response Finish() override {
    return WithXmlErrors([&] {
      UploadedPart part = uploads_.Put(address_, number_, draft_, declared_);
      net::Response response;
      response.Add("ETag", Quoted(part.md5));
      response.Add("x-goog-hash", "crc32c=" + Crc32cToBase64(static_cast<uint32_t>(part.crc32c)));
      response.Add("x-goog-hash", "md5=" + Base64Encode(HexDecode(part.md5).value_or("")));
      return response;
    });
  }

 private:
  PartUploads& uploads_;
  const PartUploadAddress address_;
  const int number_;
  PartDraft draft_;
  DeclaredSums declared_;
};

NamedPart ReadPart(const XmlElement& element) {
  NamedPart part;
  std::string_view number = element.Text("PartNumber");
  auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), part.number);
  if (error != std::errc() || end != number.data() + number.size()) {
    throw Failure(Code::kInvalid, "MalformedXML", "A part has no PartNumber.");
  }
  std::string_view tag = element.Text("ETag");
  if (tag.size() >= 2 && tag.front() == '"' && tag.back() == '"')
    tag = tag.substr(1, tag.size() - 2);
  part.tag = tag;
  return part;
}

}  // namespace

net::Response XmlUploads::Start(const XmlAddress& address, const UploadTarget& target) {
  std::string id = uploads_.Start(target);
  XmlWriter out;
  out.Open(Tagged("InitiateMultipartUploadResult"));
  out.Leaf("Bucket", address.bucket).Leaf("Key", address.object).Leaf("UploadId", id);
  return XmlReply(out.Close("InitiateMultipartUploadResult").Take());
}

std::unique_ptr<net::BodySink> XmlUploads::OpenPart(const XmlAddress& address,
                                                    const net::Call& call) {
  PartUploadAddress upload = UploadOf(address, call.http);
  int64_t number = NumberQuery(call.http, "partNumber").value_or(0);
  if (number < 1 || number > kMostParts) {
    throw Failure(Code::kInvalid, "InvalidArgument",
                  "Part number must be an integer between 1 and 10000, inclusive.");
  }
  uploads_.Find(upload);  // refused before a byte of the body is read
  return std::make_unique<PartSink>(uploads_, blobs_, std::move(upload), static_cast<int>(number),
                                    call.http);
}

net::Response XmlUploads::ListParts(const XmlAddress& address, const net::Call& call) const {
  PartUploadAddress upload = UploadOf(address, call.http);
  int after = static_cast<int>(
      std::clamp<int64_t>(NumberQuery(call.http, "part-number-marker").value_or(0), 0, kMostParts));
  int limit = PageSize(call.http, "max-parts");
  PartPage<NumberedPart> page = uploads_.Parts(upload, after, limit);
  XmlWriter out;
  out.Open(Tagged("ListPartsResult"));
  out.Leaf("Bucket", address.bucket).Leaf("Key", address.object).Leaf("UploadId", upload.id);
  out.Leaf("StorageClass", "STANDARD").Leaf("PartNumberMarker", std::to_string(after));
  if (page.truncated) {
    out.Leaf("NextPartNumberMarker", std::to_string(page.items.back().number));
  }
  out.Leaf("MaxParts", std::to_string(limit));
  out.Leaf("IsTruncated", page.truncated ? "true" : "false");
  for (const NumberedPart& item : page.items) {
    out.Open("Part").Leaf("PartNumber", std::to_string(item.number));
    out.Leaf("LastModified", FormatTime(item.part.uploaded)).Leaf("ETag", Quoted(item.part.md5));
    out.Leaf("Size", std::to_string(item.part.size)).Close("Part");
  }
  return XmlReply(out.Close("ListPartsResult").Take());
}

net::Response XmlUploads::Complete(const XmlAddress& address, const net::Call& call,
                                   const std::string& body) {
  XmlElement root = ParseXml(body);
  std::vector<NamedPart> parts;
  for (const XmlElement& child : root.children) {
    if (child.name == "Part") parts.push_back(ReadPart(child));
  }
  ObjectRow row = uploads_.Complete(UploadOf(address, call.http), parts, XmlConditions(call.http));
  net::Response response;
  AddVersionHeaders(response, row);
  XmlWriter out;
  out.Open(Tagged("CompleteMultipartUploadResult"));
  out.Leaf("Location", XmlUrl(call.http, address));
  out.Leaf("Bucket", address.bucket).Leaf("Key", address.object);
  out.Leaf("ETag", *response.Header("ETag")).Close("CompleteMultipartUploadResult");
  response.Add("Content-Type", "application/xml; charset=UTF-8");
  response.body = out.Take();
  return response;
}

net::Response XmlUploads::Abort(const XmlAddress& address, const net::Call& call) {
  uploads_.Abort(UploadOf(address, call.http));
  net::Response response;
  response.status = 204;
  return response;
}

net::Response XmlUploads::ListUploads(const XmlAddress& address, const net::Call& call) const {
  auto text = [&](std::string_view name) { return call.http.Query(name).value_or(""); };
  int limit = PageSize(call.http, "max-uploads");
  PartPage<ListedUpload> page = uploads_.List(address.bucket, text("prefix"), text("key-marker"),
                                              text("upload-id-marker"), limit);
  XmlWriter out;
  out.Open(Tagged("ListMultipartUploadsResult")).Leaf("Bucket", address.bucket);
  out.Leaf("KeyMarker", text("key-marker")).Leaf("UploadIdMarker", text("upload-id-marker"));
  if (page.truncated) {
    out.Leaf("NextKeyMarker", page.items.back().upload.metadata.name);
    out.Leaf("NextUploadIdMarker", page.items.back().id);
  }
  out.LeafUnlessEmpty("Prefix", text("prefix")).Leaf("MaxUploads", std::to_string(limit));
  out.Leaf("IsTruncated", page.truncated ? "true" : "false");
  for (const ListedUpload& item : page.items) {
    out.Open("Upload").Leaf("Key", item.upload.metadata.name).Leaf("UploadId", item.id);
    out.Leaf("StorageClass", "STANDARD").Leaf("Initiated", FormatTime(item.upload.created));
    out.Close("Upload");
  }
  return XmlReply(out.Close("ListMultipartUploadsResult").Take());
}

}  // namespace fireweed::storage
