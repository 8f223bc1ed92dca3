#include "compute/name_server.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>

#include "compute/name_rules.h"
#include "compute/records.h"

namespace fireweed::compute {
namespace {

constexpr size_t kLargestPacket = 4096;
constexpr uint32_t kTtlSeconds = 5;  // instances come and go
constexpr int kPacketsPerTurn = 64;  // of one instance, before the others have theirs
constexpr uint16_t kDnsPort = 53;
constexpr int kPauseMillis = 1000;  // after a poll that failed

std::optional<sockaddr_in> ResolverAddress(const std::string& text) {
  size_t colon = text.find(':');
  std::optional<Ipv4Address> address = ParseIpv4(text.substr(0, colon));
  uint16_t port = kDnsPort;
  if (colon != std::string::npos) {
    std::from_chars(text.data() + colon + 1, text.data() + text.size(), port);
  }
  if (!address || port == 0) return std::nullopt;
  sockaddr_in out{.sin_family = AF_INET, .sin_port = htons(port)};
  std::copy(address->begin(), address->end(), reinterpret_cast<uint8_t*>(&out.sin_addr));
  return out;
}

void SendTo(int fd, const std::string& packet, const sockaddr_in& to) {
  // A full buffer loses the packet, as networks do; the asker asks again.
  [[maybe_unused]] ssize_t sent =
      sendto(fd, packet.data(), packet.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
             reinterpret_cast<const sockaddr*>(&to), sizeof to);
}

}  // namespace

NameServer::NameServer(const Catalog& catalog, Options options, const Clock& clock, Random& random,
                       Logger& log)
    : catalog_(catalog),
      options_(std::move(options)),
      clock_(clock),
      random_(random),
      log_(log),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!wake_) throw Failure(ErrnoError(errno, "eventfd"));
  thread_ = std::thread([this] { Run(); });
}

NameServer::~NameServer() {
  {
    std::lock_guard lock(mu_);
    stop_ = true;
  }
  Wake();
  thread_.join();
}

void NameServer::Wake() {
  uint64_t one = 1;
  [[maybe_unused]] ssize_t written = write(wake_.get(), &one, sizeof one);
}

int NameServer::Open(UniqueFd packets, UniqueFd streams, const Key& instance) {
  int number = 0;
  {
    std::lock_guard lock(mu_);
    number = ++last_number_;
    listeners_[number] =
        std::make_shared<Listener>(Listener{std::move(packets), std::move(streams), instance});
  }
  Wake();
  return number;
}

void NameServer::Close(int number) {
  std::shared_ptr<Listener> dropped;  // the descriptor goes when the thread has let go of it, too
  {
    std::lock_guard lock(mu_);
    auto found = listeners_.find(number);
    if (found == listeners_.end()) return;
    dropped = std::move(found->second);
    listeners_.erase(found);
  }
  Wake();
}

void NameServer::Run() {
  while (true) {
    Listeners listeners;
    {
      std::lock_guard lock(mu_);
      if (stop_) return;
      for (const auto& [number, listener] : listeners_) listeners.push_back(listener);
    }
    DropOrphans(listeners);
    Turn(listeners);
  }
}

void NameServer::DropOrphans(const Listeners& listeners) {
  auto orphan = [&](const std::shared_ptr<Listener>& listener) {
    return std::ranges::find(listeners, listener) == listeners.end();
  };
  std::erase_if(pending_, [&](const auto& pending) { return orphan(pending->asker.listener); });
  std::erase_if(connections_, [&](const std::shared_ptr<Connection>& connection) {
    // Nobody asks any more, and no answer is on its way.
    bool done = connection->stream.ended() && !connection->stream.has_output() &&
                connection.use_count() == 1;
    return done || connection->gone || orphan(connection->listener);
  });
}

