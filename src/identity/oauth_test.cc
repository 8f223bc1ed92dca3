// The token endpoints as Google's libraries use them.
#include <map>

#include "base/bytes.h"
#include "describe/json_codec.h"
#include "identity/assertion.h"
#include "identity/identity_fixture.h"
#include "identity/jwt.h"

namespace fireweed::identity {
namespace {

constexpr char kClaims[] =
    R"({"iss":"%ISS%","aud":"https://oauth2.googleapis.com/token","iat":%NOW%,"exp":%EXP%,)"
    R"("scope":"https://www.googleapis.com/auth/cloud-platform"})";
constexpr char kWhoAmI[] = "www.googleapis.com/oauth2/v3/userinfo";

class OAuthTest : public IdentityFixture {
 protected:
  OAuthTest() : email_(MakeAccount("my-robot")), file_(MakeKey(email_)) {}
  std::string RefreshForm(std::string_view more = "") {
    std::string secret =
        DecodeJson<std::map<std::string, std::string>>(owner_credential_)["refresh_token"];
    return "client_id=id&client_secret=s&grant_type=refresh_token&refresh_token=" +
           PercentEncode(secret) + std::string(more);
  }
  std::string email_;
  KeyFileText file_;
};

TEST_F(OAuthTest, ARefreshTokenBuysAnAccessTokenAtEveryAddress) {
  for (const char* url : {"oauth2.googleapis.com/token", "www.googleapis.com/oauth2/v3/token",
                          "www.googleapis.com/oauth2/v4/token",
                          "accounts.google.com/o/oauth2/token", "127.0.0.1/token"}) {
    Answer answer = AskAs("", "POST", url, RefreshForm());
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer["token_type"], "Bearer");
    EXPECT_EQ(answer["expires_in"], "3599");
    EXPECT_EQ(answer["scope"], "")
        << "gcloud dies of a list that differs from the one it asked for";
    EXPECT_EQ(AskAs(answer["access_token"], "GET", kWhoAmI)["email"], "owner@fireweed.local");
  }
}

TEST_F(OAuthTest, ASelfSignedAssertionBuysAnAccessTokenWithItsScopes) {
  for (const char* aud :
       {"https://oauth2.googleapis.com/token", "https://www.googleapis.com/oauth2/v4/token",
        "https://accounts.google.com/o/oauth2/token"}) {
    std::string claims =
        R"({"iss":"%ISS%","sub":"%ISS%","iat":%NOW%,"exp":%EXP%,"aud":")" + std::string(aud) +
        R"(","scope":"https://www.googleapis.com/auth/devstorage.read_only openid"})";
    Answer answer = Grant(Assertion(file_, claims));
    ASSERT_EQ(answer.status, 200) << answer.body;
    auto caller = access_.IdentifyToken(answer["access_token"]);
    EXPECT_EQ(caller->principal, "serviceAccount:" + email_);
    EXPECT_EQ(caller->project, "my-project");
    EXPECT_EQ(caller->scopes.size(), 2u);
  }
}

TEST_F(OAuthTest, PrettyPrintedClaimsAndAListOfAudiencesAreFine) {
  EXPECT_EQ(Grant(Assertion(file_,
                            "{\n\t\"iss\": \"%ISS%\",\n\t\"aud\": [\"x\", "
                            "\"https://www.googleapis.com/oauth2/v4/token\"],\n\t\"iat\": "
                            "%NOW%,\n\t\"exp\": %EXP%,\n\t\"scope\": \"s\"\n}"))
                .status,
            200);
}

