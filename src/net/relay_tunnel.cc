#include "net/relay_tunnel.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "net/relay_messages.h"
#include "net/websocket.h"

namespace fireweed::net {
namespace {

constexpr size_t kReadPiece = 64 << 10;
constexpr size_t kCompactAt = 64 << 10;
// Received bytes per acknowledgement.
constexpr uint64_t kAckEvery = kMaxRelayData;
// Of a client that takes nothing: its connection counts as broken then.
constexpr std::chrono::milliseconds kClientStall{60'000};
// An instance may take its time: the tunnel's idle limit covers it.
constexpr std::chrono::hours kNoStall{24 * 365};

// A peer that vanished without a word is noticed after two minutes.
void KeepAlive(int fd) {
  int on = 1, idle = 60, interval = 15, probes = 4;
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
}

}  // namespace

// Bytes both ways until one side ends. Lives inside RelayTunnel::Run.
class RelayTunnel::Connection final : private Deadline {
 public:
  Connection(IoLoop& loop, Transport& client, Transport& upstream, RelayState& state,
             const RelayLimits& limits)
      : Deadline(loop),
        loop_(loop),
        client_(client),
        upstream_(upstream),
        state_(state),
        limits_(limits),
        acked_(loop),
        write_free_(loop) {
    Moved();
  }

  // `first` is the message that opens or resumes the tunnel.
  Task<void> Run(std::string first, std::string early) {
    Event done(loop_);
    bool sent = co_await Send(WebSocketOpcode::kBinary, std::move(first));
    if (sent) {
      Task<void> back = SendBackAndSignal(done);
      boost::asio::co_spawn(loop_.context(), std::move(back), boost::asio::detached);
      co_await TakeFromClient(std::move(early));
      ending_ = true;
      upstream_.Cancel();
      if (client_lost_) client_.Cancel();
      acked_.Signal();
      co_await done.Wait();
    }
  }

  // The client's connection broke and the instance's is whole.
  bool resumable() const { return client_lost_ && !upstream_over_; }
  // Breaks the client's connection. A pending write to the instance continues.
  void Detach() {
    client_lost_ = true;
    client_.Cancel();
  }

 private:
  void Moved() {
    if (!closing_) at = loop_.After(limits_.idle);
  }
  void Expire() override {
    upstream_over_ = true;  // too late to resume
    client_.Cancel();
    upstream_.Cancel();
  }

  // Frames of both directions' coroutines go out one after the other. False when the client is gone.
  Task<bool> Send(WebSocketOpcode opcode, std::string payload) {
    while (writing_) co_await write_free_.Wait();
    writing_ = true;
    std::string frame;
    AppendWebSocketFrame(frame, opcode, payload);
    bool sent = co_await client_.Write(frame, kClientStall);
    writing_ = false;
    write_free_.Signal();
    if (!sent) Detach();
    co_return sent;
  }

  // After this the client's frames are read and thrown away until it closes: unread bytes would turn the end of the
  // connection into a reset, which can overtake the data before it.
  Task<void> Close(uint16_t code, std::string_view why) {
    if (!closing_) {
      closing_ = true;
      at = loop_.After(limits_.closing);
      std::string payload = WebSocketClosePayload(code, why);
      co_await Send(WebSocketOpcode::kClose, std::move(payload));
    }
  }

  Task<void> TakeFromClient(std::string early) {
    std::vector<char> room(kReadPiece);
    in_ = std::move(early);
    bool going = co_await TakeFrames();
    while (going) {
      ReadOutcome outcome = co_await client_.Read(room, kNever);
      if (outcome.kind == ReadOutcome::Kind::kBytes) {
        Moved();
        in_.append(room.data(), outcome.bytes);
        going = co_await TakeFrames();
      } else {
        client_lost_ = true;
        going = false;
      }
    }
  }

  // Takes the whole frames of in_. False when nothing more is to be read.
  Task<bool> TakeFrames() {
    size_t taken = 0;
    bool going = true, more = true;
    while (going && more) {
      std::span<char> bytes(in_.data() + taken, in_.size() - taken);
      auto parsed = ParseWebSocketFrame(bytes, WebSocketPeer::kClient, kMaxRelayMessage);
      if (auto* frame = std::get_if<WebSocketFrame>(&parsed)) {
        taken += frame->size;
        going = co_await TakeFrame(*frame);
      } else if (auto* fault = std::get_if<WebSocketViolation>(&parsed)) {
        upstream_over_ = true;
        co_await Close(fault->close_code, fault->why);
        going = false;
      } else {
        more = false;
      }
    }
    in_.erase(0, taken);
    co_return going;
  }

