#include "source/repos_service.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "identity/policies.h"

namespace fireweed::source {
namespace {

constexpr size_t kLongestName = 128;
constexpr int32_t kLargestPage = 500;

api::source::Repo Shown(const RepoRecord& record) {
  return {.name = record.resource(),
          .url = fmt::format("https://{}/p/{}/r/{}", api::source::kGitHost, record.project,
                             record.name)};
}

std::set<std::string> KnownDirectories(const Catalog& catalog) {
  std::set<std::string> known;
  ForEach<RepoRecord>(catalog, {}, [&](const auto& row) { known.insert(row.value.directory); });
  return known;
}

}  // namespace

bool IsRepoName(std::string_view name) {
  auto plain = [](unsigned char c) { return std::isalnum(c) != 0; };
  auto fits = [&](unsigned char c) { return plain(c) || c == '-' || c == '_' || c == '.'; };
  if (name.size() > kLongestName || name.ends_with(".git")) return false;
  // Every part between slashes is a name by itself.
  while (true) {
    size_t slash = name.find('/');
    std::string_view part = name.substr(0, slash);
    if (part.empty() || !plain(static_cast<unsigned char>(part[0]))) return false;
    if (!std::ranges::all_of(part, fits)) return false;
    if (slash == std::string_view::npos) return true;
    name.remove_prefix(slash + 1);
  }
}

RepoRecord LoadRepo(Txn& txn, const std::string& project, const std::string& repo) {
  auto row = txn.Find<RepoRecord>(project + "/" + repo);
  if (!row) {
    throw Failure(Code::kNotFound,
                  fmt::format("Repository 'projects/{}/repos/{}' not found.", project, repo));
  }
  return std::move(row->value);
}

ReposService::ReposService(Catalog& catalog, RepoStore& store, const identity::Projects& projects,
                           net::AccessControl& access, IdSource& ids, const Clock& clock,
                           Logger& log)
    : catalog_(catalog),
      store_(store),
      projects_(projects),
      access_(access),
      ids_(ids),
      clock_(clock),
      log_(log) {
  store_.RemoveForgotten(KnownDirectories(catalog_));
}

void ReposService::Serve(net::Router& router) {
  namespace s = api::source;
  router.On(s::kCreateRepo, this, &ReposService::Create);
  router.On(s::kListRepos, this, &ReposService::List);
  router.On(s::kGetRepo, this, &ReposService::Get);
  router.On(s::kDeleteRepo, this, &ReposService::Delete);
  router.On(s::kGetRepoPolicy, this, &ReposService::GetPolicy);
  router.On(s::kSetRepoPolicy, this, &ReposService::SetPolicy);
  router.On(s::kTestRepoPermissions, this, &ReposService::TestPermissions);
}

api::source::Repo ReposService::Create(const api::source::CreateRepo& request,
                                       const net::Call& call) {
  std::string prefix = "projects/" + request.project + "/repos/";
  std::string name =
      request.body.name.starts_with(prefix) ? request.body.name.substr(prefix.size()) : "";
  if (!IsRepoName(name)) {
    throw Failure(Code::kInvalid, fmt::format("Invalid repository name '{}'.", request.body.name));
  }
  auto refuse_second = [&](Txn& txn) {
    if (!txn.Find<RepoRecord>(request.project + "/" + name)) return;
    throw Failure(Code::kExists, fmt::format("Repository '{}' already exists.", request.body.name));
  };
  catalog_.Read(refuse_second);
  RepoRecord record{.project = request.project,
                    .name = name,
                    .directory = std::to_string(ids_.NextNumber()) + ".git",
                    .created = clock_.Now()};
  store_.Create(record.directory);
  try {
    catalog_.Write("source repository", [&](Txn& txn) {
      projects_.Ensure(txn, request.project, call.caller);
      refuse_second(txn);
      txn.Put(record.key(), record, 0);
      identity::CreatePolicy(txn, record.resource(), "projects/" + record.project);
    });
  } catch (...) {
    store_.Remove(record.directory);
    throw;
  }
  log_.Info("source repository created", {{"repo", record.key()}, {"by", call.caller.email}});
  return Shown(record);
}

api::source::RepoList ReposService::List(const api::source::ListRepos& request, const net::Call&) {
  ScanRange range{.prefix = request.project + "/"};
  int32_t wanted = request.pageSize > 0 ? std::min(request.pageSize, kLargestPage) : kLargestPage;
  range.limit = wanted;
  if (!request.pageToken.empty()) range.after = request.project + "/" + request.pageToken;
  auto rows = Query(catalog_, [&](Txn& txn) { return txn.Scan<RepoRecord>(range); });
  api::source::RepoList reply;
  for (const auto& row : rows) reply.repos.push_back(Shown(row.value));
  if (std::ssize(rows) == wanted) reply.nextPageToken = rows.back().value.name;
  return reply;
}

api::source::Repo ReposService::Get(const api::source::NameRepo& request, const net::Call&) {
  RepoRecord record =
      Query(catalog_, [&](Txn& txn) { return LoadRepo(txn, request.project, request.repo); });
  api::source::Repo repo = Shown(record);
  repo.size = store_.SizeOf(record.directory);
  return repo;
}

api::Empty ReposService::Delete(const api::source::NameRepo& request, const net::Call& call) {
  RepoRecord record = Update(catalog_, "source repository delete", [&](Txn& txn) {
    RepoRecord found = LoadRepo(txn, request.project, request.repo);
    identity::ErasePolicy(txn, found.resource());
    txn.Erase<RepoRecord>(found.key());
    return found;
  });
  store_.Remove(record.directory);
  log_.Info("source repository deleted", {{"repo", record.key()}, {"by", call.caller.email}});
  return {};
}

api::Policy ReposService::GetPolicy(const api::source::NameRepo& request, const net::Call&) {
  return Query(catalog_, [&](Txn& txn) {
    return identity::GetPolicy(txn, LoadRepo(txn, request.project, request.repo).resource());
  });
}

api::Policy ReposService::SetPolicy(const api::source::SetRepoPolicy& request,
                                    const net::Call& call) {
  api::Policy policy = Update(catalog_, "source repository policy", [&](Txn& txn) {
    return identity::SetPolicy(txn, LoadRepo(txn, request.project, request.repo).resource(),
                               request.body.policy);
  });
  log_.Info("policy changed",
            {{"repo", request.project + "/" + request.repo}, {"by", call.caller.email}});
  return policy;
}

api::TestPermissionsBody ReposService::TestPermissions(
    const api::source::TestRepoPermissions& request, const net::Call& call) {
  if (call.caller.anonymous()) throw Failure(Code::kUnauthenticated, "Sign in first.");
  RepoRecord record =
      Query(catalog_, [&](Txn& txn) { return LoadRepo(txn, request.project, request.repo); });
  return {identity::GrantedOf(access_, call.caller, request.body.permissions, record.resource())};
}

}  // namespace fireweed::source
