#include "client/rest_client.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "net/client_connection.h"
#include "net/errors.h"
#include "net/http_client.h"

namespace fireweed {
namespace {

struct TokenReply {
  std::string access_token, error, error_description;
};

// A path or query value as text; lists are handled by the caller.
std::string ScalarText(const Type& type, const void* value) {
  switch (type.kind) {
    case Kind::kString: return *static_cast<const std::string*>(value);
    case Kind::kOptional: {
      const void* inner = type.get(value);
      return inner ? ScalarText(*type.element, inner) : "";
    }
    default: {
      JsonWriter out;
      EncodeValue(type, value, out);
      std::string text = out.Take();
      return text.size() >= 2 && text.front() == '"' ? text.substr(1, text.size() - 2) : text;
    }
  }
}

void AppendQuery(std::string& query, std::string_view name, const std::string& text) {
  if (text.empty()) return;
  query += fmt::format("{}{}={}", query.empty() ? "?" : "&", name, PercentEncode(text));
}

// "{parent=projects/*}" keeps its slashes; a plain parameter is one segment.
std::string FillPath(std::string_view path, const Type& type, const void* request) {
  std::string out;
  while (!path.empty()) {
    size_t open = path.find('{');
    out.append(path.substr(0, open));
    if (open == std::string_view::npos) break;
    size_t close = path.find('}', open);
    std::string_view inside = path.substr(open + 1, close - open - 1);
    size_t equals = inside.find('=');
    const Field* field = type.Find(inside.substr(0, equals));
    if (!field) Abort("a route's path parameter is no field of its request");
    std::string text = ScalarText(*field->type, field->Of(request));
    out += equals == std::string_view::npos ? PercentEncode(text) : text;
    path.remove_prefix(close + 1);
  }
  return out;
}

}  // namespace

template <>
inline constexpr auto kFields<TokenReply> = [](auto...) {
  return Fields{F("access_token", &TokenReply::access_token), F("error", &TokenReply::error),
                F("error_description", &TokenReply::error_description)};
};

namespace {

// Another machine's daemon is asked directly. Its certificates are for names that it serves, not
// for wherever it happens to be.
net::HttpClient::Options ReachOptions(const Endpoint& endpoint) {
  net::HttpClient::Options options;
  if (endpoint.server.empty()) return options;
  options.ca_file = endpoint.authority;
  options.tls_name = "storage.googleapis.com";
  return options;
}

}  // namespace

RestClient::RestClient(const Endpoint& endpoint, AuthorizedUser owner)
    : base_url_(endpoint.server.empty() ? "http://" + endpoint.http : "https://" + endpoint.server),
      owner_(std::move(owner)),
      http_(std::make_unique<net::HttpClient>(ReachOptions(endpoint))) {}

RestClient::~RestClient() = default;

std::string RestClient::AccessToken() {
  // Held while fetching: the others wait for the same token instead of asking for theirs.
  std::lock_guard lock(mu_);
  if (token_.empty()) token_ = FetchToken();
  return token_;
}

void RestClient::ForgetToken(const std::string& token) {
  std::lock_guard lock(mu_);
  if (token_ == token) token_.clear();
}

std::string RestClient::FetchToken() {
  net::ClientRequest request;
  request.method = "POST";
  request.url = base_url_ + "/token";
  request.headers.push_back({"Content-Type", "application/x-www-form-urlencoded"});
  request.body =
      fmt::format("grant_type=refresh_token&client_id={}&client_secret={}&refresh_token={}",
                  PercentEncode(owner_.client_id), PercentEncode(owner_.client_secret),
                  PercentEncode(owner_.refresh_token));
  net::ClientResponse response = http_->Send(request).value();
  if (response.status / 100 == 5)
    throw Failure(net::ErrorFromResponse(response.status, response.body));
  TokenReply reply = DecodeJson<TokenReply>(response.body);
  if (response.status != 200) {
    throw Failure(Code::kUnauthenticated,
                  fmt::format("the daemon does not take the owner's credential: {} {}", reply.error,
                              reply.error_description));
  }
  return reply.access_token;
}

net::ClientResponse RestClient::Exchange(net::ClientRequest request) {
  request.url = base_url_ + request.url;
  request.headers.push_back({"Authorization", ""});
  for (int attempt = 0;; ++attempt) {
    std::string token = AccessToken();
    request.headers.back().value = "Bearer " + token;
    net::ClientResponse response = http_->Send(request).value();
    if (response.status != 401) return response;
    ForgetToken(token);  // it may have expired: once more with a new one
    if (attempt > 0 || request.source != nullptr) return response;
  }
}

std::unique_ptr<net::ClientConnection> RestClient::Switch(net::ClientRequest request) {
  request.url = base_url_ + request.url;
  request.headers.push_back({"Authorization", ""});
  for (int attempt = 0;; ++attempt) {
    std::string token = AccessToken();
    request.headers.back().value = "Bearer " + token;
    net::ClientResponse answer;
    std::unique_ptr<net::ClientConnection> connection = http_->Switch(request, answer).value();
    if (connection) return connection;
    if (answer.status != 401 || attempt > 0) {
      throw Failure(net::ErrorFromResponse(answer.status, answer.body));
    }
    ForgetToken(token);
  }
}

std::string RestClient::Send(std::string_view verb, const std::string& target,
                             const std::string& body, std::string_view host) {
  net::ClientRequest request;
  request.method = std::string(verb);
  request.url = target;
  if (!host.empty()) request.headers.push_back({"Host", std::string(host)});
  if (!body.empty()) request.headers.push_back({"Content-Type", "application/json"});
  request.body = body;
  net::ClientResponse response = Exchange(std::move(request));
  if (response.status / 100 == 2) return std::move(response.body);
  throw Failure(net::ErrorFromResponse(response.status, response.body));
}

std::string RestClient::SendUnsigned(std::string_view verb, const std::string& target) {
  net::ClientRequest request;
  request.method = std::string(verb);
  request.url = base_url_ + target;
  net::ClientResponse response = http_->Send(request).value();
  if (response.status / 100 == 2) return response.body;
  throw Failure(net::ErrorFromResponse(response.status, response.body));
}

std::string RestClient::Target(const api::MethodEntry& method, const void* request,
                               std::string& body) {
  std::string query;
  for (const Field& field : method.request->fields) {
    const void* member = field.Of(request);
    if (field.flags & kBody) {
      JsonWriter out;
      EncodeValue(*field.type, member, out, Audience::kWire);
      body = out.Take();
    }
    if (!(field.flags & kQuery)) continue;
    if (field.type->kind == Kind::kList) {
      for (size_t i = 0; i < field.type->count(member); ++i) {
        AppendQuery(query, field.name, ScalarText(*field.type->element, field.type->at(member, i)));
      }
    } else {
      AppendQuery(query, field.name, ScalarText(*field.type, member));
    }
  }
  return FillPath(method.path, *method.request, request) + query;
}

}  // namespace fireweed
