#include "ml/account_objects.h"

#include <fmt/format.h>

#include "api/storage/object.h"
#include "base/bytes.h"
#include "describe/json_codec.h"
#include "net/errors.h"
#include "net/http_client.h"

namespace fireweed::ml {

HttpAccountObjects::HttpAccountObjects(std::function<Result<std::string>(const std::string&)> token,
                                       std::function<std::string()> address)
    : token_(std::move(token)),
      address_(std::move(address)),
      http_(std::make_unique<net::HttpClient>(net::HttpClient::Options{})) {}

HttpAccountObjects::~HttpAccountObjects() = default;

Result<std::string> HttpAccountObjects::Get(const std::string& account, const std::string& target,
                                            int64_t offset, const Sink& sink) {
  Result<std::string> token = token_(account);
  if (!token.ok()) return token.error();
  net::ClientRequest request;
  request.url = fmt::format("http://{}{}", address_(), target);
  request.headers.push_back({"Host", "storage.googleapis.com"});
  request.headers.push_back({"Authorization", "Bearer " + *token});
  if (sink) request.headers.push_back({"Accept-Encoding", "gzip"});
  if (offset > 0) request.headers.push_back({"Range", fmt::format("bytes={}-", offset)});
  request.sink = sink;
  Result<net::ClientResponse> response = http_->Send(request);
  if (!response.ok()) return response.error();
  if (response->status / 100 != 2) return net::ErrorFromResponse(response->status, response->body);
  return std::move(response->body);
}

Result<std::vector<ObjectSight>> HttpAccountObjects::List(const std::string& account,
                                                          const std::string& bucket,
                                                          const std::string& prefix) {
  std::vector<ObjectSight> found;
  std::string page;
  do {
    Result<std::string> body =
        Get(account,
            fmt::format("/storage/v1/b/{}/o?prefix={}&pageToken={}&fields=items(name,generation,"
                        "size),nextPageToken",
                        PercentEncode(bucket), PercentEncode(prefix), PercentEncode(page)),
            0, nullptr);
    if (!body.ok()) return body.error();
    auto list = DecodeJson<api::storage::ObjectList>(*body);
    for (const api::storage::Object& object : list.items)
      found.push_back({object.name, object.generation, object.size});
    page = list.nextPageToken;
  } while (!page.empty());
  return found;
}

Result<> HttpAccountObjects::Read(const std::string& account, const std::string& bucket,
                                  const ObjectSight& object, int64_t offset, const Sink& sink) {
  if (offset >= object.size) return Done{};
  Result<std::string> body =
      Get(account,
          fmt::format("/download/storage/v1/b/{}/o/{}?alt=media&generation={}",
                      PercentEncode(bucket), PercentEncode(object.name), object.generation),
          offset, sink);
  if (!body.ok()) return body.error();
  return Done{};
}

ObjectPlace ParseObjectPlace(std::string_view url) {
  constexpr std::string_view kScheme = "gs://";
  if (!url.starts_with(kScheme)) return {};
  url.remove_prefix(kScheme.size());
  size_t slash = url.find('/');
  if (slash == url.npos) return {std::string(url), ""};
  return {std::string(url.substr(0, slash)), std::string(url.substr(slash + 1))};
}

}  // namespace fireweed::ml