  Task<bool> TakeFrame(WebSocketFrame frame) {
    bool going = true;
    switch (frame.opcode) {
      case WebSocketOpcode::kBinary:
        if (!closing_) going = co_await TakeMessage(frame.payload);
        break;
      case WebSocketOpcode::kPing: {
        std::string echo(frame.payload);
        if (!closing_) going = co_await Send(WebSocketOpcode::kPong, std::move(echo));
        break;
      }
      case WebSocketOpcode::kPong: break;
      case WebSocketOpcode::kClose:
        upstream_over_ = true;
        co_await Close(kCloseNormal, "");
        going = false;
        break;
      default:
        upstream_over_ = true;
        co_await Close(kCloseUnsupported, "binary messages only");
        going = false;
    }
    co_return going;
  }

  Task<bool> TakeMessage(std::string_view text) {
    std::optional<RelayMessage> message = ParseRelayMessage(text);
    std::string_view fault;
    bool going = true;
    if (!message) {
      fault = "malformed message";
    } else if (message->tag == RelayTag::kData) {
      going = co_await TakeData(message->bytes);
    } else if (message->tag == RelayTag::kAck && !TakeAck(message->count)) {
      fault = "ack of bytes that were not sent";
    }
    if (!fault.empty()) {
      upstream_over_ = true;
      co_await Close(kCloseProtocolError, fault);
      going = false;
    }
    co_return going;
  }

  Task<bool> TakeData(std::string_view bytes) {
    bool written = co_await upstream_.Write(bytes, kNoStall);
    Moved();
    bool going = true;
    if (!written) {
      // How much of it the instance took is not known: such a tunnel cannot be resumed.
      upstream_over_ = true;
      co_await Close(kCloseNormal, "the instance closed the connection");
    } else {
      state_.received += bytes.size();
      if (state_.received - told_ >= kAckEvery) {
        told_ = state_.received;
        std::string ack = FormatRelayCount(RelayTag::kAck, told_);
        going = co_await Send(WebSocketOpcode::kBinary, std::move(ack));
      }
    }
    co_return going;
  }

  bool TakeAck(uint64_t count) {
    if (count < state_.confirmed || count - state_.confirmed > sent_ - begin_) return false;
    begin_ += static_cast<size_t>(count - state_.confirmed);
    state_.confirmed = count;
    if (begin_ >= kCompactAt || begin_ == state_.unacked.size()) Compact();
    acked_.Signal();
    return true;
  }
  void Compact() {
    state_.unacked.erase(0, begin_);
    sent_ -= begin_;
    begin_ = 0;
  }

  Task<void> SendBackAndSignal(Event& done) {
    co_await SendBack();
    Compact();
    done.Signal();
  }

  Task<void> SendBack() {
    std::vector<char> room(kMaxRelayData);
    bool going = true;
    while (going && !ending_ && !closing_) {
      if (sent_ < state_.unacked.size()) {
        std::string_view piece = std::string_view(state_.unacked).substr(sent_, kMaxRelayData);
        sent_ += piece.size();  // before the wait: the client may acknowledge it at once
        std::string data = FormatRelayBytes(RelayTag::kData, piece);
        going = co_await Send(WebSocketOpcode::kBinary, std::move(data));
      } else if (state_.unacked.size() - begin_ >= limits_.window) {
        co_await acked_.Wait();
      } else {
        ReadOutcome outcome = co_await upstream_.Read(room, kNever);
        if (outcome.kind == ReadOutcome::Kind::kBytes) {
          state_.unacked.append(room.data(), outcome.bytes);
          Moved();
        } else {
          going = false;
        }
      }
    }
    if (!going && !ending_ && !client_lost_) {
      upstream_over_ = true;
      co_await Close(kCloseNormal, "the instance closed the connection");
    }
  }

