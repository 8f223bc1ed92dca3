#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "storage/storage_fixture.h"

namespace fireweed::storage {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string Gzip(std::string_view plain) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(plain.size() + 100, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string SomeBytes(size_t size) {
  std::string bytes;
  for (size_t i = 0; i < size; ++i) bytes += static_cast<char>((i * 7919) >> 3);
  return bytes;
}

class UploadsTest : public testing::Test, protected StorageFixture {
 protected:
  UploadsTest() { Send("POST", "/storage/v1/b?project=my-project", R"({"name":"pets"})"); }

  Reply Multipart(const std::string& json, const std::string& bytes, const std::string& eol,
                  size_t step, const std::string& type = "multipart/related; boundary='=1='") {
    Ask ask;
    ask.method = "POST";
    ask.target = "/upload/storage/v1/b/pets/o?uploadType=multipart";
    ask.headers = {{"Content-Type", type}};
    ask.body = "--=1=" + eol + "Content-Type: application/json" + eol + eol + json + eol +
               "--=1=" + eol + "Content-Type: image/png" + eol + eol + bytes + eol + "--=1=--" +
               eol;
    ask.step = step;
    return Send(ask);
  }

  // The path of a new upload, without its host.
  std::string Start(const std::string& query, const std::string& json = "",
                    std::vector<std::pair<std::string, std::string>> headers = {}) {
    Reply reply = Send("POST", "/resumable/upload/storage/v1/b/pets/o?uploadType=resumable" + query,
                       json, headers);
    EXPECT_EQ(reply.status, 200) << reply.body;
    std::string location = reply.Header("Location");
    std::string base = "https://storage.googleapis.com";
    EXPECT_TRUE(location.starts_with(base)) << location;
    return location.substr(std::min(location.size(), base.size()));
  }

  Reply Put(const std::string& where, const std::string& range, std::string body = "") {
    Ask ask;
    ask.method = "PUT";
    ask.target = where;
    ask.body = std::move(body);
    if (!range.empty()) ask.headers = {{"Content-Range", range}};
    return Send(ask);
  }
};

TEST_F(UploadsTest, MultipartInAnyStepWithEitherLineEnd) {
  for (const char* eol : {"\n", "\r\n"}) {
    for (size_t step : {1, 2, 7, 4096}) {
      std::string bytes = SomeBytes(300) + "\r";
      Reply reply =
          Multipart(R"({"name":"d/o","metadata":{"a":"b"},"bucket":"pets"})", bytes, eol, step);
      ASSERT_EQ(reply.status, 200) << reply.body;
      EXPECT_EQ(reply.Field("contentType"), "image/png");
      EXPECT_THAT(reply.body, HasSubstr(R"("metadata":{"a":"b"})"));
      EXPECT_EQ(Read("pets", "d/o"), bytes);
    }
  }
  EXPECT_EQ(BlobCount(), 1);
  EXPECT_EQ(Multipart("{}", "x", "\n", 10).status, 400) << "no name";
  EXPECT_EQ(Multipart("{", "x", "\n", 10).status, 400);
  EXPECT_EQ(Multipart(R"({"name":"o"})", "x", "\n", 10, "multipart/related").status, 400);
  EXPECT_EQ(Multipart(R"({"name":"o"})", "x", "\n", 10, "multipart/related; boundary=2").status,
            400);
  EXPECT_EQ(BlobCount(), 1) << "what was refused left nothing";
}

// As Google's client for PHP sends every one.
TEST_F(UploadsTest, MultipartInBase64) {
  auto send = [&](const std::string& encoded, size_t step, const char* encoding = "base64") {
    Ask ask;
    ask.method = "POST";
    ask.target = "/upload/storage/v1/b/pets/o?uploadType=multipart";
    ask.headers = {{"Content-Type", "multipart/related; boundary=B"}};
    ask.body =
        "--B\r\nContent-Type: application/json\r\n\r\n{\"name\":\"o\"}\r\n"
        "--B\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: " +
        std::string(encoding) + "\r\n\r\n" + encoded + "\r\n--B--";
    ask.step = step;
    return Send(ask).status;
  };
  for (size_t size : {0, 1, 2, 3, 300, 20000}) {
    for (size_t step : {1, 5, 4096}) {
      std::string bytes = SomeBytes(size), encoded = Base64Encode(bytes);
      if (size == 300) encoded.insert(76, "\r\n");
      EXPECT_EQ(send(encoded, step), 200);
      EXPECT_EQ(Read("pets", "o"), bytes);
    }
  }
  EXPECT_EQ(send("aGVs*bG8=", 3), 400);
  EXPECT_EQ(send("aGVsbG8=aGVsbG8=", 3), 400) << "nothing follows the end";
  EXPECT_EQ(send("aGVsb", 3), 400) << "cut off";
  EXPECT_EQ(send("aGVsbG8=", 3, "binary"), 200);
  EXPECT_EQ(Read("pets", "o"), "aGVsbG8=");
}

TEST_F(UploadsTest, SumsAreChecked) {
  std::string md5 = Base64Encode(Hash(Digest::kMd5, "meow")),
              crc = Crc32cToBase64(Crc32c(AsBytes("meow")));
  std::string bad_md5 = Base64Encode(Hash(Digest::kMd5, "purr")), bad_crc = Crc32cToBase64(1);
  EXPECT_EQ(Multipart(R"({"name":"o","md5Hash":")" + md5 + R"(","crc32c":")" + crc + "\"}", "meow",
                      "\n", 9)
                .status,
            200);
  for (const std::string& bad :
       {"\"md5Hash\":\"" + bad_md5, "\"crc32c\":\"" + bad_crc, std::string("\"md5Hash\":\"!")}) {
    Reply reply = Multipart(R"({"name":"p",)" + bad + "\"}", "meow", "\n", 9);
    EXPECT_EQ(reply.status, 400) << bad;
  }
  auto media = [&](const char* name, const std::string& value) {
    return Send("POST", "/upload/storage/v1/b/pets/o?uploadType=media&name=p", "meow",
                {{name, value}})
        .status;
  };
  EXPECT_EQ(media("X-Goog-Hash", "crc32c=" + bad_crc), 400);
  EXPECT_EQ(media("x-goog-hash", "crc32c=" + crc + ", md5=" + bad_md5), 400);
  EXPECT_EQ(media("Content-MD5", bad_md5), 400);
  EXPECT_EQ(Read("pets", "p"), "status 404");
  EXPECT_EQ(BlobCount(), 1);
  EXPECT_EQ(media("X-Goog-Hash", "crc32c=" + crc + ",md5=" + md5), 200);
  std::string where = Start("&name=q", "", {});
  Ask last;
  last.method = "PUT";
  last.target = where;
  last.body = "meow";
  last.headers = {{"Content-Range", "bytes 0-3/4"}, {"X-Goog-Hash", "crc32c=" + bad_crc}};
  EXPECT_EQ(Send(last).status, 400);
  EXPECT_EQ(Read("pets", "q"), "status 404");
  EXPECT_EQ(BlobCount(), 2);
}

TEST_F(UploadsTest, BodiesCompressedForTheWayAreUnpacked) {
  std::string plain(200000, 'x');
  for (size_t step : {1000, 3}) {
    Ask ask;
    ask.method = "POST";
    ask.target = "/upload/storage/v1/b/pets/o?uploadType=media&name=o";
    ask.headers = {{"Content-Encoding", "gzip"}};
    ask.body = Gzip(plain);
    ask.step = step;
    EXPECT_EQ(Send(ask).status, 200);
    EXPECT_EQ(Read("pets", "o"), plain);
    ask.body.resize(ask.body.size() / 2);
    EXPECT_EQ(Send(ask).status, 400);
    ask.body = "no gzip";
    EXPECT_EQ(Send(ask).status, 400);
  }
  std::string where = Start("&name=r");
  Ask chunk;
  chunk.method = "PUT";
  chunk.target = where;
  chunk.headers = {{"Content-Encoding", "gzip"}, {"Content-Range", "bytes 0-199999/200000"}};
  chunk.body = Gzip(plain);
  EXPECT_EQ(Send(chunk).status, 200);
  EXPECT_EQ(Read("pets", "r"), plain);
}

TEST_F(UploadsTest, ABrokenOffUploadLeavesNothing) {
  Ask ask;
  ask.method = "POST";
  ask.target = "/upload/storage/v1/b/pets/o?uploadType=media&name=o";
  ask.body = "half";
  ask.break_off = true;
  Send(ask);
  EXPECT_EQ(BlobCount(), 0);
  EXPECT_EQ(Read("pets", "o"), "status 404");
}

TEST_F(UploadsTest, BadRequestsAreRefused) {
  std::string path = "/upload/storage/v1/b/pets/o";
  EXPECT_EQ(Send("POST", path + "?uploadType=media", "x").status, 400);
  EXPECT_EQ(Send("POST", path + "?uploadType=odd&name=o", "x").status, 400);
  EXPECT_EQ(Send("POST", path + "?name=o", "x").status, 400);
  EXPECT_EQ(Send("POST", "/upload/storage/v1/b/none/o?uploadType=media&name=o", "x").status, 404);
  EXPECT_EQ(Send("PUT", path + "?uploadType=resumable&upload_id=none", "x").status, 404);
  EXPECT_EQ(Send("PUT", path, "x").status, 404);
  for (const std::string& name : {std::string("a\nb"), std::string("a\0b", 3), std::string("."),
                                  std::string("\xff"), std::string(1025, 'n')}) {
    EXPECT_EQ(Upload("pets", name, "x").status, 400);
  }
  EXPECT_EQ(Upload("pets", std::string(1024, 'n'), "x").status, 200);
}

TEST_F(UploadsTest, ResumableInOnePut) {
  std::string where = Start("&name=d%2Fo", "",
                            {{"X-Upload-Content-Length", "5"},
                             {"X-Upload-Content-Type", "text/css"},
                             {"Content-Type", "application/x-www-form-urlencoded"}});
  Reply done = Put(where, "bytes 0-4/5", "hello");
  ASSERT_EQ(done.status, 200) << done.body;
  EXPECT_EQ(done.Field("name"), "d/o");
  EXPECT_EQ(done.Field("contentType"), "text/css");
  EXPECT_EQ(done.Field("md5Hash"), "XUFAKrxLKna5cZ2REBfFkg==");
  EXPECT_EQ(Read("pets", "d/o"), "hello");
  Reply again = Put(where, "bytes */*");
  EXPECT_EQ(again.status, 200) << "a finished upload says what it became";
  EXPECT_EQ(again.Field("generation"), done.Field("generation"));
  EXPECT_EQ(BlobCount(), 1);
}

TEST_F(UploadsTest, ALaterRequestTakesAnUploadOver) {
  std::string where = Start("&name=o");
  Ask ask;
  ask.method = "PUT";
  ask.target = where;
  ask.headers = {{"Content-Range", "bytes 0-9/10"}};
  ask.body = "meow";
  ask.midway = [&] {
    Reply asked = Put(where, "bytes */10");
    EXPECT_EQ(asked.status, 308) << asked.body;
    EXPECT_EQ(asked.Header("Range"), "bytes=0-3");
    EXPECT_EQ(Put(where, "bytes 4-9/10", " purrs").status, 200);
  };
  EXPECT_EQ(Send(ask).status, 503) << "the request that was left behind";
  EXPECT_EQ(Read("pets", "o"), "meow purrs");
  EXPECT_EQ(BlobCount(), 1);
}

// Each takes over from one that is refused at the same time, before or after its bytes could come.
TEST_F(UploadsTest, RefusedRequestsAtOnceLeaveNothingToTakeOver) {
  std::string known = Start("&name=o");
  std::atomic<int> unexpected = 0;
  auto send = [&] {
    for (int i = 0; i < 500; ++i) {
      int unknown = Put("/upload/storage/v1/b/pets/o?upload_id=none", "bytes 0-3/4", "meow").status;
      int bad_range = Put(known, "bytes 3-0/4", "meow").status;
      if (unknown != 404 && unknown != 503) ++unexpected;
      if (bad_range != 400 && bad_range != 503) ++unexpected;
    }
  };
  std::vector<std::thread> clients;
  for (int i = 0; i < 4; ++i) clients.emplace_back(send);
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(unexpected, 0);
  EXPECT_EQ(Put(known, "bytes 0-3/4", "meow").status, 200);
  EXPECT_EQ(BlobCount(), 1);
}

TEST_F(UploadsTest, ResumableEmptyAndWithoutRange) {
  EXPECT_EQ(Put(Start("&name=empty", "", {{"X-Upload-Content-Length", "0"}}), "", "").status, 200);
  EXPECT_EQ(Read("pets", "empty"), "");
  EXPECT_EQ(Put(Start("&name=whole"), "", "all of it").status, 200);
  EXPECT_EQ(Read("pets", "whole"), "all of it");
  std::string where = Start("", R"({"name":"e2"})");
  EXPECT_EQ(Put(where, "bytes */0").status, 200);
  EXPECT_EQ(Read("pets", "e2"), "");
}

TEST_F(UploadsTest, ResumableInChunksOfUnknownLength) {
  std::string bytes = SomeBytes(1000);
  std::string where = Start("&name=o", R"({"contentType":"x/y"})");
  EXPECT_EQ(Put(where, "bytes */*").status, 308);
  EXPECT_EQ(Put(where, "bytes */*").Header("Range"), "") << "nothing is stored yet";
  for (size_t at = 0; at < bytes.size(); at += 100) {
    std::string range = "bytes " + std::to_string(at) + "-" + std::to_string(at + 99) + "/*";
    Ask ask;  // POST as well as PUT
    ask.method = at % 200 == 0 ? "PUT" : "POST";
    ask.target = where;
    ask.body = bytes.substr(at, 100);
    ask.headers = {{"Content-Range", range}};
    ask.step = 1;
    Reply reply = Send(ask);
    ASSERT_EQ(reply.status, 308) << reply.body;
    EXPECT_EQ(reply.Header("Range"), "bytes=0-" + std::to_string(at + 99));
  }
  EXPECT_EQ(Put(where, "bytes */1001").status, 308);
  Reply done = Put(where, "bytes */1000");
  EXPECT_EQ(done.status, 200);
  EXPECT_EQ(done.Field("contentType"), "x/y");
  EXPECT_EQ(Read("pets", "o"), bytes);
}

TEST_F(UploadsTest, ChunksThatOverlapOrLeaveAGap) {
  std::string where = Start("&name=o");
  EXPECT_EQ(Put(where, "bytes 0-3/10", "0123").Header("Range"), "bytes=0-3");
  EXPECT_EQ(Put(where, "bytes 6-7/10", "67").Header("Range"), "bytes=0-3")
      << "a gap: the client is told what is here";
  EXPECT_EQ(Put(where, "bytes 2-5/10", "2345").Header("Range"), "bytes=0-5");
  EXPECT_EQ(Put(where, "bytes 0-3/10", "0123").Header("Range"), "bytes=0-5") << "sent again";
  EXPECT_EQ(Put(where, "bytes 6-7/10", "6789").status, 400) << "longer than it says";
  EXPECT_EQ(Put(where, "bytes 6-9/10", "6789").status, 200);
  EXPECT_EQ(Read("pets", "o"), "0123456789");
  EXPECT_EQ(Put(where, "bytes x/10", "").status, 400);
}

TEST_F(UploadsTest, ASizeThatWasToldOnceStays) {
  struct Row {
    const char *announced, *first;
  };
  for (const Row& row : {Row{"10", "bytes 0-3/*"}, Row{"", "bytes 0-3/10"}}) {
    std::string where = Start("&name=o", "", {{"X-Upload-Content-Length", row.announced}});
    EXPECT_EQ(Put(where, row.first, "0123").status, 308);
    Restart();
    for (const char* size : {"4", "2", "12", "*"}) {
      Reply asked = Put(where, std::string("bytes */") + size);
      EXPECT_EQ(asked.status, 308) << "a question changes nothing";
      EXPECT_EQ(asked.Header("Range"), "bytes=0-3");
    }
    Reply other = Put(where, "bytes 4-11/12", "456789xx");
    EXPECT_EQ(other.status, 400) << other.body;
    EXPECT_EQ(Put(where, "bytes 4-9/10", "456789").status, 200) << "the upload goes on";
    EXPECT_EQ(Read("pets", "o"), "0123456789");
    EXPECT_EQ(Put(where, "bytes 4-11/12", "456789xx").status, 200) << "complete: it is the object";
  }
  // Learned with a later chunk.
  std::string where = Start("&name=o");
  EXPECT_EQ(Put(where, "bytes 0-3/*", "0123").status, 308);
  EXPECT_EQ(Put(where, "bytes 4-5/10", "45").status, 308);
  EXPECT_EQ(Put(where, "bytes 6-7/8", "67").status, 400);
  EXPECT_EQ(Put(where, "bytes */6").status, 308);
}

TEST_F(UploadsTest, ARestartInTheMiddleGoesOn) {
  std::string bytes = SomeBytes(50);
  std::string where = Start("&name=o&ifGenerationMatch=0", R"({"metadata":{"k":"v"}})");
  EXPECT_EQ(Put(where, "bytes 0-19/50", bytes.substr(0, 20)).status, 308);
  Restart();
  EXPECT_EQ(service->Sweep().dropped_drafts, 0);
  EXPECT_EQ(Put(where, "bytes */50").Header("Range"), "bytes=0-19");
  Ask half;
  half.method = "PUT";
  half.target = where;
  half.body = bytes.substr(20, 10);
  half.headers = {{"Content-Range", "bytes 20-49/50"}};
  half.break_off = true;
  Send(half);
  EXPECT_EQ(Put(where, "bytes */50").Header("Range"), "bytes=0-29");
  Restart();
  EXPECT_EQ(Put(where, "bytes */50").Header("Range"), "bytes=0-29");
  Reply done = Put(where, "bytes 30-49/50", bytes.substr(30));
  ASSERT_EQ(done.status, 200) << done.body;
  EXPECT_EQ(done.Field("crc32c"), Crc32cToBase64(Crc32c(AsBytes(bytes))));
  EXPECT_THAT(done.body, HasSubstr(R"("metadata":{"k":"v"})"));
  EXPECT_EQ(Read("pets", "o"), bytes);
  Restart();
  EXPECT_EQ(Put(where, "bytes */50").status, 200);
}

TEST_F(UploadsTest, ACrashBetweenBlobAndRowIsFinishedByTheNextRequest) {
  std::string where = Start("&name=o");
  EXPECT_EQ(Put(where, "bytes 0-4/10", "01234").status, 308);
  Restart();
  std::vector<BlobId> drafts;
  blobs.List([&](const BlobListing& listing) { drafts.push_back(listing.id); }).value();
  ASSERT_EQ(drafts.size(), 1u);
  {
    std::unique_ptr<BlobWriter> writer = blobs.Resume(drafts[0]).value();
    writer->Append(AsBytes("56789")).value();
    writer->Commit().value();
  }
  EXPECT_EQ(service->Sweep().dropped_blobs, 0) << "the upload refers to it";
  Reply done = Put(where, "bytes */10");
  ASSERT_EQ(done.status, 200) << done.body;
  EXPECT_EQ(done.Field("md5Hash"), Base64Encode(Hash(Digest::kMd5, "0123456789")));
  EXPECT_EQ(Read("pets", "o"), "0123456789");
}

TEST_F(UploadsTest, PreconditionsHoldAtTheEnd) {
  std::string where = Start("&name=o&ifGenerationMatch=0");
  Upload("pets", "o", "first");
  EXPECT_EQ(Put(where, "bytes 0-2/3", "abc").status, 412);
  EXPECT_EQ(Put(where, "bytes */3").status, 404) << "it is over";
  EXPECT_EQ(Read("pets", "o"), "first");
  EXPECT_EQ(BlobCount(), 1);
}

TEST_F(UploadsTest, ACancelledUploadIsNotFinished) {
  std::string where = Start("&name=o");
  net::Origin origin;
  net::Request request;
  request.method = "PUT";
  request.target = where;
  request.path = request.target.substr(0, where.find('?'));
  request.query = request.target.substr(where.find('?') + 1);
  request.host = "storage.googleapis.com";
  request.headers = {{"Content-Range", "bytes 0-3/4"}};
  request.origin = &origin;
  std::unique_ptr<net::BodySink> first = router->OpenBody(request);
  first->Write(AsBytes("ab"));
  first.reset();
  EXPECT_EQ(Put(where, "bytes */4").Header("Range"), "bytes=0-1");
  first = router->OpenBody(request);
  Send("DELETE", where);
  first->Write(AsBytes("abcd"));
  EXPECT_THROW(first->Finish(), Failure) << "it was cancelled meanwhile";
  first.reset();
  EXPECT_EQ(BlobCount(), 0);
  EXPECT_EQ(Read("pets", "o"), "status 404");
}

TEST_F(UploadsTest, CancelAndExpiryLeaveNothing) {
  std::string where = Start("&name=o");
  Put(where, "bytes 0-2/9", "abc");
  EXPECT_EQ(Send("DELETE", where).status, 499);
  EXPECT_EQ(Send("DELETE", where).status, 404);
  EXPECT_EQ(Put(where, "bytes */9").status, 404);
  EXPECT_EQ(BlobCount(), 0);
  std::string left = Start("&name=p");
  Put(left, "bytes 0-2/9", "abc");
  clock.Advance(std::chrono::hours(6 * 24));
  service->Sweep();
  EXPECT_EQ(Put(left, "bytes */9").status, 308);
  clock.Advance(std::chrono::hours(2 * 24));
  service->Sweep();
  EXPECT_EQ(Put(left, "bytes */9").status, 404);
  EXPECT_EQ(BlobCount(), 0);
}

TEST_F(UploadsTest, SweepTakesOrphansOnly) {
  Upload("pets", "o", "keep");
  blobs.Create().value()->Sync().value();
  {
    std::unique_ptr<BlobWriter> writer = blobs.Create().value();
    writer->Append(AsBytes("orphan")).value();
    writer->Commit().value();
  }
  EXPECT_EQ(BlobCount(), 3);
  SweepReport report = service->Sweep();
  EXPECT_EQ(report.dropped_blobs + report.dropped_drafts, 2);
  EXPECT_EQ(Read("pets", "o"), "keep");
}

TEST_F(UploadsTest, LargeUploadsComeInPieces) {
  std::string bytes = SomeBytes(3'000'000);
  for (size_t step : {65536, 1000003}) {
    Ask ask;
    ask.method = "POST";
    ask.target = "/upload/storage/v1/b/pets/o?uploadType=media&name=big";
    ask.body = bytes;
    ask.step = step;
    ASSERT_EQ(Send(ask).status, 200);
    EXPECT_EQ(Read("pets", "big"), bytes);
  }
}

// Bytes that were to be encrypted are not kept in the clear, on any path.
TEST_F(UploadsTest, RefusesKeysOfClients) {
  Send("POST", "/upload/storage/v1/b/pets/o?uploadType=media&name=plain", "abc");
  struct {
    const char *method, *target, *body;
  } cases[] = {
      {"POST", "/upload/storage/v1/b/pets/o?uploadType=media&name=o", "abc"},
      {"POST", "/upload/storage/v1/b/pets/o?uploadType=resumable&name=o", ""},
      {"POST", "/storage/v1/b/pets/o/plain/rewriteTo/b/pets/o/o", ""},
      {"POST", "/storage/v1/b/pets/o/o/compose", R"({"sourceObjects":[{"name":"plain"}]})"},
      {"PUT", "/pets/o", "abc"},
  };
  for (const auto& c : cases) {
    Reply reply =
        Send(c.method, c.target, c.body,
             {{"x-goog-encryption-algorithm", "AES256"}, {"x-goog-encryption-key", "a2V5"}});
    EXPECT_EQ(reply.status, 400) << c.target;
    EXPECT_THAT(reply.body, HasSubstr("encryption keys are not supported")) << c.target;
  }
  EXPECT_EQ(Send("GET", "/storage/v1/b/pets/o/o").status, 404);
}

}  // namespace
}  // namespace fireweed::storage
