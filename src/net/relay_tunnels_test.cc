// Tunnels over a live server: bytes both ways, back-pressure, bad clients, and a connection that breaks and is resumed.
#include "net/relay_tunnels.h"

#include <poll.h>
#include <sys/socket.h>

#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "base/error.h"
#include "net/relay_messages.h"
#include "net/test_http.h"
#include "net/websocket.h"

namespace fireweed::net {
namespace {

// A tunnel's client, frame by frame.
class TunnelClient {
 public:
  TunnelClient(uint16_t port, const std::string& target) : raw_(port) {
    raw_.Send("GET " + target +
              " HTTP/1.1\r\nHost: tunnel.cloudproxy.app\r\nUpgrade: websocket\r\n"
              "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
              "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
              "Sec-WebSocket-Protocol: relay.tunnel.cloudproxy.app\r\n\r\n");
    while (in_.find("\r\n\r\n") == std::string::npos && Fill()) {
    }
    status_ = in_.size() > 12 ? std::stoi(in_.substr(9, 3)) : 0;
    in_.erase(0, in_.find("\r\n\r\n") + 4);
  }

  int status() const { return status_; }
  void Send(std::string_view message, WebSocketOpcode opcode = WebSocketOpcode::kBinary) {
    std::string frame;
    AppendMaskedWebSocketFrame(frame, opcode, message, 0xa1b2c3d4);
    raw_.Send(frame);
  }
  void SendData(std::string_view bytes) { Send(FormatRelayBytes(RelayTag::kData, bytes)); }
  void SendAck(uint64_t count) { Send(FormatRelayCount(RelayTag::kAck, count)); }
  void SendRaw(std::string_view bytes) { raw_.Send(bytes); }

  // The payload of the next frame; "end" when the connection is over.
  std::string Next(WebSocketOpcode* opcode = nullptr) {
    while (true) {
      auto parsed = ParseWebSocketFrame(in_, WebSocketPeer::kServer, 1 << 20);
      if (auto* frame = std::get_if<WebSocketFrame>(&parsed)) {
        std::string payload(frame->payload);
        if (opcode) *opcode = frame->opcode;
        in_.erase(0, frame->size);
        return payload;
      }
      if (!Fill()) return "end";
    }
  }
  // Data until `size` bytes have come; acknowledges as gcloud does.
  std::string Data(size_t size, bool acknowledge = true) {
    std::string all;
    while (all.size() < size) {
      std::string text = Next();
      std::optional<RelayMessage> message = ParseRelayMessage(text);
      if (!message) break;
      if (message->tag != RelayTag::kData) continue;
      all += message->bytes;
      if (acknowledge) SendAck(received_ += message->bytes.size());
    }
    return all;
  }
  // The code of the close frame that comes sooner or later; 0 when none does.
  int CloseCode() {
    WebSocketOpcode opcode = WebSocketOpcode::kBinary;
    for (std::string payload; payload != "end";) {
      payload = Next(&opcode);
      if (opcode != WebSocketOpcode::kClose) continue;
      return static_cast<uint8_t>(payload[0]) << 8 | static_cast<uint8_t>(payload[1]);
    }
    return 0;
  }
  bool Silent(int milliseconds) {
    pollfd waiting{raw_.fd(), POLLIN, 0};
    return poll(&waiting, 1, milliseconds) == 0;
  }
  void Break() { raw_.Close(); }

 private:
  bool Fill() {
    char bytes[16384];
    ssize_t count = recv(raw_.fd(), bytes, sizeof bytes, 0);
    if (count > 0) in_.append(bytes, static_cast<size_t>(count));
    return count > 0;
  }
  RawClient raw_;
  std::string in_;
  uint64_t received_ = 0;
  int status_ = 0;
};

class RelayTunnelsTest : public testing::Test {
 protected:
  RelayTunnelsTest() {
    server_.dispatcher.handle = [this](const Request& request) -> Answer {
      std::string caller = request.Query("caller").value_or("user:ann@x");
      if (request.path == "/v4/reconnect") {
        return UpgradeAnswer(tunnels_.Resume(request, caller, request.Query("sid").value_or(""),
                                             std::stoull(request.Query("ack").value_or("0"))));
      }
      return UpgradeAnswer(tunnels_.Open(request, caller, {"127.0.0.1", port_, "projects/p"}));
    };
  }

