#include "net/response_head.h"

#include <gtest/gtest.h>

namespace fireweed::net {
namespace {

using Kind = BodyFraming::Kind;

TEST(ResponseHead, WritesOneBlock) {
  Response response;
  response.Add("Content-Type", "text/plain");
  std::string out;
  AppendHead(out, response, {{Kind::kLength, 5}, true, true, "DATE", "id-1"});
  EXPECT_EQ(out,
            "HTTP/1.1 200 OK\r\nServer: fireweed\r\nDate: DATE\r\nX-Request-Id: id-1\r\n"
            "Content-Type: text/plain\r\nContent-Length: 5\r\n\r\n");
}

TEST(ResponseHead, LeavesOutWhatTheServerDecides) {
  Response response;
  response.status = 404;
  for (const char* name : {"Date", "server", "CONNECTION", "Content-Length", "transfer-encoding"}) {
    response.Add(name, "mine");
  }
  std::string out;
  AppendHead(out, response, {{Kind::kChunked, 0}, false, true, "D", ""});
  EXPECT_EQ(out,
            "HTTP/1.1 404 Not Found\r\nServer: fireweed\r\nDate: D\r\n"
            "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n");
}

TEST(ResponseHead, LetsNoValueStartANewLine) {
  Response response;
  response.Add("Location", "/a\r\nSet-Cookie: x\n");
  std::string out;
  AppendHead(out, response, {{Kind::kNone, 0}, true, true, "D", ""});
  EXPECT_NE(out.find("Location: /aSet-Cookie: x\r\n"), std::string::npos);
}

TEST(ResponseHead, AddsLinesThatAreReady) {
  Response response;
  response.Add("A", "1");
  response.head_lines = std::make_shared<const std::string>("B: 2\r\nC: 3\r\n");
  std::string out;
  AppendHead(out, response, {{Kind::kLength, 0}, true, true, "D", ""});
  EXPECT_EQ(out,
            "HTTP/1.1 200 OK\r\nServer: fireweed\r\nDate: D\r\n"
            "A: 1\r\nB: 2\r\nC: 3\r\nContent-Length: 0\r\n\r\n");
}

TEST(ResponseHead, SaysKeepAliveToOldClients) {
  std::string out;
  AppendHead(out, Response(), {{Kind::kLength, 0}, true, false, "D", ""});
  EXPECT_TRUE(out.starts_with("HTTP/1.0 200 OK"));
  EXPECT_NE(out.find("Connection: keep-alive\r\n"), std::string::npos);
}

struct EndlessSource : ByteSource {
  Result<size_t> Read(std::span<std::byte> out) override { return out.size(); }
};

TEST(Framing, FollowsBodyAndRequest) {
  Response text;
  text.body = std::string("hello");
  EXPECT_EQ(PlanFraming(text, false, true).length, 5);
  text.status = 204;
  EXPECT_EQ(PlanFraming(text, false, true).kind, Kind::kNone);
  Response stream;
  stream.body = std::make_unique<EndlessSource>();
  EXPECT_EQ(PlanFraming(stream, false, true).kind, Kind::kChunked);
  EXPECT_EQ(PlanFraming(stream, false, false).kind, Kind::kUntilClose);
}

TEST(Framing, LetsHeadStateALengthWithoutABody) {
  Response response;
  response.Add("Content-Length", "1234");
  EXPECT_EQ(PlanFraming(response, true, true).length, 1234);
  EXPECT_EQ(PlanFraming(response, false, true).length, 0);
}

}  // namespace
}  // namespace fireweed::net
