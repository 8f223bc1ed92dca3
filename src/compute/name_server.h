// What for: DNS for instances, by UDP and TCP inside each. Names of ours are answered here, others are asked of the
//   host's resolvers, by the transport that the question came with.
// Threads: one of its own serves all sockets. Open and Close may be called from any thread; neither blocks.
// Owns: the sockets from Open until Close; questions on their way, at most `most_pending` at a time; connections, at
//   most `most_streams` of an instance, each until it has been idle for `idle`.
// A failure: a question that cannot be answered in time gets "server failure"; a bad packet is answered with
//   "format error" or not at all.
#pragma once

#include <netinet/in.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "base/unique_fd.h"
#include "catalog/catalog.h"
#include "compute/dns_message.h"
#include "compute/dns_stream.h"

namespace fireweed::compute {

class NameServer {
 public:
  struct Options {
    // "ADDRESS" or "ADDRESS:PORT" of resolvers to ask, the best first. Called for each question that is passed on.
    std::function<std::vector<std::string>()> resolvers;
    Duration patience = std::chrono::seconds(2);  // with one resolver, before the next is asked
    size_t most_pending = 256;
    size_t most_streams = 16;
    Duration idle = std::chrono::seconds(20);
  };

  NameServer(const Catalog& catalog, Options options, const Clock& clock, Random& random,
             Logger& log);
  ~NameServer();
  NameServer(const NameServer&) = delete;

  // Both bound and non-blocking, inside the network of `instance`: `packets` is UDP, `streams` listens.
  int Open(UniqueFd packets, UniqueFd streams, const Key& instance);
  void Close(int number);

 private:
  struct Listener {
    UniqueFd packets, streams;
    Key instance;
  };
  struct Connection {
    DnsStream stream;
    std::shared_ptr<Listener> listener;
    Time deadline;
    bool gone = false;
  };
  // Who asked, and so where the answer goes.
  struct Asker {
    std::shared_ptr<Listener> listener;
    sockaddr_in address{};                   // of a packet
    std::shared_ptr<Connection> connection;  // or of a stream
  };
  // A question that was passed on, with a socket of its own: the kernel drops what others send to it.
  struct Pending {
    UniqueFd socket;                  // to a resolver, for packets
    std::optional<DnsStream> stream;  // or for streams
    Asker asker;
    bool answered = false;
    uint16_t asker_id = 0;
    std::string question;  // as sent, with our id
    DnsQuery query;
    std::vector<std::string> untried;
    Time deadline;
  };

  using Listeners = std::vector<std::shared_ptr<Listener>>;
  void Run();
  // Waits and does what is due.
  void Turn(const Listeners& listeners);
  void DropOrphans(const Listeners& listeners);
  void Wake();
  void Receive(const std::shared_ptr<Listener>& listener);
  void Accept(const std::shared_ptr<Listener>& listener);
  void Talk(const std::shared_ptr<Connection>& connection, short revents);
  void Answer(const Asker& asker, std::string packet);
  void AnswerSafely(const Asker& asker, std::string packet);
  static void Reply(const Asker& asker, const std::string& packet);
  std::optional<Ipv4Address> FindInstance(const Key& asker, std::string_view name,
                                          std::string_view zone) const;
  // Sends to the next resolver. False when there is none left.
  bool Ask(Pending& pending);
  bool SendPacket(Pending& pending, const sockaddr_in& resolver);
  bool SendStream(Pending& pending, const sockaddr_in& resolver);
  void TakeReply(Pending& pending, short revents);
  void GiveUp(const Pending& pending);
  void CheckDeadlines();
  int WaitMillis() const;

  // Constant after construction.
  const Catalog& catalog_;
  const Options options_;
  const Clock& clock_;
  Random& random_;
  Logger& log_;
  UniqueFd wake_;  // eventfd

  std::mutex mu_;
  int last_number_ = 0;                                 // guarded by mu_
  std::map<int, std::shared_ptr<Listener>> listeners_;  // guarded by mu_
  bool stop_ = false;                                   // guarded by mu_

  std::vector<std::unique_ptr<Pending>> pending_;         // the thread's own
  std::vector<std::shared_ptr<Connection>> connections_;  // the thread's own
  std::thread thread_;
};

// The resolvers of the host, read anew each time: networks change under laptops.
std::vector<std::string> HostResolvers(const std::string& resolv_conf);

}  // namespace fireweed::compute
