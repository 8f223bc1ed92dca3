// Identity end to end: what clients send, through the router, to what they get.
#include <map>

#include "base/bytes.h"
#include "describe/json_codec.h"
#include "identity/identity_fixture.h"
#include "identity/jwt.h"

namespace fireweed::identity {
namespace {

constexpr char kCrm[] = "cloudresourcemanager.googleapis.com";
constexpr char kIam[] = "iam.googleapis.com";
constexpr char kUsage[] = "serviceusage.googleapis.com";

class ServiceTest : public IdentityFixture {
 protected:
  std::string Url(const char* host, std::string_view path) {
    return std::string(host) + std::string(path);
  }
};

TEST_F(ServiceTest, NoTwoRoutesMatchOnePath) { EXPECT_TRUE(router_.Collisions().empty()); }

TEST_F(ServiceTest, NothingIsReadableWithoutAToken) {
  Ask("GET", Url(kCrm, "/v1/projects/my-project"));
  std::string email = MakeAccount("my-robot");
  for (const std::string& url :
       {Url(kCrm, "/v1/projects"), Url(kCrm, "/v1/projects/my-project"),
        Url(kCrm, "/v1/projects/none-such"), Url(kCrm, "/v1/operations/cp.1"),
        Url(kIam, "/v1/projects/my-project/serviceAccounts"),
        Url(kIam, "/v1/projects/-/serviceAccounts/" + email),
        Url(kIam, "/v1/projects/-/serviceAccounts/" + email + "/keys"), Url(kIam, "/v1/roles"),
        Url(kUsage, "/v1/projects/my-project/services"),
        std::string("localhost/fireweed/v1/tokens"), std::string("localhost/fireweed/v1/users"),
        std::string("www.googleapis.com/oauth2/v3/userinfo")}) {
    EXPECT_EQ(AskAs("", "GET", url).status, 401) << url;
    EXPECT_EQ(AskAs("ya29.fw-nonsense", "GET", url).status, 401) << url;
  }
}

TEST_F(ServiceTest, ProjectsAreMadeListedAndDeleted) {
  Answer made = Ask("POST", Url(kCrm, "/v1/projects"),
                    R"({"projectId":"team-one","name":"Team One","labels":{"env":"dev"}})");
  EXPECT_EQ(made.status, 200) << made.body;
  EXPECT_EQ(made["name"].substr(0, 14), "operations/cp.");
  Answer done = Ask("GET", Url(kCrm, "/v1/") + made["name"]);
  EXPECT_EQ(done["done"], "true");
  EXPECT_NE(done.body.find("google.cloudresourcemanager.v1.Project\",\"projectNumber\":\""),
            std::string::npos)
      << done.body;
  Answer got = Ask("GET", Url(kCrm, "/v1/projects/team-one"));
  EXPECT_EQ(got["projectId"], "team-one");
  EXPECT_EQ(got["projectNumber"].size(), 12u);
  EXPECT_EQ(got["lifecycleState"], "ACTIVE");
  EXPECT_EQ(Ask("GET", Url(kCrm, "/v1/projects/") + got["projectNumber"]).body, got.body);
  EXPECT_EQ(Ask("POST", Url(kCrm, "/v1/projects"), R"({"projectId":"team-one"})").status, 409);
  EXPECT_EQ(Ask("POST", Url(kCrm, "/v1/projects"), R"({"projectId":"Bad_Id"})").status, 400);

  std::string active = Url(kCrm, "/v1/projects?filter=lifecycleState:ACTIVE&pageSize=500");
  EXPECT_NE(Ask("GET", active).body.find("team-one"), std::string::npos);
  EXPECT_EQ(Ask("DELETE", Url(kCrm, "/v1/projects/team-one")).body, "{}");
  EXPECT_EQ(Ask("GET", active).body, "{}");
  EXPECT_EQ(Ask("GET", Url(kCrm, "/v1/projects/team-one"))["lifecycleState"], "DELETE_REQUESTED");
  EXPECT_EQ(Ask("POST", Url(kIam, "/v1/projects/team-one/serviceAccounts"),
                R"({"accountId":"some-robot"})")
                .status,
            403);
  EXPECT_EQ(Ask("POST", Url(kCrm, "/v1/projects/team-one:undelete"), "{}").status, 200);
  EXPECT_NE(Ask("GET", active).body.find("team-one"), std::string::npos);
}

TEST_F(ServiceTest, ProjectListsComeInPages) {
  for (int i = 0; i < 5; ++i) Ask("GET", Url(kCrm, "/v1/projects/project-") + std::to_string(i));
  std::string seen, page;
  for (int i = 0; i < 3; ++i) {
    Answer answer = Ask("GET", Url(kCrm, "/v1/projects?pageSize=2&pageToken=") + page);
    page = PercentEncode(answer["nextPageToken"]);
    auto list = DecodeJson<api::crm::ProjectList>(answer.body);
    for (const auto& project : list.projects) seen += project.projectId.back();
  }
  EXPECT_EQ(seen, "01234");
  EXPECT_EQ(page, "");
  EXPECT_EQ(Ask("GET", Url(kCrm, "/v1/projects?filter=colour:red")).status, 400);
}

TEST_F(ServiceTest, APolicyIsReadChangedAndGuardedByItsEtag) {
  Answer before = Ask("POST", Url(kCrm, "/v1/projects/my-project:getIamPolicy"),
                      R"({"options":{"requestedPolicyVersion":3}})");
  EXPECT_EQ(before.status, 200) << before.body;
  EXPECT_EQ(before["etag"].size() % 4, 0u) << "padded base64";
  EXPECT_NE(before.body.find("roles/owner"), std::string::npos);
  std::string set = R"({"policy":{"version":3,"etag":")" + before["etag"] +
                    R"(","bindings":[{"role":"roles/viewer","members":["user:Ann@X.org"]}]}})";
  Answer after = Ask("POST", Url(kCrm, "/v1/projects/my-project:setIamPolicy"), set);
  EXPECT_EQ(after.status, 200) << after.body;
  EXPECT_NE(after["etag"], before["etag"]);
  EXPECT_NE(after.body.find("user:ann@x.org"), std::string::npos);
  Answer stale = Ask("POST", Url(kCrm, "/v1/projects/my-project:setIamPolicy"), set);
  EXPECT_EQ(stale.status, 409);
  EXPECT_NE(stale.body.find("\"status\":\"ABORTED\""), std::string::npos) << stale.body;
  for (const char* bad :
       {R"({"policy":{"bindings":[{"role":"roles/storage.emperor","members":["allUsers"]}]}})",
        R"({"policy":{"bindings":[{"role":"roles/viewer","members":["ann"]}]}})",
        R"({"policy":{"bindings":[{"role":"roles/viewer","members":["user:a@b"],)"
        R"("condition":{"expression":"false"}}]}})",
        R"({"policy":{"bindings":[{"role":"viewer","members":["allUsers"]}]}})", R"({"policy":7})",
        "{}", ""}) {
    EXPECT_EQ(Ask("POST", Url(kCrm, "/v1/projects/my-project:setIamPolicy"), bad).status, 400)
        << bad;
  }
  Answer mine = Ask("POST", Url(kCrm, "/v1/projects/my-project:testIamPermissions"),
                    R"({"permissions":["storage.buckets.list","foo","storage.*",)"
                    R"("compute.instances.create","..",""]})");
  EXPECT_EQ(mine.body, R"({"permissions":["storage.buckets.list","compute.instances.create"]})");
}

