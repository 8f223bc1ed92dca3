#include "net/http_server.h"

#include <future>
#include <thread>

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "net/test_http.h"

namespace fireweed::net {
namespace {

std::string Get(std::string_view path, std::string_view more = "") {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: test\r\n" + std::string(more) + "\r\n";
}

// Answers with what it was asked.
Answer Echo(const Request& request) {
  return TextResponse(std::string(request.method) + " " + std::string(request.path) + "?" +
                      std::string(request.query) + " " + std::string(request.host) + " [" +
                      std::string(request.body) + "]");
}

TEST(HttpServer, AnswersAndKeepsTheConnection) {
  TestServer server;
  server.dispatcher.handle = Echo;
  RawClient client(server.port());
  for (int i = 0; i < 3; ++i) {
    client.Send("GET /a%2Fb?x=%20 HTTP/1.1\r\nHost: Some.Host:8080\r\n\r\n");
    ClientView view = client.Receive();
    EXPECT_EQ(view.status, 200);
    EXPECT_EQ(view.body, "GET /a%2Fb?x=%20 some.host []");
    EXPECT_EQ(view.headers["server"], "fireweed");
    EXPECT_EQ(view.headers["x-request-id"].size(), 16u);
    EXPECT_TRUE(view.headers["date"].ends_with(" GMT"));
  }
  EXPECT_EQ(server.server().counters().requests, 3);
  EXPECT_EQ(server.server().counters().connections, 1);
}

TEST(HttpServer, AnswersInlineWithoutThePool) {
  TestServer server;
  server.dispatcher.try_inline = [](const Request& request) -> std::optional<Response> {
    if (request.path != "/hot") return std::nullopt;
    return TextResponse("hot");
  };
  server.dispatcher.handle = [](const Request&) { return TextResponse("cold"); };
  RawClient client(server.port());
  client.Send(Get("/hot"));
  EXPECT_EQ(client.Receive().body, "hot");
  client.Send(Get("/other"));
  EXPECT_EQ(client.Receive().body, "cold");
  EXPECT_EQ(server.server().counters().inline_requests, 1);
}

TEST(HttpServer, AnswersPipelinedRequestsInOrder) {
  TestServer server;
  server.dispatcher.handle = Echo;
  server.dispatcher.try_inline = [](const Request& request) -> std::optional<Response> {
    if (request.path != "/inline") return std::nullopt;
    return TextResponse("inline");
  };
  RawClient client(server.port());
  client.Send(
      "POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc" + Get("/inline") +
      "POST /2 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nxy\r\n0\r\n\r\n" +
      Get("/3") + "\r\n" + Get("/inline"));
  EXPECT_EQ(client.Receive().body, "POST /1? a [abc]");
  EXPECT_EQ(client.Receive().body, "inline");
  EXPECT_EQ(client.Receive().body, "POST /2? a [xy]");
  EXPECT_EQ(client.Receive().body, "GET /3? test []");
  EXPECT_EQ(client.Receive().body, "inline");
}

TEST(HttpServer, TakesARequestByteByByte) {
  TestServer server;
  server.dispatcher.handle = Echo;
  RawClient client(server.port());
  for (char c : std::string("PUT /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                            "5;ext=1\r\nhello\r\n6\r\n world\r\n0\r\nTrailer: t\r\n\r\n")) {
    client.Send(std::string_view(&c, 1));
  }
  EXPECT_EQ(client.Receive().body, "PUT /x? a [hello world]");
}

TEST(HttpServer, MendsTensorFlowsFraming) {
  TestServer server;
  server.dispatcher.handle = Echo;
  RawClient client(server.port());
  client.Send(
      "PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n0\r\n\r\n");
  EXPECT_EQ(client.Receive().body, "PUT /x? a [abc]");
  client.Send(
      "POST /y HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nTransfer-Encoding: identity\r\n\r\n");
  EXPECT_EQ(client.Receive().body, "POST /y? a []");
}

TEST(HttpServer, MendsBotosChunks) {
  const std::string head = "PUT /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string body = "3;\r\nabc\r\nc;\r\n0;\r\n56789abc\r\n1;\r\n!\r\n0\r\n\r\n";
  for (size_t step : {size_t{1}, size_t{7}, head.size() + body.size()}) {
    TestServer server;
    server.dispatcher.handle = Echo;
    RawClient client(server.port());
    std::string all = head + body;
    for (size_t at = 0; at < all.size(); at += step) client.Send(all.substr(at, step));
    EXPECT_EQ(client.Receive().body, "PUT /x? a [abc0;\r\n56789abc!]") << step;
  }
  TestServer server;
  server.dispatcher.handle = Echo;
  RawClient client(server.port());
  client.Send(head + "3;;\r\nabc\r\n0\r\n\r\n");
  EXPECT_EQ(client.Receive().status, 400);
}

TEST(HttpServer, SaysContinueBeforeTheBody) {
  TestServer server;
  server.dispatcher.handle = Echo;
  RawClient client(server.port());
  client.Send("PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.Receive().status, 100);
  client.Send("ok");
  EXPECT_EQ(client.Receive().body, "PUT /x? a [ok]");
}

TEST(HttpServer, RefusesBeforeContinue) {
  TestServer server;
  server.dispatcher.plan_body = [](const Request&) -> BodyPlan {
    throw Failure(Code::kDenied, "not you");
  };
  RawClient client(server.port());
  client.Send("PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  ClientView view = client.Receive();
  EXPECT_EQ(view.status, 403);
  EXPECT_EQ(view.body, "denied: not you");
  EXPECT_EQ(view.headers["connection"], "close");
  EXPECT_TRUE(client.AtEnd());
}

TEST(HttpServer, AnswersHeadWithoutABody) {
  TestServer server;
  server.dispatcher.handle = Echo;
  RawClient client(server.port());
  client.Send("HEAD /x HTTP/1.1\r\nHost: a\r\n\r\n" + Get("/next"));
  ClientView view = client.Receive(true);
  EXPECT_EQ(view.headers["content-length"], std::to_string(std::string("HEAD /x? a []").size()));
  EXPECT_EQ(client.Receive().body, "GET /next? test []");
}

TEST(HttpServer, SpeaksHttp10) {
  TestServer server;
  server.dispatcher.handle = Echo;
  RawClient client(server.port());
  client.Send("GET /x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  ClientView view = client.Receive();
  EXPECT_EQ(view.headers["connection"], "keep-alive");
  EXPECT_EQ(view.body, "GET /x?  []");
  client.Send("GET /y HTTP/1.0\r\n\r\n");
  EXPECT_EQ(client.Receive().body, "GET /y?  []");
  EXPECT_TRUE(client.AtEnd());
}

TEST(HttpServer, ClosesWhenAsked) {
  TestServer server;
  server.dispatcher.handle = Echo;
  RawClient client(server.port());
  client.Send(Get("/x", "Connection: close\r\n"));
  EXPECT_EQ(client.Receive().headers["connection"], "close");
  EXPECT_TRUE(client.AtEnd());
}

TEST(HttpServer, OverridesTheMethodOfPost) {
  TestServer server;
  server.dispatcher.handle = Echo;
  RawClient client(server.port());
  client.Send(
      "POST /x HTTP/1.1\r\nHost: a\r\nX-HTTP-Method-Override: PATCH\r\nContent-Length: 1\r\n\r\nz");
  EXPECT_EQ(client.Receive().body, "PATCH /x? a [z]");
}

TEST(HttpServer, RendersFailuresAndSurprises) {
  TestServer server;
  server.dispatcher.handle = [](const Request& request) -> Answer {
    if (request.path == "/failure") throw Failure(Code::kNotFound, "no such thing");
    throw std::runtime_error("secret detail");
  };
  RawClient client(server.port());
  client.Send(Get("/failure"));
  EXPECT_EQ(client.Receive().body, "not_found: no such thing");
  client.Send(Get("/surprise"));
  ClientView view = client.Receive();
  EXPECT_EQ(view.status, 500);
  EXPECT_EQ(view.body, "internal: internal error");
}

TEST(HttpServer, HandsInlineTheWholeBody) {
  TestServer server;
  server.dispatcher.try_inline = [](const Request& request) -> std::optional<Response> {
    return TextResponse("inline " + std::string(request.body));
  };
  RawClient client(server.port());
  client.Send("POST /predict HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc");
  EXPECT_EQ(client.Receive().body, "inline abc");
}

TEST(HttpServer, CompressesTextOnRequest) {
  TestServer server;
  server.dispatcher.handle = [](const Request&) { return TextResponse(std::string(20'000, 'a')); };
  RawClient client(server.port());
  client.Send(Get("/x", "Accept-Encoding: gzip, deflate\r\n") + Get("/x"));
  ClientView packed = client.Receive();
  EXPECT_EQ(packed.headers["content-encoding"], "gzip");
  EXPECT_LT(packed.body.size(), 500u);
  ClientView plain = client.Receive();
  EXPECT_FALSE(plain.headers.contains("content-encoding"));
  EXPECT_EQ(plain.body.size(), 20'000u);
}

}  // namespace
}  // namespace fireweed::net
