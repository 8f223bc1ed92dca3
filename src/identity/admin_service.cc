#include "identity/admin_service.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "identity/policies.h"
#include "identity/records.h"

namespace fireweed::identity {
namespace {

using net::Call;

constexpr int kPage = 1000;
constexpr size_t kShownDigits = 16, kLeastDigits = 8;  // of a token's digest
constexpr int64_t kLongestSeconds = int64_t{366} * 24 * 3600;

api::admin::Token Shown(const Row<TokenRecord>& row) {
  const TokenRecord& token = row.value;
  return {.id = row.key.substr(0, kShownDigits),
          .principal = token.principal,
          .scopes = token.scopes,
          .issued = token.issued,
          .expires = token.expires,
          .label = token.label,
          .kind = "access"};
}

api::admin::Token Shown(const Row<RefreshRecord>& row) {
  const RefreshRecord& token = row.value;
  return {.id = row.key.substr(0, kShownDigits),
          .principal = token.principal,
          .scopes = token.scopes,
          .issued = token.issued,
          .label = token.label,
          .kind = "refresh"};
}

api::admin::User Shown(const UserRecord& user) {
  return {.email = user.email,
          .name = user.name,
          .created = user.created,
          .disabled = user.disabled ? std::optional(true) : std::nullopt};
}

bool IsDigest(std::string_view text) {
  return text.size() >= kLeastDigits && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

// "ann@x.org" in small letters; kInvalid when it is no email.
std::string Email(std::string_view text) {
  if (text.find('@') == text.npos) {
    throw Failure(Code::kInvalid,
                  fmt::format("Invalid e-mail address '{}': use NAME@DOMAIN.", text));
  }
  return NormalMember(fmt::format("user:{}", text)).substr(5);
}

// A later user of the same address must not inherit roles.
void RemoveMember(Txn& txn, const std::string& member) {
  txn.ForEach<PolicyRecord>({}, [&](const auto& row) {
    PolicyRecord policy = row.value;
    size_t removed = 0;
    for (api::Binding& binding : policy.bindings) removed += std::erase(binding.members, member);
    if (removed == 0) return;
    std::erase_if(policy.bindings, [](const auto& binding) { return binding.members.empty(); });
    txn.Put(row.key, policy);
  });
  txn.ForEach<GroupRecord>({}, [&](const auto& row) {
    GroupRecord group = row.value;
    if (std::erase(group.members, member) > 0) txn.Put(row.key, group);
  });
}

}  // namespace

void AdminService::Serve(net::Router& router) {
  namespace admin = api::admin;
  router.On(admin::kListTokens, this, &AdminService::ListTokens);
  router.On(admin::kCreateToken, this, &AdminService::CreateToken);
  router.On(admin::kRevokeToken, this, &AdminService::RevokeToken);
  router.On(admin::kListUsers, this, &AdminService::ListUsers);
  router.On(admin::kCreateUser, this, &AdminService::CreateUser);
  router.On(admin::kDeleteUser, this, &AdminService::DeleteUser);
  router.On(admin::kIssueCredential, this, &AdminService::IssueCredential);
  router.On(admin::kListGroups, this, &AdminService::ListGroups);
  router.On(admin::kPutGroup, this, &AdminService::PutGroup);
  router.On(admin::kDeleteGroup, this, &AdminService::DeleteGroup);
}

// Refresh tokens stand on the first page; they are few.
api::admin::TokenList AdminService::ListTokens(const api::admin::ListTokens& request, const Call&) {
  int page = request.pageSize > 0 ? std::min(request.pageSize, kPage) : kPage;
  std::optional<std::string> after;
  if (!request.pageToken.empty()) after = request.pageToken;
  Time now = clock_.Now();
  api::admin::TokenList reply;
  catalog_.Read([&](Txn& txn) {
    reply = {};
    auto wanted = [&](const std::string& principal) {
      return request.principal.empty() || request.principal == principal;
    };
    if (!after) {
      txn.ForEach<RefreshRecord>({}, [&](const auto& row) {
        if (wanted(row.value.principal)) reply.tokens.push_back(Shown(row));
      });
    }
    auto rows = txn.Scan<TokenRecord>({.after = after, .limit = page});
    for (const auto& row : rows) {
      if (wanted(row.value.principal) && row.value.expires + kClockTolerance >= now) {
        reply.tokens.push_back(Shown(row));
      }
    }
    if (rows.size() == static_cast<size_t>(page)) reply.nextPageToken = rows.back().key;
  });
  return reply;
}

api::admin::Token AdminService::CreateToken(const api::admin::CreateToken& request,
                                            const Call& call) {
  const api::admin::CreateTokenBody& body = request.body;
  if (body.lifetimeSeconds < 1 || body.lifetimeSeconds > kLongestSeconds) {
    throw Failure(Code::kInvalid,
                  fmt::format("'lifetimeSeconds' must be 1 to {}.", kLongestSeconds));
  }
  std::string email = body.email.empty() ? call.caller.email : Email(body.email);
  Duration lifetime = std::chrono::seconds(body.lifetimeSeconds);
  bool account = email.ends_with(".gserviceaccount.com");
  MintedToken minted = account
                           ? tokens_.MintForServiceAccount(email, body.scopes, lifetime, body.label)
                           : tokens_.MintForUser(email, body.scopes, lifetime, body.label);
  log_.Info("token granted", {{"grant", "admin"}, {"email", email}, {"by", call.caller.email}});
  return {.id = TokenKey(minted.token).substr(0, kShownDigits),
          .principal = (account ? "serviceAccount:" : "user:") + email,
          .scopes = body.scopes,
          .issued = minted.issued,
          .expires = minted.expires,
          .label = body.label,
          .kind = "access",
          .token = minted.token};
}

api::Empty AdminService::RevokeToken(const api::admin::NameToken& request, const Call& call) {
  if (!IsDigest(request.token)) {
    throw Failure(Code::kInvalid,
                  fmt::format("'{}' is no token id: at least {} of the digits that a list shows.",
                              request.token, kLeastDigits));
  }
  if (!tokens_.RevokeById(request.token)) {
    throw Failure(Code::kNotFound, fmt::format("Token '{}' was not found.", request.token));
  }
  log_.Info("token revoked", {{"id", request.token}, {"by", call.caller.email}});
  return {};
}

api::admin::UserList AdminService::ListUsers(const api::Empty&, const Call&) {
  return Query(catalog_, [&](Txn& txn) {
    api::admin::UserList reply;
    txn.ForEach<UserRecord>({}, [&](const auto& row) { reply.users.push_back(Shown(row.value)); });
    return reply;
  });
}

api::admin::User AdminService::CreateUser(const api::admin::CreateUser& request, const Call& call) {
  UserRecord user{.id = random_.Hex(8),
                  .email = Email(request.user.email),
                  .name = request.user.name,
                  .created = clock_.Now(),
                  .disabled = request.user.disabled.value_or(false)};
  catalog_.Write("user create", [&](Txn& txn) {
    if (txn.Find<UserRecord>(user.email)) {
      throw Failure(Code::kExists, fmt::format("User {} already exists.", user.email));
    }
    txn.Put(user.email, user, 0);
  });
  log_.Info("user created", {{"email", user.email}, {"by", call.caller.email}});
  return Shown(user);
}

api::Empty AdminService::DeleteUser(const api::admin::NameUser& request, const Call& call) {
  std::string email = Email(request.user);
  if (email == kOwnerEmail) throw Failure(Code::kInvalid, "The local owner cannot be deleted.");
  catalog_.Write("user delete", [&](Txn& txn) {
    if (!txn.Erase<UserRecord>(email)) {
      throw Failure(Code::kNotFound, fmt::format("User {} does not exist.", email));
    }
    // Their access tokens are invalid without the row, and are swept when they expire.
    txn.ForEach<RefreshRecord>({}, [&](const auto& row) {
      if (row.value.email == email) txn.Erase<RefreshRecord>(row.key);
    });
    RemoveMember(txn, "user:" + email);
  });
  log_.Info("user deleted", {{"email", email}, {"by", call.caller.email}});
  return {};
}

api::admin::UserCredential AdminService::IssueCredential(const api::admin::NameUser& request,
                                                         const Call& call) {
  std::string email = Email(request.user);
  std::string credential = tokens_.IssueUserCredential(email, "issued by " + call.caller.email);
  log_.Info("credential issued", {{"email", email}, {"by", call.caller.email}});
  return {{std::string(Trim(credential))}};
}

api::admin::GroupList AdminService::ListGroups(const api::Empty&, const Call&) {
  return Query(catalog_, [&](Txn& txn) {
    api::admin::GroupList reply;
    txn.ForEach<GroupRecord>({}, [&](const auto& row) {
      reply.groups.push_back({row.value.email, row.value.members, row.value.created});
    });
    return reply;
  });
}

api::admin::Group AdminService::PutGroup(const api::admin::PutGroup& request, const Call& call) {
  GroupRecord group{.email = Email(request.group), .created = clock_.Now()};
  for (const std::string& member : request.body.members) {
    group.members.push_back(NormalMember(member));
  }
  catalog_.Write("group", [&](Txn& txn) {
    if (auto row = txn.Find<GroupRecord>(group.email)) group.created = row->value.created;
    txn.Put(group.email, group);
  });
  log_.Info("group changed",
            {{"email", group.email}, {"members", group.members.size()}, {"by", call.caller.email}});
  return {group.email, group.members, group.created};
}

api::Empty AdminService::DeleteGroup(const api::admin::NameGroup& request, const Call& call) {
  std::string email = Email(request.group);
  catalog_.Write("group delete", [&](Txn& txn) {
    if (!txn.Erase<GroupRecord>(email)) {
      throw Failure(Code::kNotFound, fmt::format("Group {} does not exist.", email));
    }
  });
  log_.Info("group deleted", {{"email", email}, {"by", call.caller.email}});
  return {};
}

}  // namespace fireweed::identity
