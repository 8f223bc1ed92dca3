#include "storage/xml_request.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "storage/bucket_checks.h"

namespace fireweed::storage {
namespace {

constexpr std::string_view kHosts[] = {".storage.googleapis.com",
                                       ".commondatastorage.googleapis.com"};
constexpr std::string_view kMetaHeader = "x-goog-meta-";
constexpr size_t kMaxBody = 4 << 20;

std::optional<int64_t> ParseNumber(std::string_view name, std::optional<std::string_view> text) {
  if (!text) return std::nullopt;
  int64_t number = 0;
  auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || end != text->data() + text->size() || number < 0) {
    throw Failure(Code::kInvalid, "InvalidArgument", fmt::format("{} is no number.", name));
  }
  return number;
}

std::string Decoded(std::string_view raw) {
  std::optional<std::string> text = PercentDecode(raw);
  if (!text) throw Failure(Code::kInvalid, "InvalidURI", "Broken percent-encoding in the path.");
  return *std::move(text);
}

class WholeBodySink final : public net::BodySink {
 public:
  WholeBodySink(const net::Call& call, WithBody then)
      : request_(call.http), caller_(call.caller), method_(call.method), then_(std::move(then)) {}
  void Write(std::span<const std::byte> bytes) override {
    if (body_.size() + bytes.size() > kMaxBody) {
      throw Failure(Code::kTooLarge, "The body is too large.");
    }
    body_.append(AsText(bytes));
  }
  net::Response Finish() override {
    net::PathValues none;
    net::Call call{request_, caller_, none, method_};
    return WithXmlErrors([&] { return then_(call, body_); });
  }

 private:
  const net::Request request_;  // its text stays until the reply is handed over
  const net::Caller caller_;
  const api::MethodEntry& method_;
  const WithBody then_;
  std::string body_;
};

class KnownAnswerSink final : public net::BodySink {
 public:
  explicit KnownAnswerSink(net::Response response) : response_(std::move(response)) {}
  void Write(std::span<const std::byte>) override {}
  net::Response Finish() override { return std::move(response_); }

 private:
  net::Response response_;
};

}  // namespace

std::string_view BucketInHost(std::string_view host) {
  for (std::string_view tail : kHosts) {
    if (host.ends_with(tail)) return host.substr(0, host.size() - tail.size());
  }
  return {};
}

XmlAddress ParseXmlAddress(std::string_view host, std::string_view path) {
  path.remove_prefix(std::min<size_t>(1, path.size()));
  if (std::string_view bucket = BucketInHost(host); !bucket.empty()) {
    return {std::string(bucket), Decoded(path)};
  }
  size_t slash = path.find('/');
  XmlAddress address;
  address.bucket = Decoded(path.substr(0, slash));
  if (slash != std::string_view::npos) address.object = Decoded(path.substr(slash + 1));
  return address;
}

XmlAddress XmlAddressOf(const net::Request& request) {
  return ParseXmlAddress(request.host, request.path);
}

bool MayBeBound(std::string_view host) {
  bool name = !host.empty() && (host.back() < '0' || host.back() > '9');  // and no address
  return name && host.find('.') != std::string_view::npos && !net::IsGoogleHost(host);
}

XmlAddress BoundXmlAddress(const net::Request& request) {
  std::optional<std::string> name =
      PercentDecode(request.path.substr(request.path.empty() ? 0 : 1));
  if (!name) throw Failure(Code::kInvalid, "InvalidURI", "Broken percent-encoding in the path.");
  return {std::string(request.host), *std::move(name)};
}

std::string XmlUrl(const net::Request& request, const XmlAddress& address) {
  bool in_host = !BucketInHost(request.host).empty() || address.bucket == request.host;
  std::string bucket = in_host ? "" : "/" + PercentEncode(address.bucket);
  return request.BaseUrl() + bucket + "/" + PercentEncode(address.object);
}

std::optional<int64_t> NumberHeader(const net::Request& request, std::string_view name) {
  return ParseNumber(name, request.Header(name));
}

std::optional<int64_t> NumberQuery(const net::Request& request, std::string_view name) {
  std::optional<std::string> text = request.Query(name);
  return ParseNumber(name, text ? std::optional<std::string_view>(*text) : std::nullopt);
}

