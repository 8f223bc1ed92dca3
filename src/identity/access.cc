#include "identity/access.h"

#include "base/bytes.h"
#include "identity/assertion.h"
#include "identity/permission_check.h"
#include "identity/tokens.h"
#include "net/router.h"

namespace fireweed::identity {
namespace {

using net::Caller;
using net::Request;
using CallerPtr = std::shared_ptr<const Caller>;

constexpr size_t kCachedPolicies = 16384, kCachedGroups = 1024;

[[noreturn]] void Refuse() {
  throw Failure(Code::kUnauthenticated, "authError",
                "Request had invalid authentication credentials. Expected OAuth 2 access token, "
                "login cookie or other valid authentication credential.");
}

// "Bearer X" -> X, scheme in any case; nullopt for another scheme.
std::optional<std::string_view> AfterScheme(std::string_view header, std::string_view scheme) {
  if (header.size() <= scheme.size() || header[scheme.size()] != ' ' ||
      !EqualIgnoreCase(header.substr(0, scheme.size()), scheme)) {
    return std::nullopt;
  }
  return Trim(header.substr(scheme.size() + 1));
}

// The password of "Basic base64(user:password)": git sends its token so. The user is not looked at.
std::string BasicPassword(std::string_view encoded) {
  std::optional<std::string> pair = Base64Decode(encoded);
  size_t colon = pair ? pair->find(':') : std::string::npos;
  if (colon == std::string::npos) Refuse();
  return pair->substr(colon + 1);
}

bool MayCarryToken(const Request& request) {
  return request.query.find("access_token=") != std::string_view::npos;
}

bool LooksLikeJwt(std::string_view token) {
  return token.starts_with("eyJ") && token.find('.') != std::string_view::npos;
}

// Host of "https://host/..."; empty for anything else.
std::string_view HostOf(std::string_view url) {
  constexpr std::string_view kScheme = "https://";
  if (!url.starts_with(kScheme)) return {};
  url.remove_prefix(kScheme.size());
  return url.substr(0, url.find_first_of("/:"));
}

// A self-made token is for an API of ours: it names a scope or a Google host as its audience.
bool IsMeantForUs(const JwtClaims& claims) {
  if (!claims.scope.empty()) return true;
  for (const std::string& audience : claims.Audiences()) {
    if (net::IsGoogleHost(HostOf(audience))) return true;
  }
  return false;
}

// Whether whoever the token was made for is still there and not disabled.
bool IsLive(Txn& txn, const TokenRecord& token) {
  if (token.principal.starts_with("serviceAccount:")) {
    auto account = txn.Find<api::iam::ServiceAccount>(token.email);
    return account && !account->value.disabled.value_or(false) &&
           account->value.uniqueId == token.subject;
  }
  auto user = txn.Find<UserRecord>(token.email);
  return user && !user->value.disabled && user->value.id == token.subject;
}

}  // namespace

class Access::LoadedRows final : public PolicyRows {
 public:
  explicit LoadedRows(Access& access) : access_(access) {}
  std::shared_ptr<const Row<PolicyRecord>> Policy(std::string_view resource) override {
    return access_.policies_.Get(resource);
  }
  std::shared_ptr<const Row<GroupRecord>> Group(std::string_view email) override {
    return access_.groups_.Get(email);
  }

 private:
  Access& access_;
};

class Access::RememberedRows final : public PolicyRows {
 public:
  explicit RememberedRows(Access& access) : access_(access) {}
  std::shared_ptr<const Row<PolicyRecord>> Policy(std::string_view resource) override {
    return Known(access_.policies_.Peek(resource));
  }
  std::shared_ptr<const Row<GroupRecord>> Group(std::string_view email) override {
    return Known(access_.groups_.Peek(email));
  }
  // Some row was not in memory: the answer counts for nothing.
  bool gap() const { return gap_; }