void NameServer::Turn(const Listeners& listeners) {
  std::vector<pollfd> polled{{wake_.get(), POLLIN, 0}};
  size_t asked = pending_.size(), connected = connections_.size();
  for (const auto& pending : pending_) {
    bool stream = pending->stream.has_value();
    polled.push_back({stream ? pending->stream->fd() : pending->socket.get(),
                      stream ? pending->stream->events() : short{POLLIN}, 0});
  }
  for (const auto& connection : connections_) {
    polled.push_back({connection->stream.fd(), connection->stream.events(), 0});
  }
  for (const auto& listener : listeners) {
    polled.push_back({listener->packets.get(), POLLIN, 0});
    polled.push_back({listener->streams.get(), POLLIN, 0});
  }
  if (poll(polled.data(), polled.size(), WaitMillis()) < 0 && errno != EINTR) {
    log_.Error("name server cannot poll", {{"errno", errno}});
    // No memory, or more sockets than the process may have: both pass. Who wakes us is heard meanwhile.
    poll(polled.data(), 1, kPauseMillis);
  }
  uint64_t count = 0;
  while (read(wake_.get(), &count, sizeof count) > 0) {
  }
  // Replies first: what they free can be used for new questions, which are appended behind.
  size_t at = 1;
  for (size_t i = 0; i < asked; ++i, ++at) {
    if (polled[at].revents) TakeReply(*pending_[i], polled[at].revents);
  }
  CheckDeadlines();
  for (size_t i = 0; i < connected; ++i, ++at) {
    if (polled[at].revents) Talk(connections_[i], polled[at].revents);
  }
  for (const auto& listener : listeners) {
    if (polled[at++].revents & POLLIN) Receive(listener);
    if (polled[at++].revents & POLLIN) Accept(listener);
  }
}