  IoLoop& loop_;
  Transport& client_;
  Transport& upstream_;
  RelayState& state_;
  const RelayLimits& limits_;
  Event acked_;
  Event write_free_;
  std::string in_;    // received and not yet parsed
  size_t begin_ = 0;  // of state_.unacked: what comes before is acknowledged
  size_t sent_ = 0;   // of state_.unacked: what comes before was sent on this connection
  uint64_t told_ = state_.received;  // the last acknowledged count
  bool writing_ = false;
  bool closing_ = false;        // a close frame was sent
  bool ending_ = false;         // the client's side is done
  bool client_lost_ = false;    // its connection broke without a close frame
  bool upstream_over_ = false;  // the tunnel cannot be resumed
};

struct RelayTunnel::HandOverRequest {
  std::mutex mu;
  std::condition_variable answered;
  bool done = false;                // guarded by mu: answered, or no longer waited for
  std::optional<RelayState> state;  // guarded by mu
};

RelayTunnel::RelayTunnel(RelayTunnels& all, std::string head_lines, std::string caller,
                         std::string sid, RelayTarget target, RelayState state)
    : all_(all),
      head_lines_(std::move(head_lines)),
      caller_(std::move(caller)),
      sid_(std::move(sid)),
      target_(std::move(target)),
      resumed_(static_cast<bool>(state.upstream)),
      state_(std::move(state)) {
  all_.TakePlace(caller_);
}

RelayTunnel::~RelayTunnel() { all_.GivePlace(caller_); }

void RelayTunnel::Stop() {
  stopping_ = true;
  if (upstream_) upstream_->Cancel();
  if (parked_ != nullptr) parked_->Signal();
}

// False, after a close frame, when the instance refuses the connection.
Task<bool> RelayTunnel::Reach(IoLoop& loop, Transport& client) {
  if (resumed_) {
    upstream_ = std::make_unique<Transport>(loop, std::move(state_.upstream));
  } else {
    Tick deadline = loop.After(all_.limits_.connect);
    std::string address = target_.address;
    upstream_ = co_await Connect(loop, address, target_.port, deadline);
  }
  if (!upstream_) {
    std::string frame;
    AppendWebSocketFrame(frame, WebSocketOpcode::kClose,
                         WebSocketClosePayload(kCloseNoBackend, "failed to connect to backend"));
    co_await client.Write(frame, kClientStall);
  }
  co_return upstream_ != nullptr;
}

Task<void> RelayTunnel::Run(IoLoop& loop, Transport& client, std::string early) {
  std::shared_ptr<RelayTunnel> self = shared_from_this();
  loop_ = &loop;
  bool reached = co_await Reach(loop, client);
  if (reached && !stopping_) {
    KeepAlive(client.fd());
    KeepAlive(upstream_->fd());
    all_.Add(sid_, self);
    std::string first = resumed_ ? FormatRelayCount(RelayTag::kReconnectSuccessAck, state_.received)
                                 : FormatRelayBytes(RelayTag::kConnectSuccessSid, sid_);
    Connection connection(loop, client, *upstream_, state_, all_.limits_);
    connection_ = &connection;
    co_await connection.Run(std::move(first), std::move(early));
    connection_ = nullptr;
    if (connection.resumable() && !stopping_) {
      state_.upstream = upstream_->Release();
      upstream_.reset();
      co_await Park(loop);
    }
    all_.Remove(sid_, this);
  }
  upstream_.reset();
  state_.upstream.reset();
  ended_ = true;
  AnswerHandOver();
}

Task<void> RelayTunnel::Park(IoLoop& loop) {
  Event woken(loop);
  parked_ = &woken;
  bool handed_over = hand_over_ && AnswerHandOver();
  bool waiting = true;
  while (waiting && !handed_over && !stopping_) {
    waiting = co_await woken.WaitFor(all_.limits_.parked);
    if (hand_over_ && !stopping_) handed_over = AnswerHandOver();
  }
  parked_ = nullptr;
}

std::optional<RelayState> RelayTunnel::HandOver() {
  std::shared_ptr<HandOverRequest> request = std::make_shared<HandOverRequest>();
  loop_->Post([self = shared_from_this(), request] { self->BeginHandOver(request); });
  std::unique_lock lock(request->mu);
  request->answered.wait_for(lock, all_.limits_.hand_over, [&] { return request->done; });
  request->done = true;
  return std::move(request->state);
}

void RelayTunnel::BeginHandOver(std::shared_ptr<HandOverRequest> request) {
  hand_over_ = std::move(request);
  if (connection_ != nullptr) connection_->Detach();
  if (parked_ != nullptr) parked_->Signal();
  if (ended_) AnswerHandOver();
}

// Gives the state away unless the tunnel has ended. False when the other side has stopped waiting.
bool RelayTunnel::AnswerHandOver() {
  std::shared_ptr<HandOverRequest> request = std::move(hand_over_);
  if (!request) return false;
  std::lock_guard lock(request->mu);
  if (request->done) return false;
  if (!ended_) request->state = std::move(state_);
  request->done = true;
  request->answered.notify_all();
  return true;
}

}  // namespace fireweed::net
