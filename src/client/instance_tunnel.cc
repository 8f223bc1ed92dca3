#include "client/instance_tunnel.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/error.h"
#include "net/http_client.h"
#include "net/relay_messages.h"
#include "net/websocket.h"

namespace fireweed {
namespace {

using net::RelayTag;
using net::WebSocketOpcode;

constexpr size_t kPiece = 16 << 10;
constexpr size_t kMaxQueued = 256 << 10;
// The server acknowledges and sends small frames besides data.
constexpr size_t kMaxFrame = 64 << 10;
constexpr uint64_t kAckEvery = 2 * net::kMaxRelayData;
constexpr size_t kKeyBytes = 16;

std::string HandshakeKey(Random& random) {
  std::array<std::byte, kKeyBytes> bytes;
  random.Fill(bytes);
  return Base64Encode(AsText(bytes));
}

void SetNonBlocking(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

bool WouldBlock() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

InstanceTunnel::InstanceTunnel(RestClient& client, const TunnelDestination& destination) {
  const std::string key = HandshakeKey(random_);
  net::ClientRequest request;
  request.url = fmt::format("/v4/connect?project={}&zone={}&instance={}&interface=nic0&port={}",
                            PercentEncode(destination.project), PercentEncode(destination.zone),
                            PercentEncode(destination.instance), destination.port);
  request.headers = {{"Host", "tunnel.cloudproxy.app"},
                     {"Upgrade", "websocket"},
                     {"Connection", "Upgrade"},
                     {"Sec-WebSocket-Version", "13"},
                     {"Sec-WebSocket-Key", key},
                     {"Sec-WebSocket-Protocol", std::string(net::kRelaySubprotocol)}};
  connection_ = client.Switch(std::move(request));
  std::array<char, kPiece> bytes;
  while (!open_ && !remote_ended_) {
    size_t count = connection_->Read(bytes);
    if (count == 0) remote_ended_ = true;
    in_.append(bytes.data(), count);
    if (!TakeMessages()) remote_ended_ = true;
  }
  if (open_) return;
  throw Failure(Code::kUnavailable, fmt::format("cannot connect to port {} of {}", destination.port,
                                                destination.instance));
}

void InstanceTunnel::Queue(std::string_view message) {
  net::AppendMaskedWebSocketFrame(queued_, WebSocketOpcode::kBinary, message,
                                  static_cast<uint32_t>(random_.Next64()));
}

// False when the other side has closed.
bool InstanceTunnel::TakeMessages() {
  size_t taken = 0;
  bool going = true;
  while (going) {
    std::span<char> bytes(in_.data() + taken, in_.size() - taken);
    auto parsed = net::ParseWebSocketFrame(bytes, net::WebSocketPeer::kServer, kMaxFrame);
    auto* frame = std::get_if<net::WebSocketFrame>(&parsed);
    if (frame == nullptr) {
      going = std::holds_alternative<net::NeedMoreBytes>(parsed);
      break;
    }
    taken += frame->size;
    if (frame->opcode == WebSocketOpcode::kClose) going = false;
    if (frame->opcode != WebSocketOpcode::kBinary) continue;
    std::optional<net::RelayMessage> message = net::ParseRelayMessage(frame->payload);
    if (!message) going = false;
    if (message && message->tag == RelayTag::kConnectSuccessSid) open_ = true;
    if (message && message->tag == RelayTag::kData) TakeData(message->bytes);
  }
  in_.erase(0, taken);
  return going;
}

void InstanceTunnel::TakeData(std::string_view bytes) {
  local_.append(bytes);
  received_ += bytes.size();
}

void InstanceTunnel::ReadLocal(int in) {
  std::array<char, net::kMaxRelayData> bytes;
  ssize_t count = read(in, bytes.data(), bytes.size());
  if (count > 0) {
    Queue(net::FormatRelayBytes(RelayTag::kData, {bytes.data(), static_cast<size_t>(count)}));
  } else if (count == 0 || !WouldBlock()) {
    local_ended_ = true;
    net::AppendMaskedWebSocketFrame(queued_, WebSocketOpcode::kClose,
                                    net::WebSocketClosePayload(net::kCloseNormal, ""),
                                    static_cast<uint32_t>(random_.Next64()));
  }
}

// Bytes count as received once they are written: that is the back-pressure.
void InstanceTunnel::WriteLocal(int out) {
  while (!local_.empty()) {
    ssize_t count = write(out, local_.data(), local_.size());
    if (count < 0 && WouldBlock()) break;
    if (count <= 0) {
      remote_ended_ = true;  // the reader has closed
      local_.clear();
      return;
    }
    local_.erase(0, static_cast<size_t>(count));
  }
  const uint64_t written = received_ - local_.size();
  if (written - acknowledged_ < kAckEvery) return;
  acknowledged_ = written;
  Queue(net::FormatRelayCount(RelayTag::kAck, written));
}

void InstanceTunnel::ReadRemote() {
  std::array<char, kPiece> bytes;
  while (local_.size() < kMaxQueued) {
    std::optional<size_t> count = connection_->TryRead(bytes);
    if (!count) {
      remote_ended_ = true;
      return;
    }
    if (*count == 0) return;
    in_.append(bytes.data(), *count);
    if (!TakeMessages()) {
      remote_ended_ = true;
      return;
    }
  }
}

void InstanceTunnel::WriteRemote() {
  while (true) {
    if (sending_.empty()) sending_ = std::exchange(queued_, {});
    if (sending_.empty()) return;
    size_t count = connection_->TryWrite(sending_);
    if (count == 0) return;
    sending_.erase(0, count);
  }
}

void InstanceTunnel::Run(int in, int out) {
  SetNonBlocking(in);
  SetNonBlocking(out);
  while (true) {
    WriteLocal(out);
    if (remote_ended_ && local_.empty()) return;
    // Also without a sign from poll: TLS may hold bytes that were read before there was room for them.
    if (!remote_ended_) ReadRemote();
    if (!remote_ended_) WriteRemote();
    const bool flushed = queued_.empty() && sending_.empty();
    if (local_ended_ && flushed) return;
    const bool may_read = !local_ended_ && !remote_ended_ && queued_.size() < kMaxQueued;
    const bool room = local_.size() < kMaxQueued;
    short remote = static_cast<short>((room ? POLLIN : 0) | (flushed ? 0 : POLLOUT));
    pollfd polls[] = {{may_read ? in : -1, POLLIN, 0},
                      {local_.empty() ? -1 : out, POLLOUT, 0},
                      {remote_ended_ ? -1 : connection_->fd(), remote, 0}};
    if (poll(polls, 3, -1) < 0 && errno != EINTR) throw Failure(ErrnoError(errno, "poll"));
    if (polls[0].revents != 0) ReadLocal(in);
  }
}

}  // namespace fireweed
