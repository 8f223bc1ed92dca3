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

int NameServer::Open(UniqueFd socket, const Key& instance) {
  int number = 0;
  {
    std::lock_guard lock(mu_);
    number = ++last_number_;
    listeners_[number] = std::make_shared<Listener>(Listener{std::move(socket), instance});
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
    std::vector<std::shared_ptr<Listener>> listeners;
    {
      std::lock_guard lock(mu_);
      if (stop_) return;
      for (const auto& [number, listener] : listeners_) listeners.push_back(listener);
    }
    std::erase_if(pending_, [&](const auto& pending) {
      return std::ranges::find(listeners, pending->listener) == listeners.end();
    });
    std::vector<pollfd> polled{{wake_.get(), POLLIN, 0}};
    for (const auto& listener : listeners) polled.push_back({listener->socket.get(), POLLIN, 0});
    size_t first_pending = polled.size();
    for (const auto& pending : pending_) polled.push_back({pending->socket.get(), POLLIN, 0});
    if (poll(polled.data(), polled.size(), WaitMillis()) < 0 && errno != EINTR) {
      log_.Error("name server cannot poll", {{"errno", errno}});
      return;
    }
    uint64_t count = 0;
    while (read(wake_.get(), &count, sizeof count) > 0) {
    }
    // Replies first: what they free can be used for new questions, which are appended behind.
    for (size_t i = first_pending; i < polled.size(); ++i) {
      if (polled[i].revents) TakeReply(*pending_[i - first_pending]);
    }
    CheckDeadlines();
    for (size_t i = 1; i < first_pending; ++i) {
      if (polled[i].revents & POLLIN) Receive(listeners[i - 1]);
    }
  }
}

int NameServer::WaitMillis() const {
  if (pending_.empty()) return -1;
  Time first = (*std::ranges::min_element(pending_, {}, &Pending::deadline))->deadline;
  auto left = std::chrono::ceil<std::chrono::milliseconds>(first - clock_.Now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, 10'000));
}

void NameServer::Receive(const std::shared_ptr<Listener>& listener) {
  for (int i = 0; i < kPacketsPerTurn; ++i) {
    std::string packet(kLargestPacket, '\0');
    sockaddr_in asker{};
    socklen_t length = sizeof asker;
    ssize_t got = recvfrom(listener->socket.get(), packet.data(), packet.size(), MSG_DONTWAIT,
                           reinterpret_cast<sockaddr*>(&asker), &length);
    if (got < 0) return;
    packet.resize(static_cast<size_t>(got));
    try {
      Answer(listener, asker, std::move(packet));
    } catch (const std::exception& error) {
      log_.Warning("name not answered",
                   {{"instance", listener->instance}, {"error", error.what()}});
    }
  }
}

void NameServer::Answer(const std::shared_ptr<Listener>& listener, const sockaddr_in& asker,
                        std::string packet) {
  std::optional<DnsQuery> query = ParseDnsQuery(packet);
  if (!query) {
    auto refusal = MakeDnsRefusal(packet, DnsCode::kFormatError);
    if (refusal) SendTo(listener->socket.get(), *refusal, asker);
    return;
  }
  const Key& instance = listener->instance;
  NameVerdict verdict = DecideName(*query, instance.substr(0, instance.find('/')),
                                   [&](std::string_view name, std::string_view zone) {
                                     return FindInstance(instance, name, zone);
                                   });
  if (!verdict.forward) {
    SendTo(listener->socket.get(),
           MakeDnsReply(packet, *query, verdict.code, verdict.addresses, kTtlSeconds), asker);
    return;
  }
  auto pending = std::make_unique<Pending>();
  pending->listener = listener;
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
    ScanRange range{.prefix = project};
    while (true) {
      std::vector<Row<InstanceRecord>> rows = txn.Scan<InstanceRecord>(range);
      for (const auto& row : rows) {
        if (row.value.resource.name == name) return address_of(row.value);
      }
      if (std::ssize(rows) < range.limit) return std::nullopt;
      range.after = rows.back().key;
    }
  });
}

bool NameServer::Ask(Pending& pending) {
  while (!pending.untried.empty()) {
    std::optional<sockaddr_in> resolver = ResolverAddress(pending.untried.front());
    pending.untried.erase(pending.untried.begin());
    if (!resolver) continue;
    UniqueFd fd(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!fd || connect(fd.get(), reinterpret_cast<sockaddr*>(&*resolver), sizeof *resolver) != 0) {
      continue;
    }
    SetDnsId(pending.question, static_cast<uint16_t>(random_.Next64()));
    ssize_t sent = send(fd.get(), pending.question.data(), pending.question.size(), MSG_NOSIGNAL);
    if (sent < 0) continue;
    pending.socket = std::move(fd);
    pending.deadline = clock_.Now() + options_.patience;
    return true;
  }
  return false;
}

// A reply that does not fit the question is dropped; a refused port makes the next resolver's turn come at once.
void NameServer::TakeReply(Pending& pending) {
  std::string packet(kLargestPacket, '\0');
  ssize_t got = recv(pending.socket.get(), packet.data(), packet.size(), MSG_DONTWAIT);
  if (got < 0) {
    if (errno != EAGAIN && errno != EINTR) pending.deadline = Time{};
    return;
  }
  packet.resize(static_cast<size_t>(got));
  if (!IsDnsReplyTo(packet, pending.question, pending.query)) return;
  SetDnsId(packet, pending.asker_id);
  SendTo(pending.listener->socket.get(), packet, pending.asker);
  pending.listener.reset();  // answered
}

void NameServer::GiveUp(const Pending& pending) {
  // pending.query.id still is the asker's.
  std::string reply = MakeDnsReply(pending.question, pending.query, DnsCode::kServerFailure, {}, 0);
  SendTo(pending.listener->socket.get(), reply, pending.asker);
}

void NameServer::CheckDeadlines() {
  Time now = clock_.Now();
  std::erase_if(pending_, [&](const std::unique_ptr<Pending>& pending) {
    if (!pending->listener) return true;
    if (pending->deadline > now || Ask(*pending)) return false;
    GiveUp(*pending);
    return true;
  });
}

std::vector<std::string> HostResolvers(const std::string& resolv_conf) {
  std::ifstream file(resolv_conf);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return ParseResolvConf(text);
}

}  // namespace fireweed::compute