 private:
  template <class Snapshot>
  Snapshot Known(std::optional<Snapshot> row) {
    if (row) return *std::move(row);
    gap_ = true;
    return nullptr;
  }
  Access& access_;
  bool gap_ = false;
};

Access::Access(Catalog& catalog, const Clock& clock, Random& random)
    : catalog_(catalog),
      clock_(clock),
      anonymous_(std::make_shared<const Caller>()),
      policies_(catalog, kCachedPolicies),
      groups_(catalog, kCachedGroups),
      caches_(std::make_shared<Caches>(random)) {
  catalog.OnCommit([caches = caches_](std::string_view kind, const Key& key) {
    if (kind == kRecordKind<TokenRecord>) {
      caches->callers.DropRow(key);
    } else if (kind == kRecordKind<PolicyRecord> || kind == kRecordKind<GroupRecord>) {
      caches->decisions.BeginTurn();
    } else if (kind == kRecordKind<api::iam::ServiceAccount> || kind == kRecordKind<UserRecord> ||
               kind == kRecordKind<AccountKeyRecord> || kind == kRecordKind<SigningKeyRecord>) {
      caches->callers.Clear();
    }
  });
}

CallerPtr Access::IdentifyInline(const Request& request) {
  std::optional<std::string_view> header = request.Header("Authorization");
  if (!header) {
    return MayCarryToken(request) || !request.proxy_principal.empty() ? nullptr : anonymous_;
  }
  std::optional<std::string_view> token = AfterScheme(*header, "Bearer");
  if (!token) return nullptr;
  return caches_->callers.Find(caches_->callers.TagOf(*token), clock_.Now());
}

CallerPtr Access::Identify(const Request& request) {
  if (std::optional<std::string_view> header = request.Header("Authorization")) {
    if (auto token = AfterScheme(*header, "Bearer")) return IdentifyToken(*token);
    if (auto pair = AfterScheme(*header, "Basic")) return IdentifyToken(BasicPassword(*pair));
    Refuse();
  }
  if (MayCarryToken(request)) {
    if (std::optional<std::string> token = request.Query("access_token"))
      return IdentifyToken(*token);
  }
  return request.proxy_principal.empty() ? anonymous_ : FromProxy(request.proxy_principal);
}

// `fireweed env --sign-in`: the proxy's secret counts as a token of the user it belongs to.
CallerPtr Access::FromProxy(std::string_view principal) const {
  auto caller = std::make_shared<Caller>();
  caller->principal = principal;
  caller->email = principal.substr(principal.find(':') + 1);
  return caller;
}

CallerPtr Access::IdentifyToken(std::string_view token) {
  if (token.empty()) Refuse();
  Tag128 tag = caches_->callers.TagOf(token);
  if (CallerPtr known = caches_->callers.Find(tag, clock_.Now())) return known;
  return LooksLikeJwt(token) ? FromJwt(token, tag) : FromRow(token, tag);
}

CallerPtr Access::FromRow(std::string_view token, const Tag128& tag) {
  uint64_t turn = caches_->callers.Turn();
  std::string key = TokenKey(token);
  auto row = Query(catalog_, [&](Txn& txn) -> std::optional<Row<TokenRecord>> {
    auto found = txn.Find<TokenRecord>(key);
    return found && IsLive(txn, found->value) ? found : std::nullopt;
  });
  if (!row || !EqualConstantTime(row->key, key)) Refuse();
  Time until = row->value.expires + kClockTolerance;
  if (until < clock_.Now()) Refuse();
  auto caller = std::make_shared<const Caller>(
      Caller{row->value.principal, row->value.email, row->value.project, row->value.scopes});
  caches_->callers.Keep(tag, key, caller, until, turn);
  return caller;
}

CallerPtr Access::FromJwt(std::string_view token, const Tag128& tag) {
  uint64_t turn = caches_->callers.Turn();
  Result<Jwt> jwt = ParseJwt(token);
  if (!jwt || !IsMeantForUs(jwt->claims)) Refuse();
  Result<api::iam::ServiceAccount> account = VerifyAssertion(catalog_, *jwt, clock_.Now());
  if (!account) Refuse();
  auto caller =
      std::make_shared<const Caller>(Caller{"serviceAccount:" + account->email, account->email,
                                            account->projectId, SplitScopes(jwt->claims.scope)});
  auto expires = Time(std::chrono::seconds(static_cast<int64_t>(*jwt->claims.exp)));
  caches_->callers.Keep(tag, TokenKey(token), caller, expires + kClockTolerance, turn);
  return caller;
}

bool Access::May(const Caller& caller, std::string_view permission, std::string_view resource) {
  DecisionCache& decisions = caches_->decisions;
  Tag128 tag = decisions.TagOf(decisions.Turn(), caller, permission, resource);
  if (std::optional<bool> known = decisions.Find(tag)) return *known;
  LoadedRows rows(*this);
  bool allowed = IsAllowed(rows, caller, permission, resource);
  decisions.Keep(tag, allowed);
  return allowed;
}

std::optional<bool> Access::MayInline(const Caller& caller, std::string_view permission,
                                      std::string_view resource) {
  DecisionCache& decisions = caches_->decisions;
  Tag128 tag = decisions.TagOf(decisions.Turn(), caller, permission, resource);
  if (std::optional<bool> known = decisions.Find(tag)) return known;
  RememberedRows rows(*this);
  bool allowed = IsAllowed(rows, caller, permission, resource);
  if (rows.gap()) return std::nullopt;
  decisions.Keep(tag, allowed);
  return allowed;
}

}  // namespace fireweed::identity
