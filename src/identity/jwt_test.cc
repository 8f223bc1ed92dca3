#include "identity/jwt.h"

#include <gtest/gtest.h>

#include "base/bytes.h"

namespace fireweed::identity {
namespace {

// One key for all tests: making them takes time.
const RsaKey& TestKey() {
  static const RsaKey* key = new RsaKey(RsaKey::Generate());
  return *key;
}

std::string Unsigned(std::string_view header, std::string_view claims) {
  return Base64Encode(header, Base64::kUrl) + "." + Base64Encode(claims, Base64::kUrl) + ".c2ln";
}

TEST(Jwt, RoundTrips) {
  std::string text = SignJwt(R"({"iss":"a","aud":["x","y"],"iat":1,"exp":2.5})", "kid1", TestKey());
  Result<Jwt> jwt = ParseJwt(text);
  ASSERT_TRUE(jwt);
  EXPECT_EQ(jwt->header.kid, "kid1");
  EXPECT_EQ(jwt->claims.iss, "a");
  EXPECT_TRUE(jwt->claims.HasAudience("y"));
  EXPECT_FALSE(jwt->claims.HasAudience("z"));
  EXPECT_EQ(jwt->claims.exp, 2.5);
  EXPECT_TRUE(SignatureIsGood(*jwt, TestKey()));
  auto public_half = RsaKey::FromPublicPem(TestKey().PublicPem());
  ASSERT_TRUE(public_half);
  EXPECT_TRUE(SignatureIsGood(*jwt, *public_half));
}

TEST(Jwt, EveryChangedCharacterBreaksIt) {
  std::string text = SignJwt(R"({"iss":"a"})", "k", TestKey());
  for (size_t i = 0; i < text.size(); i += 7) {
    std::string changed = text;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    if (changed == text) continue;
    Result<Jwt> jwt = ParseJwt(changed);
    // The last character of a part has bits that do not count.
    bool same_bytes = jwt && jwt->signature == ParseJwt(text)->signature &&
                      jwt->signed_text == ParseJwt(text)->signed_text;
    EXPECT_TRUE(!jwt || same_bytes || !SignatureIsGood(*jwt, TestKey())) << i;
  }
}

TEST(Jwt, AnotherKeyDoesNotVerify) {
  Result<Jwt> jwt = ParseJwt(SignJwt("{}", "k", RsaKey::Generate()));
  ASSERT_TRUE(jwt);
  EXPECT_FALSE(SignatureIsGood(*jwt, TestKey()));
}

TEST(Jwt, MalformedOnesAreRefused) {
  const std::string kGood = R"({"alg":"RS256"})";
  for (const std::string& text :
       {std::string(""), std::string("."), std::string("a.b"), std::string("a.b.c.d"),
        std::string("%.%.%"), Unsigned("{}", "{}"), Unsigned(R"({"alg":"none"})", "{}"),
        Unsigned(R"({"alg":"HS256"})", "{}"), Unsigned(R"({"alg":"rs256"})", "{}"),
        Unsigned(kGood, "[]"), Unsigned(kGood, "{"), Unsigned(kGood, R"({"exp":"soon"})"),
        Unsigned(kGood, R"({"iss":{}})"), Unsigned("\xff\xfe", "{}"), std::string(100'000, 'a')}) {
    EXPECT_FALSE(ParseJwt(text)) << text.substr(0, 80);
  }
  EXPECT_TRUE(ParseJwt(Unsigned(kGood, "{}"))) << "the signature is checked apart";
}

TEST(Jwt, OddAudiencesMatchNothing) {
  for (const char* claims :
       {R"({"aud":7})", R"({"aud":null})", R"({"aud":[["x"]]})", R"({"aud":{"x":1}})", R"({})"}) {
    Result<Jwt> jwt = ParseJwt(Unsigned(R"({"alg":"RS256"})", claims));
    ASSERT_TRUE(jwt) << claims;
    EXPECT_FALSE(jwt->claims.HasAudience("x")) << claims;
  }
}

TEST(Jwt, TimesAreCheckedWithTolerance) {
  Time now = FromMicros(10'000'000'000);  // ten thousand seconds after 1970
  auto good = [&](std::optional<double> iat, std::optional<double> exp) {
    JwtClaims claims;
    claims.iat = iat;
    claims.exp = exp;
    return CheckTimes(claims, now).ok();
  };
  EXPECT_TRUE(good(10000, 13600));
  EXPECT_TRUE(good(10299, 13600)) << "issued a little in the future";
  EXPECT_FALSE(good(10301, 13600));
  EXPECT_TRUE(good(6200, 9701)) << "expired a little while ago";
  EXPECT_FALSE(good(6200, 9699));
  EXPECT_FALSE(good(10000, 20000)) << "too long";
  EXPECT_FALSE(good({}, 13600));
  EXPECT_FALSE(good(10000, {}));
  EXPECT_FALSE(good(-1e300, 1e300));
}

TEST(RsaKeys, RefuseWhatIsNoSoundKey) {
  EXPECT_FALSE(RsaKey::FromPrivatePem(""));
  EXPECT_FALSE(
      RsaKey::FromPublicPem("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"));
  EXPECT_FALSE(RsaKey::FromPublicPem(RsaKey::Generate(1024).PublicPem())) << "too short";
  EXPECT_FALSE(RsaKey::FromPrivatePem(TestKey().PublicPem()));
  EXPECT_TRUE(RsaKey::FromPrivatePem(TestKey().PrivatePem()));
  EXPECT_EQ(TestKey().Modulus().size(), 256u);
  EXPECT_EQ(TestKey().Exponent(), std::string("\x01\x00\x01", 3));
}

}  // namespace
}  // namespace fireweed::identity
