#include "net/discovery.h"

#include <gtest/gtest.h>

namespace fireweed {

struct Fruit {
  std::string name;
  std::optional<int64_t> weight;
  std::vector<Fruit> seeds;
};
struct FruitInsert {
  std::string parent;
  bool dryRun = false;
  Fruit body;
};
template <>
inline constexpr std::string_view kTypeName<Fruit> = "Fruit";
template <>
inline constexpr auto kFields<Fruit> = [](auto...) {
  return Fields{F("name", &Fruit::name, 0, "What it is called."), F("weight", &Fruit::weight),
                F("seeds", &Fruit::seeds)};
};
template <>
inline constexpr auto kFields<FruitInsert> = [](auto...) {
  return Fields{F("parent", &FruitInsert::parent, kPath), F("dryRun", &FruitInsert::dryRun, kQuery),
                F("body", &FruitInsert::body, kBody)};
};

namespace net {
namespace {

constexpr std::string_view kHosts[] = {"fruit.googleapis.com"};
constexpr api::Service kService{
    .name = "fruit", .version = "v1", .title = "Fruit", .hosts = kHosts};
constexpr api::Method<FruitInsert, Fruit> kInsert{kService,
                                                  api::Verb::kPost,
                                                  "/v1/{parent=projects/*}/fruits",
                                                  "fruit.projects.fruits.insert",
                                                  "fruit.insert",
                                                  "{parent}",
                                                  api::Judge::kPolicy,
                                                  "/upload/v1/{parent=projects/*}/fruits"};

TEST(Discovery, DescribesMethodsAndSchemas) {
  std::string text =
      DiscoveryDocument(kService, {kInsert.entry()}, "https://fruit.googleapis.com/");
  for (const char* piece :
       {R"("id":"fruit:v1")",
        R"("resources":{"projects":{"resources":{"fruits":{"methods":{"insert":{)",
        R"("path":"v1/{+parent}/fruits")", R"("parameterOrder":["parent"])",
        R"("dryRun":{"type":"boolean","location":"query"})", R"("request":{"$ref":"Fruit"})",
        R"("weight":{"type":"string","format":"int64"})",
        R"("name":{"type":"string","description":"What it is called."})",
        R"("seeds":{"type":"array","items":{"$ref":"Fruit"}})",
        R"("resumable":{"multipart":true,"path":"/resumable/upload/v1/{+parent}/fruits"})"}) {
    EXPECT_NE(text.find(piece), std::string::npos) << piece << "\n" << text;
  }
}

}  // namespace
}  // namespace net
}  // namespace fireweed
