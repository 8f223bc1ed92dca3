// Every way to an object against every condition, right and wrong.
#include <functional>

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "storage/storage_fixture.h"

namespace fireweed::storage {
namespace {

// What the conditions are held against, told to a path as query text.
struct Path {
  const char* what;
  bool reads;           // "not" conditions answer 304, not 412
  const char* if_word;  // "if" or "ifSource"
  bool only_match;      // the path knows no "not" conditions
  std::function<Reply(const std::string& conditions)> send;
};

struct Condition {
  const char* word;  // behind "if"
  bool of_metageneration, negated;
};
constexpr Condition kConditions[] = {{"GenerationMatch", false, false},
                                     {"GenerationNotMatch", false, true},
                                     {"MetagenerationMatch", true, false},
                                     {"MetagenerationNotMatch", true, true}};

class PreconditionPaths : public testing::Test, protected StorageFixture {
 protected:
  PreconditionPaths() { Send("POST", "/storage/v1/b?project=my-project", R"({"name":"pets"})"); }

  // A fresh object of generation `generation_` and metageneration 2.
  void Prepare() {
    clock.Advance(std::chrono::milliseconds(1));
    generation_ = Upload("pets", "o", "bytes").Field("generation");
    ASSERT_EQ(Send("PATCH", kObject, R"({"metadata":{"k":"v"}})").Field("metageneration"), "2");
  }

  Reply Multipart(const std::string& q) {
    Ask ask;
    ask.method = "POST";
    ask.target = "/upload/storage/v1/b/pets/o?uploadType=multipart" + q;
    ask.headers = {{"Content-Type", "multipart/related; boundary=b"}};
    ask.body = "--b\n\n{\"name\":\"o\"}\n--b\n\nnew\n--b--\n";
    return Send(ask);
  }

  Reply Resumable(const std::string& q) {
    Reply start = Send("POST", "/upload/storage/v1/b/pets/o?uploadType=resumable&name=o" + q);
    if (start.status != 200) return start;
    std::string where = start.Header("Location");
    return Send("PUT", where.substr(where.find("/upload")), "new");
  }

  std::vector<Path> Paths() {
    auto at = [this](const char* method, std::string target, std::string body = "") {
      return [=, this](const std::string& q) {
        return Send(method, target + (target.find('?') == target.npos ? "?" : "&") + q.substr(1),
                    body);
      };
    };
    std::string one = R"({"sourceObjects":[{"name":"o"}]})";
    return {
        {"get", true, "if", false, at("GET", kObject)},
        {"media", true, "if", false, at("GET", std::string(kObject) + "?alt=media")},
        {"download", true, "if", false, at("GET", "/download/storage/v1/b/pets/o/o")},
        {"patch", false, "if", false, at("PATCH", kObject, "{}")},
        {"update", false, "if", false, at("PUT", kObject, "{}")},
        {"delete", false, "if", false, at("DELETE", kObject)},
        {"media upload", false, "if", false,
         [this](const std::string& q) { return Upload("pets", "o", "new", q); }},
        {"multipart upload", false, "if", false,
         [this](const std::string& q) { return Multipart(q); }},
        {"resumable upload", false, "if", false,
         [this](const std::string& q) { return Resumable(q); }},
        {"compose", false, "if", true, at("POST", std::string(kObject) + "/compose", one)},
        {"copy to", false, "if", false, at("POST", std::string(kObject) + "/copyTo/b/pets/o/o")},
        {"rewrite to", false, "if", false,
         at("POST", std::string(kObject) + "/rewriteTo/b/pets/o/o")},
        {"copy from", false, "ifSource", false,
         at("POST", std::string(kObject) + "/copyTo/b/pets/o/p")},
        {"rewrite from", false, "ifSource", false,
         at("POST", std::string(kObject) + "/rewriteTo/b/pets/o/p")},
        {"move from", false, "ifSource", false, at("POST", std::string(kObject) + "/moveTo/o/p")},
    };
  }

