#include "net/http_client.h"

#include <array>
#include <map>
#include <mutex>

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include "base/bytes.h"
#include "net/client_connection.h"
#include "net/response_parser.h"
#include "net/url.h"

namespace fireweed::net {
namespace {

constexpr size_t kBuffer = 64 << 10;
constexpr size_t kMaxIdle = 8;  // connections kept per server
constexpr size_t kMaxHead = 256 << 10;

using Connection = std::unique_ptr<ClientConnection>;

bool MayRepeat(const ClientRequest& request) {
  return request.source == nullptr && request.method != "POST" && request.method != "PATCH";
}

bool Names(const ClientRequest& request, std::string_view name) {
  for (const ResponseHeader& header : request.headers) {
    if (EqualIgnoreCase(header.name, name)) return true;
  }
  return false;
}

std::string FormatHead(const ClientRequest& request, const Url& url, std::string_view target,
                       std::string_view proxy_authorization) {
  std::string head = fmt::format("{} {} HTTP/1.1\r\n", request.method, target);
  if (!Names(request, "Host")) head += fmt::format("Host: {}\r\n", url.Authority());
  if (!Names(request, "User-Agent")) head += "User-Agent: fireweed/" FIREWEED_VERSION "\r\n";
  if (!proxy_authorization.empty())
    head += fmt::format("Proxy-Authorization: {}\r\n", proxy_authorization);
  for (const ResponseHeader& header : request.headers) {
    if ((header.name + header.value).find_first_of("\r\n") != std::string::npos) {
      throw Failure(Code::kInvalid, "line end in header " + header.name);
    }
    head += fmt::format("{}: {}\r\n", header.name, header.value);
  }
  std::optional<int64_t> length = static_cast<int64_t>(request.body.size());
  if (request.source != nullptr) length = request.source->size();
  if (!length) {
    head += "Transfer-Encoding: chunked\r\n";
  } else if (*length > 0 || (request.method != "GET" && request.method != "HEAD")) {
    head += fmt::format("Content-Length: {}\r\n", *length);
  }
  return head + "\r\n";
}

void WriteSource(ClientConnection& connection, ByteSource& source) {
  std::vector<std::byte> buffer(kBuffer);
  const bool chunks = !source.size();
  int64_t left = source.size().value_or(0);
  while (true) {
    size_t count = source.Read(buffer).value();
    if (count == 0) break;
    left -= static_cast<int64_t>(count);
    if (chunks) connection.Write(fmt::format("{:x}\r\n", count));
    connection.Write(AsText(std::span(buffer).first(count)));
    if (chunks) connection.Write("\r\n");
  }
  if (chunks) connection.Write("0\r\n\r\n");
  if (!chunks && left != 0) throw Failure(Code::kInternal, "a body was not as long as stated");
}

// The response to one request on one connection.
class Exchange {
 public:
  Exchange(ClientConnection& connection, const ClientRequest& request, int64_t max_body)
      : connection_(connection), request_(request), max_body_(max_body) {}

  // True once a byte of the response has arrived: from then on nothing may be repeated.
  bool begun() const { return begun_; }
  bool reusable() const { return reusable_; }

  ClientResponse Run(const std::string& head) {
    try {
      connection_.Write(request_.source == nullptr ? head + request_.body : head);
      if (request_.source != nullptr) WriteSource(connection_, *request_.source);
    } catch (const Failure& failure) {
      // A server that refuses a body answers and hangs up before it has read it all.
      if (failure.error().code != Code::kUnavailable) throw;
      return Read(failure);
    }
    return Read(std::nullopt);
  }

 private:
  ClientResponse Read(const std::optional<Failure>& write_failure) {
    while (true) {
      ResponseParser parser([&](std::string_view piece) { Take(parser, piece); },
                            request_.method == "HEAD");
      try {
        ReadOne(parser);
      } catch (const Failure&) {
        if (write_failure && !begun_) throw *write_failure;
        throw;
      }
      if (parser.status() / 100 == 1) continue;
      reusable_ = parser.keep_alive() && buffer_.empty() && !write_failure;
      response_.status = parser.status();
      response_.headers = parser.headers();
      return std::move(response_);
    }
  }

