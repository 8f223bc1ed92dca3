// What for: resources that are kept and shown and do nothing by themselves (networks, firewall rules, addresses): insert,
//   get, list, delete and patch, the same for all. What is special about a kind is in its rules.
// Who calls: services' handlers, on pool threads; throws Failure with Google's words.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/compute/requests.h"
#include "base/clock.h"
#include "base/ids.h"
#include "compute/links.h"
#include "compute/operations_service.h"
#include "compute/paging.h"
#include "compute/refusals.h"
#include "compute/stored_record.h"
#include "net/router.h"

namespace fireweed::compute {

template <class T>
struct StoredRules {
  std::string collection;  // "networks"
  std::string kind;        // "compute#network"
  // Checks a new resource or one that was patched, and completes it. Throws Failure.
  std::function<void(Txn&, StoredRecord<T>&)> fit;
  // Throws Failure when something still needs it.
  std::function<void(Txn&, const StoredRecord<T>&)> check_unused;
  // What every project finds there and nobody made. May be empty.
  std::function<std::vector<T>(Txn&, const std::string& project, const std::string& scope)> given;
};

template <class T>
class StoredResources {
 public:
  StoredResources(Catalog& catalog, IdSource& ids, const Clock& clock, StoredRules<T> rules)
      : catalog_(catalog), ids_(ids), clock_(clock), rules_(std::move(rules)) {}

  // Handlers of global resources.
  api::compute::Operation Insert(const api::compute::InsertGlobal<T>& request,
                                 const net::Call& call) {
    return InsertIn("global", request, call);
  }
  T Get(const api::compute::GetGlobal& request, const net::Call&) {
    return GetIn("global", request);
  }
  api::compute::ListOf<T> List(const api::compute::ListProject& request, const net::Call&) {
    return ListIn("global", request);
  }
  api::compute::Operation Delete(const api::compute::ChangeGlobal& request, const net::Call& call) {
    return DeleteIn("global", request, call);
  }
  api::compute::Operation Patch(const api::compute::EditGlobal<Json>& request,
                                const net::Call& call) {
    return PatchIn("global", request, call);
  }

  // Handlers of regional ones.
  api::compute::Operation InsertRegional(const api::compute::InsertRegional<T>& request,
                                         const net::Call& call) {
    return InsertIn(Scope(request), request, call);
  }
  T GetRegional(const api::compute::GetRegional& request, const net::Call&) {
    return GetIn(Scope(request), request);
  }
  api::compute::ListOf<T> ListRegional(const api::compute::ListRegional& request,
                                       const net::Call&) {
    return ListIn(Scope(request), request);
  }
  api::compute::Operation DeleteRegional(const api::compute::ChangeRegional& request,
                                         const net::Call& call) {
    return DeleteIn(Scope(request), request, call);
  }
  api::compute::Operation PatchRegional(const api::compute::EditRegional<Json>& request,
                                        const net::Call& call) {
    return PatchIn(Scope(request), request, call);
  }

  // Over all scopes; `scopes` are those with given resources.
  template <class Scoped>
  api::compute::AggregatedListOf<Scoped> Aggregate(const api::compute::ListProject& request,
                                                   std::vector<T> Scoped::*items,
                                                   const std::vector<std::string>& scopes);

