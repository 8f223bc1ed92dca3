#include "storage/kms_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/storage_fixture.h"

namespace fireweed::storage {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kRings = "/v1/projects/my-project/locations/us/keyRings";

class KmsKeysTest : public testing::Test, protected StorageFixture {
 protected:
  Reply Kms(std::string method, std::string target, std::string body = "") {
    Ask ask{std::move(method), std::move(target), std::move(body), {}};
    ask.host = "cloudkms.googleapis.com";
    if (!ask.body.empty()) ask.headers = {{"Content-Type", "application/json"}};
    return Send(ask);
  }
  void MakeKey(const std::string& ring, const std::string& key) {
    Kms("POST", std::string(kRings) + "?keyRingId=" + ring, "{}");
    Reply made = Kms("POST", std::string(kRings) + "/" + ring + "/cryptoKeys?cryptoKeyId=" + key,
                     R"({"purpose":"ENCRYPT_DECRYPT"})");
    ASSERT_EQ(made.status, 200) << made.body;
  }
};

TEST_F(KmsKeysTest, RingsAndKeysAreMadeOnceAndFound) {
  std::string rings = kRings;
  EXPECT_EQ(Kms("GET", rings + "/r1").status, 404);
  EXPECT_EQ(Kms("POST", rings + "/r1/cryptoKeys?cryptoKeyId=k1", R"({"purpose":"ENCRYPT_DECRYPT"})")
                .status,
            404)
      << "a key in a ring that is not there";
  MakeKey("r1", "k1");
  EXPECT_EQ(Kms("POST", rings + "?keyRingId=r1", "{}").status, 409);
  Reply key = Kms("GET", rings + "/r1/cryptoKeys/k1");
  EXPECT_THAT(key.body,
              HasSubstr(R"("name":"projects/my-project/locations/us/keyRings/r1/cryptoKeys/k1")"));
  EXPECT_THAT(key.body, HasSubstr(R"("state":"ENABLED")"));
  EXPECT_EQ(Kms("POST", rings + "/r1/cryptoKeys?cryptoKeyId=k1", R"({"purpose":"ENCRYPT_DECRYPT"})")
                .status,
            409);
  EXPECT_EQ(Kms("GET", rings + "/r1/cryptoKeys/k2").status, 404);
}

TEST_F(KmsKeysTest, BadNamesAndPurposesAreRefused) {
  std::string rings = kRings;
  for (const char* id : {"", "a%2Fb", "a.b", "%20"}) {
    EXPECT_EQ(Kms("POST", rings + "?keyRingId=" + id, "{}").status, 400) << id;
  }
  EXPECT_EQ(Kms("POST", rings + "?keyRingId=" + std::string(64, 'a'), "{}").status, 400);
  Kms("POST", rings + "?keyRingId=r1", "{}");
  EXPECT_EQ(Kms("POST", rings + "/r1/cryptoKeys?cryptoKeyId=k", R"({"purpose":"ASYMMETRIC_SIGN"})")
                .status,
            400);
}

TEST_F(KmsKeysTest, ListsComeInPages) {
  for (const char* key : {"a", "b", "c"}) MakeKey("r1", key);
  std::string keys = std::string(kRings) + "/r1/cryptoKeys";
  Reply first = Kms("GET", keys + "?pageSize=2");
  EXPECT_THAT(first.body, HasSubstr("cryptoKeys/b\""));
  EXPECT_THAT(first.body, Not(HasSubstr("cryptoKeys/c\"")));
  Reply second = Kms("GET", keys + "?pageSize=2&pageToken=" + first.Field("nextPageToken"));
  EXPECT_THAT(second.body, HasSubstr("cryptoKeys/c\""));
  EXPECT_EQ(second.Field("nextPageToken"), "");
  EXPECT_THAT(Kms("GET", kRings).body, HasSubstr("keyRings/r1\""));
}

TEST_F(KmsKeysTest, PolicyIsKept) {
  MakeKey("r1", "k1");
  std::string key = std::string(kRings) + "/r1/cryptoKeys/k1";
  Reply set = Kms("POST", key + ":setIamPolicy", R"({"policy":{"bindings":[{"role":
      "roles/cloudkms.cryptoKeyEncrypterDecrypter","members":["serviceAccount:a@b.c"]}]}})");
  EXPECT_EQ(set.status, 200) << set.body;
  EXPECT_THAT(Kms("GET", key + ":getIamPolicy").body, HasSubstr("serviceAccount:a@b.c"));
  EXPECT_EQ(Kms("GET", std::string(kRings) + "/r1/cryptoKeys/k2:getIamPolicy").status, 404);
}

TEST_F(KmsKeysTest, AKeyIsUsableWhenItIsThereAndOpenToTheStore) {
  KmsKeys keys(catalog, projects, access, clock);
  MakeKey("r1", "k1");
  std::string name = "projects/my-project/locations/us/keyRings/r1/cryptoKeys/k1";
  EXPECT_NO_THROW(keys.RequireUsable("", 7));
  EXPECT_NO_THROW(keys.RequireUsable(name, 7));
  EXPECT_THROW(keys.RequireUsable(name + "x", 7), Failure);
  access.refused = "cloudkms.cryptoKeyVersions.useToEncrypt " + name;
  EXPECT_THROW(keys.RequireUsable(name, 7), Failure);
}

}  // namespace
}  // namespace fireweed::storage