TEST_F(OAuthTest, ATargetAudienceBuysAnIdToken) {
  std::string claims =
      R"({"iss":"%ISS%","aud":"https://oauth2.googleapis.com/token","iat":%NOW%,"exp":%EXP%,)"
      R"("target_audience":"https://svc.example"})";
  Answer answer = Grant(Assertion(file_, claims));
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer["access_token"], "");
  Result<Jwt> jwt = ParseJwt(answer["id_token"]);
  ASSERT_TRUE(jwt);
  EXPECT_TRUE(jwt->claims.HasAudience("https://svc.example"));
  EXPECT_EQ(jwt->claims.email, email_);
  EXPECT_TRUE(SignatureIsGood(*jwt, keys_.Issuer().key));
  auto certs = AskAs("", "GET", "www.googleapis.com/oauth2/v3/certs");
  EXPECT_NE(certs.body.find(jwt->header.kid), std::string::npos);
  Answer facts = AskAs("", "GET", "oauth2.googleapis.com/tokeninfo?id_token=" + answer["id_token"]);
  EXPECT_EQ(facts["aud"], "https://svc.example");
  EXPECT_EQ(facts["email"], email_);
}

struct BadClaims {
  const char* why;
  const char* claims;
  const char* error;
};

TEST_F(OAuthTest, BadAssertionsAreRefusedInOAuthsWords) {
  const BadClaims kBad[] = {
      {"another audience",
       R"({"iss":"%ISS%","aud":"https://evil.example/token","iat":%NOW%,"exp":%EXP%,"scope":"s"})",
       "invalid_grant"},
      {"no audience", R"({"iss":"%ISS%","iat":%NOW%,"exp":%EXP%,"scope":"s"})", "invalid_grant"},
      {"expired",
       R"({"iss":"%ISS%","aud":"https://oauth2.googleapis.com/token","iat":1,"exp":3600,"scope":"s"})",
       "invalid_grant"},
      {"no expiry",
       R"({"iss":"%ISS%","aud":"https://oauth2.googleapis.com/token","iat":%NOW%,"scope":"s"})",
       "invalid_grant"},
      {"too long",
       R"({"iss":"%ISS%","aud":"https://oauth2.googleapis.com/token","iat":%NOW%,"exp":9999999999,"scope":"s"})",
       "invalid_grant"},
      {"unknown account",
       R"({"iss":"no@body","aud":"https://oauth2.googleapis.com/token","iat":%NOW%,"exp":%EXP%,"scope":"s"})",
       "invalid_grant"},
      {"for somebody else",
       R"({"iss":"%ISS%","sub":"boss@x.org","aud":"https://oauth2.googleapis.com/token","iat":%NOW%,"exp":%EXP%,"scope":"s"})",
       "unauthorized_client"},
      {"no scope",
       R"({"iss":"%ISS%","aud":"https://oauth2.googleapis.com/token","iat":%NOW%,"exp":%EXP%})",
       "invalid_scope"},
      {"claims of a wrong type", R"({"iss":7})", "invalid_grant"},
  };
  for (const BadClaims& bad : kBad) {
    Answer answer = Grant(Assertion(file_, bad.claims));
    EXPECT_EQ(answer["error"], bad.error) << bad.why << answer.body;
    EXPECT_NE(answer["error_description"], "") << bad.why;
    EXPECT_TRUE(answer.status == 400 || answer.status == 401) << bad.why;
  }
}

TEST_F(OAuthTest, AForeignOrDeletedKeyBuysNothing) {
  std::string good = Assertion(file_, kClaims);
  KeyFileText foreign = file_;
  foreign.private_key = RsaKey::Generate().PrivatePem();
  EXPECT_EQ(Grant(Assertion(foreign, kClaims))["error"], "invalid_grant");
  std::string other = MakeAccount("another-robot");
  KeyFileText borrowed = MakeKey(other);
  borrowed.client_email = email_;
  EXPECT_EQ(Grant(Assertion(borrowed, kClaims))["error"], "invalid_grant");
  std::string tampered = good;
  tampered[good.find('.') + 5] ^= 1;
  EXPECT_EQ(Grant(tampered)["error"], "invalid_grant");
  EXPECT_EQ(Grant(good).status, 200);
  Ask("DELETE", "iam.googleapis.com/v1/projects/-/serviceAccounts/" + email_ + "/keys/" +
                    file_.private_key_id);
  EXPECT_EQ(Grant(good)["error"], "invalid_grant");
}