TEST_F(ServiceTest, AViewerSeesAndChangesNothing) {
  Ask("POST", "localhost/fireweed/v1/users", R"({"email":"ann@x.org"})");
  Answer token = Ask("POST", "localhost/fireweed/v1/tokens", R"({"email":"ann@x.org"})");
  std::string ann = token["token"];
  ASSERT_FALSE(ann.empty()) << token.body;
  Ask("POST", Url(kCrm, "/v1/projects/my-project:setIamPolicy"),
      R"({"policy":{"bindings":[{"role":"roles/viewer","members":["user:ann@x.org"]}]}})");
  Ask("GET", Url(kCrm, "/v1/projects/other-project"));
  EXPECT_EQ(AskAs(ann, "GET", Url(kCrm, "/v1/projects/my-project")).status, 200);
  EXPECT_EQ(AskAs(ann, "GET", Url(kCrm, "/v1/projects/other-project")).status, 403);
  EXPECT_EQ(AskAs(ann, "GET", Url(kCrm, "/v1/projects/nobody-made-me")).status, 404);
  std::string listed = AskAs(ann, "GET", Url(kCrm, "/v1/projects")).body;
  EXPECT_NE(listed.find("my-project"), std::string::npos);
  EXPECT_EQ(listed.find("other-project"), std::string::npos);
  EXPECT_EQ(AskAs(ann, "POST", Url(kCrm, "/v1/projects"), R"({"projectId":"anns-own"})").status,
            403);
  EXPECT_EQ(AskAs(ann, "DELETE", Url(kCrm, "/v1/projects/my-project")).status, 403);
  EXPECT_EQ(AskAs(ann, "GET", "localhost/fireweed/v1/tokens").status, 403);
  EXPECT_EQ(AskAs(ann, "POST", Url(kIam, "/v1/projects/my-project/serviceAccounts"),
                  R"({"accountId":"anns-robot"})")
                .status,
            403);
}

