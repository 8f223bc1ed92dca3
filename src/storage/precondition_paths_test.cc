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

  // The same condition as the XML API has it: "x-goog-if-generation-match".
  static std::vector<std::pair<std::string, std::string>> InHeader(const std::string& q) {
    bool source = q.starts_with("&ifSource");
    std::string name = source ? "x-goog-copy-source-if" : "x-goog-if";
    size_t is = q.find('=');
    for (size_t i = source ? 9 : 3; i < is; ++i) {
      bool upper = q[i] >= 'A' && q[i] <= 'Z';
      name += upper ? std::string("-") + static_cast<char>(q[i] - 'A' + 'a') : q.substr(i, 1);
    }
    return {{name, q.substr(is + 1)}};
  }

  Reply XmlResumable(const std::string& q) {
    auto headers = InHeader(q);
    headers.push_back({"x-goog-resumable", "start"});
    Reply start = Send("POST", "/pets/o", "", headers);
    if (start.status != 201) return start;
    std::string where = start.Header("Location");
    return Send("PUT", where.substr(where.find("/pets")), "new");
  }

  Reply XmlParts(const std::string& at_start, const std::string& at_end) {
    auto headers = [](const std::string& q) {
      return q.empty() ? std::vector<std::pair<std::string, std::string>>() : InHeader(q);
    };
    Reply start = Send("POST", "/pets/o?uploads", "", headers(at_start));
    size_t at = start.body.find("<UploadId>") + 10;
    std::string upload = "uploadId=" + start.body.substr(at, start.body.find('<', at) - at);
    Send("PUT", "/pets/o?partNumber=1&" + upload, "new");
    Reply done = Send("POST", "/pets/o?" + upload,
                      "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber></Part>"
                      "</CompleteMultipartUpload>",
                      headers(at_end));
    if (done.status != 200) Send("DELETE", "/pets/o?" + upload);
    return done;
  }

  Reply MoveTo(const std::string& q) {
    Upload("pets", "s", "moved");
    Reply reply = Send("POST", "/storage/v1/b/pets/o/s/moveTo/o/o?" + q.substr(1));
    Send("DELETE", "/storage/v1/b/pets/o/s");
    return reply;
  }

  std::vector<Path> XmlPaths() {
    auto at = [this](const char* method, std::string target, std::string body = "",
                     std::string source = "") {
      return [=, this](const std::string& q) {
        auto headers = InHeader(q);
        if (!source.empty()) headers.push_back({"x-goog-copy-source", source});
        return Send(method, target, body, headers);
      };
    };
    std::string one = "<ComposeRequest><Component><Name>o</Name></Component></ComposeRequest>";
    return {
        {"xml get", true, "if", false, at("GET", "/pets/o")},
        {"xml head", true, "if", false, at("HEAD", "/pets/o")},
        {"xml delete", false, "if", false, at("DELETE", "/pets/o")},
        {"xml upload", false, "if", false, at("PUT", "/pets/o", "new")},
        {"xml resumable upload", false, "if", false,
         [this](const std::string& q) { return XmlResumable(q); }},
        {"xml upload in parts, begun", false, "if", false,
         [this](const std::string& q) { return XmlParts(q, ""); }},
        {"xml upload in parts, ended", false, "if", false,
         [this](const std::string& q) { return XmlParts("", q); }},
        {"xml compose", false, "if", false, at("PUT", "/pets/o?compose", one)},
        {"xml copy to", false, "if", false, at("PUT", "/pets/o", "", "/pets/o")},
        {"xml copy from", false, "ifSource", false, at("PUT", "/pets/p", "", "/pets/o")},
    };
  }

  std::vector<Path> Paths() {
    std::vector<Path> all = JsonPaths();
    for (Path& path : XmlPaths()) all.push_back(std::move(path));
    return all;
  }

  std::vector<Path> JsonPaths() {
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
        {"move to", false, "if", false, [this](const std::string& q) { return MoveTo(q); }},
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

// A download that is resumed after the object changed must not mix old and new bytes.
TEST_F(PreconditionPaths, ARangeOfAnotherVersionIsPassedOver) {
  Upload("pets", "o", "0123456789");
  for (const std::string& path : {std::string(kObject) + "?alt=media", std::string("/pets/o")}) {
    SCOPED_TRACE(path);
    Reply whole = Send("GET", path);
    auto with = [&](const std::string& value) {
      return Send("GET", path, "", {{"Range", "bytes=3-"}, {"If-Range", value}});
    };
    EXPECT_EQ(with(whole.Header("ETag")).status, 206);
    EXPECT_EQ(with(whole.Header("ETag")).body, "3456789");
    EXPECT_EQ(with(whole.Header("Last-Modified")).status, 206);
    for (const std::string& other :
         {std::string("\"x\""), "W/" + whole.Header("ETag"), std::string("yesterday"),
          FormatHttpDate(clock.Now() - std::chrono::hours(1)),
          FormatHttpDate(clock.Now() + std::chrono::hours(1))}) {
      Reply reply = with(other);
      EXPECT_EQ(reply.status, 200) << other;
      EXPECT_EQ(reply.body, "0123456789");
    }
  }
}

}  // namespace
}  // namespace fireweed::storage
