#include "client/storage_client.h"

#include <charconv>

#include <fmt/format.h>

#include "base/bytes.h"
#include "net/errors.h"
#include "net/http_client.h"

namespace fireweed {
namespace {

namespace storage = api::storage;

constexpr std::string_view kHost = "storage.googleapis.com";

// "https://host/upload/..." -> "/upload/...".
std::string TargetOf(std::string_view url) {
  size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return std::string(url);
  return std::string(url.substr(url.find('/', scheme + 3)));
}

[[noreturn]] void Refuse(const net::ClientResponse& response) {
  throw Failure(net::ErrorFromResponse(response.status, response.body));
}

net::ClientRequest Request(std::string method, std::string target) {
  net::ClientRequest request;
  request.method = std::move(method);
  request.url = std::move(target);
  request.headers.push_back({"Host", std::string(kHost)});
  return request;
}

std::string MediaTarget(const storage::Object& object) {
  return fmt::format("/download/storage/v1/b/{}/o/{}?alt=media&generation={}",
                     PercentEncode(object.bucket), PercentEncode(object.name), object.generation);
}

}  // namespace

std::optional<storage::Object> StorageClient::Find(const std::string& bucket,
                                                   const std::string& name,
                                                   std::optional<int64_t> generation) {
  storage::GetObject request;
  request.bucket = bucket;
  request.object = name;
  request.generation = generation;
  try {
    return rest_.Call(storage::kGetObject, request);
  } catch (const Failure& failure) {
    if (failure.error().code == Code::kNotFound) return std::nullopt;
    throw;
  }
}

void StorageClient::List(storage::ListObjects request,
                         const std::function<bool(const storage::Object&)>& visit) {
  while (true) {
    storage::ObjectList page = rest_.Call(storage::kListObjects, request);
    // Both lists are sorted; they are merged so that the caller sees one order.
    size_t prefix = 0;
    auto visit_prefix = [&] {
      storage::Object folder;
      folder.bucket = request.bucket;
      folder.name = page.prefixes[prefix++];
      return visit(folder);
    };
    for (const storage::Object& object : page.items) {
      while (prefix < page.prefixes.size() && page.prefixes[prefix] < object.name) {
        if (!visit_prefix()) return;
      }
      if (!visit(object)) return;
    }
    while (prefix < page.prefixes.size()) {
      if (!visit_prefix()) return;
    }
    if (page.nextPageToken.empty()) return;
    request.pageToken = page.nextPageToken;
  }
}

void StorageClient::Read(const storage::Object& object, int64_t offset,
                         std::optional<int64_t> length, const Sink& sink) {
  net::ClientRequest request = Request("GET", MediaTarget(object));
  // Whoever says so gets the bytes as they are stored.
  request.headers.push_back({"Accept-Encoding", "gzip"});
  if (offset > 0 || length) {
    request.headers.push_back(
        {"Range", length ? fmt::format("bytes={}-{}", offset, offset + *length - 1)
                         : fmt::format("bytes={}-", offset)});
  }
  request.sink = sink;
  net::ClientResponse response = rest_.Exchange(std::move(request));
  if (response.status / 100 != 2) Refuse(response);
}

void StorageClient::ReadDecoded(const storage::Object& object, const Sink& sink) {
  net::ClientRequest request = Request("GET", MediaTarget(object));
  request.sink = sink;
  net::ClientResponse response = rest_.Exchange(std::move(request));
  if (response.status / 100 != 2) Refuse(response);
}

std::string StorageClient::UploadTarget(const UploadSpec& spec, std::string_view type) {
  std::string target = fmt::format("/upload/storage/v1/b/{}/o?uploadType={}&name={}",
                                   PercentEncode(spec.bucket), type, PercentEncode(spec.name));
  if (!spec.predefined_acl.empty())
    target += "&predefinedAcl=" + PercentEncode(spec.predefined_acl);
  if (spec.if_generation_match)
    target += fmt::format("&ifGenerationMatch={}", *spec.if_generation_match);
  if (spec.if_metageneration_match)
    target += fmt::format("&ifMetagenerationMatch={}", *spec.if_metageneration_match);
  return target;
}

storage::Object StorageClient::Upload(const UploadSpec& spec, std::string_view bytes) {
  net::ClientRequest request = Request("POST", UploadTarget(spec, "multipart"));
  std::string type = spec.metadata.TextOf("contentType");
  // The boundary must not occur in the bytes; the odds that this one does are looked at, not hoped for.
  std::string boundary = "fireweed-part-0";
  for (int n = 1; bytes.find(boundary) != std::string_view::npos; ++n)
    boundary = fmt::format("fireweed-part-{}", n);
  request.headers.push_back({"Content-Type", "multipart/related; boundary=" + boundary});
  request.body = fmt::format(
      "--{0}\r\nContent-Type: application/json\r\n\r\n{1}\r\n--{0}\r\nContent-Type: {2}\r\n\r\n",
      boundary, spec.metadata.IsNull() ? "{}" : spec.metadata.Compact(),
      type.empty() ? "application/octet-stream" : type);
  request.body.append(bytes);
  request.body += fmt::format("\r\n--{}--\r\n", boundary);
  net::ClientResponse response = rest_.Exchange(std::move(request));
  if (response.status / 100 != 2) Refuse(response);
  return DecodeJson<storage::Object>(response.body);
}

std::string StorageClient::StartUpload(const UploadSpec& spec) {
  net::ClientRequest request = Request("POST", UploadTarget(spec, "resumable"));
  request.headers.push_back({"Content-Type", "application/json; charset=UTF-8"});
  request.body = spec.metadata.IsNull() ? "{}" : spec.metadata.Compact();
  net::ClientResponse response = rest_.Exchange(std::move(request));
  if (response.status / 100 != 2) Refuse(response);
  std::optional<std::string_view> location = response.Header("Location");
  if (!location) throw Failure(Code::kInternal, "the server began an upload and did not say where");
  return TargetOf(*location);
}

UploadState StorageClient::StateOf(const net::ClientResponse& response) {
  UploadState state;
  if (response.status / 100 == 2) {
    state.done = true;
    state.object = DecodeJson<storage::Object>(response.body);
    return state;
  }
  if (response.status != 308) Refuse(response);
  // "bytes=0-1023"; without the header nothing is there yet.
  std::string_view range = response.Header("Range").value_or("");
  size_t dash = range.find('-');
  if (dash != std::string_view::npos) {
    std::from_chars(range.data() + dash + 1, range.data() + range.size(), state.persisted);
    ++state.persisted;
  }
  return state;
}

UploadState StorageClient::AskUpload(const std::string& session, std::optional<int64_t> total) {
  net::ClientRequest request = Request("PUT", session);
  std::string size = total ? std::to_string(*total) : "*";
  request.headers.push_back({"Content-Range", "bytes */" + size});
  return StateOf(rest_.Exchange(std::move(request)));
}

UploadState StorageClient::ContinueUpload(const std::string& session, int64_t offset,
                                          int64_t length, std::optional<int64_t> total,
                                          net::ByteSource* source) {
  net::ClientRequest request = Request("PUT", session);
  std::string size = total ? std::to_string(*total) : "*";
  std::string range = length == 0
                          ? "bytes */" + size
                          : fmt::format("bytes {}-{}/{}", offset, offset + length - 1, size);
  request.headers.push_back({"Content-Range", range});
  request.source = source;
  return StateOf(rest_.Exchange(std::move(request)));
}

storage::Object StorageClient::Copy(storage::CopyObject request,
                                    const std::function<void(int64_t)>& progress) {
  while (true) {
    std::string body;
    std::string target = RestClient::Target(storage::kRewriteObject.entry(), &request, body);
    std::string text = rest_.Send("POST", target, body, kHost);
    storage::RewriteReply reply = DecodeJson<storage::RewriteReply>(text);
    progress(reply.totalBytesRewritten);
    if (reply.done) return reply.resource.value_or(storage::Object{});
    request.rewriteToken = JsonTree::Parse(text).TextOf("rewriteToken");
  }
}

}  // namespace fireweed
