// Bodies that stream, files, and answers that come later.
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/guarded.h"
#include "net/http_client.h"
#include "net/test_http.h"
#include "net/test_tls.h"

namespace fireweed::net {
namespace {

constexpr const char kGet[] = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n";

// A sanitizer keeps freed memory and notes of its own: what is resident then says nothing about the server.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kOwnMemoryOnly = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kOwnMemoryOnly = false;
#else
constexpr bool kOwnMemoryOnly = true;
#endif
#else
constexpr bool kOwnMemoryOnly = true;
#endif

int64_t ResidentBytes() {
  int64_t size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * 4096;
}

// Counts and sums what arrives; waits at a gate before the first byte.
struct SlowSink final : BodySink {
  struct Record {
    std::promise<void> gate;
    std::atomic<int64_t> bytes{0};
    std::atomic<uint64_t> sum{0};
    std::atomic<int64_t> most_resident{0};
    std::atomic<bool> finished{false};
    std::promise<void> gone;
  };
  explicit SlowSink(Record& record) : record(record), gate(record.gate.get_future()) {}
  ~SlowSink() override { record.gone.set_value(); }
  void Write(std::span<const std::byte> bytes) override {
    if (record.bytes == 0) gate.wait();
    uint64_t sum = 0;
    for (std::byte byte : bytes) sum += std::to_integer<uint8_t>(byte);
    record.sum += sum;
    record.bytes += static_cast<int64_t>(bytes.size());
    record.most_resident = std::max(record.most_resident.load(), ResidentBytes());
  }
  Response Finish() override {
    record.finished = true;
    return TextResponse("took " + std::to_string(record.bytes));
  }
  Record& record;
  std::future<void> gate;
};

class Upload : public testing::Test {
 protected:
  Upload() {
    server_.dispatcher.plan_body = [](const Request&) -> BodyPlan { return TakeStream{}; };
    server_.dispatcher.open_body = [this](const Request&) {
      return std::make_unique<SlowSink>(record_);
    };
  }
  SlowSink::Record record_;
  TestServer server_;
};

TEST_F(Upload, GoesNoFasterThanItsSinkAndKeepsNothing) {
  constexpr int64_t kTotal = 300 << 20;
  const std::string piece(1 << 20, '\x01');
  RawClient client(server_.port());
  const int64_t before = ResidentBytes();
  client.Send("PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(kTotal) +
              "\r\n\r\n");
  int64_t sent = 0;
  pollfd writable{client.fd(), POLLOUT, 0};
  while (sent < kTotal) {
    ssize_t count = send(client.fd(), piece.data(), std::min<int64_t>(piece.size(), kTotal - sent),
                         MSG_DONTWAIT);
    if (count > 0) {
      sent += count;
    } else if (record_.bytes == 0 && poll(&writable, 1, 200) == 0) {
      EXPECT_LT(sent, 64 << 20);  // only the kernel's buffers have taken something
      record_.gate.set_value();
      poll(&writable, 1, -1);
    } else {
      poll(&writable, 1, -1);
    }
  }
  EXPECT_EQ(client.Receive().body, "took " + std::to_string(kTotal));
  EXPECT_EQ(record_.sum, static_cast<uint64_t>(kTotal));
  if (kOwnMemoryOnly) {
    EXPECT_LT(record_.most_resident - before, 32 << 20);
  }
}

TEST_F(Upload, TakesChunksAndGoesOnWithTheConnection) {
  record_.gate.set_value();
  RawClient client(server_.port());
  client.Send(
      "PUT /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.Receive().status, 100);
  client.Send("5\r\nhello\r\n");
  client.Send("6\r\n world\r\n0\r\n\r\n");
  EXPECT_EQ(client.Receive().body, "took 11");
  server_.dispatcher.plan_body = nullptr;
  client.Send(kGet);
  EXPECT_EQ(client.Receive().status, 404);
}

TEST_F(Upload, TakesAnEmptyBody) {
  RawClient client(server_.port());
  client.Send("PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(client.Receive().body, "took 0");
}

TEST_F(Upload, IsDroppedWhenTheClientBreaksOff) {
  record_.gate.set_value();
  {
    RawClient client(server_.port());
    client.Send("PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nsome");
  }
  record_.gone.get_future().wait();
  EXPECT_FALSE(record_.finished);
}

TEST_F(Upload, AnswersTheErrorOfASinkAndCloses) {
  struct FullSink final : BodySink {
    void Write(std::span<const std::byte>) override { throw Failure(Code::kInvalid, "disk full"); }
    Response Finish() override { return TextResponse("never"); }
  };
  server_.dispatcher.open_body = [](const Request&) { return std::make_unique<FullSink>(); };
  RawClient client(server_.port());
  client.Send("PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n" +
              std::string(3 << 20, 'x'));
  ClientView view = client.Receive();
  EXPECT_EQ(view.status, 400);
  EXPECT_EQ(view.body, "invalid: disk full");
  EXPECT_EQ(view.headers["connection"], "close");
}

TEST_F(Upload, IsRefusedBeforeContinueByItsOpening) {
  server_.dispatcher.open_body = [](const Request&) -> std::unique_ptr<BodySink> {
    throw Failure(Code::kDenied, "not you");
  };
  RawClient client(server_.port());
  client.Send("PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.Receive().status, 403);
  EXPECT_TRUE(client.AtEnd());
}

using Threads = Guarded<std::vector<std::thread>>;
void JoinAll(Threads& threads) {
  threads.With([](auto& all) {
    for (std::thread& thread : all) thread.join();
  });
}

// Answers from another thread, after the sink is gone.
struct LaterSink final : BodySink {
  explicit LaterSink(Threads& threads) : threads(threads) {}
  void Write(std::span<const std::byte> bytes) override { text += AsText(bytes); }
  Response Finish() override { return TextResponse("not called"); }
  Answer FinishLater() override {
    auto deferred = std::make_shared<Deferred>();
    deferred->soon = true;
    threads.With([&](auto& all) {
      all.emplace_back(
          [deferred, text = text] { deferred->Complete(TextResponse("later " + text)); });
    });
    return deferred;
  }
  Threads& threads;
  std::string text;
};

TEST_F(Upload, ASinkMayAnswerLaterFromAnyThread) {
  Threads threads;
  server_.dispatcher.open_body = [&](const Request&) {
    return std::make_unique<LaterSink>(threads);
  };
  RawClient client(server_.port());
  for (const char* body : {"one", "two"}) {
    client.Send("PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n" + std::string(body));
    EXPECT_EQ(client.Receive().body, "later " + std::string(body));
  }
  JoinAll(threads);
}

TEST_F(Upload, ASmallOneIsTakenOnTheIoThreadWhereThatCanBe) {
  Threads threads;
  std::atomic<std::thread::id> inlined{}, pool{};
  server_.dispatcher.open_inline = [&](const Request& request) -> std::unique_ptr<BodySink> {
    inlined = std::this_thread::get_id();
    if (request.path == "/bad") throw Failure(Code::kInvalid, "the pool says so");
    if (request.path == "/not-here") return nullptr;
    return std::make_unique<LaterSink>(threads);
  };
  server_.dispatcher.open_body = [&](const Request& request) -> std::unique_ptr<BodySink> {
    pool = std::this_thread::get_id();
    if (request.path == "/bad") throw Failure(Code::kInvalid, "bad indeed");
    return std::make_unique<LaterSink>(threads);
  };
  RawClient client(server_.port());
  auto send = [&](const std::string& path, const std::string& body) {
    client.Send("PUT " + path + " HTTP/1.1\r\nHost: a\r\nContent-Length: " +
                std::to_string(body.size()) + "\r\n\r\n" + body);
    return client.Receive();
  };
  EXPECT_EQ(send("/here", "tiny").body, "later tiny");
  EXPECT_EQ(pool.load(), std::thread::id()) << "no hop";
  EXPECT_EQ(send("/not-here", "tiny").body, "later tiny");
  EXPECT_NE(pool.load(), std::thread::id());
  EXPECT_NE(pool.load(), inlined.load());
  ClientView large = send("/here", std::string(1 << 20, 'x'));
  EXPECT_EQ(large.body.size(), 6u + (1 << 20)) << "what comes in pieces goes to the pool";
  EXPECT_EQ(send("/bad", "tiny").body, "invalid: bad indeed");
  JoinAll(threads);
}

class CountingSource final : public ByteSource {
 public:
  CountingSource(int64_t total, bool sized) : left_(total), total_(total), sized_(sized) {}
  Result<size_t> Read(std::span<std::byte> out) override {
    size_t count = static_cast<size_t>(std::min<int64_t>(left_, static_cast<int64_t>(out.size())));
    std::fill_n(out.begin(), count, std::byte{'y'});
    left_ -= static_cast<int64_t>(count);
    return count;
  }
  std::optional<int64_t> size() const override {
    return sized_ ? std::optional(total_) : std::nullopt;
  }

 private:
  int64_t left_, total_;
  bool sized_;
};

TEST(Download, StreamsChunkedSizedAndUntilTheEnd) {
  TestServer server;
  server.dispatcher.handle = [](const Request& request) {
    Response response;
    response.body = std::make_unique<CountingSource>(3'000'000, request.path == "/sized");
    return response;
  };
  RawClient client(server.port());
  client.Send(
      "GET /sized HTTP/1.1\r\nHost: a\r\n\r\nGET /chunked HTTP/1.1\r\nHost: a\r\n\r\n"
      "HEAD /chunked HTTP/1.1\r\nHost: a\r\n\r\nGET /end HTTP/1.0\r\n\r\n");
  ClientView sized = client.Receive();
  EXPECT_EQ(sized.headers["content-length"], "3000000");
  EXPECT_EQ(sized.body, std::string(3'000'000, 'y'));
  ClientView chunked = client.Receive();
  EXPECT_EQ(chunked.headers["transfer-encoding"], "chunked");
  EXPECT_EQ(chunked.body.size(), 3'000'000u);
  EXPECT_TRUE(chunked.complete);
  EXPECT_EQ(client.Receive(true).status, 200);
  ClientView old = client.Receive();
  EXPECT_EQ(old.body.size(), 3'000'000u);
}

class FileBodies : public testing::Test {
 protected:
  FileBodies() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "fireweed-file-XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
    for (int i = 0; i < 3'000'000; ++i) contents_ += static_cast<char>('a' + i % 26);
    std::ofstream(directory_ + "/f") << contents_;
    file_ = disk_->Open(directory_ + "/f", OpenMode::kRead).value();
    server_.dispatcher.handle = [this](const Request& request) {
      Response response;
      int64_t length = request.path == "/long" ? 4'000'000 : 2'000'000;
      response.body = FileSlice{file_, 1000, length};
      return response;
    };
  }
  ~FileBodies() override { std::filesystem::remove_all(directory_); }

  std::string directory_, contents_;
  std::unique_ptr<Disk> disk_ = MakeRealDisk();
  std::shared_ptr<const File> file_;
  TestServer server_;
};

TEST_F(FileBodies, AreSentFromTheirOffset) {
  RawClient client(server_.port());
  for (int i = 0; i < 2; ++i) {
    client.Send(kGet);
    EXPECT_EQ(client.Receive().body, contents_.substr(1000, 2'000'000));
  }
}

TEST_F(FileBodies, BreakOffWhenTheFileIsShorterThanPromised) {
  RawClient client(server_.port());
  client.Send("GET /long HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_FALSE(client.Receive().complete);
}

TEST_F(FileBodies, AreSentOverTls) {
  TestAuthority authority;
  ListenerConfig config;
  config.tls = true;
  config.certificates = authority.certificates();
  uint16_t port = server_.Open(std::move(config));
  HttpClient::Options options;
  options.ca_file = authority.ca_file();
  HttpClient client(options);
  ClientRequest request;
  request.url = "https://127.0.0.1:" + std::to_string(port) + "/x";
  EXPECT_EQ(client.Send(request).value().body, contents_.substr(1000, 2'000'000));
}

// A file without a descriptor.
class TextFile final : public File {
 public:
  explicit TextFile(std::string text) : text_(std::move(text)) {}
  Result<size_t> ReadAt(int64_t offset, std::span<std::byte> out) const override {
    return text_.copy(reinterpret_cast<char*>(out.data()), out.size(), static_cast<size_t>(offset));
  }
  Result<> WriteAt(int64_t, std::span<const std::byte>) override { return Done{}; }
  Result<> Truncate(int64_t) override { return Done{}; }
  Result<> Sync() override { return Done{}; }
  Result<int64_t> Size() const override { return static_cast<int64_t>(text_.size()); }

 private:
  std::string text_;
};

TEST_F(FileBodies, NeedNoDescriptor) {
  file_ = std::make_shared<TextFile>(contents_);
  RawClient client(server_.port());
  client.Send(kGet);
  EXPECT_EQ(client.Receive().body, contents_.substr(1000, 2'000'000));
}

class Polls : public testing::Test {
 protected:
  Polls() {
    server_.dispatcher.handle = [this](const Request& request) -> Answer {
      if (request.path != "/poll") return TextResponse("plain");
      auto deferred = std::make_shared<Deferred>();
      deferred->timeout_ms = timeout_ms_;
      deferred->on_timeout = [] { return TextResponse("nothing new"); };
      waiting_.set_value(deferred);
      return deferred;
    };
  }
  static HttpServer::Options OneOfEach() {
    HttpServer::Options options;
    options.pool_threads = 1;
    options.limits.max_connections = 2;
    return options;
  }
  static constexpr const char kPoll[] = "GET /poll HTTP/1.1\r\nHost: a\r\n\r\n";

  int64_t timeout_ms_ = 60'000;
  std::promise<std::shared_ptr<Deferred>> waiting_;
  TestServer server_{OneOfEach()};
};

TEST_F(Polls, AnswerWhenThereIsNewsAndHoldNoThread) {
  RawClient poll(server_.port());
  poll.Send(std::string(kPoll) + kGet);  // with the next request behind it
  std::shared_ptr<Deferred> deferred = waiting_.get_future().get();
  RawClient other(server_.port());
  other.Send(kGet);
  EXPECT_EQ(other.Receive().body, "plain");  // the only pool thread is free
  EXPECT_TRUE(deferred->Complete(TextResponse("news")));
  EXPECT_EQ(poll.Receive().body, "news");
  EXPECT_EQ(poll.Receive().body, "plain");
}

TEST_F(Polls, LoseNothingThatIsSentMeanwhile) {
  RawClient client(server_.port());
  for (int i = 0; i < 200; ++i) {
    waiting_ = {};
    std::future<std::shared_ptr<Deferred>> arrived = waiting_.get_future();
    client.Send(kPoll);
    std::shared_ptr<Deferred> deferred = arrived.get();
    std::thread teller([&] { deferred->Complete(TextResponse("news")); });
    client.Send(kGet);  // arrives before, while or after the poll is answered
    teller.join();
    ASSERT_EQ(client.Receive().body, "news");
    ASSERT_EQ(client.Receive().body, "plain");
  }
}

TEST_F(Polls, AnswerWhenTheirTimeIsUp) {
  timeout_ms_ = 20;
  RawClient client(server_.port());
  client.Send(kPoll);
  EXPECT_EQ(client.Receive().body, "nothing new");
  EXPECT_FALSE(waiting_.get_future().get()->Complete(TextResponse("too late")));
}

TEST_F(Polls, FreeTheirPlaceWhenTheClientLeaves) {
  RawClient stays(server_.port());
  stays.Send(kGet);
  EXPECT_EQ(stays.Receive().status, 200);
  std::shared_ptr<Deferred> deferred;
  {
    RawClient leaves(server_.port());
    leaves.Send(kPoll);
    deferred = waiting_.get_future().get();
  }
  int status = 503;
  for (int i = 0; i < 10'000 && status != 200; ++i) {
    RawClient next(server_.port());
    next.Send(kGet);
    status = next.Receive().status;
  }
  EXPECT_EQ(status, 200);
  EXPECT_TRUE(deferred->settled());
}

TEST_F(Polls, EndWithTheirTimeoutsAnswerWhenTheServerDrains) {
  RawClient client(server_.port());
  client.Send(kPoll);
  std::shared_ptr<Deferred> deferred = waiting_.get_future().get();
  EXPECT_TRUE(server_.server().Drain(std::chrono::milliseconds(10'000)));
  EXPECT_EQ(client.Receive().body, "nothing new");
}

TEST_F(Polls, OutliveTheServerHarmlessly) {
  std::shared_ptr<Deferred> deferred;
  {
    TestServer short_lived;
    short_lived.dispatcher.handle = server_.dispatcher.handle;
    RawClient client(short_lived.port());
    client.Send(kPoll);
    deferred = waiting_.get_future().get();
  }
  EXPECT_FALSE(deferred->Complete(TextResponse("news")));
}

}  // namespace
}  // namespace fireweed::net