  void ReadOne(ResponseParser& parser) {
    std::array<char, kBuffer> bytes;
    while (!parser.done()) {
      buffer_.erase(0, parser.Feed(buffer_));
      if (parser.done()) break;
      if (buffer_.size() > kMaxHead)
        throw Failure(Code::kUnavailable, "the server's answer is no HTTP");
      size_t count = connection_.Read(bytes);
      if (count == 0) {
        parser.FeedEnd();
        return;
      }
      begun_ = true;
      buffer_.append(bytes.data(), count);
    }
  }

  void Take(ResponseParser& parser, std::string_view piece) {
    if (request_.sink && parser.status() / 100 == 2) {
      request_.sink(AsBytes(piece));
      return;
    }
    response_.body.append(piece);
    if (static_cast<int64_t>(response_.body.size()) > max_body_) {
      throw Failure(Code::kTooLarge, "the server's answer is too large");
    }
  }

  ClientConnection& connection_;
  const ClientRequest& request_;
  const int64_t max_body_;
  ClientResponse response_;
  std::string buffer_;
  bool begun_ = false;
  bool reusable_ = false;
};

}  // namespace

std::optional<std::string_view> ClientResponse::Header(std::string_view name) const {
  for (const ResponseHeader& header : headers) {
    if (EqualIgnoreCase(header.name, name)) return header.value;
  }
  return std::nullopt;
}

struct HttpClient::State {
  Options options;                  // constant after construction
  std::optional<Url> proxy;         // constant after construction
  std::string proxy_authorization;  // constant after construction
  std::shared_ptr<SSL_CTX> tls;     // constant after construction, but for the system's authorities
  std::once_flag authorities;       // of the system, read with the first TLS connection
  std::mutex mu;
  std::map<std::string, std::vector<Connection>> idle;  // guarded by mu; by scheme and authority

