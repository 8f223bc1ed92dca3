#include "logs/logging_service.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/memory_disk.h"
#include "base/random.h"
#include "base/sim_clock.h"
#include "catalog/memory_catalog.h"

namespace fireweed::logs {
namespace {

// Everybody may do everything, except in the project "closed".
class OpenAccess final : public net::AccessControl {
 public:
  std::shared_ptr<const net::Caller> Identify(const net::Request&) override {
    return std::make_shared<net::Caller>(net::Caller{.principal = "user:me@x", .email = "me@x"});
  }
  bool May(const net::Caller&, std::string_view, std::string_view resource) override {
    return resource != "projects/closed";
  }
};

class LoggingServiceTest : public testing::Test {
 protected:
  LoggingServiceTest() { service_.Serve(router_); }

  // Status and body; 0 while the answer is still to come.
  std::pair<int, std::string> Ask(std::string_view method, std::string_view target,
                                  std::string_view body = "") {
    net::Origin origin;
    net::Request request;
    request.method = method;
    request.target = target;
    size_t question = target.find('?');
    request.path = target.substr(0, question);
    if (question != target.npos) request.query = target.substr(question + 1);
    request.host = "logging.googleapis.com";
    request.body = body;
    request.origin = &origin;
    if (!agent_.empty()) request.headers.push_back({"User-Agent", agent_});
    try {
      net::Answer answer = router_.Handle(request);
      if (auto* waiter = std::get_if<std::shared_ptr<net::Deferred>>(&answer)) {
        (*waiter)->OnComplete([this](net::Response response) { later_ = Plain(response); });
        return std::exchange(later_, {});
      }
      return Plain(std::get<net::Response>(answer));
    } catch (const Failure& failure) {
      return Plain(router_.RenderError(request, failure.error()));
    }
  }
  static std::pair<int, std::string> Plain(const net::Response& response) {
    if (auto* text = std::get_if<std::string>(&response.body)) return {response.status, *text};
    return {response.status, *std::get<std::shared_ptr<const std::string>>(response.body)};
  }
  std::pair<int, std::string> Write(std::string_view text, std::string_view log = "l") {
    return Ask("POST", "/v2/entries:write",
               "{\"logName\":\"projects/p/logs/" + std::string(log) +
                   "\",\"resource\":{\"type\":\"global\"},\"labels\":{\"a\":\"b\"},\"entries\":[{"
                   "\"severity\":\"INFO\",\"textPayload\":\"" +
                   std::string(text) + "\"}]}");
  }
  std::pair<int, std::string> List(std::string_view more = "") {
    return Ask("POST", "/v2/entries:list",
               "{\"resourceNames\":[\"projects/p\"]" + std::string(more) + "}");
  }

