#include "net/discovery.h"

#include <gtest/gtest.h>

#include "net/discovery_paths.h"

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
                                                  "/upload/v1/{parent=projects/*}/fruits",
                                                  "fruit.projects.fruits.insert",
                                                  "fruit.insert",
                                                  "{parent}"};

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

DocumentedPath Documented(api::PathNames names, std::string_view path, std::string_view id) {
  api::Service service{.name = "fruit", .version = "v1", .path_names = names};
  return PathInDocuments({&service, api::Verb::kPost, path, id});
}

TEST(Discovery, NamesThePartsOfPathsAsGoogleDoes) {
  using enum api::PathNames;
  auto whole = [](std::string_view path, std::string_view id) {
    DocumentedPath out = Documented(kByResource, path, id);
    EXPECT_EQ(out.parameters.size(), 1u) << path;
    return out.path + " " + out.parameters.at(0).pattern;
  };
  EXPECT_EQ(whole("/v1/projects/{project}/jobs", "ml.projects.jobs.list"),
            "v1/{+parent}/jobs ^projects/[^/]+$");
  EXPECT_EQ(whole("/v1/projects/{project}/jobs/{job}:cancel", "ml.projects.jobs.cancel"),
            "v1/{+name}:cancel ^projects/[^/]+/jobs/[^/]+$");
  EXPECT_EQ(whole("/v1/projects/{project}/trials:suggest", "ml.projects.trials.suggest"),
            "v1/{+parent}/trials:suggest ^projects/[^/]+$");
  EXPECT_EQ(
      whole("/v1/projects/{project}/jobs/{job}:getIamPolicy", "ml.projects.jobs.getIamPolicy"),
      "v1/{+resource}:getIamPolicy ^projects/[^/]+/jobs/[^/]+$");
  EXPECT_EQ(whole("/v1/projects/{project}/serviceAccounts", "iam.projects.serviceAccounts.list"),
            "v1/{+name}/serviceAccounts ^projects/[^/]+$");
  EXPECT_EQ(whole("/v1/projects/{project}/repos/{repo=**}:getIamPolicy",
                  "sourcerepo.projects.repos.getIamPolicy"),
            "v1/{+resource}:getIamPolicy ^projects/[^/]+/repos/.*$");
  EXPECT_EQ(whole("/v1/projects/{project}/models/{model}:predict", "ml.projects.models.predict"),
            "v1/{+name}:predict ^projects/.*$");
  EXPECT_EQ(Documented(kByResource, "/v2/entries:list", "logging.entries.list").path,
            "v2/entries:list");
  auto kind = [](std::string_view path, std::string_view id) {
    return Documented(kByKind, path, id).path;
  };
  EXPECT_EQ(kind("/c/v1/zones/{zone}/instances/{name}/stop", "compute.instances.stop"),
            "c/v1/zones/{zone}/instances/{instance}/stop");
  EXPECT_EQ(kind("/c/v1/addresses/{name}", "compute.addresses.get"), "c/v1/addresses/{address}");
  EXPECT_EQ(kind("/c/v1/disks/{name}/setLabels", "compute.disks.setLabels"),
            "c/v1/disks/{resource}/setLabels");
  EXPECT_EQ(Documented(kPlain, "/s/v1/b/{bucket}/o/{object}", "storage.objects.get").path,
            "s/v1/b/{bucket}/o/{object}");
}

}  // namespace
}  // namespace net
}  // namespace fireweed
