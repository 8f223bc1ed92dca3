// The part of AccountService that deals with keys.
#include <algorithm>

#include <fmt/format.h>

#include "describe/json_codec.h"
#include "identity/account_service.h"
#include "identity/records.h"
#include "identity/rsa_key.h"

namespace fireweed {

// The file that Google's libraries call a service account.
struct AccountKeyFile {
  std::string type, project_id, private_key_id, private_key, client_email, client_id, auth_uri,
      token_uri, auth_provider_x509_cert_url, client_x509_cert_url, universe_domain;
};
template <>
inline constexpr auto kFields<AccountKeyFile> = [](auto...) {
  return Fields{F("type", &AccountKeyFile::type),
                F("project_id", &AccountKeyFile::project_id),
                F("private_key_id", &AccountKeyFile::private_key_id),
                F("private_key", &AccountKeyFile::private_key),
                F("client_email", &AccountKeyFile::client_email),
                F("client_id", &AccountKeyFile::client_id),
                F("auth_uri", &AccountKeyFile::auth_uri),
                F("token_uri", &AccountKeyFile::token_uri),
                F("auth_provider_x509_cert_url", &AccountKeyFile::auth_provider_x509_cert_url),
                F("client_x509_cert_url", &AccountKeyFile::client_x509_cert_url),
                F("universe_domain", &AccountKeyFile::universe_domain)};
};

namespace identity {
namespace {

using api::iam::ServiceAccount;
using api::iam::ServiceAccountKey;
using net::Call;

constexpr size_t kKeyIdBytes = 20;
constexpr size_t kMostKeys = 10;  // of an account, as Google limits it
constexpr std::string_view kJsonFile = "TYPE_GOOGLE_CREDENTIALS_FILE";
constexpr Duration kKeyLifetime = std::chrono::hours(24 * 365 * 100);

ServiceAccountKey Shown(const ServiceAccount& account, const AccountKeyRecord& key) {
  return {.name = fmt::format("{}/keys/{}", account.name, key.id),
          .keyAlgorithm = "KEY_ALG_RSA_2048",
          .validAfterTime = key.valid_after,
          .validBeforeTime = key.valid_before,
          .keyOrigin = "GOOGLE_PROVIDED",
          .keyType = "USER_MANAGED"};
}

// token_uri is Google's: the proxy brings it here, and several libraries ignore any other.
std::string KeyFile(const ServiceAccount& account, const std::string& id, const RsaKey& key) {
  AccountKeyFile file{
      .type = "service_account",
      .project_id = account.projectId,
      .private_key_id = id,
      .private_key = key.PrivatePem(),
      .client_email = account.email,
      .client_id = account.uniqueId,
      .auth_uri = "https://accounts.google.com/o/oauth2/auth",
      .token_uri = "https://oauth2.googleapis.com/token",
      .auth_provider_x509_cert_url = "https://www.googleapis.com/oauth2/v1/certs",
      .client_x509_cert_url = "https://www.googleapis.com/service_accounts/v1/jwk/" + account.email,
      .universe_domain = "googleapis.com"};
  return EncodeJson(file);
}

std::string KeyRow(const ServiceAccount& account, std::string_view id) {
  return fmt::format("{}/{}", account.email, id);
}

AccountKeyRecord LoadKey(Txn& txn, const ServiceAccount& account, std::string_view id) {
  auto row = txn.Find<AccountKeyRecord>(KeyRow(account, id));
  if (!row)
    throw Failure(Code::kNotFound, fmt::format("Service account key {} does not exist.", id));
  return std::move(row->value);
}

}  // namespace

ServiceAccountKey AccountService::CreateKey(const api::iam::CreateKey& request, const Call& call) {
  const std::string& type = request.body.privateKeyType;
  if (!type.empty() && type != kJsonFile && type != "TYPE_UNSPECIFIED") {
    throw Failure(Code::kInvalid,
                  fmt::format("Private key type {} is not supported; use {}.", type, kJsonFile));
  }
  RsaKey pair = RsaKey::Generate();
  Time now = clock_.Now();
  AccountKeyRecord record{.id = random_.Hex(kKeyIdBytes),
                          .public_pem = pair.PublicPem(),
                          .valid_after = now,
                          .valid_before = now + kKeyLifetime};
  Account account = fireweed::Update(catalog_, "service account key", [&](Txn& txn) {
    Account found = Load(txn, request.project, request.account).value;
    auto keys = txn.Scan<AccountKeyRecord>({.prefix = found.email + "/"});
    if (keys.size() >= kMostKeys) {
      throw Failure(Code::kInvalid, "failedPrecondition",
                    fmt::format("A service account has at most {} keys.", kMostKeys));
    }
    record.email = found.email;
    txn.Put(KeyRow(found, record.id), record, 0);
    return found;
  });
  log_.Info("service account key created",
            {{"email", account.email}, {"key", record.id}, {"by", call.caller.email}});
  ServiceAccountKey reply = Shown(account, record);
  reply.privateKeyType = kJsonFile;
  reply.privateKeyData = {KeyFile(account, record.id, pair)};
  return reply;
}

api::iam::KeyList AccountService::ListKeys(const api::iam::ListKeys& request, const Call&) {
  const auto& types = request.keyTypes;
  bool users =
      types.empty() || std::find(types.begin(), types.end(), "USER_MANAGED") != types.end();
  return Query(catalog_, [&](Txn& txn) {
    api::iam::KeyList reply;
    Account account = Load(txn, request.project, request.account).value;
    if (!users) return reply;
    txn.ForEach<AccountKeyRecord>({.prefix = account.email + "/"}, [&](const auto& row) {
      reply.keys.push_back(Shown(account, row.value));
    });
    return reply;
  });
}

ServiceAccountKey AccountService::GetKey(const api::iam::GetKey& request, const Call&) {
  if (request.publicKeyType == "TYPE_X509_PEM_FILE") {
    throw Failure(Code::kInvalid, "Keys have no certificates here; use TYPE_RAW_PUBLIC_KEY.");
  }
  return Query(catalog_, [&](Txn& txn) {
    Account account = Load(txn, request.project, request.account).value;
    AccountKeyRecord record = LoadKey(txn, account, request.key);
    ServiceAccountKey key = Shown(account, record);
    if (request.publicKeyType == "TYPE_RAW_PUBLIC_KEY") key.publicKeyData = {record.public_pem};
    return key;
  });
}

api::Empty AccountService::DeleteKey(const api::iam::GetKey& request, const Call& call) {
  catalog_.Write("service account key delete", [&](Txn& txn) {
    Account account = Load(txn, request.project, request.account).value;
    LoadKey(txn, account, request.key);
    txn.Erase<AccountKeyRecord>(KeyRow(account, request.key));
  });
  log_.Info("service account key deleted", {{"key", request.key}, {"by", call.caller.email}});
  return {};
}

}  // namespace identity
}  // namespace fireweed
