#include "net/project_numbers.h"

#include <gtest/gtest.h>

namespace fireweed::net {
namespace {

std::optional<std::string> IdOf(const std::string& number) {
  if (number == "123456") return "my-project";
  return std::nullopt;
}

TEST(ProjectNumbersTest, ReferencesAreResolved) {
  struct Case {
    const char *given, *resolved;
  };
  for (
      const Case& c : {
          Case{R"({"machineType":"projects/123456/zones/z/machineTypes/m"})",
               R"({"machineType":"projects/my-project/zones/z/machineTypes/m"})"},
          Case{
              R"({"a":[{"network":"https://www.googleapis.com/compute/v1/projects/123456/global"}]})",
              R"({"a":[{"network":"https://www.googleapis.com/compute/v1/projects/my-project/global"}]})"},
          Case{R"({"topic":"//pubsub.googleapis.com/projects/123456/topics/t","n":1.5})",
               R"({"topic":"//pubsub.googleapis.com/projects/my-project/topics/t","n":1.5})"},
          Case{R"({"resourceNames":["projects/123456","projects/other"]})",
               R"({"resourceNames":["projects/my-project","projects/other"]})"},
      }) {
    EXPECT_EQ(ResolveProjectNumbers(c.given, IdOf), c.resolved);
  }
}

TEST(ProjectNumbersTest, EverythingElseIsLeftAlone) {
  for (const char* body : {
           "",
           "{}",
           "projects/123456/",
           R"(["projects/123456/x"])",
           R"({"a":"projects/my-project/x"})",
           R"({"a":"projects/999/x"})",
           R"({"a":"projects/123456x/y"})",
           R"({"a":"my-projects/123456/x"})",
           R"({"a":"see projects/123456/x"})",
           R"({"a":"projects/123456/x y"})",
           R"({"metadata":{"items":[{"key":"k","value":"projects/123456/x"}]}})",
           R"({"trainingInput":{"args":["projects/123456/x"]}})",
           R"({"labels":{"a":"projects/123456/x"}})",
           R"({"a":"projects/123456/x")",
       }) {
    EXPECT_FALSE(ResolveProjectNumbers(body, IdOf)) << body;
  }
}

}  // namespace
}  // namespace fireweed::net
