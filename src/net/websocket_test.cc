#include "net/websocket.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "net/relay_messages.h"

namespace fireweed::net {
namespace {

constexpr size_t kMost = 1 << 20;

template <class Kind>
Kind Parse(std::string& bytes, WebSocketPeer from = WebSocketPeer::kClient, size_t most = kMost) {
  auto parsed = ParseWebSocketFrame(bytes, from, most);
  EXPECT_TRUE(std::holds_alternative<Kind>(parsed)) << parsed.index();
  return std::get<Kind>(parsed);
}

TEST(WebSocketFrame, RoundTripsAtEveryLengthForm) {
  for (size_t size : {0, 1, 125, 126, 127, 65535, 65536, 70000}) {
    std::string payload(size, 'x');
    std::string masked, plain;
    AppendMaskedWebSocketFrame(masked, WebSocketOpcode::kBinary, payload, 0x12345678);
    AppendWebSocketFrame(plain, WebSocketOpcode::kBinary, payload);
    EXPECT_EQ(Parse<WebSocketFrame>(masked).payload, payload);
    WebSocketFrame frame = Parse<WebSocketFrame>(plain, WebSocketPeer::kServer);
    EXPECT_EQ(frame.payload, payload);
    EXPECT_EQ(frame.size, plain.size());
  }
}

TEST(WebSocketFrame, EveryPrefixNeedsMore) {
  std::string whole;
  AppendMaskedWebSocketFrame(whole, WebSocketOpcode::kBinary, std::string(200, 'y'), 7);
  for (size_t size = 0; size < whole.size(); ++size) {
    std::string part = whole.substr(0, size);
    Parse<NeedMoreBytes>(part);
  }
}

TEST(WebSocketFrame, RefusesWhatIsNotAllowed) {
  struct Case {
    std::string bytes;
    uint16_t code;
  };
  const std::string zero_mask(4, '\0');
  for (const Case& one : {
           Case{std::string("\x02\x80", 2) + zero_mask, kCloseProtocolError},  // a fragment
           Case{std::string("\x80\x80", 2) + zero_mask, kCloseProtocolError},  // a continuation
           Case{std::string("\xc2\x80", 2) + zero_mask, kCloseProtocolError},  // a reserved bit
           Case{std::string("\x83\x80", 2) + zero_mask, kCloseProtocolError},  // an unknown opcode
           Case{std::string("\x82\x00", 2), kCloseProtocolError},              // not masked
           Case{std::string("\x89\xfe\x01\x00", 4), kCloseProtocolError},      // a long ping
           Case{std::string("\x82\xff\xff\xff\xff\xff\xff\xff\xff\xff", 10), kCloseTooLarge},
       }) {
    std::string bytes = one.bytes;
    EXPECT_EQ(Parse<WebSocketViolation>(bytes).close_code, one.code);
  }
  std::string large;
  AppendMaskedWebSocketFrame(large, WebSocketOpcode::kBinary, std::string(101, 'z'), 1);
  EXPECT_EQ(Parse<WebSocketViolation>(large, WebSocketPeer::kClient, 100).close_code,
            kCloseTooLarge);
}

TEST(WebSocketHandshake, AnswersAsTheStandardShows) {
  EXPECT_EQ(WebSocketAcceptKey("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  Request request;
  request.method = "GET";
  request.headers = {{"Upgrade", "WebSocket"},
                     {"Connection", "keep-alive, Upgrade"},
                     {"Sec-WebSocket-Version", "13"},
                     {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="},
                     {"Sec-WebSocket-Protocol", "chat, relay.tunnel.cloudproxy.app"}};
  std::string lines = AcceptWebSocket(request, kRelaySubprotocol);
  EXPECT_NE(lines.find("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), std::string::npos);
  for (size_t drop = 0; drop < request.headers.size(); ++drop) {
    Request lacking = request;
    lacking.headers.erase(lacking.headers.begin() + static_cast<ptrdiff_t>(drop));
    EXPECT_THROW(AcceptWebSocket(lacking, kRelaySubprotocol), Failure) << drop;
  }
}

TEST(RelayMessages, RoundTripAndRefusal) {
  std::string data = FormatRelayBytes(RelayTag::kData, "hello");
  EXPECT_EQ(data, std::string("\x00\x04\x00\x00\x00\x05hello", 11));
  EXPECT_EQ(ParseRelayMessage(data)->bytes, "hello");
  std::string ack = FormatRelayCount(RelayTag::kAck, 0x0102030405060708);
  EXPECT_EQ(ack, std::string("\x00\x07\x01\x02\x03\x04\x05\x06\x07\x08", 10));
  EXPECT_EQ(ParseRelayMessage(ack)->count, 0x0102030405060708u);
  for (std::string_view broken : {"", "\x04", "\x00\x04"}) {
    EXPECT_FALSE(ParseRelayMessage(broken));
  }
  EXPECT_FALSE(ParseRelayMessage(data + "x"));
  EXPECT_FALSE(ParseRelayMessage(std::string_view(data).substr(0, 10)));
  EXPECT_FALSE(ParseRelayMessage(ack + "x"));
  EXPECT_TRUE(ParseRelayMessage(std::string("\x00\x63whatever", 10)));  // unknown: skipped
}

}  // namespace
}  // namespace fireweed::net