TEST_F(ServiceTest, ServiceAccountsLiveAndDie) {
  std::string email = MakeAccount("my-robot");
  EXPECT_EQ(email, "my-robot@my-project.iam.gserviceaccount.com");
  std::string url = Url(kIam, "/v1/projects/-/serviceAccounts/") + email;
  Answer got = Ask("GET", url);
  EXPECT_EQ(got["name"], "projects/my-project/serviceAccounts/" + email);
  EXPECT_EQ(got["displayName"], "Robot");
  EXPECT_EQ(got["uniqueId"].size(), 21u);
  EXPECT_EQ(
      Ask("GET", Url(kIam, "/v1/projects/my-project/serviceAccounts/") + got["uniqueId"])["email"],
      email);
  EXPECT_EQ(Ask("GET", Url(kIam, "/v1/projects/another-one/serviceAccounts/") + email).status, 404);
  EXPECT_EQ(Ask("POST", Url(kIam, "/v1/projects/my-project/serviceAccounts"),
                R"({"accountId":"my-robot"})")
                .status,
            409);
  EXPECT_EQ(
      Ask("POST", Url(kIam, "/v1/projects/my-project/serviceAccounts"), R"({"accountId":"X"})")
          .status,
      400);
  Answer patched = Ask(
      "PATCH", url,
      R"({"serviceAccount":{"displayName":"New","description":"d"},"updateMask":"displayName"})");
  EXPECT_EQ(patched["displayName"], "New");
  EXPECT_EQ(patched["description"], "");
  auto list = DecodeJson<api::iam::ServiceAccountList>(
      Ask("GET", Url(kIam, "/v1/projects/my-project/serviceAccounts?pageSize=100")).body);
  ASSERT_EQ(list.accounts.size(), 2u) << "with the default compute account";
  EXPECT_EQ(Ask("POST", url + ":disable", "{}").status, 200);
  EXPECT_EQ(Ask("GET", url)["disabled"], "true");
  EXPECT_EQ(Ask("POST", url + ":enable", "{}").status, 200);
  Answer policy = Ask("POST", url + ":getIamPolicy?options.requestedPolicyVersion=3");
  EXPECT_EQ(policy.status, 200);
  EXPECT_EQ(Ask("POST", url + ":setIamPolicy",
                R"({"policy":{"bindings":[{"role":"roles/iam.serviceAccountUser",)"
                R"("members":["user:ann@x.org"]}]}})")
                .status,
            200);
  EXPECT_EQ(Ask("DELETE", url).body, "{}");
  EXPECT_EQ(Ask("GET", url).status, 404);
  EXPECT_EQ(Ask("DELETE", url).status, 404);
}

