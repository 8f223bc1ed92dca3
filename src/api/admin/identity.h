// Users, groups and tokens of this daemon. Secrets appear once, in the reply that makes them.
#pragma once

#include <string>
#include <vector>

#include "api/admin/service.h"

namespace fireweed::api::admin {

struct Token {
  std::string id;         // begins the digest that the catalog keeps
  std::string principal;  // "user:ann@x.org"
  std::vector<std::string> scopes;
  Time issued, expires;  // a refresh token does not expire
  std::string label;
  std::string kind;   // "access" or "refresh"
  std::string token;  // the secret; in the reply to create only
};
struct CreateTokenBody {
  std::string email;  // a user or a service account; empty means the caller
  std::vector<std::string> scopes;
  int64_t lifetimeSeconds = 3600;
  std::string label;
};
struct CreateToken {
  CreateTokenBody body;
};
struct ListTokens {
  std::string principal;
  int32_t pageSize = 0;
  std::string pageToken;
};
struct TokenList {
  std::vector<Token> tokens;
  std::string nextPageToken;
};
struct NameToken {
  std::string token;
};

struct User {
  std::string email, name;
  Time created;
  std::optional<bool> disabled;
};
struct CreateUser {
  User user;
};
struct UserList {
  std::vector<User> users;
};
struct NameUser {
  std::string user;
};
struct UserCredential {
  Json credential;  // an authorized_user file
};

struct Group {
  std::string email;
  std::vector<std::string> members;  // "user:ann@x.org"
  Time created;
};
struct PutGroup {
  std::string group;
  Group body;
};
struct GroupList {
  std::vector<Group> groups;
};
struct NameGroup {
  std::string group;
};

inline constexpr Method<ListTokens, TokenList> kListTokens{
    kService,  Verb::kGet, "/fireweed/v1/tokens", "fireweed.tokens.list", "fireweed.tokens.list",
    "fireweed"};
inline constexpr Method<CreateToken, Token> kCreateToken{kService,
                                                         Verb::kPost,
                                                         "/fireweed/v1/tokens",
                                                         "fireweed.tokens.create",
                                                         "fireweed.tokens.create",
                                                         "fireweed"};
inline constexpr Method<NameToken, Empty> kRevokeToken{kService,
                                                       Verb::kDelete,
                                                       "/fireweed/v1/tokens/{token}",
                                                       "fireweed.tokens.revoke",
                                                       "fireweed.tokens.revoke",
                                                       "fireweed"};
inline constexpr Method<Empty, UserList> kListUsers{
    kService,  Verb::kGet, "/fireweed/v1/users", "fireweed.users.list", "fireweed.users.list",
    "fireweed"};
inline constexpr Method<CreateUser, User> kCreateUser{
    kService,  Verb::kPost, "/fireweed/v1/users", "fireweed.users.create", "fireweed.users.create",
    "fireweed"};
inline constexpr Method<NameUser, Empty> kDeleteUser{kService,
                                                     Verb::kDelete,
                                                     "/fireweed/v1/users/{user}",
                                                     "fireweed.users.delete",
                                                     "fireweed.users.delete",
                                                     "fireweed"};
inline constexpr Method<NameUser, UserCredential> kIssueCredential{
    kService,
    Verb::kPost,
    "/fireweed/v1/users/{user}:issueCredential",
    "fireweed.users.issueCredential",
    "fireweed.users.issueCredential",
    "fireweed"};
inline constexpr Method<Empty, GroupList> kListGroups{
    kService,  Verb::kGet, "/fireweed/v1/groups", "fireweed.groups.list", "fireweed.groups.list",
    "fireweed"};
inline constexpr Method<PutGroup, Group> kPutGroup{kService,
                                                   Verb::kPut,
                                                   "/fireweed/v1/groups/{group}",
                                                   "fireweed.groups.put",
                                                   "fireweed.groups.put",
                                                   "fireweed"};
inline constexpr Method<NameGroup, Empty> kDeleteGroup{kService,
                                                       Verb::kDelete,
                                                       "/fireweed/v1/groups/{group}",
                                                       "fireweed.groups.delete",
                                                       "fireweed.groups.delete",
                                                       "fireweed"};

}  // namespace fireweed::api::admin

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::admin::Token> = "Token";
template <>
inline constexpr auto kFields<api::admin::Token> = [](auto...) {
  return Fields{
      F("id", &api::admin::Token::id),           F("principal", &api::admin::Token::principal),
      F("scopes", &api::admin::Token::scopes),   F("issued", &api::admin::Token::issued),
      F("expires", &api::admin::Token::expires), F("label", &api::admin::Token::label),
      F("kind", &api::admin::Token::kind),       F("token", &api::admin::Token::token)};
};
template <>
inline constexpr std::string_view kTypeName<api::admin::CreateTokenBody> = "CreateTokenRequest";
template <>
inline constexpr auto kFields<api::admin::CreateTokenBody> = [](auto...) {
  return Fields{F("email", &api::admin::CreateTokenBody::email),
                F("scopes", &api::admin::CreateTokenBody::scopes),
                F("lifetimeSeconds", &api::admin::CreateTokenBody::lifetimeSeconds),
                F("label", &api::admin::CreateTokenBody::label)};
};
template <>
inline constexpr auto kFields<api::admin::CreateToken> =
    [](auto...) { return Fields{F("body", &api::admin::CreateToken::body, kBody)}; };
