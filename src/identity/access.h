// What for: the daemon's AccessControl. Bearer tokens (header, Basic password as git sends it, access_token
//   parameter), service accounts' own JWTs, and policies.
// Threads and blocking: as net::AccessControl says. Inline calls read two tables in memory, no I/O and no digest.
// Owns: its caches, kept true by the catalog's commit feed; so it is made before the catalog's first Write.
// A failure: a credential that is no good throws Failure(kUnauthenticated) and never says which part was wrong.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/random.h"
#include "catalog/catalog.h"
#include "catalog/row_cache.h"
#include "identity/caller_cache.h"
#include "identity/decision_cache.h"
#include "identity/records.h"
#include "net/access.h"

namespace fireweed::identity {

class Access final : public net::AccessControl {
 public:
  Access(Catalog& catalog, const Clock& clock, Random& random);

  std::shared_ptr<const net::Caller> Identify(const net::Request& request) override;
  bool May(const net::Caller& caller, std::string_view permission,
           std::string_view resource) override;
  std::shared_ptr<const net::Caller> IdentifyInline(const net::Request& request) override;
  std::optional<bool> MayInline(const net::Caller& caller, std::string_view permission,
                                std::string_view resource) override;

  // The caller behind a token that came some other way (a proxy's password, a cookie). Throws like Identify.
  std::shared_ptr<const net::Caller> IdentifyToken(std::string_view token);

 private:
  class LoadedRows;      // from the caches, else from the catalog
  class RememberedRows;  // from the caches only
  // Shared with the sink, which the catalog keeps.
  struct Caches {
    Caches(Random& random)
        : callers(HashKey::Draw(random), 4096), decisions(HashKey::Draw(random)) {}
    CallerCache callers;
    DecisionCache decisions;
  };

  std::shared_ptr<const net::Caller> FromProxy(std::string_view principal) const;
  std::shared_ptr<const net::Caller> FromRow(std::string_view token, const Tag128& tag);
  std::shared_ptr<const net::Caller> FromJwt(std::string_view token, const Tag128& tag);

  // Constant after construction.
  Catalog& catalog_;
  const Clock& clock_;
  const std::shared_ptr<const net::Caller> anonymous_;
  RowCache<PolicyRecord> policies_;  // before caches_: its rows are dropped before a turn begins
  RowCache<GroupRecord> groups_;
  const std::shared_ptr<Caches> caches_;
};

}  // namespace fireweed::identity
