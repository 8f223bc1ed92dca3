#include "identity/access.h"

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/sim_clock.h"
#include "catalog/memory_catalog.h"
#include "identity/policies.h"
#include "identity/projects.h"
#include "identity/service_accounts.h"
#include "identity/tokens.h"

namespace fireweed::identity {
namespace {

using net::Caller;

class AccessTest : public testing::Test {
 protected:
  AccessTest()
      : random_(7),
        access_(catalog_, clock_, random_),
        tokens_(catalog_, clock_, random_),
        projects_(clock_, random_, {}) {
    credential_ = tokens_.EnsureOwner("");
    owner_ = access_.IdentifyToken(tokens_.MintForUser(kOwnerEmail, {}, kUsualLifetime).token);
    catalog_.Write("test", [&](Txn& txn) {
      project_ = projects_.Ensure(txn, "my-project", *owner_);
      CreatePolicy(txn, "buckets/b", "projects/my-project");
    });
  }

  net::Request With(std::string_view name, std::string_view value) {
    net::Request request;
    request.headers.push_back({name, value});
    return request;
  }
  Code CodeOf(const net::Request& request) {
    try {
      access_.Identify(request);
    } catch (const Failure& failure) {
      return failure.error().code;
    }
    return Code::kInternal;
  }
  void Bind(std::string_view resource, std::string_view role, std::string_view member) {
    catalog_.Write("bind", [&](Txn& txn) { AddBinding(txn, resource, role, member); });
  }
  std::string AddAccount(std::string_view id) {
    return Update(catalog_, "account", [&](Txn& txn) {
      return AddServiceAccount(txn,
                               {.projectId = "my-project",
                                .email = std::string(id) + "@my-project.iam.gserviceaccount.com"},
                               clock_.Now(), random_)
          .email;
    });
  }