TEST_F(ServiceTest, KeysAreMadeListedAndDeleted) {
  std::string email = MakeAccount("my-robot");
  std::string url = Url(kIam, "/v1/projects/-/serviceAccounts/") + email + "/keys";
  KeyFileText file = MakeKey(email);
  EXPECT_EQ(file.type, "service_account");
  EXPECT_EQ(file.token_uri, "https://oauth2.googleapis.com/token");
  EXPECT_EQ(file.project_id, "my-project");
  EXPECT_EQ(file.private_key.substr(0, 27), "-----BEGIN PRIVATE KEY-----");
  Answer list = Ask("GET", url);
  EXPECT_NE(list.body.find("/keys/" + file.private_key_id), std::string::npos);
  EXPECT_EQ(list.body.find("PRIVATE"), std::string::npos);
  Answer raw = Ask("GET", url + "/" + file.private_key_id + "?publicKeyType=TYPE_RAW_PUBLIC_KEY");
  std::string pem = Base64Decode(raw["publicKeyData"]).value_or("");
  EXPECT_TRUE(RsaKey::FromPublicPem(pem)) << raw.body;
  EXPECT_EQ(Ask("DELETE", url + "/" + file.private_key_id).body, "{}");
  EXPECT_EQ(Ask("GET", url).body, "{}");
  EXPECT_EQ(Ask("DELETE", url + "/" + file.private_key_id).status, 404);
  EXPECT_EQ(Ask("POST", url, R"({"privateKeyType":"TYPE_PKCS12_FILE"})").status, 400);
}

TEST_F(ServiceTest, NoSecretIsInTheCatalog) {
  std::string email = MakeAccount("my-robot");
  KeyFileText file = MakeKey(email);
  std::string access = tokens_.MintForServiceAccount(email, {}, kUsualLifetime).token;
  std::string refresh =
      DecodeJson<std::map<std::string, Json>>(owner_credential_)["refresh_token"].text;
  std::string all;
  catalog_.Read([&](Txn& txn) {
    for (const char* kind : {"access-token", "refresh-token", "service-account-key", "user",
                             "service-account", "access-token-expiry"}) {
      for (const RawRow& row : txn.ScanRaw(kind, {})) all += row.key + row.body + "\n";
    }
  });
  EXPECT_NE(all.find(TokenKey(access)), std::string::npos);
  EXPECT_EQ(all.find(access.substr(8)), std::string::npos);
  EXPECT_EQ(all.find(refresh.substr(7, 30)), std::string::npos);
  EXPECT_EQ(all.find("PRIVATE KEY"), std::string::npos);
}

TEST_F(ServiceTest, RolesAreListedAndDescribed) {
  auto list = DecodeJson<api::iam::RoleList>(
      Ask("GET", Url(kIam, "/v1/roles?pageSize=100&showDeleted=False")).body);
  EXPECT_GT(list.roles.size(), 40u);
  EXPECT_EQ(Ask("GET", Url(kIam, "/v1/roles/storage.objectViewer"))["name"],
            "roles/storage.objectViewer");
  EXPECT_EQ(Ask("GET", Url(kIam, "/v1/roles/emperor")).status, 404);
}

TEST_F(ServiceTest, ServicesAreEnabledListedAndDisabled) {
  std::string base = Url(kUsage, "/v1/projects/my-project/services");
  Answer enabled = Ask("POST", base + "/cloudapis.googleapis.com:enable", "{}");
  EXPECT_EQ(enabled["done"], "true");
  EXPECT_EQ(Ask("GET", Url(kUsage, "/v1/") + enabled["name"])["done"], "true");
  std::string list = Ask("GET", base + "?filter=state:ENABLED&pageSize=200").body;
  EXPECT_NE(list.find("iam.googleapis.com"), std::string::npos) << "it is on the router";
  EXPECT_NE(list.find("cloudapis.googleapis.com"), std::string::npos);
  EXPECT_EQ(list.find("bigquery"), std::string::npos);
  EXPECT_EQ(Ask("POST", base + ":batchEnable",
                R"({"serviceIds":["ml.googleapis.com","bigquery.googleapis.com"]})")["done"],
            "true");
  EXPECT_EQ(Ask("GET", base + "/bigquery.googleapis.com")["state"], "ENABLED");
  EXPECT_EQ(Ask("POST", base + "/bigquery.googleapis.com:disable",
                R"({"checkIfServiceHasUsage":"CHECK","disableDependentServices":false})")["done"],
            "true");
  EXPECT_EQ(Ask("GET", base + "/bigquery.googleapis.com")["state"], "DISABLED");
  EXPECT_EQ(Ask("GET", base + "/pubsub.googleapis.com")["state"], "DISABLED");
  EXPECT_EQ(Ask("POST", base + "/not-an-api:enable", "{}").status, 404);
}

