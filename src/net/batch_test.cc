#include "net/batch.h"

#include <gtest/gtest.h>

#include "net/errors.h"

namespace fireweed::net {
namespace {

using api::Verb;

constexpr std::string_view kHosts[] = {"pets.googleapis.com"};
constexpr api::Service kPets{.name = "pets", .version = "v1", .title = "Pets", .hosts = kHosts};
constexpr api::Method<api::Empty, api::Empty> kGet{kPets, Verb::kGet, "/v1/pets/{pet}", "pets.get"};
constexpr api::Method<api::Empty, api::Empty> kPost{kPets, Verb::kPost, "/v1/pets", "pets.post"};
constexpr api::Method<api::Empty, api::Empty> kWait{kPets, Verb::kPost, "/v1/pets/{pet}/wait",
                                                    "pets.wait"};
constexpr api::Method<api::Empty, api::Empty> kPredict{kPets, Verb::kPost, "/v1/pets/{pet}:predict",
                                                       "pets.predict"};
constexpr api::Method<api::Empty, api::Empty> kUpload{kPets, Verb::kPost, "/v1/upload",
                                                      "pets.upload"};

class AnyAccess final : public AccessControl {
 public:
  std::shared_ptr<const Caller> Identify(const Request& request) override {
    auto caller = std::make_shared<Caller>();
    caller->email = std::string(request.Header("Authorization").value_or(request.proxy_principal));
    return caller;
  }
  bool May(const Caller&, std::string_view, std::string_view) override { return true; }
};

class BatchTest : public ::testing::Test {
 protected:
  BatchTest() : router_(access_), batch_(router_) {
    router_.OnRaw(kGet.entry(), [](const Call& call) -> Answer {
      if (call.Path("pet") == "none") throw Failure(Code::kNotFound, "No such pet.");
      return JsonResponse(200, call.Path("pet") + " by " + call.caller.email);
    });
    router_.OnRaw(kPost.entry(), [](const Call& call) -> Answer {
      return JsonResponse(200, "[" + std::string(call.http.body) + "]");
    });
    router_.OnRaw(kWait.entry(), [this](const Call&) -> Answer {
      waits_.push_back(std::make_shared<Deferred>());
      waits_.back()->timeout_ms = 5000;
      waits_.back()->on_timeout = [] { return JsonResponse(200, "not yet"); };
      return waits_.back();
    });
    router_.OnRaw(kPredict.entry(),
                  [](const Call&) -> Answer { return std::shared_ptr<Forwarding>(); });
    router_.OnStream(kUpload.entry(),
                     [](const Call&) -> std::unique_ptr<BodySink> { return nullptr; });
    batch_.Serve();
  }

  std::shared_ptr<Deferred> Send(std::string_view body,
                                 std::string_view type = "multipart/mixed; boundary=\"==b==\"") {
    Request request;
    request.method = "POST";
    request.target = request.path = "/batch/compute/v1";
    request.host = "pets.googleapis.com";
    request.headers = {{"Content-Type", type}};
    if (!from_proxy_) request.headers.push_back({"Authorization", "ann"});
    if (from_proxy_) request.proxy_principal = "user:zoe";
    request.body = body;
    request.origin = &origin_;
    auto answer = std::get<std::shared_ptr<Deferred>>(router_.Handle(request));
    answer->OnComplete([this](Response r) { reply_ = std::move(r); });
    return answer;
  }
  std::string Body() { return reply_ ? std::get<std::string>(reply_->body) : "(nothing yet)"; }