template <>
inline constexpr auto kFields<api::admin::ListTokens> = [](auto...) {
  return Fields{F("principal", &api::admin::ListTokens::principal, kQuery),
                F("pageSize", &api::admin::ListTokens::pageSize, kQuery),
                F("pageToken", &api::admin::ListTokens::pageToken, kQuery)};
};
template <>
inline constexpr std::string_view kTypeName<api::admin::TokenList> = "TokenList";
template <>
inline constexpr auto kFields<api::admin::TokenList> = [](auto...) {
  return Fields{F("tokens", &api::admin::TokenList::tokens),
                F("nextPageToken", &api::admin::TokenList::nextPageToken)};
};
template <>
inline constexpr auto kFields<api::admin::NameToken> =
    [](auto...) { return Fields{F("token", &api::admin::NameToken::token, kPath)}; };
template <>
inline constexpr std::string_view kTypeName<api::admin::User> = "User";
template <>
inline constexpr auto kFields<api::admin::User> = [](auto...) {
  return Fields{F("email", &api::admin::User::email, kRequired), F("name", &api::admin::User::name),
                F("created", &api::admin::User::created, kOutput),
                F("disabled", &api::admin::User::disabled)};
};
template <>
inline constexpr auto kFields<api::admin::CreateUser> =
    [](auto...) { return Fields{F("user", &api::admin::CreateUser::user, kBody)}; };
template <>
inline constexpr std::string_view kTypeName<api::admin::UserList> = "UserList";
template <>
inline constexpr auto kFields<api::admin::UserList> =
    [](auto...) { return Fields{F("users", &api::admin::UserList::users)}; };
template <>
inline constexpr auto kFields<api::admin::NameUser> =
    [](auto...) { return Fields{F("user", &api::admin::NameUser::user, kPath)}; };
template <>
inline constexpr std::string_view kTypeName<api::admin::UserCredential> = "UserCredential";
template <>
inline constexpr auto kFields<api::admin::UserCredential> =
    [](auto...) { return Fields{F("credential", &api::admin::UserCredential::credential)}; };
template <>
inline constexpr std::string_view kTypeName<api::admin::Group> = "Group";
template <>
inline constexpr auto kFields<api::admin::Group> = [](auto...) {
  return Fields{F("email", &api::admin::Group::email), F("members", &api::admin::Group::members),
                F("created", &api::admin::Group::created, kOutput)};
};
template <>
inline constexpr auto kFields<api::admin::PutGroup> = [](auto...) {
  return Fields{F("group", &api::admin::PutGroup::group, kPath),
                F("body", &api::admin::PutGroup::body, kBody)};
};
template <>
inline constexpr std::string_view kTypeName<api::admin::GroupList> = "GroupList";
template <>
inline constexpr auto kFields<api::admin::GroupList> =
    [](auto...) { return Fields{F("groups", &api::admin::GroupList::groups)}; };
template <>
inline constexpr auto kFields<api::admin::NameGroup> =
    [](auto...) { return Fields{F("group", &api::admin::NameGroup::group, kPath)}; };
}  // namespace fireweed
