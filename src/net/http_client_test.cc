#include "net/http_client.h"

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "net/test_http.h"
#include "net/test_tls.h"

namespace fireweed::net {
namespace {

Answer Echo(const Request& request) {
  return TextResponse(std::string(request.method) + " " + std::string(request.target) + " [" +
                      std::string(request.body) + "]");
}

std::string Url(uint16_t port, std::string_view path) {
  return "http://127.0.0.1:" + std::to_string(port) + std::string(path);
}

// Hands out `text` in small pieces.
class TextSource final : public ByteSource {
 public:
  TextSource(std::string text, bool sized) : text_(std::move(text)), sized_(sized) {}
  Result<size_t> Read(std::span<std::byte> out) override {
    size_t count = std::min<size_t>({out.size(), 997, text_.size() - at_});
    std::memcpy(out.data(), text_.data() + at_, count);
    at_ += count;
    return count;
  }
  std::optional<int64_t> size() const override {
    return sized_ ? std::optional<int64_t>(text_.size()) : std::nullopt;
  }

 private:
  std::string text_;
  bool sized_;
  size_t at_ = 0;
};

TEST(HttpClient, ReusesItsConnection) {
  TestServer server;
  server.dispatcher.handle = Echo;
  HttpClient client({});
  for (int i = 0; i < 5; ++i) {
    ClientRequest request;
    request.method = i % 2 == 0 ? "GET" : "POST";
    request.body = i % 2 == 0 ? "" : "text";
    request.url = Url(server.port(), "/a%2Fb?c=d");
    ClientResponse response = client.Send(request).value();
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, i % 2 == 0 ? "GET /a%2Fb?c=d []" : "POST /a%2Fb?c=d [text]");
  }
  EXPECT_EQ(server.server().counters().connections, 1);
}

TEST(HttpClient, ConnectsAgainWhenTheServerHasHungUp) {
  TestServer server;
  server.dispatcher.handle = [](const Request& request) {
    Response response = std::get<Response>(Echo(request));
    response.close = request.path == "/close";
    return response;
  };
  HttpClient client({});
  ClientRequest request;
  for (const char* path : {"/close", "/a", "/close", "/b"}) {
    request.url = Url(server.port(), path);
    EXPECT_EQ(client.Send(request).value().status, 200);
  }
  EXPECT_EQ(server.server().counters().connections, 3);
}

TEST(HttpClient, StreamsUpSizedAndChunked) {
  TestServer server;
  server.dispatcher.handle = Echo;
  HttpClient client({});
  for (bool sized : {true, false}) {
    TextSource source("a body of some length", sized);
    ClientRequest request;
    request.method = "PUT";
    request.url = Url(server.port(), "/up");
    request.source = &source;
    EXPECT_EQ(client.Send(request).value().body, "PUT /up [a body of some length]");
  }
}

TEST(HttpClient, StreamsDownWhatSucceedsAndCollectsErrors) {
  TestServer server;
  server.dispatcher.handle = [](const Request& request) {
    Response response;
    response.status = request.path == "/bad" ? 404 : 200;
    response.body = std::make_unique<TextSource>(std::string(100'000, 'x'), false);
    return response;
  };
  HttpClient client({});
  std::string taken;
  ClientRequest request;
  request.sink = [&](std::span<const std::byte> piece) { taken += AsText(piece); };
  request.url = Url(server.port(), "/good");
  EXPECT_EQ(client.Send(request).value().body, "");
  EXPECT_EQ(taken, std::string(100'000, 'x'));
  request.url = Url(server.port(), "/bad");
  EXPECT_EQ(client.Send(request).value().body.size(), 100'000u);
}

TEST(HttpClient, AnswersHeadWithoutWaitingForABody) {
  TestServer server;
  server.dispatcher.handle = Echo;
  HttpClient client({});
  ClientRequest request;
  request.method = "HEAD";
  request.url = Url(server.port(), "/x");
  ClientResponse response = client.Send(request).value();
  EXPECT_EQ(response.Header("Content-Length"), "10");
  EXPECT_EQ(response.body, "");
}

class BrokenSource final : public ByteSource {
 public:
  Result<size_t> Read(std::span<std::byte> out) override {
    if (std::exchange(done_, true)) return Error{Code::kInternal, "", "disk on fire"};
    return std::min<size_t>(out.size(), 10);
  }
  std::optional<int64_t> size() const override { return 1000; }

 private:
  bool done_ = false;
};

TEST(HttpClient, TellsABrokenOffResponseFromAWholeOne) {
  TestServer server;
  server.dispatcher.handle = [](const Request&) {
    Response response;
    response.body = std::make_unique<BrokenSource>();
    return response;
  };
  HttpClient client({});
  ClientRequest request;
  request.url = Url(server.port(), "/x");
  Result<ClientResponse> result = client.Send(request);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kUnavailable);
}

TEST(HttpClient, NamesWhatItCannotReach) {
  UniqueFd socket = ListenTcp("127.0.0.1", 0);
  uint16_t port = LocalPort(socket.get());
  socket.reset();
  HttpClient client({});
  ClientRequest request;
  request.url = Url(port, "/");
  Result<ClientResponse> result = client.Send(request);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kUnavailable);
  EXPECT_NE(result.error().message.find("127.0.0.1:" + std::to_string(port)), std::string::npos);
  request.url = "ftp://x/";
  EXPECT_EQ(client.Send(request).error().code, Code::kInvalid);
}

TEST(HttpClient, GivesUpOnASilentServer) {
  UniqueFd socket = ListenTcp("127.0.0.1", 0);
  HttpClient::Options options;
  options.stall_limit = std::chrono::milliseconds(50);
  HttpClient client(options);
  ClientRequest request;
  request.url = Url(LocalPort(socket.get()), "/");
  EXPECT_EQ(client.Send(request).error().message, "the server did not answer in time");
}

// Says of each request whether it came by TLS; the port of the listener that speaks it.
uint16_t OpenSecure(TestServer& server, TestAuthority& authority) {
  server.dispatcher.handle = [](const Request& request) {
    return TextResponse(request.tls ? "secure" : "plain");
  };
  ListenerConfig config;
  config.tls = true;
  config.certificates = authority.certificates();
  return server.Open(std::move(config));
}

TEST(HttpClient, TrustsItsAuthorityAndNoOther) {
  TestAuthority ours, other;
  TestServer server;
  uint16_t port = OpenSecure(server, ours);
  HttpClient::Options options;
  options.ca_file = ours.ca_file();
  HttpClient client(options);
  ClientRequest request;
  for (const char* host : {"127.0.0.1", "localhost"}) {
    request.url = "https://" + std::string(host) + ":" + std::to_string(port) + "/";
    EXPECT_EQ(client.Send(request).value().body, "secure") << host;
  }
  options.ca_file = other.ca_file();
  HttpClient stranger(options);
  EXPECT_EQ(stranger.Send(request).error().code, Code::kUnavailable);
}

// Where OpenSSL looks for the system's authorities.
void PutSystemAuthorities(const std::string& file) {
  // NOHOUSE(getenv): the library has no other setting for it
  setenv("SSL_CERT_FILE", file.c_str(), 1);
}

// A daemon has such clients from its start, and would wait for the system's long list each time.
TEST(HttpClient, ReadsTheSystemsAuthoritiesWhenItFirstNeedsThem) {
  TestAuthority ours;
  TestServer server;
  const uint16_t secure = OpenSecure(server, ours);
  const uint16_t plain = server.port();
  PutSystemAuthorities("/nonexistent");
  HttpClient client({});
  ClientRequest request;
  request.url = Url(plain, "/");
  EXPECT_EQ(client.Send(request).value().body, "plain");
  PutSystemAuthorities(ours.ca_file());
  request.url = "https://localhost:" + std::to_string(secure) + "/";
  EXPECT_EQ(client.Send(request).value().body, "secure");
}

}  // namespace
}  // namespace fireweed::net