TEST_F(ServiceTest, TokensAreListedAndRevokedById) {
  Answer made =
      Ask("POST", "localhost/fireweed/v1/tokens", R"({"lifetimeSeconds":"60","label":"laptop"})");
  std::string token = made["token"];
  EXPECT_EQ(AskAs(token, "GET", Url(kIam, "/v1/roles")).status, 200);
  Answer list = Ask("GET", "localhost/fireweed/v1/tokens");
  EXPECT_NE(list.body.find(made["id"]), std::string::npos);
  EXPECT_NE(list.body.find("laptop"), std::string::npos);
  EXPECT_EQ(list.body.find(token), std::string::npos);
  EXPECT_EQ(Ask("DELETE", "localhost/fireweed/v1/tokens/" + made["id"]).status, 200);
  EXPECT_EQ(AskAs(token, "GET", Url(kIam, "/v1/roles")).status, 401);
  EXPECT_EQ(Ask("DELETE", "localhost/fireweed/v1/tokens/" + made["id"]).status, 404);
  EXPECT_EQ(Ask("DELETE", "localhost/fireweed/v1/tokens/x").status, 400);
  EXPECT_EQ(Ask("POST", "localhost/fireweed/v1/tokens", R"({"email":"no@body"})").status, 404);
  EXPECT_EQ(Ask("POST", "localhost/fireweed/v1/tokens", R"({"lifetimeSeconds":"0"})").status, 400);
  EXPECT_EQ(Ask("GET", "iam.googleapis.com/fireweed/v1/tokens").status, 404)
      << "not on a Google name";
}

TEST_F(ServiceTest, AllUsersAndGroupsAreListed) {
  constexpr int kCount = 1200;  // more than a page of rows
  catalog_.Write("test", [&](Txn& txn) {
    for (int i = 0; i < kCount; ++i) {
      std::string email = "user" + std::to_string(10000 + i) + "@x.org";
      txn.Put(email,
              UserRecord{.id = std::to_string(i), .email = email, .name = "", .created = {}});
      txn.Put(email, GroupRecord{.email = email, .members = {}, .created = {}});
    }
  });
  EXPECT_NE(Ask("GET", "localhost/fireweed/v1/users").body.find("user11199@x.org"),
            std::string::npos);
  EXPECT_NE(Ask("GET", "localhost/fireweed/v1/groups").body.find("user11199@x.org"),
            std::string::npos);
}

TEST_F(ServiceTest, AUserAndTheirCredentialsGoTogether) {
  Ask("POST", "localhost/fireweed/v1/users", R"({"email":"Ann@X.org","name":"Ann"})");
  EXPECT_EQ(Ask("POST", "localhost/fireweed/v1/users", R"({"email":"ann@x.org"})").status, 409);
  Answer issued = Ask("POST", "localhost/fireweed/v1/users/ann@x.org:issueCredential");
  auto credential = DecodeJson<std::map<std::string, std::string>>(issued["credential"]);
  std::string form = "grant_type=refresh_token&client_id=" + credential["client_id"] +
                     "&client_secret=x&refresh_token=" + PercentEncode(credential["refresh_token"]);
  Answer granted = AskAs("", "POST", "oauth2.googleapis.com/token", form);
  EXPECT_EQ(granted.status, 200) << granted.body;
  std::string ann = granted["access_token"];
  EXPECT_EQ(AskAs(ann, "GET", "www.googleapis.com/oauth2/v2/userinfo")["email"], "ann@x.org");
  EXPECT_EQ(Ask("DELETE", "localhost/fireweed/v1/users/ann@x.org").status, 200);
  EXPECT_EQ(AskAs(ann, "GET", "www.googleapis.com/oauth2/v2/userinfo").status, 401);
  EXPECT_EQ(AskAs("", "POST", "oauth2.googleapis.com/token", form)["error"], "invalid_grant");
  EXPECT_EQ(Ask("DELETE", "localhost/fireweed/v1/users/owner@fireweed.local").status, 400);
}