api::storage::ObjectConditions XmlConditions(const net::Request& request, std::string_view prefix) {
  auto number = [&](std::string_view word) {
    return NumberHeader(request, std::string(prefix) + std::string(word));
  };
  return {number("generation-match"), number("generation-not-match"),
          number("metageneration-match"), number("metageneration-not-match")};
}

std::string XmlPredefinedAcl(const net::Request& request) {
  std::string word;
  bool upper = false;
  for (char c : request.Header("x-goog-acl").value_or("")) {
    if (c == '-') {
      upper = true;
      continue;
    }
    word += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    upper = false;
  }
  return word;
}

UploadTarget XmlTarget(const XmlAddress& address, const net::Call& call) {
  RefuseKey(call.http);
  UploadTarget target;
  target.bucket = address.bucket;
  target.metadata.name = address.object;
  target.conditions = XmlConditions(call.http);
  target.predefined_acl = XmlPredefinedAcl(call.http);
  target.owner = call.caller.email;
  for (const net::RequestHeader& header : call.http.headers) {
    std::string name = ToLower(header.name);
    std::string value(header.value);
    if (name == "content-type")
      target.SuggestType(value);
    else if (name == "cache-control")
      target.metadata.cacheControl = value;
    else if (name == "content-disposition")
      target.metadata.contentDisposition = value;
    else if (name == "content-encoding")
      target.metadata.contentEncoding = value;
    else if (name == "content-language")
      target.metadata.contentLanguage = value;
    else if (name == "x-goog-storage-class")
      target.metadata.storageClass = CheckedStorageClass(value);
    else if (name == "x-goog-custom-time")
      target.metadata.customTime = ParseTime(value).value_or(Time{});
    else if (name.starts_with(kMetaHeader))
      target.metadata.metadata[name.substr(kMetaHeader.size())] = value;
  }
  return target;
}

void AddVersionHeaders(net::Response& response, const ObjectRow& row) {
  response.Add("x-goog-generation", std::to_string(row.generation));
  response.Add("x-goog-metageneration", std::to_string(row.metageneration));
  std::string etag =
      row.md5.empty() ? ObjectEtag(row.generation, row.metageneration) : HexEncode(row.md5);
  response.Add("ETag", "\"" + etag + "\"");
  response.Add("x-goog-hash", "crc32c=" + Crc32cToBase64(row.crc32c));
  if (!row.md5.empty()) response.Add("x-goog-hash", "md5=" + Base64Encode(row.md5));
  response.Add("x-goog-stored-content-length", std::to_string(row.size));
  response.Add("x-goog-stored-content-encoding",
               row.content_encoding.empty() ? "identity" : row.content_encoding);
}

net::Response XmlReply(std::string body) {
  net::Response response;
  response.Add("Content-Type", "application/xml; charset=UTF-8");
  response.Add("Cache-Control", "private, max-age=0");
  response.body = std::move(body);
  return response;
}

Error InXmlWords(Error error) {
  auto says = [&](std::string_view text) { return error.message.starts_with(text); };
  if (error.reason == "objectUnderActiveHold") error.reason = "ObjectUnderActiveHold";
  if (error.reason == "retentionPolicyNotMet") error.reason = "RetentionPolicyNotMet";
  if (error.reason == "quotaExceeded") error.reason = "InsufficientQuota";
  bool own_code = !error.reason.empty() && error.reason[0] >= 'A' && error.reason[0] <= 'Z';
  if (own_code) return error;
  error.reason.clear();
  switch (error.code) {
    case Code::kNotFound:
      error.reason = says("The specified bucket") ? "NoSuchBucket"
                     : says("No such upload")     ? "NoSuchUpload"
                                                  : "NoSuchKey";
      return error;
    case Code::kInvalid:
      error.reason = says("Provided ") ? "BadDigest" : "InvalidArgument";
      return error;
    case Code::kExists:
      error.reason = says("The bucket you tried to delete") ? "BucketNotEmpty"
                     : says("The requested bucket name")    ? "BucketNameUnavailable"
                                                            : "BucketAlreadyOwnedByYou";
      return error;
    default: return error;
  }
}

std::unique_ptr<net::BodySink> TakeXmlBody(const net::Call& call, WithBody then) {
  return std::make_unique<WholeBodySink>(call, std::move(then));
}

std::unique_ptr<net::BodySink> KnownAnswer(net::Response response) {
  return std::make_unique<KnownAnswerSink>(std::move(response));
}

}  // namespace fireweed::storage