  SimClock clock_;
  SeededRandom random_;
  MemoryCatalog catalog_;
  Access access_;
  Tokens tokens_;
  Projects projects_;
  std::string credential_;
  std::shared_ptr<const Caller> owner_;
  api::crm::Project project_;
};

TEST_F(AccessTest, TakesATokenInEachOfItsThreePlaces) {
  std::string token = tokens_.MintForUser(kOwnerEmail, {}, kUsualLifetime).token;
  std::string bearer = "bearer " + token;
  std::string basic = "Basic " + Base64Encode("anybody:" + token);
  EXPECT_EQ(access_.Identify(With("Authorization", bearer))->principal, kOwnerPrincipal);
  EXPECT_EQ(access_.Identify(With("authorization", basic))->principal, kOwnerPrincipal);
  net::Request query;
  std::string text = "a=b&access_token=" + PercentEncode(token);
  query.query = text;
  EXPECT_EQ(access_.IdentifyInline(query), nullptr) << "left to the pool";
  EXPECT_EQ(access_.Identify(query)->email, kOwnerEmail);
  EXPECT_TRUE(access_.Identify(net::Request{})->anonymous());
  EXPECT_TRUE(access_.IdentifyInline(net::Request{})->anonymous());
}

TEST_F(AccessTest, TheProxysSecretSignsInWhatHasNoCredential) {
  net::Request request;
  EXPECT_TRUE(access_.Identify(request)->anonymous());
  request.proxy_principal = kOwnerPrincipal;
  EXPECT_EQ(access_.Identify(request)->email, kOwnerEmail);
  EXPECT_EQ(access_.IdentifyInline(request), nullptr) << "left to the pool";
  request.headers.push_back({"Authorization", "Bearer nonsense"});
  EXPECT_EQ(CodeOf(request), Code::kUnauthenticated) << "a bad credential is not made good";
}

TEST_F(AccessTest, RefusesWhatIsNoCredential) {
  std::string good = tokens_.MintForUser(kOwnerEmail, {}, kUsualLifetime).token;
  std::string refresh = tokens_.IssueRefreshToken(kOwnerEmail, "");
  for (std::string value :
       {"Bearer ", "Bearer nonsense", "Bearer ya29.fw-", "Basic !", "Basic YQ==", "GOOG1 a:b",
        "Bearer", "", "Bearer eyJhbGciOiJub25lIn0.e30."}) {
    EXPECT_EQ(CodeOf(With("Authorization", value)), Code::kUnauthenticated) << value;
  }
  std::string changed = good;
  changed.back() = changed.back() == 'A' ? 'B' : 'A';
  for (std::string token : {changed, good + "A", good.substr(1), refresh, TokenKey(good)}) {
    std::string value = "Bearer " + token;
    EXPECT_EQ(CodeOf(With("Authorization", value)), Code::kUnauthenticated) << token;
  }
}

TEST_F(AccessTest, InlineAnswersFromMemoryOnly) {
  std::string value = "Bearer " + tokens_.MintForUser(kOwnerEmail, {}, kUsualLifetime).token;
  net::Request request = With("Authorization", value);
  EXPECT_EQ(access_.IdentifyInline(request), nullptr);
  auto caller = access_.Identify(request);
  EXPECT_EQ(access_.IdentifyInline(request), caller);
  EXPECT_EQ(access_.MayInline(*caller, "storage.buckets.get", "buckets/b"), std::nullopt);
  EXPECT_TRUE(access_.May(*caller, "storage.buckets.get", "buckets/b"));
  EXPECT_EQ(access_.MayInline(*caller, "storage.buckets.get", "buckets/b"), true);
  EXPECT_EQ(access_.MayInline(*caller, "storage.buckets.delete", "buckets/b"), true)
      << "another permission over the same rows needs no catalog";
}

TEST_F(AccessTest, ExpiryHasFiveMinutesOfTolerance) {
  std::string value = "Bearer " + tokens_.MintForUser(kOwnerEmail, {}, kUsualLifetime).token;
  net::Request request = With("Authorization", value);
  access_.Identify(request);
  clock_.Advance(std::chrono::minutes(64));
  EXPECT_NE(access_.IdentifyInline(request), nullptr);
  clock_.Advance(std::chrono::minutes(2));
  EXPECT_EQ(access_.IdentifyInline(request), nullptr) << "a cached token expires, too";
  EXPECT_EQ(CodeOf(request), Code::kUnauthenticated);
}

TEST_F(AccessTest, ARevokedTokenIsDeadAtOnce) {
  std::string token = tokens_.MintForUser(kOwnerEmail, {}, kUsualLifetime).token;
  std::string value = "Bearer " + token;
  net::Request request = With("Authorization", value);
  access_.Identify(request);
  EXPECT_TRUE(tokens_.Revoke(token));
  EXPECT_EQ(access_.IdentifyInline(request), nullptr);
  EXPECT_EQ(CodeOf(request), Code::kUnauthenticated);
  EXPECT_FALSE(tokens_.Revoke(token));
}

TEST_F(AccessTest, TokensDieWithTheirAccountAndDoNotComeBackWithIt) {
  std::string email = AddAccount("robot");
  std::string value = "Bearer " + tokens_.MintForServiceAccount(email, {}, kUsualLifetime).token;
  net::Request request = With("Authorization", value);
  EXPECT_EQ(access_.Identify(request)->project, "my-project");
  catalog_.Write(
      "test", [&](Txn& txn) { RemoveServiceAccount(txn, FindServiceAccount(txn, email)->value); });
  EXPECT_EQ(CodeOf(request), Code::kUnauthenticated);
  AddAccount("robot");
  EXPECT_EQ(CodeOf(request), Code::kUnauthenticated);
}

TEST_F(AccessTest, ADisabledAccountIsOutAndBackIn) {
  std::string email = AddAccount("robot");
  std::string value = "Bearer " + tokens_.MintForServiceAccount(email, {}, kUsualLifetime).token;
  net::Request request = With("Authorization", value);
  access_.Identify(request);
  auto set = [&](bool disabled) {
    catalog_.Write("test", [&](Txn& txn) {
      auto account = FindServiceAccount(txn, email)->value;
      account.disabled = disabled;
      txn.Put(email, account);
    });
  };
  set(true);
  EXPECT_EQ(CodeOf(request), Code::kUnauthenticated);
  EXPECT_THROW(tokens_.MintForServiceAccount(email, {}, kUsualLifetime), Failure);
  set(false);
  EXPECT_EQ(access_.Identify(request)->email, email);
}

TEST_F(AccessTest, APolicyChangeIsSeenByTheNextQuestion) {
  std::string email = AddAccount("robot");
  Caller robot{"serviceAccount:" + email, email, "my-project", {}};
  EXPECT_FALSE(access_.May(robot, "storage.objects.get", "buckets/b"));
  EXPECT_EQ(access_.MayInline(robot, "storage.objects.get", "buckets/b"), false);
  Bind("buckets/b", "roles/storage.objectViewer", robot.principal);
  EXPECT_TRUE(access_.May(robot, "storage.objects.get", "buckets/b"));
  EXPECT_FALSE(access_.May(robot, "storage.objects.delete", "buckets/b"));
  catalog_.Write("test", [&](Txn& txn) { SetPolicy(txn, "buckets/b", {}); });
  EXPECT_NE(access_.MayInline(robot, "storage.objects.get", "buckets/b"), true);
  EXPECT_FALSE(access_.May(robot, "storage.objects.get", "buckets/b"));
}

TEST_F(AccessTest, NothingIsOpenUnlessABindingOpensIt) {
  Caller nobody;
  EXPECT_FALSE(access_.May(nobody, "storage.objects.get", "buckets/b"));
  EXPECT_FALSE(access_.May(nobody, "storage.objects.get", "buckets/missing"));
  EXPECT_TRUE(access_.May(*owner_, "storage.objects.get", "buckets/missing"))
      << "the handler says 404";
  Bind("buckets/b", "roles/storage.objectViewer", "allUsers");
  EXPECT_TRUE(access_.May(nobody, "storage.objects.get", "buckets/b"));
  EXPECT_FALSE(access_.May(nobody, "storage.objects.create", "buckets/b"));
}

TEST_F(AccessTest, ScopesLimitATokenWhateverTheRoles) {
  std::string email = DefaultComputeAccount(project_);
  Caller reader{"serviceAccount:" + email,
                email,
                "my-project",
                {"https://www.googleapis.com/auth/devstorage.read_only",
                 "https://www.googleapis.com/auth/logging.write"}};
  EXPECT_TRUE(access_.May(reader, "storage.objects.get", "buckets/b"));
  EXPECT_FALSE(access_.May(reader, "storage.objects.create", "buckets/b"));
  EXPECT_TRUE(access_.May(reader, "logging.logEntries.create", "projects/my-project"));
  EXPECT_FALSE(access_.May(reader, "compute.instances.list", "projects/my-project"));
  Caller full = reader;
  full.scopes = {"https://www.googleapis.com/auth/cloud-platform"};
  EXPECT_TRUE(access_.May(full, "compute.instances.create", "projects/my-project"));
  EXPECT_FALSE(access_.May(full, "resourcemanager.projects.setIamPolicy", "projects/my-project"))
      << "an editor";
}

TEST_F(AccessTest, AProjectAnswersToItsNumber) {
  std::string number = "projects/" + std::to_string(project_.projectNumber);
  Bind("projects/my-project", "roles/viewer", "user:ann@x.org");
  Caller ann{"user:ann@x.org", "ann@x.org", "", {}};
  EXPECT_TRUE(access_.May(ann, "compute.instances.list", number));
  EXPECT_FALSE(access_.May(ann, "compute.instances.create", number));
}

TEST_F(AccessTest, TheOwnerCredentialIsKeptWhileItIsGood) {
  EXPECT_EQ(tokens_.EnsureOwner(credential_), credential_);
  EXPECT_NE(tokens_.EnsureOwner("{damaged"), credential_);
  EXPECT_NE(tokens_.EnsureOwner(""), credential_);
  EXPECT_NE(credential_.find("\"type\":\"authorized_user\""), std::string::npos);
}

}  // namespace
}  // namespace fireweed::identity
