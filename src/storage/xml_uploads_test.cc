// Multipart and resumable uploads of the XML API.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "storage/storage_fixture.h"

namespace fireweed::storage {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string Between(const std::string& text, const std::string& open, const std::string& close) {
  size_t at = text.find(open);
  if (at == std::string::npos) return "";
  at += open.size();
  return text.substr(at, text.find(close, at) - at);
}

class XmlUploadsTest : public testing::Test, protected StorageFixture {
 protected:
  XmlUploadsTest() { Send("POST", "/storage/v1/b?project=my-project", R"({"name":"pets"})"); }

  std::string Start(const std::string& name) {
    Reply reply = Send("POST", "/pets/" + name + "?uploads", "",
                       {{"Content-Type", "text/x"}, {"x-goog-meta-color", "red"}});
    EXPECT_EQ(reply.status, 200) << reply.body;
    return Between(reply.body, "<UploadId>", "<");
  }
  Reply Part(const std::string& name, const std::string& id, int number, const std::string& bytes,
             std::vector<std::pair<std::string, std::string>> headers = {}) {
    return Send("PUT",
                "/pets/" + name + "?partNumber=" + std::to_string(number) + "&uploadId=" + id,
                bytes, std::move(headers));
  }
  std::string Named(int number, const std::string& tag) {
    return "<Part><PartNumber>" + std::to_string(number) + "</PartNumber><ETag>" + tag +
           "</ETag></Part>";
  }
  Reply Complete(const std::string& name, const std::string& id, const std::string& parts) {
    return Send("POST", "/pets/" + name + "?uploadId=" + id,
                "<CompleteMultipartUpload>" + parts + "</CompleteMultipartUpload>");
  }
  const std::string large_ = std::string(5 << 20, 'a');
};

TEST_F(XmlUploadsTest, PartsInAnyOrderAreJoined) {
  std::string id = Start("big");
  Reply second = Part("big", id, 7, "the end");
  EXPECT_EQ(second.status, 200) << second.body;
  Part("big", id, 2, "replaced");
  Reply first = Part("big", id, 2, large_);
  Part("big", id, 9, "never named");
  EXPECT_EQ(first.Header("ETag"), "\"" + HexEncode(Hash(Digest::kMd5, large_)) + "\"");
  EXPECT_EQ(Read("pets", "big"), "status 404");
  Reply parts = Send("GET", "/pets/big?max-parts=2&uploadId=" + id);
  EXPECT_THAT(parts.body, HasSubstr("<PartNumber>2</PartNumber>"));
  EXPECT_THAT(parts.body, HasSubstr("<NextPartNumberMarker>7</NextPartNumberMarker>"));
  EXPECT_THAT(Send("GET", "/pets/big?part-number-marker=7&uploadId=" + id).body,
              HasSubstr("<PartNumber>9</PartNumber>"));
  Restart();
  Reply done = Complete("big", id, Named(2, first.Header("ETag")) + Named(7, ""));
  EXPECT_EQ(done.status, 200) << done.body;
  EXPECT_EQ(Read("pets", "big"), large_ + "the end");
  Reply stat = Send("GET", "/storage/v1/b/pets/o/big");
  EXPECT_EQ(stat.Field("crc32c"), Crc32cToBase64(Crc32c(AsBytes(large_ + "the end"))));
  EXPECT_EQ(stat.Field("md5Hash"), "");
  EXPECT_EQ(stat.Field("contentType"), "text/x");
  EXPECT_THAT(stat.body, HasSubstr(R"("metadata":{"color":"red"})"));
  EXPECT_EQ(BlobCount(), 2) << "the parts that were not named are gone";
  EXPECT_THAT(Complete("big", id, Named(2, "")).body, HasSubstr("<Code>NoSuchUpload</Code>"));
  Send("DELETE", "/pets/big");
  EXPECT_EQ(BlobCount(), 0);
}

TEST_F(XmlUploadsTest, WhatDoesNotFitIsRefused) {
  std::string id = Start("o");
  std::string tag = Part("o", id, 1, "small").Header("ETag");
  Part("o", id, 2, "small too");
  auto code = [&](const std::string& parts) {
    return Between(Complete("o", id, parts).body, "<Code>", "<");
  };
  EXPECT_EQ(code(Named(1, "") + Named(2, "")), "EntityTooSmall");
  EXPECT_EQ(code(Named(2, "") + Named(1, "")), "InvalidPartOrder");
  EXPECT_EQ(code(Named(1, "") + Named(1, "")), "InvalidPartOrder");
  EXPECT_EQ(code(Named(3, "")), "InvalidPart");
  EXPECT_EQ(code(Named(1, "\"00\"")), "InvalidPart");
  EXPECT_EQ(code(""), "InvalidArgument");
  EXPECT_EQ(code("<Part/>"), "MalformedXML");
  EXPECT_EQ(Part("o", id, 0, "x").status, 400);
  EXPECT_EQ(Part("o", id, 10001, "x").status, 400);
  EXPECT_EQ(Part("o", "none", 1, "x").status, 404);
  EXPECT_EQ(Part("other", id, 1, "x").status, 404);
  std::string bad = Base64Encode(Hash(Digest::kMd5, "else"));
  EXPECT_THAT(Part("o", id, 3, "x", {{"Content-MD5", bad}}).body, HasSubstr("BadDigest"));
  EXPECT_EQ(BlobCount(), 2);
  EXPECT_EQ(code(Named(1, tag)), "");
  EXPECT_EQ(Read("pets", "o"), "small");
  EXPECT_NE(Send("GET", "/storage/v1/b/pets/o/o").Field("md5Hash"), "") << "one part is a whole";
}

TEST_F(XmlUploadsTest, AbortedAndOrphanedOnesLeaveNothing) {
  std::string id = Start("a");
  Start("b");
  Part("a", id, 1, "x");
  Reply list = Send("GET", "/pets?uploads&max-uploads=1");
  EXPECT_THAT(list.body, HasSubstr("<Key>a</Key><UploadId>" + id + "</UploadId>"));
  EXPECT_THAT(list.body, HasSubstr("<NextKeyMarker>a</NextKeyMarker>"));
  Reply rest = Send("GET", "/pets?uploads&key-marker=a&upload-id-marker=" + id);
  EXPECT_THAT(rest.body, HasSubstr("<Key>b</Key>"));
  EXPECT_THAT(rest.body, Not(HasSubstr("<Key>a</Key>")));
  EXPECT_EQ(Send("DELETE", "/pets/a?uploadId=" + id).status, 204);
  EXPECT_EQ(Send("DELETE", "/pets/a?uploadId=" + id).status, 404);
  EXPECT_EQ(BlobCount(), 0);
  Part("c", Start("c"), 1, "x");
  EXPECT_EQ(Send("DELETE", "/pets").status, 204);
  service->Sweep();
  EXPECT_EQ(BlobCount(), 0) << "the bucket is gone, and so are its uploads";
}

TEST_F(XmlUploadsTest, ResumableInPieces) {
  Reply start =
      Send("POST", "/pets/d%2Fo", "", {{"x-goog-resumable", "start"}, {"Content-Type", "text/x"}});
  EXPECT_EQ(start.status, 201) << start.body;
  std::string where = start.Header("Location");
  ASSERT_THAT(where, HasSubstr("https://storage.googleapis.com/pets/d%2Fo?upload_id="));
  where = where.substr(where.find("/pets"));
  Reply first = Send("PUT", where, "0123", {{"Content-Range", "bytes 0-3/*"}});
  EXPECT_EQ(first.status, 308);
  EXPECT_EQ(first.Header("Range"), "bytes=0-3");
  EXPECT_EQ(Send("PUT", where, "", {{"Content-Range", "bytes */*"}}).status, 308);
  Reply last = Send("PUT", where, "45", {{"Content-Range", "bytes 4-5/6"}});
  EXPECT_EQ(last.status, 200) << last.body;
  EXPECT_EQ(last.body, "");
  EXPECT_EQ(last.Header("ETag"), "\"" + HexEncode(Hash(Digest::kMd5, "012345")) + "\"");
  EXPECT_EQ(Read("pets", "d/o"), "012345");
  start = Send("POST", "/pets/gone", "", {{"x-goog-resumable", "start"}});
  where = start.Header("Location");
  where = where.substr(where.find("/pets"));
  EXPECT_EQ(Send("DELETE", where).status, 499);
  EXPECT_EQ(Send("PUT", where, "x").status, 404);
  EXPECT_EQ(Send("POST", "/pets/form", "x").status, 400);
}

}  // namespace
}  // namespace fireweed::storage
