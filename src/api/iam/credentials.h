// IAM Service Account Credentials v1: tokens and signatures of an account for whoever may have them.
#pragma once

#include <string>
#include <vector>

#include "api/method.h"

namespace fireweed::api::iam {

inline constexpr std::string_view kCredentialsHosts[] = {"iamcredentials.googleapis.com"};
inline constexpr Service kCredentialsService{.name = "iamcredentials",
                                             .version = "v1",
                                             .title = "IAM Service Account Credentials API",
                                             .hosts = kCredentialsHosts,
                                             .path_names = PathNames::kByResource};

struct GenerateAccessTokenBody {
  std::vector<std::string> delegates, scope;
  std::string lifetime;  // "3600s"
};
struct GenerateAccessToken {
  std::string project, account;
  GenerateAccessTokenBody body;
};
struct AccessTokenReply {
  std::string accessToken;
  std::string expireTime;  // whole seconds: clients parse it without decimals
};
struct GenerateIdTokenBody {
  std::vector<std::string> delegates;
  std::string audience;
  bool includeEmail = false;
};
struct GenerateIdToken {
  std::string project, account;
  GenerateIdTokenBody body;
};
struct IdTokenReply {
  std::string token;
};
struct SignBlobBody {
  std::vector<std::string> delegates;
  Bytes payload;
};
struct SignBlob {
  std::string project, account;
  SignBlobBody body;
};
struct SignBlobReply {
  std::string keyId;
  Bytes signedBlob;
};
struct SignJwtBody {
  std::vector<std::string> delegates;
  std::string payload;  // claims as JSON text
};
struct SignJwt {
  std::string project, account;
  SignJwtBody body;
};
struct SignJwtReply {
  std::string keyId, signedJwt;
};
struct GetAllowedLocations {
  std::string project, account;
};
struct AllowedLocations {
  std::vector<std::string> locations;
  std::string encodedLocations;
};

inline constexpr Method<GenerateAccessToken, AccessTokenReply> kGenerateAccessToken{
    kCredentialsService,
    Verb::kPost,
    "/v1/projects/{project}/serviceAccounts/{account}:generateAccessToken",
    "iamcredentials.projects.serviceAccounts.generateAccessToken",
    "iam.serviceAccounts.getAccessToken",
    "serviceAccounts/{account}"};
inline constexpr Method<GenerateIdToken, IdTokenReply> kGenerateIdToken{
    kCredentialsService,
    Verb::kPost,
    "/v1/projects/{project}/serviceAccounts/{account}:generateIdToken",
    "iamcredentials.projects.serviceAccounts.generateIdToken",
    "iam.serviceAccounts.getOpenIdToken",
    "serviceAccounts/{account}"};
inline constexpr Method<SignBlob, SignBlobReply> kSignBlob{
    kCredentialsService,
    Verb::kPost,
    "/v1/projects/{project}/serviceAccounts/{account}:signBlob",
    "iamcredentials.projects.serviceAccounts.signBlob",
    "iam.serviceAccounts.signBlob",
    "serviceAccounts/{account}"};
inline constexpr Method<SignJwt, SignJwtReply> kSignJwt{
    kCredentialsService,
    Verb::kPost,
    "/v1/projects/{project}/serviceAccounts/{account}:signJwt",
    "iamcredentials.projects.serviceAccounts.signJwt",
    "iam.serviceAccounts.signJwt",
    "serviceAccounts/{account}"};
// Newer libraries ask for their own account in the background.
inline constexpr Method<GetAllowedLocations, AllowedLocations> kGetAllowedLocations{
    kCredentialsService, Verb::kGet,
    "/v1/projects/{project}/serviceAccounts/{account}/allowedLocations",
    "iamcredentials.projects.serviceAccounts.getAllowedLocations"};

}  // namespace fireweed::api::iam

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::iam::GenerateAccessTokenBody> =
    "GenerateAccessTokenRequest";
template <>
inline constexpr auto kFields<api::iam::GenerateAccessTokenBody> = [](auto...) {
  return Fields{F("delegates", &api::iam::GenerateAccessTokenBody::delegates),
                F("scope", &api::iam::GenerateAccessTokenBody::scope),
                F("lifetime", &api::iam::GenerateAccessTokenBody::lifetime)};
};
template <>
inline constexpr auto kFields<api::iam::GenerateAccessToken> = [](auto...) {
  return Fields{F("project", &api::iam::GenerateAccessToken::project, kPath),
                F("account", &api::iam::GenerateAccessToken::account, kPath),
                F("body", &api::iam::GenerateAccessToken::body, kBody)};
};
template <>
inline constexpr std::string_view kTypeName<api::iam::AccessTokenReply> =
    "GenerateAccessTokenResponse";