  Origin origin_;
  bool from_proxy_ = false;
  AnyAccess access_;
  Router router_;
  Batch batch_;
  std::vector<std::shared_ptr<Deferred>> waits_;
  std::optional<Response> reply_;
};

// As gcloud writes it: LF ends, Content-ID with a number behind a plus.
constexpr const char* kTwo =
    "--==b==\nContent-Type: application/http\nMIME-Version: 1.0\nContent-ID: <abc+0>\n\n"
    "GET /v1/pets/tom?alt=json HTTP/1.1\nHost: pets.googleapis.com\n\n\n"
    "--==b==\nContent-Type: application/http\nContent-ID: <abc+1>\n\n"
    "GET /v1/pets/none HTTP/1.1\nAuthorization: bob\n\n\n--==b==--";

TEST_F(BatchTest, AnswersEachPartInOrder) {
  Send(kTwo);
  std::string body = Body();
  ASSERT_TRUE(reply_);
  EXPECT_EQ(reply_->status, 200);
  size_t tom = body.find("tom by ann"), none = body.find("No such pet.");
  ASSERT_NE(tom, std::string::npos) << body;
  ASSERT_NE(none, std::string::npos) << body;
  EXPECT_LT(tom, none);
  EXPECT_NE(body.find("Content-ID: <response-abc+0>\r\n"), std::string::npos);
  EXPECT_NE(body.find("HTTP/1.1 404 Not Found\r\n"), std::string::npos);
  std::string type(reply_->Header("Content-Type").value_or(""));
  std::string boundary = type.substr(type.find("boundary=") + 9);
  EXPECT_TRUE(body.starts_with("--" + boundary + "\r\n"));
  EXPECT_TRUE(body.ends_with("--" + boundary + "--\r\n"));
  // What we send can be read by what we read.
  EXPECT_NE(body.find("Content-Length: 10\r\n\r\ntom by ann\r\n"), std::string::npos);
}

TEST_F(BatchTest, PartsAreSignedInByTheProxyAsTheBatchIs) {
  from_proxy_ = true;
  Send(
      "--==b==\nContent-Type: application/http\n\nGET /v1/pets/tom HTTP/1.1\n\n"
      "--==b==\nContent-Type: application/http\n\nGET /v1/pets/kit HTTP/1.1\n"
      "Authorization: bob\n\n--==b==--");
  EXPECT_NE(Body().find("tom by user:zoe"), std::string::npos) << Body();
  EXPECT_NE(Body().find("kit by bob"), std::string::npos) << Body();
}

// As google-cloud-storage writes it: absolute URLs, no ids.
TEST_F(BatchTest, TakesAbsoluteUrlsAndBodies) {
  Send(
      "--==b==\r\nContent-Type: application/http\r\n\r\n"
      "POST https://pets.googleapis.com/v1/pets HTTP/1.1\r\nContent-Length: 3\r\n\r\na\r\nb\r\n"
      "--==b==--\r\n");
  EXPECT_NE(Body().find("[a\r\nb]"), std::string::npos) << Body();
  EXPECT_EQ(Body().find("Content-ID"), std::string::npos);
}

TEST_F(BatchTest, WaitsTogether) {
  std::string body;
  for (int i = 0; i < 3; ++i) {
    body += "--==b==\nContent-Type: application/http\n\nPOST /v1/pets/x/wait HTTP/1.1\n\n";
  }
  auto whole = Send(body + "--==b==--");
  EXPECT_EQ(whole->timeout_ms, 5000) << "not three times that";
  ASSERT_EQ(waits_.size(), 3u);
  waits_[2]->Complete(JsonResponse(200, "third"));
  waits_[0]->Complete(JsonResponse(200, "first"));
  EXPECT_FALSE(reply_);
  waits_[1]->Complete(JsonResponse(200, "second"));
  ASSERT_TRUE(reply_);
  EXPECT_LT(Body().find("first"), Body().find("second"));
  EXPECT_LT(Body().find("second"), Body().find("third"));
}

TEST_F(BatchTest, TimesOutPartByPart) {
  std::string part = "--==b==\nContent-Type: application/http\n\nPOST /v1/pets/x/wait HTTP/1.1\n\n";
  auto whole = Send(part + part + "--==b==--");
  waits_[1]->Complete(JsonResponse(200, "done"));
  Response response = whole->on_timeout();
  std::string body = std::get<std::string>(response.body);
  EXPECT_LT(body.find("not yet"), body.find("done")) << body;
  EXPECT_FALSE(waits_[0]->Complete(JsonResponse(200, "late")));
}

TEST_F(BatchTest, RefusesWhatCannotBeAPart) {
  Send(
      "--==b==\nContent-Type: application/http\n\nPOST /batch HTTP/1.1\n\n"
      "--==b==\nContent-Type: application/http\n\nPOST /v1/upload HTTP/1.1\n\n"
      "--==b==\nContent-Type: application/http\n\nPOST /v1/pets/tom:predict HTTP/1.1\n\n"
      "--==b==\nContent-Type: application/http\n\nGET /v1/pets/tom HTTP/1.1\n\n--==b==--");
  EXPECT_NE(Body().find("predictions cannot be part of a batch"), std::string::npos);
  EXPECT_NE(Body().find("tom by ann"), std::string::npos) << "the others are answered";
  EXPECT_NE(Body().find("a batch within a batch"), std::string::npos);
  EXPECT_NE(Body().find("uploads cannot be part of a batch"), std::string::npos);
}

TEST_F(BatchTest, RefusesWhatIsNoBatch) {
  const char* type = "multipart/mixed; boundary=b";
  for (const char* body : {"", "--b--", "--b\nContent-Type: application/http\n\nGET / HTTP/1.1\n\n",
                           "--b\nContent-Type: text/plain\n\nGET / HTTP/1.1\n\n--b--",
                           "--b\nContent-Type: application/http\n\nnonsense\n\n--b--",
                           "--b\nContent-Type: application/http\n\nGET HTTP/1.1\n\n--b--",
                           "--b\nContent-Type: application/http\n\nGET pets HTTP/1.1\n\n--b--",
                           "--b\nno colon\n\nGET / HTTP/1.1\n\n--b--"}) {
    EXPECT_THROW(ParseBatch(type, body), Failure) << body;
  }
  for (const char* bad : {"", "multipart/mixed", "text/plain; boundary=b",
                          "multipart/mixed; boundary=", "multipart/mixed; boundary=\"b"}) {
    EXPECT_THROW(ParseBatch(bad, "--b--"), Failure) << bad;
  }
  EXPECT_EQ(ParseBatch("Multipart/Mixed; boundary='b'; x=y",
                       "--b\nContent-Type: application/http\n\nGET /a?b=c HTTP/1.1\n\n--b--")
                .at(0)
                .query,
            "b=c");
  BatchPart plain = ParseBatch("multipart/mixed; boundary=b",
                               "--b\nContent-Type: application/http\n\nGET /a?b=d\n\n--b--")
                        .at(0);
  EXPECT_EQ(plain.path + "?" + plain.query, "/a?b=d") << "a version may be left out";
}

}  // namespace
}  // namespace fireweed::net
