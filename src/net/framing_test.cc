#include "net/framing.h"

#include <string>

#include <gtest/gtest.h>

namespace fireweed::net {
namespace {

struct Case {
  const char* what;
  const char* fields;  // after the request line
  const char* mended;  // nullptr: refused
};

class Framing : public testing::TestWithParam<Case> {};

TEST_P(Framing, IsMendedOrRefused) {
  const std::string start = "PUT /o HTTP/1.1\r\nHost: a\r\n";
  std::string head = start + GetParam().fields + "\r\n";
  size_t size = head.size();
  std::optional<std::string_view> refusal = MendFraming(head);
  EXPECT_EQ(head.size(), size);
  if (GetParam().mended == nullptr) {
    EXPECT_TRUE(refusal);
  } else {
    EXPECT_FALSE(refusal) << *refusal;
    EXPECT_EQ(head, start + GetParam().mended + "\r\n");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, Framing,
    testing::Values(
        Case{"plain", "Content-Length: 3\r\n", "Content-Length: 3\r\n"},
        Case{"tensorflow upload", "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
             "x-dropped-len-: 3\r\nTransfer-Encoding: chunked\r\n"},
        Case{"the other order", "transfer-encoding: Chunked\r\ncontent-length: 3\r\n",
             "transfer-encoding: Chunked\r\nx-dropped-len-: 3\r\n"},
        Case{"tensorflow start", "Content-Length: 0\r\nTransfer-Encoding: identity\r\n",
             "Content-Length: 0\r\nx-dropped-coding-: identity\r\n"},
        Case{"equal lengths", "Content-Length: 3\r\nContent-Length: 3\r\n",
             "Content-Length: 3\r\nx-dropped-len-: 3\r\n"},
        Case{"equal lengths and chunked",
             "Content-Length: 3\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n",
             "x-dropped-len-: 3\r\nx-dropped-len-: 3\r\nTransfer-Encoding: chunked\r\n"},
        Case{"different lengths", "Content-Length: 3\r\nContent-Length: 4\r\n", nullptr},
        Case{"length list", "Content-Length: 3, 3\r\n", nullptr},
        Case{"signed length", "Content-Length: +3\r\n", nullptr},
        Case{"hex length", "Content-Length: 0x3\r\n", nullptr},
        Case{"empty length", "Content-Length:\r\n", nullptr},
        Case{"huge length", "Content-Length: 9999999999999999999\r\n", nullptr},
        Case{"bad length beside chunked", "Content-Length: x\r\nTransfer-Encoding: chunked\r\n",
             nullptr},
        Case{"two codings", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
             nullptr},
        Case{"identity and chunked",
             "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n", nullptr},
        Case{"coding list", "Transfer-Encoding: gzip, chunked\r\n", nullptr},
        Case{"odd coding", "Transfer-Encoding: xchunked\r\n", nullptr},
        Case{"vertical tab",
             "Transfer-Encoding: \x0b"
             "chunked\r\n",
             nullptr},
        Case{"folded coding", "Transfer-Encoding:\r\n chunked\r\n", nullptr},
        Case{"folded after length", "Content-Length: 3\r\n 4\r\n", nullptr},
        Case{"space before colon", "Content-Length : 3\r\n", nullptr},
        Case{"no colon", "Content-Length 3\r\n", nullptr},
        Case{"bare line feed", "Content-Length: 3\nX: y\r\n", nullptr},
        Case{"bare carriage return", "X: y\rContent-Length: 3\r\n", nullptr}),
    [](const auto& info) {
      std::string name = info.param.what;
      for (char& c : name) c = c == ' ' ? '_' : c;
      return name;
    });

TEST(FramingOfHttp10, KnowsNoChunks) {
  std::string head = "PUT / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_TRUE(MendFraming(head));
}

TEST(ChunkHeader, LosesASignThatStandsForNothing) {
  struct Row {
    const char *line, *mended;
  };
  for (const Row& row :
       {Row{"3;\r\nabc", "03\r\n"}, Row{"\r\n1fA0;\r\n", "\r\n01fA0\r\n"}, Row{"3;;\r\n", ""},
        Row{"3;x\r\n", ""}, Row{"3; \r\n", ""}, Row{"3;\n", ""}, Row{"3;", ""}, Row{";\r\n", ""},
        Row{"0;\r\n\r\n", ""}, Row{"\r\n\r\n3;\r\n", ""}, Row{"-3;\r\n", ""}, Row{"", ""}}) {
    EXPECT_EQ(MendChunkHeader(row.line), row.mended) << row.line;
  }
}

TEST(HeadEnd, IsFoundHoweverTheBytesArrive) {
  const std::string bytes = "GET / HTTP/1.1\r\nHost: a\r\n\r\nrest";
  const size_t end = bytes.find("rest");
  size_t from = 0;
  for (size_t have = 0; have < bytes.size(); ++have) {
    std::optional<size_t> found = FindHeadEnd(std::string_view(bytes).substr(0, have), from);
    EXPECT_EQ(found.has_value(), have >= end) << have;
    if (found) {
      EXPECT_EQ(*found, end);
      break;
    }
    from = have < 3 ? 0 : have - 3;
  }
  EXPECT_EQ(FindHeadEnd("GET / HTTP/1.1\n\n", 0), 16u);
}

}  // namespace
}  // namespace fireweed::net
