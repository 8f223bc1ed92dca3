// The whole of identity behind a router, on a memory catalog and a clock that stands still: for tests.
#pragma once

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/log.h"
#include "base/sim_clock.h"
#include "catalog/memory_catalog.h"
#include "identity/access.h"
#include "identity/account_service.h"
#include "identity/admin_service.h"
#include "identity/credentials_service.h"
#include "identity/oauth_service.h"
#include "identity/project_service.h"
#include "identity/projects.h"
#include "identity/service_usage.h"
#include "identity/signing_keys.h"
#include "identity/tokens.h"
#include "net/router.h"

namespace fireweed::identity {

// A service account's key file, as clients read it.
struct KeyFileText {
  std::string type, project_id, private_key_id, private_key, client_email, token_uri;
};

class IdentityFixture : public testing::Test {
 protected:
  explicit IdentityFixture(ProjectOptions options = {});

  struct Answer {
    int status = 0;
    std::string body;
    // The text of a string, number or boolean at the top level; empty when it is not there.
    std::string operator[](std::string_view field) const;
  };
  // As the server would answer it. `token` empty means anonymous. The host is in front: "iam.googleapis.com/v1/...".
  Answer Ask(std::string_view method, std::string_view url, std::string_view body = "") {
    return AskAs(owner_token_, method, url, body);
  }
  Answer AskAs(std::string_view token, std::string_view method, std::string_view url,
               std::string_view body = "");

  // A service account of my-project and a key of it, through the API.
  std::string MakeAccount(std::string_view id);
  KeyFileText MakeKey(std::string_view email);
  // A JWT of `file`'s key: `claims` is JSON, %NOW% and %EXP% in it are now and an hour later.
  std::string Assertion(const KeyFileText& file, std::string claims) const;
  Answer Grant(std::string_view assertion, std::string_view url = "oauth2.googleapis.com/token");

  SimClock clock_;
  SeededRandom random_{42};
  NullLogger log_;
  MemoryCatalog catalog_;
  Access access_;
  Tokens tokens_;
  SigningKeys keys_;
  Projects projects_;
  net::Router router_;
  ProjectService project_service_;
  AccountService account_service_;
  CredentialsService credentials_service_;
  OAuthService oauth_service_;
  ServiceUsage service_usage_;
  AdminService admin_service_;
  std::string owner_credential_, owner_token_;
  net::Origin origin_;
};

}  // namespace fireweed::identity
