// What identity keeps in the catalog. Secrets are there as SHA-256 only (tokens) or as the public half (keys of
// service accounts); the exceptions are the signing keys that the service itself uses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/crm/project.h"
#include "api/iam/service_account.h"
#include "api/policy.h"
#include "catalog/record.h"

namespace fireweed::identity {

// Key: the resource, "projects/P", "buckets/B", "serviceAccounts/EMAIL".
struct PolicyRecord {
  std::string parent;  // the resource whose bindings count here, too; empty at the root
  std::vector<api::Binding> bindings;
  // allUsers and allAuthenticatedUsers count for nobody here, neither in these bindings nor in a parent's.
  std::optional<bool> no_public;
};

// Key: the email. Members are emails with their kind: "user:ann@x".
struct GroupRecord {
  std::string email;
  std::vector<std::string> members;
  Time created;
};

// Key: the email.
struct UserRecord {
  std::string id;  // tells a user from a later one of the same email
  std::string email, name;
  Time created;
  bool disabled = false;
};

// Key: SHA-256 of the token, in hex.
struct TokenRecord {
  std::string principal, email;
  std::string subject;              // id of the user, unique id of the service account
  std::string project;              // home project of a service account
  std::vector<std::string> scopes;  // empty means all
  Time issued, expires;
  std::string label;
};
struct RefreshRecord {
  std::string principal, email, subject;
  std::vector<std::string> scopes;
  Time issued;
  std::string label;
};
// Key: expiry in microseconds, 17 digits, '/', key of the token: what to sweep, oldest first.
struct ExpiryRecord {};

// Key: the other name of something (a number); the body names its row.
struct ProjectNumberRecord {
  std::string project;
};
struct AccountNumberRecord {
  std::string email;
};
// Key: "PROJECT/EMAIL".
struct ProjectAccountRecord {};

// Key: "EMAIL/KEYID". The private half of a user's key is shown once, at creation, and not kept.
struct AccountKeyRecord {
  std::string id, email;
  std::string public_pem;
  Time valid_after, valid_before;
};
// A key that the service itself signs with. Key: an email, for signBlob and the like; "issuer" for id tokens.
struct SigningKeyRecord {
  std::string id;
  std::string private_pem;
  Time created;
};

// Row of the parent of all projects; the local owner is bound there.
inline constexpr std::string_view kRootResource = "fireweed";

}  // namespace fireweed::identity

namespace fireweed {
template <>
inline constexpr auto kFields<identity::PolicyRecord> = [](auto...) {
  return Fields{F("parent", &identity::PolicyRecord::parent),
                F("bindings", &identity::PolicyRecord::bindings),
                F("noPublic", &identity::PolicyRecord::no_public)};
};
template <>
inline constexpr auto kFields<identity::GroupRecord> = [](auto...) {
  return Fields{F("email", &identity::GroupRecord::email),
                F("members", &identity::GroupRecord::members),
                F("created", &identity::GroupRecord::created)};
};
template <>
inline constexpr auto kFields<identity::UserRecord> = [](auto...) {
  return Fields{F("id", &identity::UserRecord::id), F("email", &identity::UserRecord::email),
                F("name", &identity::UserRecord::name),
                F("created", &identity::UserRecord::created),
                F("disabled", &identity::UserRecord::disabled)};
};
template <>
inline constexpr auto kFields<identity::TokenRecord> = [](auto...) {
  return Fields{F("principal", &identity::TokenRecord::principal),
                F("email", &identity::TokenRecord::email),
                F("subject", &identity::TokenRecord::subject),
                F("project", &identity::TokenRecord::project),
                F("scopes", &identity::TokenRecord::scopes),
                F("issued", &identity::TokenRecord::issued),
                F("expires", &identity::TokenRecord::expires),
                F("label", &identity::TokenRecord::label)};
};
template <>
inline constexpr auto kFields<identity::RefreshRecord> = [](auto...) {
  return Fields{F("principal", &identity::RefreshRecord::principal),
                F("email", &identity::RefreshRecord::email),
                F("subject", &identity::RefreshRecord::subject),
                F("scopes", &identity::RefreshRecord::scopes),
                F("issued", &identity::RefreshRecord::issued),
                F("label", &identity::RefreshRecord::label)};
};
template <>
inline constexpr auto kFields<identity::ExpiryRecord> = [](auto...) { return Fields{}; };
template <>
inline constexpr auto kFields<identity::ProjectNumberRecord> =
    [](auto...) { return Fields{F("project", &identity::ProjectNumberRecord::project)}; };
template <>
inline constexpr auto kFields<identity::AccountNumberRecord> =
    [](auto...) { return Fields{F("email", &identity::AccountNumberRecord::email)}; };
template <>
inline constexpr auto kFields<identity::ProjectAccountRecord> = [](auto...) { return Fields{}; };

template <>
inline constexpr auto kFields<identity::AccountKeyRecord> = [](auto...) {
  return Fields{F("id", &identity::AccountKeyRecord::id),
                F("email", &identity::AccountKeyRecord::email),
                F("public_pem", &identity::AccountKeyRecord::public_pem),
                F("valid_after", &identity::AccountKeyRecord::valid_after),
                F("valid_before", &identity::AccountKeyRecord::valid_before)};
};
template <>
inline constexpr auto kFields<identity::SigningKeyRecord> = [](auto...) {
  return Fields{F("id", &identity::SigningKeyRecord::id),
                F("private_pem", &identity::SigningKeyRecord::private_pem),
                F("created", &identity::SigningKeyRecord::created)};
};

template <>
inline constexpr std::string_view kRecordKind<identity::AccountKeyRecord> = "service-account-key";
template <>
inline constexpr std::string_view kRecordKind<identity::SigningKeyRecord> = "signing-key";
template <>
inline constexpr std::string_view kRecordKind<identity::PolicyRecord> = "policy";
template <>
inline constexpr std::string_view kRecordKind<identity::GroupRecord> = "group";
template <>
inline constexpr std::string_view kRecordKind<identity::UserRecord> = "user";
template <>
inline constexpr std::string_view kRecordKind<identity::TokenRecord> = "access-token";
template <>
inline constexpr std::string_view kRecordKind<identity::RefreshRecord> = "refresh-token";
template <>
inline constexpr std::string_view kRecordKind<identity::ExpiryRecord> = "access-token-expiry";
template <>
inline constexpr std::string_view kRecordKind<identity::ProjectNumberRecord> = "project-number";
template <>
inline constexpr std::string_view kRecordKind<identity::AccountNumberRecord> =
    "service-account-number";
template <>
inline constexpr std::string_view kRecordKind<identity::ProjectAccountRecord> =
    "project-service-account";
template <>
inline constexpr std::string_view kRecordKind<api::crm::Project> = "project";
template <>
inline constexpr std::string_view kRecordKind<api::iam::ServiceAccount> = "service-account";
}  // namespace fireweed
