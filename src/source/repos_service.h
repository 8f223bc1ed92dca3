// What for: source repositories on the wire (sourcerepo v1).
// Who calls: the router, on pool threads. May block for the catalog and, when one is made, for git.
// A failure: Failure.
#pragma once

#include <optional>
#include <string>

#include "api/source/source.h"
#include "base/ids.h"
#include "base/log.h"
#include "catalog/catalog.h"
#include "identity/projects.h"
#include "net/router.h"
#include "source/records.h"
#include "source/repo_store.h"

namespace fireweed::source {

class ReposService {
 public:
  // Removes files that no record names: what a crash left.
  ReposService(Catalog& catalog, RepoStore& store, const identity::Projects& projects,
               net::AccessControl& access, IdSource& ids, const Clock& clock, Logger& log);
  void Serve(net::Router& router);

  api::source::Repo Create(const api::source::CreateRepo& request, const net::Call& call);
  api::source::RepoList List(const api::source::ListRepos& request, const net::Call& call);
  api::source::Repo Get(const api::source::NameRepo& request, const net::Call& call);
  api::Empty Delete(const api::source::NameRepo& request, const net::Call& call);
  api::Policy GetPolicy(const api::source::NameRepo& request, const net::Call& call);
  api::Policy SetPolicy(const api::source::SetRepoPolicy& request, const net::Call& call);
  api::TestPermissionsBody TestPermissions(const api::source::TestRepoPermissions& request,
                                           const net::Call& call);

 private:
  // Constant after construction.
  Catalog& catalog_;
  RepoStore& store_;
  const identity::Projects& projects_;
  net::AccessControl& access_;
  IdSource& ids_;
  const Clock& clock_;
  Logger& log_;
};

// A letter or digit, then letters, digits, "-", "_" and "."; at most 128, and no ".git" at the end.
bool IsRepoName(std::string_view name);
// kNotFound in the API's words when there is none.
RepoRecord LoadRepo(Txn& txn, const std::string& project, const std::string& repo);

}  // namespace fireweed::source
