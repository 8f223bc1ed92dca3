// The forwarder of a machine that uses another one's daemon; see cli/remote.h.
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/log.h"
#include "cli/remote.h"
#include "net/errors.h"
#include "net/google_connect_policy.h"
#include "net/http_server.h"
#include "net/request_target.h"
#include "net/url.h"

namespace fireweed::cli {
namespace {

// Whoever speaks plain HTTP to the forwarder is told what it is.
class NothingHere final : public net::Dispatcher {
 public:
  net::Answer Handle(const net::Request&) override {
    throw Failure(Code::kNotFound,
                  "this is a forwarder to a daemon on another host; use it as a proxy");
  }
  net::Response RenderError(const net::Request&, const Error& error) override {
    return net::JsonError(error);
  }
};

// One forwarder a directory: the lock goes with the process, however it ends.
UniqueFd Lock(const std::string& state) {
  std::string path = state + "/forwarder.lock";
  UniqueFd lock(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock) throw Failure(ErrnoError(errno, "open " + path));
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    throw Failure(Code::kUnavailable, fmt::format("another forwarder serves {}", state));
  }
  return lock;
}

// The port of before where it is free, so that shells that know it go on.
UniqueFd Listen(const Endpoint& endpoint) {
  size_t colon = endpoint.http.rfind(':');
  if (colon != std::string::npos) {
    try {
      int port = std::stoi(endpoint.http.substr(colon + 1));
      return net::ListenTcp("127.0.0.1", static_cast<uint16_t>(port));
    } catch (const Failure&) {
      // Taken meanwhile: another one, and `fireweed env` tells it to new shells.
    }
  }
  return net::ListenTcp("127.0.0.1", 0);
}

net::Tunnel TunnelTo(const std::string& server) {
  std::optional<net::Authority> authority = net::ParseAuthority(server);
  if (!authority || !authority->port) throw Failure(Code::kInvalid, server + " is not HOST:PORT");
  net::Tunnel tunnel;
  tunnel.host = std::string(authority->host);
  tunnel.port = *authority->port;
  return tunnel;
}

std::string Variable(const Context& context, const std::string& name) {
  bool changed = context.environment.contains("FIREWEED_ENV");
  auto it = context.environment.find(changed ? "FIREWEED_OLD_" + name : name);
  return it == context.environment.end() ? "" : it->second;
}

// The proxy that was set before `fireweed env` took its place.
std::optional<net::Upstream> EarlierProxy(const Context& context) {
  for (const char* name : {"HTTPS_PROXY", "https_proxy"}) {
    std::optional<net::Url> url = net::ParseUrl(Variable(context, name));
    if (!url || url->https) continue;
    net::Upstream upstream;
    upstream.address = fmt::format("{}:{}", url->host, url->port);
    if (!url->user_info.empty()) upstream.authorization = "Basic " + Base64Encode(url->user_info);
    return upstream;
  }
  return std::nullopt;
}

}  // namespace

void Forward(const Settings& settings, int ready_fd) {
  std::string state = settings.State();
  std::optional<Endpoint> endpoint = ReadEndpoint(state);
  if (!endpoint || endpoint->server.empty()) {
    throw Failure(Code::kPrecondition, fmt::format("{} names no server", state));
  }
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  sigaddset(&stop, SIGINT);
  pthread_sigmask(SIG_BLOCK, &stop, nullptr);
  UniqueFd lock = Lock(state);
  SystemClock clock;
  FdLogger log(STDERR_FILENO, clock, LogLevel::kInfo);
  std::string secret(Trim(ReadStateFile(state, kProxySecretFile)));
  net::GoogleConnectPolicy::Options options;
  options.admit = [&](std::string_view user, std::string_view given) -> std::optional<std::string> {
    bool known = user == kProxyUser && EqualConstantTime(given, secret);
    return known ? std::optional<std::string>("") : std::nullopt;
  };
  options.served_at = TunnelTo(endpoint->server);
  options.upstream = EarlierProxy(*settings.context);
  net::GoogleConnectPolicy policy(options);
  NothingHere nothing;
  net::HttpServer server({.io_threads = 1, .pool_threads = 1, .limits = {}}, clock, log);
  net::ListenerConfig listener;
  listener.socket = Listen(*endpoint);
  endpoint->http = fmt::format("127.0.0.1:{}", net::LocalPort(listener.socket.get()));
  endpoint->pid = getpid();
  endpoint->started = FormatTime(clock.Now());
  listener.dispatcher = &nothing;
  listener.connect = &policy;
  server.Open(std::move(listener));
  WriteEndpoint(state, *endpoint);
  log.Info("forwarder serves", {{"http", endpoint->http}, {"server", endpoint->server}});
  if (ready_fd >= 0 && write(ready_fd, "ready\n", 6) == 6) close(ready_fd);
  int signal = 0;
  sigwait(&stop, &signal);
}

}  // namespace fireweed::cli
