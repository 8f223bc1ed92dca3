#include "identity/tokens.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "base/sim_clock.h"
#include "catalog/memory_catalog.h"
#include "describe/json_codec.h"

namespace fireweed::identity {
namespace {

class TokensTest : public testing::Test {
 protected:
  TokensTest() : tokens_(catalog_, clock_, random_) { credential_ = tokens_.EnsureOwner(""); }
  size_t Rows(std::string_view kind) {
    return Query(catalog_, [&](Txn& txn) { return txn.ScanRaw(kind, {}).size(); });
  }
  std::string OwnerSecret() {
    return DecodeJson<std::map<std::string, std::string>>(credential_)["refresh_token"];
  }
  SimClock clock_;
  SeededRandom random_{1};
  MemoryCatalog catalog_;
  Tokens tokens_;
  std::string credential_;
};

TEST_F(TokensTest, TokensAreLongRandomAndStoredAsDigests) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    std::string token = tokens_.MintForUser(kOwnerEmail, {}, kUsualLifetime).token;
    EXPECT_TRUE(token.starts_with("ya29.fw-"));
    EXPECT_EQ(token.size(), 8u + 43u) << "256 bits";
    EXPECT_TRUE(seen.insert(token).second);
  }
  catalog_.Read([&](Txn& txn) {
    for (const std::string& token : seen) {
      auto row = txn.FindRaw("access-token", TokenKey(token));
      ASSERT_TRUE(row);
      EXPECT_EQ(row->body.find(token.substr(8, 20)), std::string::npos);
    }
  });
}

TEST_F(TokensTest, FindTakesLiveTokensOnly) {
  MintedToken minted = tokens_.MintForUser(kOwnerEmail, {"s"}, std::chrono::minutes(10), "label");
  EXPECT_EQ(minted.ExpiresIn(), 599);
  auto record = tokens_.Find(minted.token);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->principal, kOwnerPrincipal);
  EXPECT_EQ(record->scopes, std::vector<std::string>{"s"});
  EXPECT_FALSE(tokens_.Find(""));
  EXPECT_FALSE(tokens_.Find(minted.token + "x"));
  clock_.Advance(std::chrono::minutes(15));
  EXPECT_TRUE(tokens_.Find(minted.token)) << "five minutes of tolerance";
  clock_.Advance(std::chrono::seconds(1));
  EXPECT_FALSE(tokens_.Find(minted.token));
}

TEST_F(TokensTest, ExpiredTokensAreSweptByLaterOnes) {
  for (int i = 0; i < 20; ++i) tokens_.MintForUser(kOwnerEmail, {}, kUsualLifetime);
  clock_.Advance(std::chrono::hours(2));
  for (int i = 0; i < 4; ++i) tokens_.MintForUser(kOwnerEmail, {}, kUsualLifetime);
  EXPECT_EQ(Rows("access-token"), 4u);
  EXPECT_EQ(Rows("access-token-expiry"), 4u);
}

TEST_F(TokensTest, RevocationTakesOneTokenAndLeavesNoIndexBehind) {
  std::string a = tokens_.MintForUser(kOwnerEmail, {}, kUsualLifetime).token;
  std::string b = tokens_.MintForUser(kOwnerEmail, {}, kUsualLifetime).token;
  EXPECT_TRUE(tokens_.RevokeById(TokenKey(a).substr(0, 16)));
  EXPECT_FALSE(tokens_.Find(a));
  EXPECT_TRUE(tokens_.Find(b));
  EXPECT_FALSE(tokens_.RevokeById("")) << "more than one token begins so";
  EXPECT_TRUE(tokens_.Revoke(b));
  EXPECT_EQ(Rows("access-token"), 0u);
  EXPECT_EQ(Rows("access-token-expiry"), 0u);
}

TEST_F(TokensTest, ARefreshTokenLastsUntilItIsRevoked) {
  std::string secret = OwnerSecret();
  clock_.Advance(std::chrono::hours(24 * 365));
  auto refreshed = tokens_.Refresh(secret, {"only.this"});
  ASSERT_TRUE(refreshed);
  EXPECT_EQ(refreshed->scopes, std::vector<std::string>{"only.this"});
  EXPECT_TRUE(tokens_.Find(refreshed->access.token));
  EXPECT_FALSE(tokens_.Refresh(refreshed->access.token, {})) << "an access token is none";
  EXPECT_TRUE(tokens_.Revoke(secret));
  EXPECT_FALSE(tokens_.Refresh(secret, {}));
  EXPECT_NE(tokens_.EnsureOwner(credential_), credential_) << "and a new one is issued";
}

TEST_F(TokensTest, OnlyThoseWhoExistGetTokens) {
  EXPECT_THROW(tokens_.MintForUser("no@body", {}, kUsualLifetime), Failure);
  EXPECT_THROW(tokens_.MintForServiceAccount("no@body", {}, kUsualLifetime), Failure);
  EXPECT_THROW(tokens_.IssueUserCredential("no@body", ""), Failure);
  EXPECT_EQ(Rows("access-token"), 0u);
}

}  // namespace
}  // namespace fireweed::identity
