// What the server does with clients that are wrong, slow, greedy or gone.
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <future>
#include <thread>

#include <gtest/gtest.h>

#include "net/test_http.h"

namespace fireweed::net {
namespace {

using std::chrono::milliseconds;

constexpr const char kGet[] = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n";

Answer Hello(const Request&) { return TextResponse("hello"); }

struct Malformed {
  const char* name;
  std::string bytes;
  int status = 400;
};

std::string Head(std::string_view fields) {
  return "POST /x HTTP/1.1\r\nHost: a\r\n" + std::string(fields) + "\r\n";
}

const Malformed kMalformed[] = {
    {"Garbage", "GARBAGE\r\n\r\n"},
    {"TlsHello", std::string("\x16\x03\x01\x02\x00\x01\x00\x01", 8)},
    {"Zeroes", std::string(64, '\0')},
    {"BareLineFeeds", "GET / HTTP/1.1\nHost: a\n\n"},
    {"Version2", "GET / HTTP/2.0\r\nHost: a\r\n\r\n"},
    {"Version09", "GET /\r\n\r\n"},
    {"TwoSpaces", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n"},
    {"SpaceInTarget", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"},
    {"RelativeTarget", "GET a HTTP/1.1\r\nHost: a\r\n\r\n"},
    {"Fragment", "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n"},
    {"NoHost", "GET / HTTP/1.1\r\n\r\n"},
    {"TwoHosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"},
    {"BadHost", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n"},
    {"HostWithUser", "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n"},
    {"SpaceInName", "GET / HTTP/1.1\r\nHost: a\r\nX y: z\r\n\r\n"},
    {"NulInValue", std::string("GET / HTTP/1.1\r\nHost: a\r\nX: a") + '\0' + "b\r\n\r\n"},
    {"Folded", Head("X: a\r\n b\r\n")},
    {"TwoLengths", Head("Content-Length: 1\r\nContent-Length: 2\r\n")},
    {"NegativeLength", Head("Content-Length: -1\r\n")},
    {"CodingList", Head("Transfer-Encoding: gzip, chunked\r\n")},
    {"TwoCodings", Head("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n")},
    {"ChunkSize", Head("Transfer-Encoding: chunked\r\n") + "zz\r\n"},
    {"ChunkTooLarge", Head("Transfer-Encoding: chunked\r\n") + "fffffffffffffffff\r\n"},
    {"ChunkWithoutEnd", Head("Transfer-Encoding: chunked\r\n") + "1\r\nabcd\r\n0\r\n\r\n"},
    {"NegativeChunk", Head("Transfer-Encoding: chunked\r\n") + "-1\r\n"},
    {"Override", Head("X-HTTP-Method-Override: JUMP\r\n")},
    {"Expectation", Head("Expect: the unexpected\r\n"), 417},
    {"HugeHeader", Head("X: " + std::string(200'000, 'a') + "\r\n"), 431},
    {"ManyHeaders",
     [] {
       std::string fields;
       for (int i = 0; i < 20'000; ++i) fields += "A: b\r\n";
       return Head(fields);
     }(),
     431},
    {"EndlessTarget", "GET /" + std::string(200'000, 'a'), 431},
};

class BadRequest : public testing::TestWithParam<Malformed> {};

TEST_P(BadRequest, IsAnsweredAndCostsItsConnectionOnly) {
  TestServer server;
  server.dispatcher.handle = Hello;
  RawClient bystander(server.port());
  bystander.Send(kGet);
  EXPECT_EQ(bystander.Receive().status, 200);

  RawClient client(server.port());
  client.Send(GetParam().bytes);
  ClientView view = client.Receive();
  EXPECT_EQ(view.status, GetParam().status);
  EXPECT_EQ(view.headers["connection"], "close");
  EXPECT_EQ(view.headers["content-type"], "application/json; charset=UTF-8");
  EXPECT_TRUE(view.body.starts_with("{\"error\":{\"code\":" + std::to_string(GetParam().status)))
      << view.body;
  EXPECT_TRUE(client.AtEnd());

  bystander.Send(kGet);
  EXPECT_EQ(bystander.Receive().body, "hello");
}

INSTANTIATE_TEST_SUITE_P(Table, BadRequest, testing::ValuesIn(kMalformed),
                         [](const auto& info) { return info.param.name; });

TEST(Limits, RefuseABodyThatIsTooLargeBeforeItIsSent) {
  TestServer server;
  server.dispatcher.handle = Hello;
  server.dispatcher.plan_body = [](const Request&) -> BodyPlan { return TakeWhole{10}; };
  RawClient client(server.port());
  client.Send(Head("Content-Length: 11\r\nExpect: 100-continue\r\n"));
  EXPECT_EQ(client.Receive().status, 413);
  EXPECT_TRUE(client.AtEnd());
}

TEST(Limits, RefuseAChunkedBodyThatGrowsTooLarge) {
  TestServer server;
  server.dispatcher.handle = Hello;
  server.dispatcher.plan_body = [](const Request&) -> BodyPlan { return TakeWhole{10}; };
  RawClient client(server.port());
  client.Send(Head("Transfer-Encoding: chunked\r\n") + "6\r\nabcdef\r\n6\r\nabcdef\r\n");
  EXPECT_EQ(client.Receive().status, 413);
}

HttpServer::Options Impatient() {
  HttpServer::Options options;
  options.limits.header_timeout = options.limits.idle_timeout = options.limits.body_timeout =
      milliseconds(100);
  return options;
}

TEST(Limits, GiveUpOnASlowHead) {
  TestServer server(Impatient());
  RawClient client(server.port());
  client.Send("GET / HTTP/1.1\r\nHo");
  EXPECT_EQ(client.Receive().status, 408);
  EXPECT_TRUE(client.AtEnd());
}

TEST(Limits, GiveUpOnAHeadThatDripsIn) {
  TestServer server(Impatient());
  RawClient client(server.port());
  client.Send("GET / HTTP/1.1\r\n");
  pollfd answer{client.fd(), POLLIN, 0};
  // A byte every ten milliseconds is progress, but not enough of it.
  for (int i = 0; i < 500 && poll(&answer, 1, 10) == 0; ++i) client.Send("a");
  EXPECT_EQ(client.Receive().status, 408);
}

TEST(Limits, EndIdleConnectionsQuietly) {
  TestServer server(Impatient());
  server.dispatcher.handle = Hello;
  RawClient never(server.port());
  EXPECT_TRUE(never.AtEnd());
  RawClient once(server.port());
  once.Send(kGet);
  EXPECT_EQ(once.Receive().status, 200);
  EXPECT_TRUE(once.AtEnd());
}

TEST(Limits, GiveUpOnABodyThatStops) {
  TestServer server(Impatient());
  server.dispatcher.handle = Hello;
  RawClient client(server.port());
  client.Send(Head("Content-Length: 10\r\n") + "abc");
  EXPECT_EQ(client.Receive().status, 408);
  EXPECT_TRUE(client.AtEnd());
}

TEST(Limits, GiveUpOnAClientThatDoesNotRead) {
  TestServer server(Impatient());
  server.dispatcher.handle = [](const Request&) {
    return TextResponse(std::string(64 << 20, 'x'));
  };
  RawClient client(server.port());
  client.Send(kGet);
  pollfd answer{client.fd(), POLLIN, 0};
  ASSERT_EQ(poll(&answer, 1, 10'000), 1);  // it has begun
  EXPECT_TRUE(server.server().Drain(milliseconds(10'000)));
}

TEST(Limits, TellWhoComesTooMany) {
  HttpServer::Options options;
  options.limits.max_connections = 2;
  TestServer server(options);
  server.dispatcher.handle = Hello;
  RawClient first(server.port()), second(server.port());
  for (RawClient* client : {&first, &second}) {
    client->Send(kGet);
    EXPECT_EQ(client->Receive().status, 200);
  }
  RawClient third(server.port());
  EXPECT_EQ(third.Receive().status, 503);
  EXPECT_TRUE(third.AtEnd());
  first.Close();
  int status = 503;
  for (int i = 0; i < 10'000 && status != 200; ++i) {
    RawClient next(server.port());
    next.Send(kGet);
    status = next.Receive().status;
  }
  EXPECT_EQ(status, 200);
}

TEST(Drain, FinishesWhatRunsAndClosesWhatIsIdle) {
  TestServer server;
  std::promise<void> entered, release;
  std::shared_future<void> go = release.get_future().share();
  server.dispatcher.handle = [&](const Request& request) {
    if (request.path == "/slow") {
      entered.set_value();
      go.wait();
    }
    return TextResponse("done");
  };
  RawClient idle(server.port()), busy(server.port());
  idle.Send(kGet);
  EXPECT_EQ(idle.Receive().status, 200);
  busy.Send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
  entered.get_future().wait();
  EXPECT_FALSE(server.server().Drain(milliseconds(20)));
  EXPECT_TRUE(idle.AtEnd());
  release.set_value();
  ClientView view = busy.Receive();
  EXPECT_EQ(view.body, "done");
  EXPECT_EQ(view.headers["connection"], "close");
  EXPECT_TRUE(server.server().Drain(milliseconds(10'000)));
}

TEST(Listeners, ComeAndGoByThemselves) {
  TestServer server;
  server.dispatcher.handle = Hello;
  ScriptedDispatcher other;
  other.handle = [](const Request& request) {
    return TextResponse("instance " + request.origin->instance);
  };
  ListenerConfig config;
  config.dispatcher = &other;
  config.origin = {Origin::Kind::kInstance, "i-1"};
  config.socket = ListenTcp("127.0.0.1", 0);
  uint16_t port = LocalPort(config.socket.get());
  int number = server.server().Open(std::move(config));
  RawClient client(port), stays(server.port());
  client.Send(kGet);
  EXPECT_EQ(client.Receive().body, "instance i-1");
  server.server().Close(number);
  EXPECT_TRUE(client.AtEnd());
  stays.Send(kGet);
  EXPECT_EQ(stays.Receive().body, "hello");
  EXPECT_NO_THROW(ListenTcp("127.0.0.1", port));  // the port is free again
}

TEST(Listeners, NameWhoHoldsThePort) {
  UniqueFd socket = ListenTcp("127.0.0.1", 0);
  try {
    ListenTcp("127.0.0.1", LocalPort(socket.get()));
    FAIL() << "a taken port was taken again";
  } catch (const Failure& failure) {
    EXPECT_NE(failure.error().message.find("the port is taken by net_test (process "),
              std::string::npos)
        << failure.error().message;
  }
}

TEST(Server, SpreadsOverSeveralLoops) {
  HttpServer::Options options;
  options.io_threads = 3;
  TestServer server(options);
  server.dispatcher.handle = Hello;
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      RawClient client(server.port());
      for (int j = 0; j < 50; ++j) {
        client.Send(kGet);
        good += client.Receive().body == "hello";
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 400);
}

}  // namespace
}  // namespace fireweed::net