TEST_F(OAuthTest, ADisabledAccountBuysNothing) {
  Ask("POST", "iam.googleapis.com/v1/projects/-/serviceAccounts/" + email_ + ":disable");
  EXPECT_EQ(Grant(Assertion(file_, kClaims))["error"], "invalid_grant");
}

TEST_F(OAuthTest, ClocksMayDifferByFiveMinutes) {
  std::string assertion = Assertion(file_, kClaims);
  clock_.Advance(std::chrono::minutes(64));
  EXPECT_EQ(Grant(assertion).status, 200);
  clock_.Advance(std::chrono::minutes(2));
  EXPECT_EQ(Grant(assertion)["error"], "invalid_grant");
  std::string now = std::to_string(ToSeconds(clock_.Now()) + 240);
  std::string early = R"({"iss":"%ISS%","aud":"https://oauth2.googleapis.com/token","iat":)" + now +
                      R"(,"exp":%EXP%,"scope":"s"})";
  EXPECT_EQ(Grant(Assertion(file_, early)).status, 200);
}

TEST_F(OAuthTest, BadRequestsSayWhatIsWrong) {
  for (auto [form, error] :
       {std::pair{"", "invalid_request"}, std::pair{"grant_type=magic", "unsupported_grant_type"},
        std::pair{"grant_type=refresh_token", "invalid_request"},
        std::pair{"grant_type=refresh_token&refresh_token=x", "invalid_grant"},
        std::pair{"grant_type=%zz", "invalid_request"},
        std::pair{"grant_type=authorization_code&code=any", "unsupported_grant_type"}}) {
    Answer answer = AskAs("", "POST", "oauth2.googleapis.com/token", form);
    EXPECT_EQ(answer.status, 400) << form;
    EXPECT_EQ(answer["error"], error) << form;
  }
  EXPECT_EQ(Grant("a.b.c")["error"], "invalid_grant");
  EXPECT_EQ(Grant("eyJhbGciOiJub25lIn0.e30.")["error"], "invalid_grant");
}

TEST_F(OAuthTest, TokenInfoKnowsLiveTokensOnly) {
  std::string token =
      tokens_
          .MintForServiceAccount(email_, {"https://www.googleapis.com/auth/devstorage.read_only"},
                                 kUsualLifetime)
          .token;
  Answer facts = AskAs("", "GET", "oauth2.googleapis.com/tokeninfo?access_token=" + token);
  EXPECT_EQ(facts["email"], email_);
  EXPECT_EQ(facts["expires_in"], "3600");
  EXPECT_EQ(facts["scope"], "https://www.googleapis.com/auth/devstorage.read_only");
  Answer old = AskAs("", "GET", "www.googleapis.com/oauth2/v1/tokeninfo?access_token=" + token);
  EXPECT_EQ(old["verified_email"], "true");
  EXPECT_EQ(old["expires_in"], "3600");
  EXPECT_EQ(AskAs("", "POST", "oauth2.googleapis.com/revoke?token=" + token).status, 200);
  EXPECT_EQ(AskAs("", "POST", "oauth2.googleapis.com/revoke?token=" + token)["error"],
            "invalid_token");
  Answer gone = AskAs("", "GET", "oauth2.googleapis.com/tokeninfo?access_token=" + token);
  EXPECT_EQ(gone.status, 400);
  EXPECT_EQ(gone["error"], "invalid_token");
  EXPECT_EQ(AskAs("", "GET", "oauth2.googleapis.com/tokeninfo").status, 400);
}

