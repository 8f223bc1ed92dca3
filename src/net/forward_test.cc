#include "net/forward.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <thread>

#include <gtest/gtest.h>

#include "base/guarded.h"
#include "net/test_http.h"

namespace fireweed::net {
namespace {

// Bound under a short name and then renamed: the path may be longer than an address can hold.
UniqueFd ListenAt(const std::string& path) {
  std::string brief = std::filesystem::path(path).parent_path().string() + "/new";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  EXPECT_LT(brief.size(), sizeof address.sun_path);
  brief.copy(address.sun_path, sizeof address.sun_path - 1);
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(listen(socket.get(), 128), 0);
  std::filesystem::rename(brief, path);
  return socket;
}

std::string Post(std::string_view path, std::string_view body) {
  return "POST " + std::string(path) +
         " HTTP/1.1\r\nHost: test\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}

// Where a request goes, as the test says.
struct Way {
  Guarded<std::shared_ptr<Backend>> backend;
  Guarded<std::vector<std::function<void()>>> waiting;
  std::atomic<int> dropped{0}, over{0};
  std::atomic<bool> alone{false};

  void Publish(std::shared_ptr<Backend> now) {
    backend.With([&](auto& kept) { kept = std::move(now); });
    for (auto& then : waiting.With([](auto& all) { return std::exchange(all, {}); })) then();
  }
  // A client may have its answer a moment before the forwarding is gone. Hangs where it never goes.
  void AwaitOver(int count) const {
    for (int now = over; now < count; now = over) over.wait(now);
  }
};

class TestForwarding final : public Forwarding {
 public:
  explicit TestForwarding(Way& way) : way_(way) {}
  ~TestForwarding() override {
    ++way_.over;
    way_.over.notify_all();
  }
  std::shared_ptr<Backend> Next() override {
    return way_.backend.With([](auto& backend) { return backend; });
  }
  void Await(std::function<void()> then) override {
    way_.waiting.With([&](auto& all) { all.push_back(std::move(then)); });
  }
  void Unreachable(const std::shared_ptr<Backend>&) override {
    ++way_.dropped;
    way_.backend.With([](auto& backend) { backend.reset(); });
  }
  bool IsAlone() const override { return way_.alone; }
  void AppendHead(std::string& out) const override { out += "POST /there HTTP/1.1\r\nHost: x\r\n"; }
  Response Finish(BackendAnswer answer) override {
    return TextResponse("[" + answer.body + "]", answer.status);
  }

 private:
  Way& way_;
};

class Forwards : public testing::Test {
 protected:
  Forwards() {
    std::string name = testing::TempDir() + "fireweed-forward-XXXXXX";
    directory_ = mkdtemp(name.data());
    backend_server_.dispatcher.handle = [this](const Request& request) -> Answer {
      return answer_(request);
    };
    front_.dispatcher.handle = [this](const Request&) -> Answer {
      return std::make_shared<TestForwarding>(way_);
    };
  }
  ~Forwards() override { std::filesystem::remove_all(directory_); }

  std::string Socket(const std::string& name) const { return directory_ + "/" + name; }
  int Listen(const std::string& path) {
    ListenerConfig config;
    config.socket = ListenAt(path);
    config.dispatcher = &backend_server_.dispatcher;
    return backend_server_.server().Open(std::move(config));
  }
  ClientView Ask(RawClient& client, std::string_view body) {
    client.Send(Post("/here", body));
    return client.Receive();
  }

  std::string directory_;
  Way way_;
  std::function<Answer(const Request&)> answer_ = [](const Request& request) {
    return TextResponse(std::string(request.path) + " " + std::string(request.body));
  };
  TestServer backend_server_, front_;
};

TEST_F(Forwards, ALoneClientThatComesBackAtOnceIsServedAllTheSame) {
  way_.alone = true;
  Listen(Socket("s"));
  way_.Publish(std::make_shared<Backend>(Socket("s")));
  RawClient client(front_.port()), other(front_.port());
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(Ask(client, std::to_string(i)).body, "[/there " + std::to_string(i) + "]");
    if (i % 10 == 0) {
      EXPECT_EQ(Ask(other, "x").body, "[/there x]");
    }
  }
  way_.AwaitOver(110);
}

TEST_F(Forwards, PassesRequestsOnOverKeptConnections) {
  Listen(Socket("s"));
  way_.Publish(std::make_shared<Backend>(Socket("s")));
  int64_t before = backend_server_.server().counters().connections;
  RawClient client(front_.port());
  for (int i = 0; i < 5; ++i) {
    ClientView view = Ask(client, "body" + std::to_string(i));
    EXPECT_EQ(view.status, 200);
    EXPECT_EQ(view.body, "[/there body" + std::to_string(i) + "]");
  }
  EXPECT_EQ(backend_server_.server().counters().connections - before, 1);
  way_.AwaitOver(5);
}

// A client's connection is its own: more clients than may keep one share the others, and nobody gets another's answer.
TEST_F(Forwards, ManyClientsTakeTurns) {
  Listen(Socket("s"));
  way_.Publish(std::make_shared<Backend>(Socket("s")));
  constexpr int kClients = 70;
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < kClients; ++i) clients.push_back(std::make_unique<RawClient>(front_.port()));
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < kClients; ++i) clients[i]->Send(Post("/here", std::to_string(i)));
    for (int i = 0; i < kClients; ++i) {
      EXPECT_EQ(clients[i]->Receive().body, "[/there " + std::to_string(i) + "]");
    }
  }
  way_.AwaitOver(2 * kClients);
}

