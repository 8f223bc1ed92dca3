// Bytes on the way out: ranges and unpacking against a model, and the headers beside them.
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "base/bytes.h"
#include "storage/storage_fixture.h"

namespace fireweed::storage {
namespace {

using testing::HasSubstr;

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

class MediaReplyTest : public testing::Test, protected StorageFixture {
 protected:
  MediaReplyTest() { Send("POST", "/storage/v1/b?project=my-project", R"({"name":"pets"})"); }
  Reply Get(const std::string& name, std::vector<std::pair<std::string, std::string>> headers) {
    return Send("GET", "/storage/v1/b/pets/o/" + name + "?alt=media", "", std::move(headers));
  }
};

TEST_F(MediaReplyTest, UnpacksForThoseWhoCannot) {
  std::string plain;
  for (int i = 0; i < 40000; ++i) plain += std::to_string(i * 31 % 977);
  std::string packed = Gzip(plain);
  Upload("pets", "z", packed, "&contentEncoding=gzip");
  Reply unpacked = Get("z", {});
  EXPECT_EQ(unpacked.status, 200);
  EXPECT_EQ(unpacked.body, plain);
  EXPECT_EQ(unpacked.Header("Content-Encoding"), "");
  EXPECT_EQ(unpacked.Header("X-Goog-Stored-Content-Encoding"), "gzip");
  EXPECT_EQ(unpacked.Header("X-Goog-Stored-Content-Length"), std::to_string(packed.size()));
  EXPECT_EQ(Get("z", {{"Accept-Encoding", "gzip;q=0"}}).body, plain);
  Reply as_is = Get("z", {{"Accept-Encoding", "deflate, gzip"}});
  EXPECT_EQ(as_is.body, packed);
  EXPECT_EQ(as_is.Header("Content-Encoding"), "gzip");
  Reply range = Get("z", {{"Accept-Encoding", "gzip"}, {"Range", "bytes=3-9"}});
  EXPECT_EQ(range.status, 206);
  EXPECT_EQ(range.body, packed.substr(3, 7));
  Send("PATCH", "/storage/v1/b/pets/o/z", R"({"cacheControl":"no-transform"})");
  EXPECT_EQ(Get("z", {}).body, packed);
  EXPECT_EQ(Get("z", {}).Header("Content-Encoding"), "gzip");
  EXPECT_EQ(Send("GET", "/pets/z", "", {{"Range", "bytes=3-9"}}).body, packed.substr(3, 7));
}

TEST_F(MediaReplyTest, WhatIsNoGzipIsSentAsItIs) {
  Upload("pets", "bad", "this is not gzip at all", "&contentEncoding=gzip");
  for (int i = 0; i < 2; ++i) {
    Reply reply = Get("bad", {});
    EXPECT_EQ(reply.body, "this is not gzip at all");
    EXPECT_EQ(reply.Header("Content-Encoding"), "");
  }
  EXPECT_EQ(Get("bad", {{"Accept-Encoding", "gzip"}}).Header("Content-Encoding"), "gzip");
}

TEST_F(MediaReplyTest, AGzipThatIsCutBreaksOff) {
  std::string packed = Gzip(std::string(5000, 'x'));
  Upload("pets", "cut", packed.substr(0, packed.size() - 3), "&contentEncoding=gzip");
  EXPECT_THROW(Get("cut", {}), Failure);
  Upload("pets", "empty", "", "&contentEncoding=gzip");
  EXPECT_EQ(Get("empty", {}).body, "");
}

TEST_F(MediaReplyTest, BehindTheEndNamesTheSize) {
  Upload("pets", "o", "0123456789");
  Reply json = Get("o", {{"Range", "bytes=10-"}});
  EXPECT_EQ(json.status, 416);
  EXPECT_EQ(json.Header("Content-Range"), "bytes */10");
  EXPECT_THAT(json.body, HasSubstr("requestedRangeNotSatisfiable"));
  Reply xml = Send("GET", "/pets/o", "", {{"Range", "bytes=10-"}});
  EXPECT_EQ(xml.status, 416);
  EXPECT_EQ(xml.Header("Content-Range"), "bytes */10");
  EXPECT_THAT(xml.body, HasSubstr("<Code>InvalidRange</Code>"));
  EXPECT_EQ(Get("o", {{"Range", "bytes=0-1,3-4"}}).body, "0123456789");
}

// Random ranges of random objects, in one blob and in several, packed and not.
TEST_F(MediaReplyTest, RangesAgainstAByteModel) {
  std::mt19937 random(static_cast<uint32_t>(GTEST_FLAG_GET(random_seed)));
  auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  for (int round = 0; round < 30; ++round) {
    std::string plain(below(300), '\0');
    for (char& c : plain) c = static_cast<char>('a' + below(5));
    bool gzip = below(2) == 0;
    std::string stored = gzip ? Gzip(plain) : plain;
    std::string q = gzip ? "&contentEncoding=gzip" : "";
    size_t cut = below(stored.size() + 1);
    Upload("pets", "a", stored.substr(0, cut), q);
    Upload("pets", "b", stored.substr(cut), q);
    std::string encoding = gzip ? R"(,"destination":{"contentEncoding":"gzip"})" : "";
    Send("POST", "/storage/v1/b/pets/o/c/compose",
         R"({"sourceObjects":[{"name":"a"},{"name":"b"}])" + encoding + "}");
    for (int i = 0; i < 30; ++i) {
      size_t first = below(stored.size() + 20), last = first + below(80);
      std::string range = "bytes=" + std::to_string(first) + "-" + std::to_string(last);
      SCOPED_TRACE(range + " of " + std::to_string(stored.size()) + (gzip ? " packed" : ""));
      Reply reply = Get("c", {{"Range", range}, {"Accept-Encoding", "gzip"}});
      if (first >= stored.size()) {
        EXPECT_EQ(reply.status, 416);
      } else {
        EXPECT_EQ(reply.status, 206);
        EXPECT_EQ(reply.body, stored.substr(first, last - first + 1));
      }
      if (gzip) {
        EXPECT_EQ(Get("c", {{"Range", range}}).body, plain);
      }
    }
  }
}

}  // namespace
}  // namespace fireweed::storage
