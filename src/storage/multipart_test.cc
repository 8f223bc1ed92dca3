#include "storage/multipart.h"

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/random.h"

namespace fireweed::storage {
namespace {

struct Parts final : MultipartReader::Events {
  void OnPart(std::string_view headers) override { parts.push_back({std::string(headers), ""}); }
  void OnBytes(std::span<const std::byte> bytes) override { parts.back().second += AsText(bytes); }
  std::vector<std::pair<std::string, std::string>> parts;
};

Parts ReadInSteps(const std::string& body, size_t step) {
  Parts parts;
  MultipartReader reader("X", parts);
  for (size_t at = 0; at < body.size(); at += step) {
    reader.Feed(AsBytes(std::string_view(body).substr(at, step)));
  }
  EXPECT_TRUE(reader.complete()) << body << " in steps of " << step;
  return parts;
}

std::string Body(std::string_view eol, std::string_view first, std::string_view second) {
  std::string out;
  for (std::string_view piece :
       {std::string_view("--X"), eol, std::string_view("Content-Type: application/json"), eol, eol,
        first, eol, std::string_view("--X"), eol, std::string_view("content-type: text/plain"), eol,
        eol, second, eol, std::string_view("--X--"), eol}) {
    out += piece;
  }
  return out;
}

TEST(Boundary, TakesQuotesOfBothKinds) {
  EXPECT_EQ(BoundaryOf("multipart/related; boundary='===1=='"), "===1==");
  EXPECT_EQ(BoundaryOf("multipart/related; boundary=\"a;b\"; type=x"), "a;b");
  EXPECT_EQ(BoundaryOf("multipart/related; type=x; Boundary=abc ; y=z"), "abc");
  EXPECT_EQ(BoundaryOf("multipart/related"), std::nullopt);
  EXPECT_EQ(BoundaryOf("multipart/related; boundary='open"), std::nullopt);
  EXPECT_EQ(BoundaryOf("multipart/related; boundary="), std::nullopt);
}

TEST(Multipart, TwoPartsWithEitherLineEndInAnyStep) {
  for (std::string_view eol : {"\n", "\r\n"}) {
    for (std::string_view second :
         {"", "abc", "ends in cr\r", "\r\n--", "\n--Y\r\n-", "x--X", "\r\n\r\n"}) {
      if (eol == "\n" && second.find("\n--X") != second.npos) continue;
      std::string body = Body(eol, "{}", second);
      for (size_t step : {1, 2, 3, 7, 1000}) {
        Parts parts = ReadInSteps(body, step);
        ASSERT_EQ(parts.parts.size(), 2u);
        EXPECT_EQ(parts.parts[0].second, "{}");
        EXPECT_EQ(parts.parts[1].second, second);
        EXPECT_EQ(PartHeader(parts.parts[1].first, "Content-Type"), "text/plain");
        EXPECT_EQ(PartHeader(parts.parts[1].first, "Other"), "");
      }
    }
  }
}

TEST(Multipart, AnyBytesComeOutAsTheyWentIn) {
  SeededRandom random(11);
  for (int round = 0; round < 300; ++round) {
    std::string content;
    for (size_t i = random.Below(60); i > 0; --i) content += "\r\n-Xa"[random.Below(5)];
    std::string_view eol = random.Below(2) ? "\n" : "\r\n";
    std::string delimiter = std::string(eol) + "--X";
    if ((std::string(eol) + content + delimiter).find(delimiter) < eol.size() + content.size())
      continue;
    Parts parts = ReadInSteps(Body(eol, "{}", content), 1 + random.Below(9));
    ASSERT_EQ(parts.parts.size(), 2u);
    EXPECT_EQ(parts.parts[1].second, content);
  }
}

TEST(Multipart, RefusesWhatIsNone) {
  for (std::string body : {std::string(20000, 'x'), std::string("--X--"), std::string("--Xy\n\n"),
                           "--X\n" + std::string(20000, 'h')}) {
    Parts parts;
    MultipartReader reader("X", parts);
    EXPECT_THROW(reader.Feed(AsBytes(body)), Failure) << body.substr(0, 20);
  }
  Parts parts;
  MultipartReader reader("X", parts);
  reader.Feed(AsBytes("--X\n\nabc"));
  EXPECT_FALSE(reader.complete());
}

}  // namespace
}  // namespace fireweed::storage
