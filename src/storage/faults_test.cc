// Faults on demand: what an instruction means, and what requests that carry one meet.
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bytes.h"
#include "storage/faulty_dispatcher.h"
#include "storage/storage_fixture.h"

namespace fireweed::storage {
namespace {

using testing::HasSubstr;

TEST(Fault, Vocabulary) {
  using Kind = Fault::Kind;
  struct Case {
    const char* text;
    std::optional<Fault> fault;
  };
  const Case cases[] = {
      {"return-503", Fault{Kind::kStatus, 503}},
      {"return-408", Fault{Kind::kStatus, 408}},
      {"return-503-after-256K", Fault{Kind::kStatusAfter, 503, 256 << 10}},
      {"return-503-after-256K/retry-1", Fault{Kind::kStatusAfter, 503, 256 << 10}},
      {"return-503-after-256K/retry-3", std::nullopt},
      {"return-broken-stream", Fault{Kind::kBreak, 0, 4}},
      {"return-broken-stream-after-64K", Fault{Kind::kBreak, 0, 64 << 10}},
      {"return-broken-stream-final-chunk-after-100B", Fault{Kind::kBreakUpload, 0, 100}},
      {"return-reset-connection", Fault{Kind::kBreak}},
      {"return-corrupted-data", Fault{Kind::kCorrupt}},
      {"stall-always", Fault{Kind::kStall, 0, 0, 10}},
      {"stall-at-256KiB", Fault{Kind::kStall, 0, 256 << 10, 10}},
      {"stall-for-2s-after-3K", Fault{Kind::kStall, 0, 3 << 10, 2}},
      {"stall-for-2s", Fault{Kind::kStall, 0, 0, 2}},
      {"return-", std::nullopt},
      {"return-99", std::nullopt},
      {"return-503-after-K", std::nullopt},
      {"return-503-after-99999999999999999999K", std::nullopt},
      {"stall", std::nullopt},
      {"", std::nullopt},
  };
  for (const Case& c : cases) EXPECT_EQ(ParseFault(c.text), c.fault) << c.text;
}

class FaultsTest : public testing::Test, protected StorageFixture {
 protected:
  FaultsTest() : tests_(random), faulty_(*router, tests_) {
    tests_.Serve(*router);
    Send("POST", "/storage/v1/b?project=my-project", R"({"name":"pets"})");
    Upload("pets", "o", bytes_);
    front = &faulty_;
  }

  std::string Order(const std::string& instructions) {
    Reply made = Send("POST", "/retry_test", "{\"instructions\":" + instructions + "}");
    EXPECT_EQ(made.status, 200) << made.body;
    return made.Field("id");
  }
  Reply With(const std::string& test, const std::string& method, const std::string& target,
             const std::string& body = "",
             std::vector<std::pair<std::string, std::string>> headers = {}) {
    headers.emplace_back("x-retry-test-id", test);
    return Send(method, target, body, std::move(headers));
  }
  bool IsCompleted(const std::string& test) {
    std::string body = Send("GET", "/retry_test/" + test).body;
    return body.find("\"completed\":true") != std::string::npos;
  }

