// CONNECT, absolute-form requests and TLS against real sockets.
#include <poll.h>
#include <sys/socket.h>

#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include "base/bytes.h"
#include "net/client_connection.h"
#include "net/google_connect_policy.h"
#include "net/http_client.h"
#include "net/test_http.h"
#include "net/test_tls.h"

namespace fireweed::net {
namespace {

// Sends a test's made-up host names to local ports, so that no test needs the network.
class ScriptedPolicy final : public ConnectPolicy {
 public:
  std::function<ConnectVerdict(const Request&, std::string_view, uint16_t)> decide;
  std::function<bool(std::string_view)> may_reach = [](std::string_view) { return true; };

  ConnectVerdict Decide(const Request& request, std::string_view host, uint16_t port) override {
    return decide(request, host, port);
  }
  bool MayReach(const Origin&, std::string_view address) override { return may_reach(address); }
};

class Connect : public testing::Test {
 protected:
  Connect() {
    server_.dispatcher.handle = [](const Request& request) {
      return TextResponse((request.tls ? "https " : "http ") + std::string(request.host) + " " +
                          std::string(request.target));
    };
    ListenerConfig config;
    config.connect = &policy_;
    config.certificates = authority_.certificates();
    proxy_port_ = server_.Open(std::move(config));
  }

  HttpClient ThroughProxy(std::string user = "") {
    HttpClient::Options options;
    options.ca_file = authority_.ca_file();
    options.proxy = "http://" + user + "127.0.0.1:" + std::to_string(proxy_port_);
    return HttpClient(options);
  }
  static ClientRequest Get(std::string url) {
    ClientRequest request;
    request.url = std::move(url);
    return request;
  }