TEST_F(OAuthTest, ASelfSignedTokenIsTakenAsABearer) {
  std::string jwt =
      Assertion(file_, R"({"iss":"%ISS%","sub":"%ISS%","aud":"https://compute.googleapis.com/",)"
                       R"("iat":%NOW%,"exp":%EXP%})");
  EXPECT_EQ(AskAs(jwt, "GET", kWhoAmI)["email"], email_);
  std::string foreign =
      Assertion(file_, R"({"iss":"%ISS%","aud":"https://svc.example/","iat":%NOW%,"exp":%EXP%})");
  EXPECT_EQ(AskAs(foreign, "GET", kWhoAmI).status, 401);
  std::string id_token = keys_.IdToken({"1", email_}, "https://compute.googleapis.com/");
  EXPECT_EQ(AskAs(id_token, "GET", kWhoAmI).status, 401) << "an id token opens no API";
  clock_.Advance(std::chrono::minutes(66));
  EXPECT_EQ(AskAs(jwt, "GET", kWhoAmI).status, 401);
}

TEST_F(OAuthTest, ImpersonationNeedsItsPermission) {
  std::string url = "iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/" + email_;
  std::string body =
      R"({"scope":["https://www.googleapis.com/auth/cloud-platform"],"lifetime":"600s"})";
  Answer answer = Ask("POST", url + ":generateAccessToken", body);
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(AskAs(answer["accessToken"], "GET", kWhoAmI)["email"], email_);
  EXPECT_EQ(answer["expireTime"], FormatTime(clock_.Now() + std::chrono::minutes(10), 0));
  std::string robot = tokens_.MintForServiceAccount(email_, {}, kUsualLifetime).token;
  EXPECT_EQ(AskAs(robot, "POST", url + ":generateAccessToken", body).status, 403);
  for (const char* bad :
       {R"({"scope":[]})", R"({"scope":["s"],"lifetime":"1h"})",
        R"({"scope":["s"],"lifetime":"999999s"})", R"({"scope":["s"],"delegates":["x"]})"}) {
    EXPECT_EQ(Ask("POST", url + ":generateAccessToken", bad).status, 400) << bad;
  }
  Answer id = Ask("POST", url + ":generateIdToken", R"({"audience":"a","includeEmail":true})");
  EXPECT_TRUE(ParseJwt(id["token"])->claims.HasAudience("a"));
  EXPECT_EQ(AskAs(robot, "GET", url + "/allowedLocations")["encodedLocations"], "0x0");
}

TEST_F(OAuthTest, WhatTheServiceSignsForAnAccountVerifies) {
  std::string url = "iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/" + email_;
  Answer blob = Ask("POST", url + ":signBlob", R"({"payload":")" + Base64Encode("hello") + "\"}");
  ASSERT_EQ(blob.status, 200) << blob.body;
  std::string signature = *Base64Decode(blob["signedBlob"]);
  EXPECT_TRUE(VerifyAccountSignature(catalog_, email_, "hello", signature, clock_.Now()));
  EXPECT_FALSE(VerifyAccountSignature(catalog_, email_, "hullo", signature, clock_.Now()));
  EXPECT_FALSE(VerifyAccountSignature(catalog_, "no@body", "hello", signature, clock_.Now()));
  std::string now = std::to_string(ToSeconds(clock_.Now()));
  std::string claims = R"({\"iss\":\")" + email_ +
                       R"(\",\"aud\":\"https://oauth2.googleapis.com/token\",)" +
                       R"(\"scope\":\"s\",\"iat\":)" + now + R"(,\"exp\":)" + now + "}";
  Answer jwt = Ask("POST", url + ":signJwt", "{\"payload\":\"" + claims + "\"}");
  ASSERT_EQ(jwt.status, 200) << jwt.body;
  EXPECT_EQ(Grant(jwt["signedJwt"]).status, 200) << "and it can be traded for a token";
  auto keys = AskAs("", "GET", "www.googleapis.com/service_accounts/v1/jwk/" + email_);
  EXPECT_NE(keys.body.find(blob["keyId"]), std::string::npos);
  EXPECT_NE(keys.body.find(file_.private_key_id), std::string::npos);
}

}  // namespace
}  // namespace fireweed::identity
