#include "compute/name_server.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <gtest/gtest.h>

#include "catalog/memory_catalog.h"
#include "compute/records.h"

namespace fireweed::compute {
namespace {

// A bound UDP socket on loopback; its address goes to `at`.
UniqueFd Bound(sockaddr_in& at) {
  UniqueFd fd(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t length = sizeof at;
  EXPECT_EQ(bind(fd.get(), reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
  EXPECT_EQ(getsockname(fd.get(), reinterpret_cast<sockaddr*>(&at), &length), 0);
  return fd;
}

// A listening TCP socket on loopback; its address goes to `at`.
UniqueFd Listening(sockaddr_in& at) {
  UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t length = sizeof at;
  EXPECT_EQ(bind(fd.get(), reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
  EXPECT_EQ(listen(fd.get(), 8), 0);
  EXPECT_EQ(getsockname(fd.get(), reinterpret_cast<sockaddr*>(&at), &length), 0);
  return fd;
}

std::string Framed(const std::string& message) {
  return std::string{static_cast<char>(message.size() >> 8), static_cast<char>(message.size())} +
         message;
}

std::string Question(const std::string& label) {
  std::string packet("\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00", 12);
  packet += static_cast<char>(label.size()) + label + std::string("\x03org\x00", 5);
  return packet + std::string("\x00\x01\x00\x01", 4);
}

class NameServerTest : public ::testing::Test {
 protected:
  NameServerTest() {
    resolver_ = Bound(resolver_at_);
    int both[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, both), 0);
    said_ = UniqueFd(both[0]);
    saying_ = UniqueFd(both[1]);
    log_ = std::make_unique<FdLogger>(saying_.get(), clock_, LogLevel::kError);
    InstanceRecord record{.project = "p", .zone = "z"};
    record.resource.name = "vm";
    record.resource.networkInterfaces.emplace_back().networkIP = "10.0.0.7";
    catalog_.Write("test", [&](Txn& txn) { txn.Put(record.key(), record); });
  }

  void Start(std::vector<std::string> resolvers, Duration patience = std::chrono::seconds(30)) {
    server_ = std::make_unique<NameServer>(
        catalog_,
        NameServer::Options{.resolvers = [resolvers] { return resolvers; }, .patience = patience},
        clock_, random_, *log_);
    UniqueFd packets = Bound(server_at_);
    streams_at_ = server_at_;
    number_ = server_->Open(std::move(packets), Listening(streams_at_), "p/z/vm");
    sockaddr_in mine;
    client_ = Bound(mine);
  }
  std::string Resolver() { return "127.0.0.1:" + std::to_string(ntohs(resolver_at_.sin_port)); }

  void Send(const std::string& packet) {
    ASSERT_EQ(sendto(client_.get(), packet.data(), packet.size(), 0,
                     reinterpret_cast<sockaddr*>(&server_at_), sizeof server_at_),
              static_cast<ssize_t>(packet.size()));
  }
  // The next packet at a socket; empty when ten seconds pass without one.
  std::string Receive(int fd, sockaddr_in* from = nullptr) {
    pollfd waiting{fd, POLLIN, 0};
    if (poll(&waiting, 1, 10'000) != 1) return "";
    std::string packet(4096, '\0');
    sockaddr_in sender{};
    socklen_t length = sizeof sender;
    ssize_t got = recvfrom(fd, packet.data(), packet.size(), 0,
                           reinterpret_cast<sockaddr*>(&sender), &length);
    packet.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (from) *from = sender;
    return packet;
  }
  UniqueFd Connect() {
    UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    timeval limit{.tv_sec = 10, .tv_usec = 0};
    setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    EXPECT_EQ(connect(fd.get(), reinterpret_cast<sockaddr*>(&streams_at_), sizeof streams_at_), 0);
    return fd;
  }
  // One framed message of a connection; empty at its end.
  static std::string ReadFramed(int fd) {
    unsigned char head[2];
    if (recv(fd, head, 2, MSG_WAITALL) != 2) return "";
    std::string message(static_cast<size_t>(head[0]) << 8 | head[1], '\0');
    ssize_t got = recv(fd, message.data(), message.size(), MSG_WAITALL);
    return got == std::ssize(message) ? message : "";
  }
  static int CodeOf(const std::string& reply) { return reply.size() > 3 ? reply[3] & 0xf : -1; }

  SystemClock clock_;
  SystemRandom random_;
  UniqueFd said_, saying_;  // errors that were logged, a packet each
  std::unique_ptr<Logger> log_;
  MemoryCatalog catalog_;
  UniqueFd resolver_, client_;
  sockaddr_in resolver_at_{}, server_at_{}, streams_at_{};
  std::unique_ptr<NameServer> server_;
  int number_ = 0;
};

TEST_F(NameServerTest, AnswersInstancesByName) {
  Start({});
  std::string packet("\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00", 12);
  Send(packet + std::string("\x02vm\x00\x00\x01\x00\x01", 8));
  std::string reply = Receive(client_.get());
  ASSERT_GE(reply.size(), 4u);
  EXPECT_EQ(reply.substr(reply.size() - 4), std::string("\x0a\x00\x00\x07", 4));
}

TEST_F(NameServerTest, APollThatFailsIsNotTheEnd) {
  Start({});
  // The first use of a logger's type, while there are descriptors: without any, UBSan cannot check a new type and fails.
  log_->Error("warm-up");
  ASSERT_FALSE(Receive(said_.get()).empty());
  rlimit usual{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &usual), 0);
  rlimit tight{.rlim_cur = 2, .rlim_max = usual.rlim_max};  // fewer than the server polls
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &tight), 0);
  Send("short");  // answered by a poll that was under way, or later
  std::string said = Receive(said_.get());
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &usual), 0);
  EXPECT_NE(said.find("name server cannot poll"), std::string::npos) << said;
  sockaddr_in at;
  UniqueFd packets = Bound(at);
  server_->Open(std::move(packets), Listening(at), "p/z/other");  // wakes it
  EXPECT_EQ(CodeOf(Receive(client_.get())), 1);
  Send("short");
  EXPECT_EQ(CodeOf(Receive(client_.get())), 1);
}

TEST_F(NameServerTest, ForwardsUnderAnIdOfItsOwn) {
  Start({Resolver()});
  Send(Question("debian"));
  sockaddr_in asker;
  std::string asked = Receive(resolver_.get(), &asker);
  ASSERT_FALSE(asked.empty());
  std::string answer =
      MakeDnsReply(asked, *ParseDnsQuery(asked), DnsCode::kNoError, {{1, 2, 3, 4}}, 9);
  std::string forged = answer;
  SetDnsId(forged, static_cast<uint16_t>(DnsId(answer) + 1));
  for (const std::string& packet : {forged, answer}) {
    sendto(resolver_.get(), packet.data(), packet.size(), 0, reinterpret_cast<sockaddr*>(&asker),
           sizeof asker);
  }
  std::string reply = Receive(client_.get());
  ASSERT_FALSE(reply.empty());
  EXPECT_EQ(DnsId(reply), 0x1234);
  EXPECT_EQ(reply.substr(2), answer.substr(2));
}

TEST_F(NameServerTest, AsksTheNextResolverAndThenGivesUp) {
  // Nobody listens at the first: the kernel says so at once. The second never answers.
  sockaddr_in dead_at;
  { UniqueFd dead = Bound(dead_at); }
  Start({"127.0.0.1:" + std::to_string(ntohs(dead_at.sin_port)), Resolver()},
        std::chrono::milliseconds(50));
  Send(Question("debian"));
  EXPECT_FALSE(Receive(resolver_.get()).empty());
  std::string reply = Receive(client_.get());
  EXPECT_EQ(CodeOf(reply), 2) << "server failure";
  EXPECT_EQ(DnsId(reply), 0x1234);
}

TEST_F(NameServerTest, SaysWhatIsBroken) {
  Start({});
  Send("short");
  EXPECT_EQ(CodeOf(Receive(client_.get())), 1);
  Send(Question("debian"));
  EXPECT_EQ(CodeOf(Receive(client_.get())), 2) << "no resolvers at all";
  server_->Close(number_);
}

TEST_F(NameServerTest, AnswersOverStreamsInAnyPieces) {
  Start({});
  UniqueFd client = Connect();
  std::string packet("\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00", 12);
  std::string both = Framed(packet + std::string("\x02vm\x00\x00\x01\x00\x01", 8)) +
                     Framed(packet + std::string("\x04none\x00\x00\x01\x00\x01", 10));
  for (size_t cut : {size_t{1}, size_t{7}, both.size()}) {
    size_t size = std::min(cut, both.size());
    ASSERT_EQ(send(client.get(), both.data(), size, 0), static_cast<ssize_t>(size));
    both.erase(0, size);
  }
  std::string first = ReadFramed(client.get());
  ASSERT_GE(first.size(), 4u);
  EXPECT_EQ(first.substr(first.size() - 4), std::string("\x0a\x00\x00\x07", 4));
  EXPECT_EQ(CodeOf(ReadFramed(client.get())), 3) << "no such name";
}

TEST_F(NameServerTest, QuestionsOverStreamsArePassedOnOverStreams) {
  sockaddr_in at;
  UniqueFd resolver = Listening(at);
  Start({"127.0.0.1:" + std::to_string(ntohs(at.sin_port))});
  UniqueFd client = Connect();
  std::string question = Framed(Question("debian"));
  ASSERT_EQ(send(client.get(), question.data(), question.size(), 0), std::ssize(question));
  pollfd waiting{resolver.get(), POLLIN, 0};
  ASSERT_EQ(poll(&waiting, 1, 10'000), 1);
  UniqueFd upstream(accept(resolver.get(), nullptr, nullptr));
  std::string asked = ReadFramed(upstream.get());
  ASSERT_FALSE(asked.empty());
  // More addresses than any packet would hold.
  std::vector<Ipv4Address> many(2000, Ipv4Address{1, 2, 3, 4});
  std::string answer =
      Framed(MakeDnsReply(asked, *ParseDnsQuery(asked), DnsCode::kNoError, many, 9));
  ASSERT_EQ(send(upstream.get(), answer.data(), answer.size(), MSG_NOSIGNAL), std::ssize(answer));
  std::string reply = ReadFramed(client.get());
  EXPECT_EQ(reply.size() + 2, answer.size());
  EXPECT_EQ(DnsId(reply), 0x1234);
}

TEST_F(NameServerTest, AResolverThatHangsUpIsGivenUp) {
  sockaddr_in at;
  UniqueFd resolver = Listening(at);
  Start({"127.0.0.1:" + std::to_string(ntohs(at.sin_port))});
  UniqueFd client = Connect();
  std::string question = Framed(Question("debian"));
  ASSERT_EQ(send(client.get(), question.data(), question.size(), 0), std::ssize(question));
  pollfd waiting{resolver.get(), POLLIN, 0};
  ASSERT_EQ(poll(&waiting, 1, 10'000), 1);
  { UniqueFd upstream(accept(resolver.get(), nullptr, nullptr)); }
  EXPECT_EQ(CodeOf(ReadFramed(client.get())), 2) << "server failure";
}

}  // namespace
}  // namespace fireweed::compute