  TestAuthority authority_;
  ScriptedPolicy policy_;
  TestServer server_;
  uint16_t proxy_port_ = 0;
};

TEST_F(Connect, EndsTlsHereForInterceptedHosts) {
  policy_.decide = [](const Request&, std::string_view host, uint16_t) -> ConnectVerdict {
    EXPECT_EQ(host, "storage.googleapis.com");
    return Intercept{};
  };
  HttpClient client = ThroughProxy();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(client.Send(Get("https://Storage.googleapis.com/b?x=1")).value().body,
              "https storage.googleapis.com /b?x=1");
  }
  EXPECT_EQ(server_.server().counters().connections, 1);
}

TEST_F(Connect, RefusesNamesOutsideTheAllowList) {
  policy_.decide = [](const Request&, std::string_view, uint16_t) { return Intercept{}; };
  EXPECT_FALSE(ThroughProxy().Send(Get("https://example.com/")));
}

TEST_F(Connect, TakesWhatCameWithTheRequest) {
  policy_.decide = [](const Request&, std::string_view, uint16_t) { return Intercept{}; };
  RawClient client(proxy_port_);
  client.Send(
      "CONNECT a.googleapis.com:80 HTTP/1.1\r\nHost: a\r\n\r\n"
      "GET /early HTTP/1.1\r\nHost: a.googleapis.com\r\n\r\n");
  EXPECT_EQ(client.Receive(true).status, 200);
  EXPECT_EQ(client.Receive().body, "http a.googleapis.com /early");
}

TEST_F(Connect, TakesAHandshakeThatCameWithTheRequest) {
  policy_.decide = [](const Request&, std::string_view, uint16_t) { return Intercept{}; };
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  SslPtr ssl(SSL_new(context.get()));
  BIO* out = BIO_new(BIO_s_mem());
  SSL_set_bio(ssl.get(), BIO_new(BIO_s_mem()), out);
  ASSERT_NE(SSL_connect(ssl.get()), 1);
  char* hello = nullptr;
  long size = BIO_get_mem_data(out, &hello);
  RawClient client(proxy_port_);
  client.Send("CONNECT a.googleapis.com:443 HTTP/1.1\r\nHost: a\r\n\r\n" +
              std::string(hello, size));
  std::string answer;
  char byte = 0;
  while (!answer.ends_with("\r\n\r\n") && recv(client.fd(), &byte, 1, 0) == 1) answer += byte;
  SSL_set_fd(ssl.get(), client.fd());
  EXPECT_EQ(SSL_connect(ssl.get()), 1);
}

TEST_F(Connect, AsksForTheProxySecret) {
  GoogleConnectPolicy::Options options;
  options.admit = [](std::string_view user, std::string_view secret) -> std::optional<std::string> {
    if (user != "ann" || secret != "pw") return std::nullopt;
    return "";
  };
  GoogleConnectPolicy google(options);
  policy_.decide = [&](const Request& request, std::string_view host, uint16_t port) {
    return google.Decide(request, host, port);
  };
  RawClient client(proxy_port_);
  client.Send("CONNECT storage.googleapis.com:443 HTTP/1.1\r\nHost: x\r\n\r\n");
  ClientView view = client.Receive();
  EXPECT_EQ(view.status, 407);
  EXPECT_EQ(view.headers["proxy-authenticate"], "Basic realm=\"fireweed\"");
  EXPECT_TRUE(ThroughProxy("ann:pw@").Send(Get("https://storage.googleapis.com/")));
  EXPECT_FALSE(ThroughProxy("ann:no@").Send(Get("https://storage.googleapis.com/")));
}

TEST_F(Connect, TunnelsBothWaysWithHalfClosedEnds) {
  UniqueFd listening = ListenTcp("127.0.0.1", 0);
  uint16_t port = LocalPort(listening.get());
  policy_.decide = [&](const Request&, std::string_view, uint16_t) -> ConnectVerdict {
    return Tunnel{"127.0.0.1", port, std::nullopt};
  };
  RawClient client(proxy_port_);
  client.Send("CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\nearly ");
  pollfd incoming{listening.get(), POLLIN, 0};
  ASSERT_EQ(poll(&incoming, 1, 10'000), 1);
  UniqueFd accepted(accept(listening.get(), nullptr, nullptr));
  EXPECT_EQ(client.Receive(true).status, 200);
  client.Send("hello");
  client.ShutdownSend();
  std::string seen;
  char bytes[100];
  for (ssize_t n; (n = recv(accepted.get(), bytes, sizeof bytes, 0)) > 0;) seen.append(bytes, n);
  EXPECT_EQ(seen, "early hello");  // and the end of our direction arrived
  ASSERT_EQ(send(accepted.get(), "answer", 6, 0), 6);
  accepted.reset();
  EXPECT_EQ(client.ReceiveAll(), "answer");
}

TEST_F(Connect, ChecksTheAddressThatANameLeadsTo) {
  policy_.decide = [](const Request&, std::string_view, uint16_t) -> ConnectVerdict {
    return Tunnel{"localhost", 9, std::nullopt};
  };
  std::vector<std::string> asked;
  policy_.may_reach = [&](std::string_view address) {
    asked.push_back(std::string(address));
    return false;
  };
  RawClient client(proxy_port_);
  client.Send("CONNECT innocent.example:443 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.Receive().status, 403);
  ASSERT_FALSE(asked.empty());
  EXPECT_TRUE(asked[0] == "127.0.0.1" || asked[0] == "::1");
}

TEST_F(Connect, SaysWhichHostCannotBeReached) {
  UniqueFd closed = ListenTcp("127.0.0.1", 0);
  uint16_t port = LocalPort(closed.get());
  closed.reset();
  policy_.decide = [&](const Request&, std::string_view, uint16_t) -> ConnectVerdict {
    return Tunnel{"127.0.0.1", port, std::nullopt};
  };
  RawClient client(proxy_port_);
  client.Send("CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n");
  ClientView view = client.Receive();
  EXPECT_EQ(view.status, 404);
  EXPECT_NE(view.body.find("127.0.0.1"), std::string::npos);
}

TEST_F(Connect, GoesThroughTheProxyThatWasSetBefore) {
  // The first proxy sends everything to the second, which intercepts.
  ScriptedPolicy first;
  std::string seen;
  first.decide = [&](const Request&, std::string_view host, uint16_t port) -> ConnectVerdict {
    return Tunnel{std::string(host), port,
                  Upstream{"127.0.0.1:" + std::to_string(proxy_port_), "Basic eA=="}};
  };
  policy_.decide = [&](const Request& request, std::string_view, uint16_t) -> ConnectVerdict {
    seen = request.Header("Proxy-Authorization").value_or("");
    return Intercept{};
  };
  ListenerConfig config;
  config.connect = &first;
  uint16_t port = server_.Open(std::move(config));
  HttpClient::Options options;
  options.ca_file = authority_.ca_file();
  options.proxy = "http://127.0.0.1:" + std::to_string(port);
  HttpClient client(options);
  EXPECT_EQ(client.Send(Get("https://no-such-name.googleapis.com/x")).value().body,
            "https no-such-name.googleapis.com /x");
  EXPECT_EQ(seen, "Basic eA==");
}

TEST_F(Connect, RefusesWhatIsNoAuthority) {
  policy_.decide = [](const Request&, std::string_view, uint16_t) { return Intercept{}; };
  for (const char* target :
       {"example.org", "http://example.org:443", "u@h:443", "h:0", "h:99999", "/"}) {
    RawClient client(proxy_port_);
    client.Send("CONNECT " + std::string(target) + " HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(client.Receive().status, 400) << target;
  }
}

TEST_F(Connect, IsRefusedWhereThereIsNoPolicy) {
  RawClient client(server_.port());
  client.Send("CONNECT a:443 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.Receive().status, 405);
}

TEST_F(Connect, SignsInRequestsOfAnInterceptedConnectionWithAPrincipal) {
  policy_.decide = [](const Request&, std::string_view, uint16_t) {
    return Intercept{"user:ann@x"};
  };
  server_.dispatcher.handle = [](const Request& request) {
    return TextResponse("[" + std::string(request.proxy_principal) + "]");
  };
  EXPECT_EQ(ThroughProxy().Send(Get("https://storage.googleapis.com/")).value().body,
            "[user:ann@x]");
  RawClient client(proxy_port_);
  client.Send("GET http://storage.googleapis.com/ HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.Receive().body, "[user:ann@x]");
  client.Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.Receive().body, "[]") << "only the request that brought the secret";
}

TEST_F(Connect, ServesAbsoluteFormOnlyForInterceptedHosts) {
  policy_.decide = [](const Request&, std::string_view host, uint16_t port) -> ConnectVerdict {
    EXPECT_EQ(port, 80);
    if (host == "storage.googleapis.com") return Intercept{};
    return Tunnel{std::string(host), port, std::nullopt};
  };
  RawClient client(proxy_port_);
  client.Send("GET http://Storage.googleapis.com/x?y=z HTTP/1.1\r\nHost: ignored\r\n\r\n");
  EXPECT_EQ(client.Receive().body, "http storage.googleapis.com /x?y=z");
  client.Send("GET http://example.org/x HTTP/1.1\r\nHost: example.org\r\n\r\n");
  ClientView view = client.Receive();
  EXPECT_EQ(view.status, 405);
  EXPECT_NE(view.body.find("no_proxy"), std::string::npos);
}

class Tls : public Connect {
 protected:
  Tls() {
    ListenerConfig config;
    config.tls = true;
    config.certificates = authority_.certificates();
    tls_port_ = server_.Open(std::move(config));
    context_ = std::shared_ptr<SSL_CTX>(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
    SSL_CTX_load_verify_locations(context_.get(), authority_.ca_file().c_str(), nullptr);
    SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
  }

  uint16_t tls_port_ = 0;
  std::shared_ptr<SSL_CTX> context_;
};

TEST_F(Tls, ResumesSessionsAndPrefersHttp11) {
  std::shared_ptr<SSL_SESSION> session;
  constexpr unsigned char kOffer[] = "\x02h2\x08http/1.1";
  SSL_CTX_set_alpn_protos(context_.get(), kOffer, sizeof kOffer - 1);
  for (int round = 0; round < 2; ++round) {
    RawClient raw(tls_port_);
    SslPtr ssl(SSL_new(context_.get()));
    SSL_set_tlsext_host_name(ssl.get(), "storage.googleapis.com");
    SSL_set1_host(ssl.get(), "storage.googleapis.com");
    SSL_set_fd(ssl.get(), raw.fd());
    if (session) SSL_set_session(ssl.get(), session.get());
    ASSERT_EQ(SSL_connect(ssl.get()), 1);
    const unsigned char* protocol = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(ssl.get(), &protocol, &size);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(protocol), size), "http/1.1");
    std::string request = "GET /t HTTP/1.1\r\n\r\n";
    request.insert(request.size() - 2, "Host: storage.googleapis.com\r\nConnection: close\r\n");
    ASSERT_GT(SSL_write(ssl.get(), request.data(), static_cast<int>(request.size())), 0);
    std::string answer(4096, '\0');
    int count = SSL_read(ssl.get(), answer.data(), static_cast<int>(answer.size()));
    ASSERT_GT(count, 0);
    EXPECT_NE(answer.find("https storage.googleapis.com /t"), std::string::npos);
    EXPECT_EQ(SSL_session_reused(ssl.get()), round);
    SSL_shutdown(ssl.get());  // a session that ends without a goodbye is not resumed
    session = std::shared_ptr<SSL_SESSION>(SSL_get1_session(ssl.get()), SSL_SESSION_free);
  }
}

TEST_F(Tls, FailsForNamesThatAreNotOurs) {
  RawClient raw(tls_port_);
  SslPtr ssl(SSL_new(context_.get()));
  SSL_set_tlsext_host_name(ssl.get(), "example.com");
  SSL_set_fd(ssl.get(), raw.fd());
  EXPECT_NE(SSL_connect(ssl.get()), 1);
}

TEST_F(Tls, RefusesClientsThatInsistOnHttp2AndOldTls) {
  constexpr unsigned char kOffer[] = "\x02h2";
  {
    RawClient raw(tls_port_);
    SslPtr ssl(SSL_new(context_.get()));
    SSL_set_alpn_protos(ssl.get(), kOffer, sizeof kOffer - 1);
    SSL_set_fd(ssl.get(), raw.fd());
    EXPECT_NE(SSL_connect(ssl.get()), 1);
  }
  RawClient raw(tls_port_);
  SslPtr ssl(SSL_new(context_.get()));
  SSL_set_min_proto_version(ssl.get(), TLS1_VERSION);
  SSL_set_max_proto_version(ssl.get(), TLS1_1_VERSION);
  SSL_set_fd(ssl.get(), raw.fd());
  EXPECT_NE(SSL_connect(ssl.get()), 1);
}

TEST_F(Tls, SurvivesPlainHttpAndGarbageOnItsPort) {
  RawClient plain(tls_port_);
  plain.Send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  plain.ReceiveAll();
  HttpClient::Options options;
  options.ca_file = authority_.ca_file();
  HttpClient client(options);
  EXPECT_TRUE(client.Send(Get("https://localhost:" + std::to_string(tls_port_) + "/")));
}

}  // namespace
}  // namespace fireweed::net