  const std::string bytes_ = std::string(100 << 10, 'x');
  const std::string media_ = "/storage/v1/b/pets/o/o?alt=media";
  RetryTests tests_;
  FaultyDispatcher faulty_;
};

TEST_F(FaultsTest, OneAfterAnotherAndThenNone) {
  std::string test = Order(R"({"storage.buckets.get":["return-503","return-429"],)"
                           R"("storage.objects.list":["return-408"]})");
  EXPECT_EQ(With(test, "GET", "/storage/v1/b/pets").status, 503);
  Reply second = With(test, "GET", "/storage/v1/b/pets");
  EXPECT_EQ(second.status, 429);
  EXPECT_THAT(second.body, HasSubstr("Caused a 429"));
  EXPECT_EQ(With(test, "GET", "/storage/v1/b/pets").status, 200);
  EXPECT_FALSE(IsCompleted(test));
  EXPECT_EQ(Send("GET", "/storage/v1/b/pets/o").status, 200) << "without the header";
  EXPECT_EQ(With(test, "GET", "/storage/v1/b/pets/o").status, 408);
  EXPECT_TRUE(IsCompleted(test));
  EXPECT_THAT(Send("GET", "/retry_tests").body, HasSubstr(test));
  EXPECT_EQ(Send("DELETE", "/retry_test/" + test).status, 200);
  EXPECT_EQ(Send("GET", "/retry_test/" + test).status, 404);
  EXPECT_EQ(With(test, "GET", "/storage/v1/b/pets").status, 404);
}

TEST_F(FaultsTest, NonsenseIsRefused) {
  for (const char* bad :
       {R"({"storage.objects.get":["explode"]})", R"({"compute.instances.get":["return-503"]})"}) {
    EXPECT_EQ(Send("POST", "/retry_test", std::string("{\"instructions\":") + bad + "}").status,
              400)
        << bad;
  }
  EXPECT_EQ(Send("POST", "/retry_test", R"({"instructions":{},"transport":"GRPC"})").status, 400);
}

TEST_F(FaultsTest, DownloadsBreakOffWhereTheyWereToldTo) {
  for (const char* path : {"/storage/v1/b/pets/o/o?alt=media", "/pets/o",
                           "/download/storage/v1/b/pets/o/o?alt=media"}) {
    std::string test = Order(R"({"storage.objects.get":["return-broken-stream-after-64K"]})");
    Ask ask{.method = "GET", .target = path, .headers = {{"x-retry-test-id", test}}};
    net::Response response = Open(ask);
    auto& source = std::get<std::unique_ptr<net::ByteSource>>(response.body);
    EXPECT_EQ(source->size(), 100 << 10) << "the length is as it should have been";
    size_t came = 0;
    std::vector<std::byte> piece(7000);
    Result<size_t> got = source->Read(piece);
    for (; got.ok() && *got > 0; got = source->Read(piece)) came += *got;
    EXPECT_FALSE(got.ok());
    EXPECT_EQ(came, size_t{64 << 10});
    EXPECT_TRUE(IsCompleted(test));
    EXPECT_EQ(With(test, "GET", path).body, bytes_);
  }
  std::string longer = Order(R"({"storage.objects.get":["return-broken-stream-after-200K"]})");
  EXPECT_EQ(With(longer, "GET", media_).body, bytes_) << "it never came so far";
  EXPECT_FALSE(IsCompleted(longer));
}

TEST_F(FaultsTest, HeadersOrderFaultsThemselves) {
  auto with = [&](const char* instruction) {
    return Send("GET", media_, "", {{"x-goog-emulator-instructions", instruction}});
  };
  EXPECT_EQ(with("return-503").status, 503);
  EXPECT_EQ(with("return-504").status, 504);
  EXPECT_THROW(with("return-503-after-64K"), Failure);
  EXPECT_EQ(with("return-503-after-64K/retry-3").body, bytes_);
  EXPECT_EQ(with("return-broken-stream").body, bytes_) << "less than 1 MiB";
  EXPECT_EQ(with("no-such-fault").body, bytes_);
  std::string corrupted = with("return-corrupted-data").body;
  EXPECT_NE(corrupted, bytes_);
  EXPECT_EQ(corrupted.substr(1), bytes_.substr(1));
  EXPECT_EQ(with("stall-for-0s-after-1K").body, bytes_);
}

TEST_F(FaultsTest, ResumableUploadsKeepWhatCame) {
  Reply start = Send("POST", "/upload/storage/v1/b/pets/o?uploadType=resumable&name=u");
  std::string where = start.Header("Location");
  where = where.substr(where.find("/upload"));
  std::string test = Order(R"({"storage.objects.insert":["return-503-after-64K"]})");
  EXPECT_EQ(With(test, "PUT", where, bytes_, {{"Content-Range", "bytes 0-102399/102400"}}).status,
            503);
  Reply status = With(test, "PUT", where, "", {{"Content-Range", "bytes */102400"}});
  EXPECT_EQ(status.status, 308);
  EXPECT_EQ(status.Header("Range"), "bytes=0-65535");
  EXPECT_EQ(With(test, "PUT", where, bytes_.substr(65536),
                 {{"Content-Range", "bytes 65536-102399/102400"}})
                .status,
            200);
  EXPECT_EQ(Read("pets", "u"), bytes_);
  EXPECT_TRUE(IsCompleted(test));
}

TEST_F(FaultsTest, TheLastChunkBreaksOff) {
  Reply start = Send("POST", "/upload/storage/v1/b/pets/o?uploadType=resumable&name=v");
  std::string where = start.Header("Location");
  where = where.substr(where.find("/upload"));
  std::string test =
      Order(R"({"storage.objects.insert":["return-broken-stream-final-chunk-after-10B"]})");
  EXPECT_EQ(With(test, "PUT", where, "01234567", {{"Content-Range", "bytes 0-7/*"}}).status, 308);
  EXPECT_THROW(With(test, "PUT", where, "89ab", {{"Content-Range", "bytes 8-11/12"}}), Failure);
  EXPECT_EQ(With(test, "PUT", where, "", {{"Content-Range", "bytes */12"}}).Header("Range"),
            "bytes=0-9");
  EXPECT_EQ(With(test, "PUT", where, "ab", {{"Content-Range", "bytes 10-11/12"}}).status, 200);
  EXPECT_EQ(Read("pets", "v"), "0123456789ab");
}

TEST_F(FaultsTest, WritesThatAreResetWereNotDone) {
  std::string test = Order(R"({"storage.objects.insert":["return-reset-connection"],)"
                           R"("storage.objects.delete":["return-reset-connection"]})");
  EXPECT_THROW(With(test, "POST", "/upload/storage/v1/b/pets/o?uploadType=media&name=w", "1"),
               Failure);
  EXPECT_EQ(Read("pets", "w"), "status 404");
  EXPECT_THROW(With(test, "DELETE", "/storage/v1/b/pets/o/o"), Failure);
  EXPECT_EQ(Read("pets", "o"), bytes_);
  EXPECT_EQ(With(test, "DELETE", "/storage/v1/b/pets/o/o").status, 204);
}

TEST(Stalls, EndWithTheirOwner) {
  Stalls stalls;
  std::thread waiting([&] { stalls.Wait(std::chrono::hours(24)); });
  stalls.End();
  waiting.join();
}

}  // namespace
}  // namespace fireweed::storage