template <>
inline constexpr auto kFields<api::iam::AccessTokenReply> = [](auto...) {
  return Fields{F("accessToken", &api::iam::AccessTokenReply::accessToken),
                F("expireTime", &api::iam::AccessTokenReply::expireTime)};
};
template <>
inline constexpr std::string_view kTypeName<api::iam::GenerateIdTokenBody> =
    "GenerateIdTokenRequest";
template <>
inline constexpr auto kFields<api::iam::GenerateIdTokenBody> = [](auto...) {
  return Fields{F("delegates", &api::iam::GenerateIdTokenBody::delegates),
                F("audience", &api::iam::GenerateIdTokenBody::audience, kRequired),
                F("includeEmail", &api::iam::GenerateIdTokenBody::includeEmail)};
};
template <>
inline constexpr auto kFields<api::iam::GenerateIdToken> = [](auto...) {
  return Fields{F("project", &api::iam::GenerateIdToken::project, kPath),
                F("account", &api::iam::GenerateIdToken::account, kPath),
                F("body", &api::iam::GenerateIdToken::body, kBody)};
};
template <>
inline constexpr std::string_view kTypeName<api::iam::IdTokenReply> = "GenerateIdTokenResponse";
template <>
inline constexpr auto kFields<api::iam::IdTokenReply> =
    [](auto...) { return Fields{F("token", &api::iam::IdTokenReply::token)}; };
template <>
inline constexpr std::string_view kTypeName<api::iam::SignBlobBody> = "SignBlobRequest";
template <>
inline constexpr auto kFields<api::iam::SignBlobBody> = [](auto...) {
  return Fields{F("delegates", &api::iam::SignBlobBody::delegates),
                F("payload", &api::iam::SignBlobBody::payload, kRequired)};
};
template <>
inline constexpr auto kFields<api::iam::SignBlob> = [](auto...) {
  return Fields{F("project", &api::iam::SignBlob::project, kPath),
                F("account", &api::iam::SignBlob::account, kPath),
                F("body", &api::iam::SignBlob::body, kBody)};
};
template <>
inline constexpr std::string_view kTypeName<api::iam::SignBlobReply> = "SignBlobResponse";
template <>
inline constexpr auto kFields<api::iam::SignBlobReply> = [](auto...) {
  return Fields{F("keyId", &api::iam::SignBlobReply::keyId),
                F("signedBlob", &api::iam::SignBlobReply::signedBlob)};
};
template <>
inline constexpr std::string_view kTypeName<api::iam::SignJwtBody> = "SignJwtRequest";
template <>
inline constexpr auto kFields<api::iam::SignJwtBody> = [](auto...) {
  return Fields{F("delegates", &api::iam::SignJwtBody::delegates),
                F("payload", &api::iam::SignJwtBody::payload, kRequired)};
};
template <>
inline constexpr auto kFields<api::iam::SignJwt> = [](auto...) {
  return Fields{F("project", &api::iam::SignJwt::project, kPath),
                F("account", &api::iam::SignJwt::account, kPath),
                F("body", &api::iam::SignJwt::body, kBody)};
};
template <>
inline constexpr std::string_view kTypeName<api::iam::SignJwtReply> = "SignJwtResponse";
template <>
inline constexpr auto kFields<api::iam::SignJwtReply> = [](auto...) {
  return Fields{F("keyId", &api::iam::SignJwtReply::keyId),
                F("signedJwt", &api::iam::SignJwtReply::signedJwt)};
};
template <>
inline constexpr auto kFields<api::iam::GetAllowedLocations> = [](auto...) {
  return Fields{F("project", &api::iam::GetAllowedLocations::project, kPath),
                F("account", &api::iam::GetAllowedLocations::account, kPath)};
};
template <>
inline constexpr std::string_view kTypeName<api::iam::AllowedLocations> =
    "ServiceAccountAllowedLocations";
template <>
inline constexpr auto kFields<api::iam::AllowedLocations> = [](auto...) {
  return Fields{F("locations", &api::iam::AllowedLocations::locations, kKeepEmpty),
                F("encodedLocations", &api::iam::AllowedLocations::encodedLocations)};
};
}  // namespace fireweed
