// What for: one client's connection: requests in, responses out, in order; CONNECT; then the end.
// Threads: its loop's, except handlers, which run on the pool while the session waits. Stop and
// Drain on the loop. Owns: the socket and all buffers; they are reused from request to request. A
// failure: costs this connection, nothing else.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "net/forward.h"
#include "net/http_message.h"
#include "net/http_server.h"
#include "net/io_loop.h"
#include "net/request_parser.h"
#include "net/response_head.h"
#include "net/transport.h"
#include "net/worker_pool.h"

namespace fireweed::net {

struct Traffic {
  std::atomic<int64_t> connections{0}, requests{0}, inline_requests{0}, bytes_in{0}, bytes_out{0},
      refused{0};
};

// What all sessions of a server share; outlives them.
struct ServerContext {
  HttpLimits limits;
  const Clock& clock;
  Logger& log;
  WorkerPool& pool;
  Traffic& traffic;
  uint32_t id_prefix;  // random: request ids of two runs differ
  std::atomic<uint32_t> last_id{0};
};

class HttpSession final : public std::enable_shared_from_this<HttpSession> {
 public:
  // `listener` outlives the session.
  HttpSession(IoLoop& loop, UniqueFd socket, const ListenerConfig& listener, ServerContext& server);
  ~HttpSession() { DropHeld(); }

  IoLoop& loop() { return loop_; }
  Task<void> Run();
  // Ends as soon as no handler runs.
  void Stop();
  // Ends after the request at hand; at once when there is none.
  void Drain();

 private:
  // session_head.cc
  bool HeadIsThere();
  Task<bool> ReadHead();
  std::optional<Error> TakeHead();
  std::optional<Error> TakeTarget();
  std::optional<Error> TakeKnownHeaders();
  std::optional<Error> TakeKnownHeader(const RequestHeader& header);
  void TakeHost(std::string_view authority);
  void NameRequest();

  // session_deferred.cc
  Task<bool> AwaitDeferred(std::shared_ptr<Deferred> deferred);
  void WatchClient();
  void OnReadableWhileWaiting();

  // http_session.cc
  bool AnswerInline();
  Task<bool> SendFormatted();
  Task<bool> ServeSlowly();
  Task<bool> Dispatch();
  Task<bool> HandleWhole();
  void FinishRequest();
  Task<void> Linger();
  Task<bool> StartTls(std::string name);
  Task<void> OnPool(std::function<void()> work);
  Response Guarded(const std::function<Response()>& body);
  void CompressIfAsked();
  bool has_body() const { return chunked_ || body_left_ > 0; }

  // session_body.cc
  enum class Piece { kMore, kLast, kTooLate, kMalformed, kGone };
  Task<Piece> NextPiece();
  Task<Piece> NextChunkedPiece();
  Task<Piece> FillBodyBuffer(size_t room);
  Task<bool> SayContinue();
  Task<bool> ReadWhole(int64_t max_bytes);
  std::unique_ptr<BodySink> OpenSmallInline();
  Task<bool> StreamBody();
  Task<bool> RefusePiece(Piece piece);

  // session_forward.cc
  enum class Passage { kDone, kStale, kUnreachable, kBroken, kTooLate };
  std::shared_ptr<Forwarding> FindForward();
  Task<bool> ServeForward(std::shared_ptr<Forwarding> way);
  // Leaves the answer in response_, or what is wrong; false when nobody wants it any more.
  Task<bool> Forward(Forwarding& way);
  Task<bool> AwaitBackend(Forwarding& way, bool& given_up);
  Task<Passage> PassOn(Forwarding& way, const std::shared_ptr<Backend>& backend, bool fresh);
  std::unique_ptr<Transport> TakeHeld(const std::shared_ptr<Backend>& backend);
  std::unique_ptr<Transport> Reach(Backend& backend, bool fresh, bool& kept);
  void Keep(const std::shared_ptr<Backend>& backend, std::unique_ptr<Transport> there);
  void DropHeld();
  Task<bool> SendOn(Forwarding& way, Transport& there);
  Task<Passage> ReceiveFrom(Forwarding& way, Backend& backend, Transport& there, Passage early_end,
                            bool& reusable);
  ReadOutcome LookFor(Looking& looking, Transport& there, std::span<char> room);
  void RefuseForward(Forwarding& way, const Error& error);

