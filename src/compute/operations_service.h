// Operations of compute on the wire: get, list, wait in each scope, and the aggregated list.
//
// An operation's scope is "PROJECT/zones/Z", "PROJECT/regions/R" or "PROJECT/global"; its id is its name.
#pragma once

#include <string>
#include <string_view>

#include "api/compute/methods.h"
#include "base/clock.h"
#include "base/ids.h"
#include "catalog/catalog.h"
#include "compute/records.h"
#include "control/operation_waiters.h"
#include "control/operations.h"
#include "net/router.h"

namespace fireweed::compute {

// As the API shows it. Pure.
api::compute::Operation ShowOperation(const Operation& operation);

// A fresh operation about a resource: not stored yet. `scope` as above without the project.
struct OperationTarget {
  std::string project, scope;
  std::string_view kind;  // catalog kind and key of the target
  Key key;
  int64_t version = 0;
  int64_t id = 0;  // where it is known before the transaction
};
Operation NewOperation(IdSource& ids, const OperationTarget& target, std::string verb,
                       std::string request_id, const net::Caller& caller);
// What was used instead of what the client asked for; gcloud prints it.
void SetWarnings(Operation& operation, const std::vector<std::string>& warnings);
// What the system does to an instance by itself, for the record's generation.
Operation SystemOperation(IdSource& ids, const InstanceRecord& record, std::string verb);

// Handlers run on pool threads. A wait holds no thread: it is answered from the control thread when the operation
// ends, and with the operation as it is after two minutes.
class OperationsService {
 public:
  OperationsService(Catalog& catalog, OperationWaiters& waiters)
      : catalog_(catalog), waiters_(waiters) {}
  void Serve(net::Router& router);

  api::compute::Operation GetZone(const api::compute::GetZonal& request, const net::Call& call);
  api::compute::Operation GetRegion(const api::compute::GetRegional& request,
                                    const net::Call& call);
  api::compute::Operation GetGlobal(const api::compute::GetGlobal& request, const net::Call& call);
  net::Answer WaitZone(const api::compute::GetZonal& request, const net::Call& call);
  net::Answer WaitRegion(const api::compute::GetRegional& request, const net::Call& call);
  net::Answer WaitGlobal(const api::compute::GetGlobal& request, const net::Call& call);
  api::compute::ListOf<api::compute::Operation> ListZone(const api::compute::ListZonal& request,
                                                         const net::Call& call);
  api::compute::ListOf<api::compute::Operation> ListRegion(
      const api::compute::ListRegional& request, const net::Call& call);
  api::compute::ListOf<api::compute::Operation> ListGlobal(const api::compute::ListProject& request,
                                                           const net::Call& call);
  api::compute::AggregatedListOf<api::compute::OperationsScopedList> Aggregate(
      const api::compute::ListProject& request, const net::Call& call);

 private:
  Operation Find(const std::string& project, const std::string& scope, const std::string& name);
  net::Answer Wait(const std::string& project, const std::string& scope, const std::string& name);
  template <class List>
  api::compute::ListOf<api::compute::Operation> ListScope(const List& request,
                                                          const std::string& scope);

  Catalog& catalog_;
  OperationWaiters& waiters_;
};

}  // namespace fireweed::compute