 private:
  template <class Request>
  static std::string Scope(const Request& request) {
    RequireRegion(request.project, request.region);
    return "regions/" + request.region;
  }
  std::string Path(const std::string& scope, const std::string& name) const {
    return scope + "/" + rules_.collection + "/" + name;
  }
  std::vector<T> Given(Txn& txn, const std::string& project, const std::string& scope) const {
    return rules_.given ? rules_.given(txn, project, scope) : std::vector<T>{};
  }
  bool IsGiven(Txn& txn, const std::string& project, const std::string& scope,
               const std::string& name) const {
    return std::ranges::any_of(Given(txn, project, scope),
                               [&](const T& one) { return one.name == name; });
  }
  // An operation that is done when it is written; `body` gives the id of what it was about.
  template <class Request>
  api::compute::Operation Do(const std::string& scope, const Request& request,
                             const std::string& name, const std::string& verb,
                             const net::Call& call, const std::function<int64_t(Txn&)>& body);
  template <class Request>
  api::compute::Operation InsertIn(const std::string& scope, const Request& request,
                                   const net::Call& call);
  template <class Request>
  T GetIn(const std::string& scope, const Request& request) const;
  template <class Request>
  api::compute::ListOf<T> ListIn(const std::string& scope, const Request& request) const;
  template <class Request>
  api::compute::Operation DeleteIn(const std::string& scope, const Request& request,
                                   const net::Call& call);
  template <class Request>
  api::compute::Operation PatchIn(const std::string& scope, const Request& request,
                                  const net::Call& call);
  StoredRecord<T> Find(Txn& txn, const std::string& project, const std::string& scope,
                       const std::string& name) const;
  // Stored and given ones, by key.
  std::map<Key, T> All(Txn& txn, const std::string& project,
                       const std::vector<std::string>& scopes) const;

