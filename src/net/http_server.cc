#include "net/http_server.h"

#include <sys/socket.h>

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <unordered_set>
#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/random.h"
#include "net/http_session.h"

namespace fireweed::net {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

constexpr auto kToken = asio::as_tuple(asio::use_awaitable);
constexpr std::chrono::milliseconds kAcceptPause{100};  // when descriptors have run out
constexpr std::chrono::milliseconds kRefusalLimit{1'000};
constexpr int kMaxRefusals = 64;  // connections over the cap that are told so at the same time

}  // namespace

// Tells whoever waits that a session or an acceptor has ended, of whatever listener.
struct Ends {
  std::mutex mu;
  std::condition_variable changed;
  void Announce() {
    { std::lock_guard lock(mu); }  // whoever looks and then waits cannot miss it
    changed.notify_all();
  }
};

// A listening socket, its acceptors (one per loop, on duplicates of the socket) and its sessions.
struct Listener {
  ListenerConfig config;
  std::mutex mu;
  bool closed = false;                                                      // guarded by mu
  int acceptors = 0;                                                        // guarded by mu
  std::unordered_set<std::shared_ptr<HttpSession>> sessions;                // guarded by mu
  std::vector<std::pair<IoLoop*, std::shared_ptr<tcp::acceptor>>> sockets;  // constant after Open

  bool Add(const std::shared_ptr<HttpSession>& session) {
    std::lock_guard lock(mu);
    if (!closed) sessions.insert(session);
    return !closed;
  }
  void Remove(const std::shared_ptr<HttpSession>& session) {
    std::lock_guard lock(mu);
    sessions.erase(session);
  }
  bool IsQuiet() {
    std::lock_guard lock(mu);
    return sessions.empty() && acceptors == 0;
  }
  // Each session's `ask` is called on its loop.
  void TellSessions(void (HttpSession::*ask)()) {
    std::lock_guard lock(mu);
    for (const auto& session : sessions)
      session->loop().Post([session, ask] { ((*session).*ask)(); });
  }
};

struct HttpServer::State {
  State(Options options, const Clock& clock, Logger& log)
      : pool(options.pool_threads), context{options.limits,
                                            clock,
                                            log,
                                            pool,
                                            traffic,
                                            static_cast<uint32_t>(SystemRandom().Next64())} {
    for (int i = 0; i < std::max(1, options.io_threads); ++i) {
      loops.push_back(std::make_unique<IoLoop>());
    }
  }

  Task<void> Accept(std::shared_ptr<Listener> listener, IoLoop& loop,
                    std::shared_ptr<tcp::acceptor> acceptor);
  Task<void> Serve(std::shared_ptr<Listener> listener, std::shared_ptr<HttpSession> session);
  Task<void> TurnAway(IoLoop& loop, UniqueFd socket, bool tls);
  void Welcome(const std::shared_ptr<Listener>& listener, IoLoop& loop, UniqueFd socket);
  std::vector<std::shared_ptr<Listener>> Listeners();

  Ends ends;
  Traffic traffic;
  std::vector<std::unique_ptr<IoLoop>> loops;
  WorkerPool pool;  // ends before the loops: its last job may still be posting to one
  ServerContext context;
  std::atomic<int> open{0};      // connections
  std::atomic<int> refusing{0};  // connections over the cap
  std::mutex mu;
  std::map<int, std::shared_ptr<Listener>> listeners;  // guarded by mu
  int last_number = 0;                                 // guarded by mu
};

HttpServer::HttpServer(Options options, const Clock& clock, Logger& log)
    : state_(std::make_unique<State>(options, clock, log)) {}

HttpServer::~HttpServer() {
  std::vector<int> numbers;
  {
    std::lock_guard lock(state_->mu);
    for (const auto& [number, listener] : state_->listeners) numbers.push_back(number);
  }
  for (int number : numbers) Close(number);
}

std::vector<std::shared_ptr<Listener>> HttpServer::State::Listeners() {
  std::lock_guard lock(mu);
  std::vector<std::shared_ptr<Listener>> all;
  for (const auto& [number, listener] : listeners) all.push_back(listener);
  return all;
}

int HttpServer::Open(ListenerConfig config) {
  auto listener = std::make_shared<Listener>();
  listener->config = std::move(config);
  int family = AF_INET;
  socklen_t size = sizeof family;
  int socket = listener->config.socket.get();
  getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &family, &size);
  for (const auto& loop : state_->loops) {
    auto acceptor = std::make_shared<tcp::acceptor>(loop->context());
    acceptor->assign(family == AF_INET6 ? tcp::v6() : tcp::v4(), dup(socket));
    listener->sockets.emplace_back(loop.get(), acceptor);
  }
  listener->acceptors = static_cast<int>(listener->sockets.size());
  for (const auto& [loop, acceptor] : listener->sockets) {
    Task<void> accept = state_->Accept(listener, *loop, acceptor);
    asio::co_spawn(loop->context(), std::move(accept), asio::detached);
  }
  std::lock_guard lock(state_->mu);
  state_->listeners[++state_->last_number] = listener;
  return state_->last_number;
}