  void SetUpTls();
  SSL_CTX* Trust();
  Connection TakeIdle(const std::string& server);
  void PutBack(const std::string& server, Connection connection);
  Connection Connect(const Url& url);
  void AskProxy(ClientConnection& connection, const Url& url);
  ClientResponse Send(const ClientRequest& request, const Url& url);
  Connection Switch(const ClientRequest& request, const Url& url, ClientResponse& answer);
};

HttpClient::HttpClient(Options options) : state_(std::make_unique<State>()) {
  state_->options = std::move(options);
  if (!state_->options.proxy.empty()) {
    state_->proxy = ParseUrl(state_->options.proxy);
    if (!state_->proxy) throw Failure(Code::kInvalid, "bad proxy URL");
    const std::string& user = state_->proxy->user_info;
    if (!user.empty()) state_->proxy_authorization = "Basic " + Base64Encode(user);
  }
  state_->SetUpTls();
}

HttpClient::~HttpClient() = default;

void HttpClient::State::SetUpTls() {
  tls = std::shared_ptr<SSL_CTX>(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  if (!tls) throw Failure(Code::kInternal, "cannot make a TLS context");
  SSL_CTX_set_min_proto_version(tls.get(), TLS1_2_VERSION);
  SSL_CTX_set_verify(tls.get(), options.trust_anybody ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, nullptr);
  if (options.ca_file.empty()) return;
  if (SSL_CTX_load_verify_locations(tls.get(), options.ca_file.c_str(), nullptr) != 1) {
    ERR_clear_error();
    throw Failure(Code::kInvalid, "cannot read the CA file " + options.ca_file);
  }
}

// The system's list is long: reading it takes more time than all else a daemon does at its start,
// and most clients never need it.
SSL_CTX* HttpClient::State::Trust() {
  std::call_once(authorities, [this] {
    if (options.ca_file.empty() && !options.trust_anybody) {
      SSL_CTX_set_default_verify_paths(tls.get());
    }
  });
  return tls.get();
}

Connection HttpClient::State::TakeIdle(const std::string& server) {
  while (true) {
    Connection connection;
    {
      std::lock_guard lock(mu);
      auto found = idle.find(server);
      if (found == idle.end() || found->second.empty()) return nullptr;
      connection = std::move(found->second.back());
      found->second.pop_back();
    }
    if (!connection->HasNews()) return connection;
  }
}

void HttpClient::State::PutBack(const std::string& server, Connection connection) {
  std::lock_guard lock(mu);
  std::vector<Connection>& list = idle[server];
  if (list.size() < kMaxIdle) list.push_back(std::move(connection));
}

void HttpClient::State::AskProxy(ClientConnection& connection, const Url& url) {
  ClientRequest ask;
  ask.method = "CONNECT";
  const std::string target = fmt::format("{}:{}", url.host, url.port);
  std::string head = fmt::format("CONNECT {0} HTTP/1.1\r\nHost: {0}\r\n", target);
  if (!proxy_authorization.empty()) head += "Proxy-Authorization: " + proxy_authorization + "\r\n";
  connection.Write(head + "\r\n");
  std::string answer;
  char byte = 0;
  while (!answer.ends_with("\r\n\r\n")) {
    if (answer.size() > kMaxHead || connection.Read(std::span(&byte, 1)) == 0) {
      throw Failure(Code::kUnavailable, "the proxy broke off");
    }
    answer.push_back(byte);
  }
  if (answer.size() < 12 || answer[9] != '2') {
    throw Failure(Code::kUnavailable,
                  "the proxy refuses " + target + ": " + answer.substr(0, answer.find('\r')));
  }
}

Connection HttpClient::State::Connect(const Url& url) {
  const Url& first = proxy ? *proxy : url;
  Connection connection =
      ClientConnection::Open(first.host, first.port, options.connect_limit, options.stall_limit);
  if (proxy && proxy->https) connection->StartTls(Trust(), proxy->host);
  if (url.https) {
    if (proxy && proxy->https)
      throw Failure(Code::kInvalid, "https through an https proxy is not supported");
    if (proxy) AskProxy(*connection, url);
    connection->StartTls(Trust(), options.tls_name.empty() ? url.host : options.tls_name);
  }
  return connection;
}

ClientResponse HttpClient::State::Send(const ClientRequest& request, const Url& url) {
  const std::string server = (url.https ? "https " : "http ") + url.Authority();
  const bool absolute = proxy && !url.https;
  const std::string target = absolute ? "http://" + url.Authority() + url.target : url.target;
  const std::string head =
      FormatHead(request, url, target, absolute ? proxy_authorization : std::string());
  Connection connection = TakeIdle(server);
  const bool reused = connection != nullptr;
  if (!reused) connection = Connect(url);
  auto exchange = std::make_unique<Exchange>(*connection, request, options.max_body_bytes);
  ClientResponse response;
  try {
    response = exchange->Run(head);
  } catch (const Failure& failure) {
    // A server may end an idle connection just when we begin to use it.
    if (!reused || exchange->begun() || !MayRepeat(request)) throw;
    connection = Connect(url);
    exchange = std::make_unique<Exchange>(*connection, request, options.max_body_bytes);
    response = exchange->Run(head);
  }
  if (exchange->reusable()) PutBack(server, std::move(connection));
  return response;
}

Connection HttpClient::State::Switch(const ClientRequest& request, const Url& url,
                                     ClientResponse& answer) {
  Connection connection = Connect(url);
  connection->Write(FormatHead(request, url, url.target, std::string()));
  std::string head;
  char byte = 0;
  // One byte at a time: what follows a 101 belongs to the other protocol.
  while (!head.ends_with("\r\n\r\n")) {
    if (head.size() > kMaxHead || connection->Read(std::span(&byte, 1)) == 0) {
      throw Failure(Code::kUnavailable, "the server closed the connection before it answered");
    }
    head.push_back(byte);
  }
  ResponseParser parser([&](std::string_view piece) { answer.body.append(piece); }, false);
  size_t taken = parser.Feed(head);
  answer.status = parser.status();
  answer.headers = parser.headers();
  if (answer.status == 101) return connection;
  std::string rest = head.substr(taken);
  std::array<char, kBuffer> bytes;
  while (!parser.done() && answer.body.size() < kMaxHead) {
    size_t count = connection->Read(bytes);
    if (count == 0) break;
    rest.append(bytes.data(), count);
    rest.erase(0, parser.Feed(rest));
  }
  return nullptr;
}

Result<std::unique_ptr<ClientConnection>> HttpClient::Switch(const ClientRequest& request,
                                                             ClientResponse& answer) {
  std::optional<Url> url = ParseUrl(request.url);
  if (!url) return Error{Code::kInvalid, "", "bad URL: " + request.url};
  try {
    return state_->Switch(request, *url, answer);
  } catch (const Failure& failure) {
    return failure.error();
  }
}

Result<ClientResponse> HttpClient::Send(const ClientRequest& request) {
  std::optional<Url> url = ParseUrl(request.url);
  if (!url) return Error{Code::kInvalid, "", "bad URL: " + request.url};
  try {
    return state_->Send(request, *url);
  } catch (const Failure& failure) {
    return failure.error();
  }
}

}  // namespace fireweed::net