int NameServer::WaitMillis() const {
  std::optional<Time> first;
  for (const auto& pending : pending_) {
    if (!first || pending->deadline < *first) first = pending->deadline;
  }
  for (const auto& connection : connections_) {
    if (!first || connection->deadline < *first) first = connection->deadline;
  }
  if (!first) return -1;
  auto left = std::chrono::ceil<std::chrono::milliseconds>(*first - clock_.Now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, 10'000));
}

void NameServer::Receive(const std::shared_ptr<Listener>& listener) {
  for (int i = 0; i < kPacketsPerTurn; ++i) {
    std::string packet(kLargestPacket, '\0');
    Asker asker{.listener = listener};
    socklen_t length = sizeof asker.address;
    ssize_t got = recvfrom(listener->packets.get(), packet.data(), packet.size(), MSG_DONTWAIT,
                           reinterpret_cast<sockaddr*>(&asker.address), &length);
    if (got < 0) return;
    packet.resize(static_cast<size_t>(got));
    AnswerSafely(asker, std::move(packet));
  }
}

void NameServer::Accept(const std::shared_ptr<Listener>& listener) {
  UniqueFd socket(accept4(listener->streams.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket) return;
  auto mine = std::ranges::count(connections_, listener, &Connection::listener);
  if (static_cast<size_t>(mine) >= options_.most_streams) return;
  connections_.push_back(std::make_shared<Connection>(
      Connection{DnsStream(std::move(socket)), listener, clock_.Now() + options_.idle}));
}

void NameServer::Talk(const std::shared_ptr<Connection>& connection, short revents) {
  if (!connection->stream.Turn(revents)) {
    connection->gone = true;
    return;
  }
  while (std::optional<std::string> packet = connection->stream.Take()) {
    connection->deadline = clock_.Now() + options_.idle;
    AnswerSafely({.listener = connection->listener, .connection = connection}, std::move(*packet));
  }
}

void NameServer::Reply(const Asker& asker, const std::string& packet) {
  if (!asker.connection) return SendTo(asker.listener->packets.get(), packet, asker.address);
  if (!asker.connection->stream.Queue(packet)) asker.connection->gone = true;
}

void NameServer::AnswerSafely(const Asker& asker, std::string packet) {
  try {
    Answer(asker, std::move(packet));
  } catch (const std::exception& error) {
    log_.Warning("name not answered",
                 {{"instance", asker.listener->instance}, {"error", error.what()}});
  }
}

void NameServer::Answer(const Asker& asker, std::string packet) {
  std::optional<DnsQuery> query = ParseDnsQuery(packet);
  if (!query) {
    if (auto refusal = MakeDnsRefusal(packet, DnsCode::kFormatError)) Reply(asker, *refusal);
    return;
  }
  const Key& instance = asker.listener->instance;
  NameVerdict verdict = DecideName(*query, instance.substr(0, instance.find('/')),
                                   [&](std::string_view name, std::string_view zone) {
                                     return FindInstance(instance, name, zone);
                                   });
  if (!verdict.forward) {
    Reply(asker, MakeDnsReply(packet, *query, verdict.code, verdict.addresses, kTtlSeconds));
    return;
  }
  auto pending = std::make_unique<Pending>();
  pending->asker = asker;
  pending->asker_id = query->id;
  pending->question = std::move(packet);
  pending->query = *query;
  if (pending_.size() < options_.most_pending) pending->untried = options_.resolvers();
  if (Ask(*pending)) {
    pending_.push_back(std::move(pending));
  } else {
    GiveUp(*pending);
  }
}

std::optional<Ipv4Address> NameServer::FindInstance(const Key& asker, std::string_view name,
                                                    std::string_view zone) const {
  Key project = asker.substr(0, asker.find('/') + 1);
  auto address_of = [](const InstanceRecord& record) -> std::optional<Ipv4Address> {
    if (record.resource.networkInterfaces.empty()) return std::nullopt;
    return ParseIpv4(record.resource.networkInterfaces.front().networkIP);
  };
  return Query(catalog_, [&](Txn& txn) -> std::optional<Ipv4Address> {
    if (!zone.empty()) {
      auto row = txn.Find<InstanceRecord>(project + std::string(zone) + "/" + std::string(name));
      return row ? address_of(row->value) : std::nullopt;
    }
    // The asker's own zone has the first say; names are unique in a zone only.
    Key own = asker.substr(0, asker.rfind('/') + 1) + std::string(name);
    if (auto row = txn.Find<InstanceRecord>(own)) return address_of(row->value);
    std::optional<Ipv4Address> found;
    txn.ForEach<InstanceRecord>({.prefix = project}, [&](const auto& row) {
      if (row.value.resource.name != name) return true;
      found = address_of(row.value);
      return false;
    });
    return found;
  });
}

bool NameServer::Ask(Pending& pending) {
  while (!pending.untried.empty()) {
    std::optional<sockaddr_in> resolver = ResolverAddress(pending.untried.front());
    pending.untried.erase(pending.untried.begin());
    if (!resolver) continue;
    SetDnsId(pending.question, static_cast<uint16_t>(random_.Next64()));
    bool sent =
        pending.asker.connection ? SendStream(pending, *resolver) : SendPacket(pending, *resolver);
    if (!sent) continue;
    pending.deadline = clock_.Now() + options_.patience;
    return true;
  }
  return false;
}

bool NameServer::SendPacket(Pending& pending, const sockaddr_in& resolver) {
  UniqueFd fd(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd ||
      connect(fd.get(), reinterpret_cast<const sockaddr*>(&resolver), sizeof resolver) != 0) {
    return false;
  }
  ssize_t sent = send(fd.get(), pending.question.data(), pending.question.size(), MSG_NOSIGNAL);
  pending.socket = std::move(fd);
  return sent >= 0;
}

bool NameServer::SendStream(Pending& pending, const sockaddr_in& resolver) {
  UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return false;
  int failed = connect(fd.get(), reinterpret_cast<const sockaddr*>(&resolver), sizeof resolver);
  if (failed != 0 && errno != EINPROGRESS) return false;
  pending.stream.emplace(std::move(fd));
  return pending.stream->Queue(pending.question);
}

// A reply that does not fit the question is dropped; a refused port makes the next resolver's turn come at once.
void NameServer::TakeReply(Pending& pending, short revents) {
  std::string packet;
  if (pending.stream) {
    bool there = pending.stream->Turn(revents);
    std::optional<std::string> message = pending.stream->Take();
    if (!there || (pending.stream->ended() && !message)) pending.deadline = Time{};
    if (!message) return;
    packet = std::move(*message);
  } else {
    packet.resize(kLargestPacket);
    ssize_t got = recv(pending.socket.get(), packet.data(), packet.size(), MSG_DONTWAIT);
    if (got < 0) {
      if (errno != EAGAIN && errno != EINTR) pending.deadline = Time{};
      return;
    }
    packet.resize(static_cast<size_t>(got));
  }
  if (!IsDnsReplyTo(packet, pending.question, pending.query)) return;
  SetDnsId(packet, pending.asker_id);
  Reply(pending.asker, packet);
  pending.answered = true;
}

void NameServer::GiveUp(const Pending& pending) {
  // pending.query.id still is the asker's.
  Reply(pending.asker,
        MakeDnsReply(pending.question, pending.query, DnsCode::kServerFailure, {}, 0));
}

void NameServer::CheckDeadlines() {
  Time now = clock_.Now();
  std::erase_if(pending_, [&](const std::unique_ptr<Pending>& pending) {
    if (pending->answered) return true;
    if (pending->deadline > now || Ask(*pending)) return false;
    GiveUp(*pending);
    return true;
  });
  for (const auto& connection : connections_) {
    if (connection->deadline <= now) connection->gone = true;
  }
}

std::vector<std::string> HostResolvers(const std::string& resolv_conf) {
  std::ifstream file(resolv_conf);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return ParseResolvConf(text);
}

}  // namespace fireweed::compute