namespace {

// No session is added afterwards.
void StopAccepting(Listener& listener) {
  {
    std::lock_guard lock(listener.mu);
    listener.closed = true;
  }
  for (const auto& [loop, acceptor] : listener.sockets) {
    loop->Post([acceptor = acceptor] {
      boost::system::error_code ignored;
      acceptor->close(ignored);
    });
  }
}

}  // namespace

void HttpServer::Close(int number) {
  std::shared_ptr<Listener> listener;
  {
    std::lock_guard lock(state_->mu);
    auto found = state_->listeners.find(number);
    if (found == state_->listeners.end()) return;
    listener = found->second;
    state_->listeners.erase(found);
  }
  StopAccepting(*listener);
  listener->config.socket.reset();
  listener->TellSessions(&HttpSession::Stop);
  std::unique_lock lock(state_->ends.mu);
  state_->ends.changed.wait(lock, [&] { return listener->IsQuiet(); });
}

bool HttpServer::Drain(std::chrono::milliseconds limit) {
  std::vector<std::shared_ptr<Listener>> all = state_->Listeners();
  for (const auto& listener : all) {
    StopAccepting(*listener);
    listener->TellSessions(&HttpSession::Drain);
  }
  auto quiet = [&] {
    return std::all_of(all.begin(), all.end(),
                       [](const auto& listener) { return listener->IsQuiet(); });
  };
  std::unique_lock lock(state_->ends.mu);
  return state_->ends.changed.wait_for(lock, limit, quiet);
}

HttpServer::Counters HttpServer::counters() const {
  const Traffic& traffic = state_->traffic;
  return {traffic.connections, traffic.requests,  traffic.inline_requests,
          traffic.bytes_in,    traffic.bytes_out, traffic.refused,
          state_->open};
}

Task<void> HttpServer::State::Accept(std::shared_ptr<Listener> listener, IoLoop& loop,
                                     std::shared_ptr<tcp::acceptor> acceptor) {
  Event pause(loop);
  while (acceptor->is_open()) {
    auto [error, socket] = co_await acceptor->async_accept(kToken);
    if (!error) {
      UniqueFd fd(socket.release());
      Welcome(listener, loop, std::move(fd));
    } else if (acceptor->is_open()) {
      context.log.Warning("accept failed", {{"why", error.message()}});
      co_await pause.WaitFor(kAcceptPause);
    }
  }
  {
    std::lock_guard lock(listener->mu);
    --listener->acceptors;
  }
  ends.Announce();
}

void HttpServer::State::Welcome(const std::shared_ptr<Listener>& listener, IoLoop& loop,
                                UniqueFd socket) {
  traffic.connections.fetch_add(1, std::memory_order_relaxed);
  if (open.fetch_add(1) >= context.limits.max_connections) {
    --open;
    traffic.refused.fetch_add(1, std::memory_order_relaxed);
    if (refusing.load() >= kMaxRefusals) return;
    Task<void> refusal = TurnAway(loop, std::move(socket), listener->config.tls);
    asio::co_spawn(loop.context(), std::move(refusal), asio::detached);
    return;
  }
  auto session = std::make_shared<HttpSession>(loop, std::move(socket), listener->config, context);
  if (!listener->Add(session)) {
    --open;
    return;
  }
  Task<void> service = Serve(listener, session);
  asio::co_spawn(loop.context(), std::move(service), asio::detached);
}

Task<void> HttpServer::State::Serve(std::shared_ptr<Listener> listener,
                                    std::shared_ptr<HttpSession> session) {
  try {
    co_await session->Run();
  } catch (const std::exception& failure) {
    context.log.Error("session failed", {{"what", failure.what()}});
  }
  --open;
  listener->Remove(session);
  ends.Announce();
}

Task<void> HttpServer::State::TurnAway(IoLoop& loop, UniqueFd socket, bool tls) {
  ++refusing;
  Transport transport(loop, std::move(socket));
  if (!tls) {
    Response response = ProtocolError(503, "too many connections");
    const std::string& body = std::get<std::string>(response.body);
    HeadContext head;
    head.framing = {BodyFraming::Kind::kLength, static_cast<int64_t>(body.size())};
    head.keep_alive = false;
    std::string date = FormatHttpDate(context.clock.Now());
    head.date = date;
    std::string text;
    AppendHead(text, response, head);
    text += body;
    transport.TryWrite(text);
  }
  transport.ShutdownSend();
  std::vector<char> scrap(4 << 10);
  Tick deadline = loop.After(kRefusalLimit);
  ReadOutcome outcome{ReadOutcome::Kind::kBytes, 0};
  while (outcome.kind == ReadOutcome::Kind::kBytes) {
    outcome = co_await transport.Read(scrap, deadline);
  }
  --refusing;
}

}  // namespace fireweed::net