  Catalog& catalog_;
  IdSource& ids_;
  const Clock& clock_;
  const StoredRules<T> rules_;
};

template <class T>
template <class Request>
api::compute::Operation StoredResources<T>::Do(const std::string& scope, const Request& request,
                                               const std::string& name, const std::string& verb,
                                               const net::Call& call,
                                               const std::function<int64_t(Txn&)>& body) {
  Key key = request.project + "/" + scope + "/" + name;
  Operation operation =
      NewOperation(ids_, {request.project, scope, kRecordKind<StoredRecord<T>>, key, 0}, verb,
                   request.requestId, call.caller);
  Time now = clock_.Now();
  return ShowOperation(Update(catalog_, rules_.collection + " " + verb, [&](Txn& txn) {
    if (auto earlier = FindRetried(txn, operation)) return *earlier;
    Operation fresh = operation;
    fresh.target_id = body(txn);
    fresh.ended = now;
    return Begin(txn, fresh, now);
  }));
}

template <class T>
template <class Request>
api::compute::Operation StoredResources<T>::InsertIn(const std::string& scope,
                                                     const Request& request,
                                                     const net::Call& call) {
  RequireResourceName(request.body.name);
  StoredRecord<T> record{request.project, scope, request.body};
  T& resource = record.resource;
  resource.id = ids_.NextNumber();
  resource.creationTimestamp = FormatTime(clock_.Now());
  resource.selfLink = ScopedLink(request.project, scope, rules_.collection, resource.name);
  return Do(scope, request, resource.name, "insert", call, [&](Txn& txn) {
    if (txn.Find<StoredRecord<T>>(record.key()) ||
        IsGiven(txn, request.project, scope, resource.name)) {
      AlreadyThere(request.project, Path(scope, resource.name));
    }
    StoredRecord<T> fresh = record;
    rules_.fit(txn, fresh);
    txn.Put(fresh.key(), fresh, 0);
    return fresh.resource.id;
  });
}

template <class T>
StoredRecord<T> StoredResources<T>::Find(Txn& txn, const std::string& project,
                                         const std::string& scope, const std::string& name) const {
  auto row = txn.Find<StoredRecord<T>>(project + "/" + scope + "/" + name);
  if (row) return std::move(row->value);
  if (!IsGiven(txn, project, scope, name)) Missing(project, Path(scope, name));
  throw Failure(Code::kInvalid, "invalidResourceUsage",
                "The resource '" + Path(scope, name) +
                    "' is part of every project here: it can be neither changed nor deleted.");
}

template <class T>
template <class Request>
T StoredResources<T>::GetIn(const std::string& scope, const Request& request) const {
  return Query(catalog_, [&](Txn& txn) -> T {
    auto row = txn.Find<StoredRecord<T>>(request.project + "/" + scope + "/" + request.name);
    if (row) return std::move(row->value.resource);
    for (T& one : Given(txn, request.project, scope)) {
      if (one.name == request.name) return std::move(one);
    }
    Missing(request.project, Path(scope, request.name));
  });
}

template <class T>
std::map<Key, T> StoredResources<T>::All(Txn& txn, const std::string& project,
                                         const std::vector<std::string>& scopes) const {
  std::map<Key, T> all;
  for (const std::string& scope : scopes) {
    for (T& one : Given(txn, project, scope)) {
      Key key = project + "/" + scope + "/" + one.name;
      all.emplace(std::move(key), std::move(one));
    }
  }
  std::string prefix = project + "/";
  if (scopes.size() == 1) prefix += scopes.front() + "/";
  txn.ForEach<StoredRecord<T>>({.prefix = prefix}, [&](Row<StoredRecord<T>>& row) {
    all.insert_or_assign(row.key, std::move(row.value.resource));
  });
  return all;
}

template <class T>
template <class Request>
api::compute::ListOf<T> StoredResources<T>::ListIn(const std::string& scope,
                                                   const Request& request) const {
  std::map<Key, T> all =
      Query(catalog_, [&](Txn& txn) { return All(txn, request.project, {scope}); });
  PageOf<T> page = PageOfTable<T>(PageRequest(request), {all.begin(), all.end()});
  return {.kind = rules_.kind + "List",
          .id = "projects/" + request.project + "/" + scope + "/" + rules_.collection,
          .items = page.TakeValues(),
          .nextPageToken = page.next,
          .selfLink = ProjectLink(request.project) + "/" + scope + "/" + rules_.collection};
}

template <class T>
template <class Scoped>
api::compute::AggregatedListOf<Scoped> StoredResources<T>::Aggregate(
    const api::compute::ListProject& request, std::vector<T> Scoped::*items,
    const std::vector<std::string>& scopes) {
  std::map<Key, T> all =
      Query(catalog_, [&](Txn& txn) { return All(txn, request.project, scopes); });
  PageOf<T> page = PageOfTable<T>(PageRequest(request), {all.begin(), all.end()});
  api::compute::AggregatedListOf<Scoped> reply{
      .kind = rules_.kind + "AggregatedList",
      .id = "projects/" + request.project + "/aggregated/" + rules_.collection,
      .nextPageToken = page.next,
      .selfLink = ProjectLink(request.project) + "/aggregated/" + rules_.collection};
  for (auto& [key, one] : page.items) {
    size_t begin = key.find('/') + 1, end = key.rfind('/');
    (reply.items[key.substr(begin, end - begin)].*items).push_back(std::move(one));
  }
  for (const std::string& scope : scopes) {
    if (!request.includeAllScopes) break;
    Scoped& scoped = reply.items[scope];
    if ((scoped.*items).empty()) scoped.warning = NoResultsIn(scope);
  }
  return reply;
}

template <class T>
template <class Request>
api::compute::Operation StoredResources<T>::DeleteIn(const std::string& scope,
                                                     const Request& request,
                                                     const net::Call& call) {
  return Do(scope, request, request.name, "delete", call, [&](Txn& txn) {
    StoredRecord<T> record = Find(txn, request.project, scope, request.name);
    if (rules_.check_unused) rules_.check_unused(txn, record);
    txn.Erase<StoredRecord<T>>(record.key());
    return record.resource.id;
  });
}

template <class T>
template <class Request>
api::compute::Operation StoredResources<T>::PatchIn(const std::string& scope,
                                                    const Request& request, const net::Call& call) {
  return Do(scope, request, request.name, "patch", call, [&](Txn& txn) {
    StoredRecord<T> record = Find(txn, request.project, scope, request.name);
    PatchJson(record.resource, request.body.text);
    rules_.fit(txn, record);
    txn.Put(record.key(), record);
    return record.resource.id;
  });
}

}  // namespace fireweed::compute