TEST_F(Forwards, FollowsAChangeOfTheServer) {
  way_.alone = true;
  Listen(Socket("a"));
  way_.Publish(std::make_shared<Backend>(Socket("a")));
  RawClient client(front_.port());
  EXPECT_EQ(Ask(client, "1").body, "[/there 1]");
  TestServer other;
  other.dispatcher.handle = [](const Request&) -> Answer { return TextResponse("other"); };
  ListenerConfig config;
  config.socket = ListenAt(Socket("b"));
  config.dispatcher = &other.dispatcher;
  other.server().Open(std::move(config));
  way_.Publish(std::make_shared<Backend>(Socket("b")));
  EXPECT_EQ(Ask(client, "2").body, "[other]");
  way_.Publish(std::make_shared<Backend>(Socket("a")));
  EXPECT_EQ(Ask(client, "3").body, "[/there 3]");
}

TEST_F(Forwards, CarriesLargeBodiesBothWays) {
  way_.alone = true;
  Listen(Socket("s"));
  way_.Publish(std::make_shared<Backend>(Socket("s")));
  RawClient client(front_.port());
  std::string body(1'200'000, 'x');
  ClientView view = Ask(client, body);
  EXPECT_EQ(view.status, 200);
  EXPECT_EQ(view.body.size(), body.size() + std::string("[/there ]").size());
}

TEST_F(Forwards, GoesWithoutThePoolWhereTheDispatcherKnowsTheWay) {
  Listen(Socket("a-socket-whose-path-is-longer-than-an-address-of-a-unix-socket-may-be-by-itself"));
  way_.Publish(std::make_shared<Backend>(
      Socket("a-socket-whose-path-is-longer-than-an-address-of-a-unix-socket-may-be-by-itself")));
  std::atomic<int> handled{0};
  front_.dispatcher.handle = [&](const Request&) -> Answer {
    ++handled;
    return TextResponse("pool");
  };
  front_.dispatcher.try_forward = [&](const Request&) {
    return std::make_shared<TestForwarding>(way_);
  };
  RawClient client(front_.port());
  EXPECT_EQ(Ask(client, "x").body, "[/there x]");
  EXPECT_EQ(handled, 0);
}

TEST_F(Forwards, TriesAFreshConnectionWhenAKeptOneWasClosed) {
  int listener = Listen(Socket("s"));
  auto backend = std::make_shared<Backend>(Socket("s"));
  way_.Publish(backend);
  RawClient client(front_.port());
  EXPECT_EQ(Ask(client, "1").status, 200);
  backend_server_.server().Close(listener);  // and with it the kept connection
  Listen(Socket("s"));
  EXPECT_EQ(Ask(client, "2").body, "[/there 2]");
  EXPECT_EQ(way_.dropped, 0);
}

TEST_F(Forwards, HoldsARequestUntilSomebodyIsThere) {
  way_.Publish(std::make_shared<Backend>(Socket("nobody")));
  RawClient client(front_.port());
  std::future<ClientView> held =
      std::async(std::launch::async, [&] { return Ask(client, "patient"); });
  while (way_.waiting.With([](auto& all) { return all.empty(); })) std::this_thread::yield();
  EXPECT_EQ(way_.dropped, 1);
  Listen(Socket("s"));
  way_.Publish(std::make_shared<Backend>(Socket("s")));
  EXPECT_EQ(held.get().body, "[/there patient]");
}

TEST_F(Forwards, TellsWhenTheAnswerBrokeOff) {
  std::string path = Socket("s");
  UniqueFd listener = ListenAt(path);
  std::future<void> rude = std::async(std::launch::async, [&] {
    UniqueFd peer(accept(listener.get(), nullptr, nullptr));
    char bytes[512];
    EXPECT_GT(read(peer.get(), bytes, sizeof bytes), 0);
    std::string_view half = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf";
    EXPECT_EQ(write(peer.get(), half.data(), half.size()), static_cast<ssize_t>(half.size()));
  });
  way_.Publish(std::make_shared<Backend>(path));
  RawClient client(front_.port());
  ClientView view = Ask(client, "x");
  EXPECT_GE(view.status, 500);
  EXPECT_NE(view.body.find("broke off"), std::string::npos) << view.body;
  way_.AwaitOver(1);
  rude.get();
}

}  // namespace
}  // namespace fireweed::net