  UniqueFd Accept() {
    pollfd waiting{listener_.get(), POLLIN, 0};
    EXPECT_EQ(poll(&waiting, 1, 10'000), 1);
    UniqueFd fd(accept(listener_.get(), nullptr, nullptr));
    timeval limit{10, 0};
    setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    return fd;
  }
  static std::string Read(int fd, size_t size) {
    std::string all(size, '\0');
    ssize_t count = recv(fd, all.data(), size, MSG_WAITALL);
    all.resize(count > 0 ? static_cast<size_t>(count) : 0);
    return all;
  }
  static void Write(int fd, std::string_view text) {
    ASSERT_EQ(send(fd, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  static std::string SidOf(TunnelClient& client) {
    return std::string(ParseRelayMessage(client.Next())->bytes);
  }
  void AwaitCount(int64_t count) {
    for (int tries = 0; tries < 1000 && tunnels_.count() != count; ++tries) {
      poll(nullptr, 0, 10);
    }
    EXPECT_EQ(tunnels_.count(), count);
  }

  SystemRandom random_;
  UniqueFd listener_ = ListenTcp("127.0.0.1", 0);
  uint16_t port_ = LocalPort(listener_.get());
  RelayTunnels tunnels_{random_,
                        {.per_caller = 2,
                         .parked = std::chrono::milliseconds(10'000),
                         .hand_over = std::chrono::milliseconds(5'000)}};
  TestServer server_;
};

TEST_F(RelayTunnelsTest, CarriesBothWaysAndClosesInOrder) {
  TunnelClient client(server_.port(), "/v4/connect");
  ASSERT_EQ(client.status(), 101);
  EXPECT_EQ(SidOf(client).size(), 48u);
  UniqueFd instance = Accept();
  client.SendData("SSH-2.0-client");
  EXPECT_EQ(Read(instance.get(), 14), "SSH-2.0-client");
  Write(instance.get(), "SSH-2.0-server");
  EXPECT_EQ(client.Data(14), "SSH-2.0-server");
  client.Send("echo", WebSocketOpcode::kPing);
  EXPECT_EQ(client.Next(), "echo");
  Write(instance.get(), "last words");
  instance.reset();
  EXPECT_EQ(client.Data(10), "last words");
  EXPECT_EQ(client.CloseCode(), kCloseNormal);
  client.Send(WebSocketClosePayload(kCloseNormal, ""), WebSocketOpcode::kClose);
  EXPECT_EQ(client.Next(), "end");
  AwaitCount(0);
}

TEST_F(RelayTunnelsTest, StopsReadingWhenTheClientDoesNotAcknowledge) {
  TunnelClient client(server_.port(), "/v4/connect");
  SidOf(client);
  UniqueFd instance = Accept();
  std::string much(4 << 20, 'x');
  std::thread writer([&] {
    for (std::string_view rest = much; !rest.empty();) {
      ssize_t count = send(instance.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
      if (count <= 0) break;
      rest.remove_prefix(static_cast<size_t>(count));
    }
  });
  const size_t window = client.Data(256 << 10, false).size();
  EXPECT_LT(window, (size_t{256} << 10) + kMaxRelayData);
  EXPECT_TRUE(client.Silent(200));
  client.SendAck(window);
  EXPECT_FALSE(client.Data(1, false).empty());
  client.Break();
  shutdown(instance.get(), SHUT_RDWR);
  writer.join();
}

TEST_F(RelayTunnelsTest, ReportsAPortThatNobodyListensOn) {
  listener_.reset();
  TunnelClient client(server_.port(), "/v4/connect");
  EXPECT_EQ(client.CloseCode(), kCloseNoBackend);
}

TEST_F(RelayTunnelsTest, RefusesBadMessages) {
  const std::string huge("\x82\xff\x00\x00\x00\x01\x00\x00\x00\x00", 10);
  for (const std::string& bad : {std::string("\x02"), FormatRelayCount(RelayTag::kAck, 5),
                                 FormatRelayBytes(RelayTag::kData, "abc") + "more"}) {
    TunnelClient client(server_.port(), "/v4/connect");
    SidOf(client);
    UniqueFd instance = Accept();
    client.Send(bad);
    EXPECT_EQ(client.CloseCode(), kCloseProtocolError);
    EXPECT_EQ(Read(instance.get(), 1), "");
    client.Break();
    AwaitCount(0);
  }
  TunnelClient client(server_.port(), "/v4/connect");
  client.SendRaw(huge);
  EXPECT_EQ(client.CloseCode(), kCloseTooLarge);
}

TEST_F(RelayTunnelsTest, LimitsTunnelsPerCaller) {
  TunnelClient first(server_.port(), "/v4/connect"), second(server_.port(), "/v4/connect");
  TunnelClient third(server_.port(), "/v4/connect");
  EXPECT_EQ(second.status(), 101);
  EXPECT_NE(third.status(), 101);
  TunnelClient other(server_.port(), "/v4/connect?caller=user:bob@x");
  EXPECT_EQ(other.status(), 101);
}

TEST_F(RelayTunnelsTest, ResumesWhereItBroke) {
  TunnelClient client(server_.port(), "/v4/connect");
  std::string sid = SidOf(client);
  UniqueFd instance = Accept();
  client.SendData("one");
  EXPECT_EQ(Read(instance.get(), 3), "one");
  Write(instance.get(), "seen and lost");
  EXPECT_EQ(client.Data(13, false), "seen and lost");
  client.Break();
  Write(instance.get(), ", and more");
  TunnelClient thief(server_.port(), "/v4/reconnect?caller=user:eve@x&ack=5&sid=" + sid);
  EXPECT_NE(thief.status(), 101);
  TunnelClient again(server_.port(), "/v4/reconnect?ack=5&sid=" + sid);
  ASSERT_EQ(again.status(), 101);
  std::string text = again.Next();
  EXPECT_EQ(ParseRelayMessage(text)->tag, RelayTag::kReconnectSuccessAck);
  EXPECT_EQ(ParseRelayMessage(text)->count, 3u);
  EXPECT_EQ(again.Data(18, false), "and lost, and more");
  again.SendAck(23);
  again.SendData("two");
  EXPECT_EQ(Read(instance.get(), 3), "two");
  // A connection that is not broken yet, as the server sees it, gives way as well.
  TunnelClient third(server_.port(), "/v4/reconnect?ack=23&sid=" + sid);
  ASSERT_EQ(third.status(), 101);
  EXPECT_EQ(ParseRelayMessage(third.Next())->count, 6u);
  Write(instance.get(), "end");
  EXPECT_EQ(third.Data(3, false), "end");
  third.Send(WebSocketClosePayload(kCloseNormal, ""), WebSocketOpcode::kClose);
  EXPECT_EQ(Read(instance.get(), 1), "");
  AwaitCount(0);
  TunnelClient late(server_.port(), "/v4/reconnect?ack=26&sid=" + sid);
  EXPECT_NE(late.status(), 101);
}

TEST_F(RelayTunnelsTest, EndsWithItsServer) {
  TunnelClient attached(server_.port(), "/v4/connect"), parked(server_.port(), "/v4/connect");
  SidOf(attached);
  SidOf(parked);
  parked.Break();
  server_.server().Close(server_.listener());
  EXPECT_EQ(tunnels_.count(), 0);
}

}  // namespace
}  // namespace fireweed::net