  MemoryDisk disk_;
  MemoryCatalog catalog_;
  SimClock clock_;
  SeededRandom random_{7};
  IdSource ids_{clock_, random_};
  OpenAccess access_;
  net::Router router_{access_};
  LogStore store_{disk_, "state/logs"};
  LoggingService service_{
      {store_, catalog_, access_, ids_, clock_,
       [](const std::string& name, const net::Caller&) { return name == "123" ? "p" : name; }}};
  std::pair<int, std::string> later_;
  std::string agent_;
};

using testing::Test;

bool Has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

TEST_F(LoggingServiceTest, WhatIsWrittenIsListed) {
  EXPECT_EQ(Write("hello"), std::pair(200, std::string("{}")));
  auto [status, body] = List(R"(,"filter":"severity>=INFO AND textPayload:hell")");
  EXPECT_EQ(status, 200);
  EXPECT_TRUE(Has(body, R"("textPayload":"hello")")) << body;
  EXPECT_TRUE(Has(body, R"("severity":"INFO")")) << body;
  EXPECT_TRUE(Has(body, R"("labels":{"a":"b"})")) << body;
  EXPECT_TRUE(Has(body, R"("insertId":")")) << body;
  EXPECT_FALSE(Has(List(R"(,"filter":"severity>INFO")").second, "hello"));
  EXPECT_TRUE(Has(Ask("POST", "/v2/entries:list", R"({"resourceNames":["projects/123"]})").second,
                  "hello"));
}

TEST_F(LoggingServiceTest, PagesBothWays) {
  for (int i = 0; i < 5; ++i) {
    clock_.Advance(std::chrono::seconds(1));
    Write("line" + std::to_string(i));
  }
  auto first = List(R"(,"orderBy":"timestamp desc","pageSize":2)").second;
  EXPECT_TRUE(Has(first, "line4") && Has(first, "line3") && !Has(first, "line2")) << first;
  size_t at = first.find("nextPageToken\":\"") + 16;
  std::string token = first.substr(at, first.find('"', at) - at);
  auto second =
      List(",\"orderBy\":\"timestamp desc\",\"pageSize\":2,\"pageToken\":\"" + token + "\"").second;
  EXPECT_TRUE(Has(second, "line2") && Has(second, "line1") && !Has(second, "line3")) << second;
}

TEST_F(LoggingServiceTest, AWaitingReaderIsToldAtOnce) {
  auto waiting = Ask("POST", "/v2/entries:list?wait=30", R"({"resourceNames":["projects/p"]})");
  EXPECT_EQ(waiting.first, 0);
  Write("news");
  EXPECT_EQ(later_.first, 200);
  auto there = Ask("POST", "/v2/entries:list?wait=30", R"({"resourceNames":["projects/p"]})");
  EXPECT_EQ(there.first, 200);
  EXPECT_TRUE(Has(there.second, "news") && Has(there.second, "nextPageToken")) << there.second;
}

TEST_F(LoggingServiceTest, WhoWaitsForAJobIsNotWokenByAnother) {
  auto write = [&](std::string_view job) {
    return Ask("POST", "/v2/entries:write",
               fmt::format(R"({{"logName":"projects/p/logs/l","resource":{{"type":"ml_job",)"
                           R"("labels":{{"job_id":"{}"}}}},"entries":[{{"textPayload":"x"}}]}})",
                           job));
  };
  auto waiting =
      Ask("POST", "/v2/entries:list?wait=30",
          R"({"resourceNames":["projects/p"],"filter":"resource.labels.job_id=\"quiet\""})");
  EXPECT_EQ(waiting.first, 0);
  EXPECT_EQ(write("chatty").first, 200);
  EXPECT_EQ(Write("of no job").first, 200);
  EXPECT_EQ(later_.first, 0);
  EXPECT_EQ(write("quiet").first, 200);
  EXPECT_EQ(later_.first, 200);
}

// As gcloud's --stream-logs: lines older than five seconds, then the job.
TEST_F(LoggingServiceTest, KnowsWhoHasNotReadTheLastLinesOfAJob) {
  net::Origin origin;
  Time end = clock_.Now();
  auto behind = [&](std::string_view agent) {
    net::Request request;
    request.headers.push_back({"User-Agent", agent});
    request.origin = &origin;
    net::PathValues none;
    net::Caller caller{.principal = "user:me@x", .email = "me@x"};
    return service_.IsBehind({request, caller, none, api::logging::kListEntries.entry()}, "p", "j",
                             end);
  };
  auto poll = [&] {
    std::string until = FormatTime(clock_.Now() - std::chrono::seconds(5), 6);
    auto [status, body] =
        List(R"(,"filter":"resource.labels.job_id=\"j\" AND timestamp<\")" + until + R"(\"")");
    EXPECT_EQ(status, 200) << body;
  };
  agent_ = "gcloud invocation-id/1";
  poll();
  EXPECT_TRUE(behind("gcloud invocation-id/1"));
  EXPECT_FALSE(behind("gcloud invocation-id/2"));
  clock_.Advance(std::chrono::seconds(7));
  EXPECT_TRUE(behind("gcloud invocation-id/1")) << "it has to read once more";
  poll();
  EXPECT_FALSE(behind("gcloud invocation-id/1"));
}

TEST_F(LoggingServiceTest, LogsAreListedAndDeleted) {
  Write("a", "one");
  Write("b", "two%2Fpart");
  auto logs = Ask("GET", "/v2/projects/p/logs").second;
  EXPECT_TRUE(Has(logs, "projects/p/logs/one") && Has(logs, "projects/p/logs/two%2Fpart")) << logs;
  clock_.Advance(std::chrono::seconds(1));
  EXPECT_EQ(Ask("DELETE", "/v2/projects/p/logs/two%2Fpart").first, 200);
  EXPECT_EQ(Ask("DELETE", "/v2/projects/p/logs/three").first, 404);
  logs = Ask("GET", "/v2/projects/p/logs").second;
  EXPECT_FALSE(Has(logs, "two")) << logs;
  auto left = List().second;
  EXPECT_TRUE(Has(left, R"("textPayload":"a")")) << left;
  EXPECT_FALSE(Has(left, "two%2Fpart")) << left;
  clock_.Advance(std::chrono::seconds(1));
  Write("again", "two%2Fpart");
  EXPECT_TRUE(Has(Ask("GET", "/v2/projects/p/logs").second, "two%2Fpart"));
  EXPECT_TRUE(Has(List().second, "again"));
}

TEST_F(LoggingServiceTest, RefusesBadRequests) {
  EXPECT_EQ(Ask("POST", "/v2/entries:list", "{}").first, 400);
  EXPECT_EQ(List(R"(,"filter":"severity=")").first, 400);
  EXPECT_EQ(List(R"(,"orderBy":"severity")").first, 400);
  EXPECT_EQ(List(R"(,"pageToken":"?")").first, 400);
  EXPECT_EQ(List(R"(,"pageSize":-1)").first, 400);
  EXPECT_EQ(Ask("POST", "/v2/entries:list", R"({"resourceNames":["folders/1"]})").first, 400);
  EXPECT_EQ(Ask("POST", "/v2/entries:list", R"({"resourceNames":["projects/closed"]})").first, 403);
  auto write = [&](const char* entries) {
    return Ask("POST", "/v2/entries:write", std::string(R"({"entries":[)") + entries + "]}").first;
  };
  EXPECT_EQ(write(R"({"logName":"projects/p/logs/l","textPayload":"x"})"), 400);  // no resource
  EXPECT_EQ(write(R"({"logName":"l","resource":{"type":"global"}})"), 400);
  EXPECT_EQ(write(R"({"logName":"projects/p/logs/a/b","resource":{"type":"global"}})"), 400);
  EXPECT_EQ(write(R"({"logName":"projects/closed/logs/a","resource":{"type":"global"}})"), 403);
  EXPECT_EQ(
      write(
          R"({"logName":"projects/p/logs/l","resource":{"type":"global"},"timestamp":"2099-01-01T00:00:00Z"})"),
      400);
  EXPECT_EQ(
      write(
          R"({"logName":"projects/p/logs/l","resource":{"type":"global"},"textPayload":"x","jsonPayload":{}})"),
      400);
}

TEST_F(LoggingServiceTest, PartialSuccessKeepsWhatIsSound) {
  std::string body =
      R"({"partialSuccess":true,"resource":{"type":"global"},"entries":[{"logName":"bad"},)"
      R"({"logName":"projects/p/logs/l","textPayload":"sound"}]})";
  EXPECT_EQ(Ask("POST", "/v2/entries:write", body).first, 400);
  EXPECT_TRUE(Has(List().second, "sound"));
}

}  // namespace
}  // namespace fireweed::logs