  // session_send.cc
  HeadContext PlanHead();
  bool FormatSmall();
  std::string_view HttpDate();
  Task<bool> SendResponse();
  Task<bool> SendText(std::string_view body);
  Task<bool> SendSlice(const FileSlice& slice);
  Task<bool> SendSource(ByteSource& source, BodyFraming framing);
  Task<bool> ReadSource(ByteSource& source, std::span<std::byte> into, size_t& count);
  // Answers with an error that ends the connection.
  Task<bool> Refuse(int status, std::string_view message);
  Task<bool> SendError(const Error& error);

  // session_connect.cc
  Task<bool> ServeConnect();
  Task<bool> ServeTunnel(const Tunnel& tunnel);
  Task<Result<std::unique_ptr<Transport>>> OpenTunnel(const Tunnel& tunnel);
  Task<bool> RefuseProxy(Error error);
  Task<bool> ServeAbsolute();

  // session_upgrade.cc
  Task<bool> ServeUpgrade(std::shared_ptr<Upgrade> upgrade);

  IoLoop& loop_;
  const ListenerConfig& listener_;
  ServerContext& server_;
  Transport transport_;
  Event pool_done_;
  Event news_;                         // a deferred answer, a client that left, Stop or Drain
  Transport* upstream_ = nullptr;      // of a tunnel
  Upgrade* upgrade_ = nullptr;         // runs instead of HTTP
  Transport* passing_ = nullptr;       // to who answers a request that is passed on
  std::shared_ptr<Backend> held_for_;  // who the connection below leads to
  std::unique_ptr<Transport> held_;    // waits for this client's next request
  bool brisk_ = false;  // the last request was passed on, alone, and its answer came at once
  Looking next_;        // for the request after such a one
  bool stopping_ = false;
  bool draining_ = false;
  bool idle_ = false;         // waits for the first byte of a request
  bool first_ = true;         // no request was read yet
  std::string connect_name_;  // lower case: what an intercepted CONNECT asked for
  std::string connect_principal_;

  // Input: [begin_, begin_ + head_size_) is the head that request_ views, [tail_, end_) what came
  // after it.
  std::vector<char> in_;
  size_t begin_ = 0, tail_ = 0, end_ = 0;
  size_t head_size_ = 0, searched_ = 0;
  std::string ahead_;  // read while a deferred answer was awaited; belongs behind all else

  // The request at hand.
  RequestParser parser_;
  Request request_;
  Response response_;
  std::string host_;
  std::array<char, 16> id_;
  bool http11_ = true, keep_alive_ = true, head_request_ = false;
  bool chunked_ = false, expects_continue_ = false, takes_gzip_ = false;
  bool absolute_ = false;  // "GET http://host/...": a proxy request
  bool client_left_ = false, watching_ = false;
  int64_t body_left_ = 0;  // of a body with Content-Length
  bool body_done_ = true;
  std::vector<char> body_in_;  // raw body bytes; [0, body_have_)
  size_t body_have_ = 0;
  std::string decoded_;  // of a chunked body
  std::string_view piece_;
  std::string whole_;
  std::string passed_;       // what goes to who answers instead of us
  std::vector<char> heard_;  // what comes from there

  // Output.
  std::string out_;
  size_t sent_ = 0;  // of out_, by the inline path
  std::string date_;
  int64_t date_second_ = -1;
};

// The JSON shape of errors that the server answers by itself. `message` is shown as it is.
Response ProtocolError(int status, std::string_view message);

}  // namespace fireweed::net