TEST_F(ServiceTest, AUserNeedsAnEmailAddress) {
  Answer refused = Ask("POST", "localhost/fireweed/v1/users", R"({"email":"ann"})");
  EXPECT_EQ(refused.status, 400);
  EXPECT_NE(refused.body.find("Invalid e-mail address 'ann'"), std::string::npos) << refused.body;
}

TEST_F(ServiceTest, AUserWhoIsAddedAgainHasNoRoles) {
  Ask("POST", "localhost/fireweed/v1/users", R"({"email":"ann@x.org"})");
  Ask("POST", Url(kCrm, "/v1/projects/my-project:setIamPolicy"),
      R"({"policy":{"bindings":[{"role":"roles/viewer","members":["user:ann@x.org","user:bea@x.org"]}]}})");
  Ask("PUT", "localhost/fireweed/v1/groups/team@x.org", R"({"members":["user:ann@x.org"]})");
  Ask("DELETE", "localhost/fireweed/v1/users/ann@x.org");
  Ask("POST", "localhost/fireweed/v1/users", R"({"email":"ann@x.org"})");
  std::string ann =
      Ask("POST", "localhost/fireweed/v1/tokens", R"({"email":"ann@x.org"})")["token"];
  EXPECT_EQ(AskAs(ann, "GET", Url(kCrm, "/v1/projects/my-project")).status, 403);
  Answer policy = Ask("POST", Url(kCrm, "/v1/projects/my-project:getIamPolicy"), "{}");
  EXPECT_EQ(policy.body.find("ann@x.org"), std::string::npos) << policy.body;
  EXPECT_NE(policy.body.find("bea@x.org"), std::string::npos) << policy.body;
  EXPECT_EQ(Ask("GET", "localhost/fireweed/v1/groups").body.find("ann@x.org"), std::string::npos);
}

TEST_F(ServiceTest, AGroupOpensWhatItIsBoundTo) {
  Ask("POST", "localhost/fireweed/v1/users", R"({"email":"ann@x.org"})");
  std::string ann =
      Ask("POST", "localhost/fireweed/v1/tokens", R"({"email":"ann@x.org"})")["token"];
  Ask("POST", Url(kCrm, "/v1/projects/my-project:setIamPolicy"),
      R"({"policy":{"bindings":[{"role":"roles/viewer","members":["group:team@x.org"]}]}})");
  EXPECT_EQ(AskAs(ann, "GET", Url(kCrm, "/v1/projects/my-project")).status, 403);
  Answer put =
      Ask("PUT", "localhost/fireweed/v1/groups/team@x.org", R"({"members":["user:ann@x.org"]})");
  EXPECT_EQ(put.status, 200) << put.body;
  EXPECT_EQ(AskAs(ann, "GET", Url(kCrm, "/v1/projects/my-project")).status, 200);
  Ask("DELETE", "localhost/fireweed/v1/groups/team@x.org");
  EXPECT_EQ(AskAs(ann, "GET", Url(kCrm, "/v1/projects/my-project")).status, 403);
}

class NoAutoProjects : public IdentityFixture {
 protected:
  NoAutoProjects() : IdentityFixture({.auto_create = false}) {}
};

TEST_F(NoAutoProjects, NobodyMakesAProjectByAskingForIt) {
  EXPECT_EQ(Ask("GET", "cloudresourcemanager.googleapis.com/v1/projects/my-project").status, 404);
  EXPECT_EQ(Ask("POST",
                "serviceusage.googleapis.com/v1/projects/my-project/services/"
                "ml.googleapis.com:enable",
                "{}")
                .status,
            404);
}

}  // namespace
}  // namespace fireweed::identity
