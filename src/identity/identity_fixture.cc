#include "identity/identity_fixture.h"

#include <map>

#include "base/bytes.h"
#include "describe/json_codec.h"
#include "identity/jwt.h"

namespace fireweed {

struct CreatedKey {
  Bytes privateKeyData;
};
template <>
inline constexpr auto kFields<CreatedKey> =
    [](auto...) { return Fields{F("privateKeyData", &CreatedKey::privateKeyData)}; };
template <>
inline constexpr auto kFields<identity::KeyFileText> = [](auto...) {
  return Fields{F("type", &identity::KeyFileText::type),
                F("project_id", &identity::KeyFileText::project_id),
                F("private_key_id", &identity::KeyFileText::private_key_id),
                F("private_key", &identity::KeyFileText::private_key),
                F("client_email", &identity::KeyFileText::client_email),
                F("token_uri", &identity::KeyFileText::token_uri)};
};

namespace identity {
namespace {

std::string Replaced(std::string text, std::string_view from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

}  // namespace

IdentityFixture::IdentityFixture(ProjectOptions options)
    : access_(catalog_, clock_, random_),
      tokens_(catalog_, clock_, random_),
      keys_(catalog_, clock_, random_),
      projects_(clock_, random_, options),
      router_(access_),
      project_service_(catalog_, projects_, access_, log_),
      account_service_(catalog_, clock_, random_, projects_, access_, log_),
      credentials_service_(catalog_, tokens_, keys_, log_),
      oauth_service_(catalog_, clock_, tokens_, keys_, log_),
      service_usage_(catalog_, projects_, log_),
      admin_service_(catalog_, clock_, random_, tokens_, log_) {
  project_service_.Serve(router_);
  account_service_.Serve(router_);
  credentials_service_.Serve(router_);
  oauth_service_.Serve(router_);
  service_usage_.Serve(router_);
  admin_service_.Serve(router_);
  owner_credential_ = tokens_.EnsureOwner("");
  owner_token_ = tokens_.MintForUser(kOwnerEmail, {}, kUsualLifetime).token;
}

std::string IdentityFixture::Answer::operator[](std::string_view field) const {
  auto fields = DecodeJson<std::map<std::string, Json>>(body);
  auto it = fields.find(std::string(field));
  if (it == fields.end()) return "";
  const std::string& text = it->second.text;
  if (text[0] != '"') return text;
  return DecodeJson<std::map<std::string, std::string>>("{\"v\":" + text + "}").at("v");
}

IdentityFixture::Answer IdentityFixture::AskAs(std::string_view token, std::string_view method,
                                               std::string_view url, std::string_view body) {
  size_t slash = url.find('/');
  std::string bearer = "Bearer " + std::string(token);
  net::Request request;
  request.method = method;
  request.host = url.substr(0, slash);
  request.authority = request.host;
  request.target = url.substr(slash);
  request.path = request.target.substr(0, request.target.find('?'));
  if (size_t q = request.target.find('?'); q != url.npos) {
    request.query = request.target.substr(q + 1);
  }
  request.body = body;
  request.origin = &origin_;
  if (!token.empty()) request.headers.push_back({"Authorization", bearer});
  net::Response response;
  try {
    response = std::get<net::Response>(router_.Handle(request));
  } catch (const Failure& failure) {
    response = router_.RenderError(request, failure.error());
  }
  return {response.status, std::get<std::string>(response.body)};
}

std::string IdentityFixture::MakeAccount(std::string_view id) {
  Answer answer = Ask(
      "POST", "iam.googleapis.com/v1/projects/my-project/serviceAccounts",
      "{\"accountId\":\"" + std::string(id) + "\",\"serviceAccount\":{\"displayName\":\"Robot\"}}");
  EXPECT_EQ(answer.status, 200) << answer.body;
  return answer["email"];
}

KeyFileText IdentityFixture::MakeKey(std::string_view email) {
  std::string url =
      "iam.googleapis.com/v1/projects/-/serviceAccounts/" + std::string(email) + "/keys";
  Answer answer = Ask("POST", url, "{\"privateKeyType\":\"TYPE_GOOGLE_CREDENTIALS_FILE\"}");
  EXPECT_EQ(answer.status, 200) << answer.body;
  return DecodeJson<KeyFileText>(DecodeJson<CreatedKey>(answer.body).privateKeyData.raw);
}

std::string IdentityFixture::Assertion(const KeyFileText& file, std::string claims) const {
  int64_t now = ToSeconds(clock_.Now());
  claims = Replaced(std::move(claims), "%ISS%", file.client_email);
  claims = Replaced(std::move(claims), "%NOW%", std::to_string(now));
  claims = Replaced(std::move(claims), "%EXP%", std::to_string(now + 3600));
  return SignJwt(claims, file.private_key_id, *RsaKey::FromPrivatePem(file.private_key));
}

IdentityFixture::Answer IdentityFixture::Grant(std::string_view assertion, std::string_view url) {
  std::string form = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=" +
                     PercentEncode(assertion);
  return AskAs("", "POST", url, form);
}

}  // namespace identity
}  // namespace fireweed
