#include "net/content_coding.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace fireweed::net {
namespace {

std::string Gunzip(std::string_view packed) {
  z_stream stream{};
  inflateInit2(&stream, 15 + 16);
  std::string out(1 << 20, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = packed.size();
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = out.size();
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

Response Json(size_t size) {
  Response response;
  response.Add("Content-Type", "application/json; charset=UTF-8");
  response.body = std::string(size, 'x');
  return response;
}

TEST(AcceptsGzip, ReadsTheList) {
  EXPECT_TRUE(AcceptsGzip("gzip, deflate"));
  EXPECT_TRUE(AcceptsGzip("deflate,GZIP;q=0.5"));
  EXPECT_TRUE(AcceptsGzip("*"));
  EXPECT_FALSE(AcceptsGzip(""));
  EXPECT_FALSE(AcceptsGzip("identity"));
  EXPECT_FALSE(AcceptsGzip("gzip;q=0, deflate"));
  EXPECT_FALSE(AcceptsGzip("gzip;q=0.000"));
}

TEST(Compress, PacksTextOfSomeSize) {
  Response response = Json(5000);
  ASSERT_TRUE(IsWorthCompressing(response));
  Compress(response);
  EXPECT_EQ(response.Header("Content-Encoding"), "gzip");
  EXPECT_EQ(Gunzip(std::get<std::string>(response.body)), std::string(5000, 'x'));
}

TEST(Compress, LeavesAloneWhatIsSmallBinaryOrPromised) {
  EXPECT_FALSE(IsWorthCompressing(Json(100)));
  Response binary = Json(5000);
  binary.Set("Content-Type", "application/octet-stream");
  EXPECT_FALSE(IsWorthCompressing(binary));
  for (const char* name : {"Content-Encoding", "Content-Range", "X-Goog-Hash", "Accept-Ranges"}) {
    Response promised = Json(5000);
    promised.Add(name, "x");
    EXPECT_FALSE(IsWorthCompressing(promised)) << name;
  }
  Response kept = Json(5000);
  kept.Add("Cache-Control", "public, no-transform");
  EXPECT_FALSE(IsWorthCompressing(kept));
}

}  // namespace
}  // namespace fireweed::net