  static constexpr const char* kObject = "/storage/v1/b/pets/o/o";
  std::string generation_;
};

TEST_F(PreconditionPaths, RightAndWrongOnEachOfThem) {
  for (const Path& path : Paths()) {
    for (const Condition& condition : kConditions) {
      if (path.only_match && condition.negated) continue;
      for (bool right : {false, true}) {
        Prepare();
        bool name_it = right != condition.negated;
        std::string there = condition.of_metageneration ? "2" : generation_;
        std::string q =
            std::string("&") + path.if_word + condition.word + "=" + (name_it ? there : "12345");
        SCOPED_TRACE(path.what + q);
        Reply reply = path.send(q);
        if (right) {
          EXPECT_TRUE(reply.status == 200 || reply.status == 204) << reply.status << reply.body;
          continue;
        }
        EXPECT_EQ(reply.status, path.reads && condition.negated ? 304 : 412) << reply.body;
        Reply after = Send("GET", kObject);
        EXPECT_EQ(after.Field("generation"), generation_) << "nothing was changed";
        EXPECT_EQ(after.Field("metageneration"), "2");
        EXPECT_EQ(Send("GET", "/storage/v1/b/pets/o/p").status, 404) << "nor made";
      }
      Send("DELETE", "/storage/v1/b/pets/o/p");
    }
  }
  Send("DELETE", kObject);
  EXPECT_EQ(BlobCount(), 0) << "what was refused left nothing";
}

TEST_F(PreconditionPaths, GenerationZeroMeansNobodyIsThere) {
  for (const Path& path : Paths()) {
    if (path.reads || std::string_view(path.if_word) == "ifSource") continue;
    std::string_view what = path.what;
    SCOPED_TRACE(path.what);
    Prepare();
    EXPECT_EQ(path.send("&ifGenerationMatch=0").status, 412);
    if (what.find("upload") == what.npos) continue;
    Send("DELETE", kObject);
    EXPECT_EQ(path.send("&ifGenerationMatch=0").status, 200);
    Send("DELETE", kObject);
    EXPECT_EQ(path.send("&ifGenerationMatch=7").status, 412);
    EXPECT_EQ(path.send("&ifMetagenerationMatch=1").status, 412);
  }
}

TEST_F(PreconditionPaths, HttpsOwnConditionsOfReads) {
  Prepare();
  for (const std::string& path :
       {std::string(kObject), std::string(kObject) + "?alt=media", std::string("/pets/o")}) {
    SCOPED_TRACE(path);
    std::string etag = Send("GET", path).Header("ETag");
    ASSERT_NE(etag, "");
    auto with = [&](const char* header, const std::string& value) {
      return Send("GET", path, "", {{header, value}}).status;
    };
    EXPECT_EQ(with("If-None-Match", etag), 304);
    EXPECT_EQ(with("If-None-Match", "\"x\", " + etag), 304);
    EXPECT_EQ(with("If-None-Match", "*"), 304);
    EXPECT_EQ(with("If-None-Match", "x"), 200);
    EXPECT_EQ(with("If-Match", etag), 200);
    EXPECT_EQ(with("If-Match", "*"), 200);
    EXPECT_EQ(with("If-Match", "x"), 412);
    std::string now = FormatHttpDate(clock.Now() + std::chrono::hours(1));
    std::string before = FormatHttpDate(clock.Now() - std::chrono::hours(1));
    EXPECT_EQ(with("If-Modified-Since", now), 304);
    EXPECT_EQ(with("If-Modified-Since", before), 200);
    EXPECT_EQ(with("If-Modified-Since", "yesterday"), 200);
    EXPECT_EQ(with("If-Unmodified-Since", now), 200);
    EXPECT_EQ(with("If-Unmodified-Since", before), 412);
  }
}

}  // namespace
}  // namespace fireweed::storage
