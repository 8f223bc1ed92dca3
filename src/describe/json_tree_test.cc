#include "describe/json_tree.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace fireweed {
namespace {

TEST(JsonTree, KeepsWhatItReads) {
  for (const char* text :
       {"null", "true", "-12", "1.5", "\"a\\nb\"", "[]", "{}", R"({"z":1,"a":[true,{"b":"c"}]})"}) {
    EXPECT_EQ(JsonTree::Parse(text).Compact(), text);
  }
}

TEST(JsonTree, RefusesWhatIsNoJson) {
  for (std::string text :
       {std::string("{"), std::string(""), std::string("{\"a\":}"), std::string("1 2"),
        std::string(100, '['), std::string(100, '[') + std::string(100, ']')}) {
    EXPECT_THROW(JsonTree::Parse(text), Failure) << text;
  }
}

TEST(JsonTree, IsBuiltPieceByPiece) {
  JsonTree tree;
  tree["b"]["c"] = JsonTree::Number(3);
  tree["a"].Append(JsonTree::Text("x"));
  tree["gone"] = JsonTree::Bool(true);
  tree.Remove("gone");
  EXPECT_EQ(tree.Compact(), R"({"b":{"c":3},"a":["x"]})");
  EXPECT_EQ(tree.Find("b")->TextOf("c"), "3");
  EXPECT_EQ(tree.Find("none"), nullptr);
  EXPECT_EQ(tree.Sorted().Compact(), R"({"a":["x"],"b":{"c":3}})");
  EXPECT_EQ(tree.Pretty(), "{\n  \"a\": [\n    \"x\"\n  ],\n  \"b\": {\n    \"c\": 3\n  }\n}");
}

}  // namespace
}  // namespace fireweed
