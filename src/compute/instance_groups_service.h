// What for: instance groups on the wire: those that people fill by hand, and managed ones as their readers see them. Nothing
//   has to be done about them: every operation is over when it is written.
// Who calls: the router, on pool threads.
#pragma once

#include <functional>
#include <string>

#include "api/compute/instance_groups.h"
#include "base/clock.h"
#include "base/ids.h"
#include "catalog/catalog.h"
#include "compute/group_records.h"
#include "net/router.h"

namespace fireweed::compute {

class InstanceGroupsService {
 public:
  InstanceGroupsService(Catalog& catalog, IdSource& ids, const Clock& clock)
      : catalog_(catalog), ids_(ids), clock_(clock) {}
  void Serve(net::Router& router);

  api::compute::Operation Insert(const api::compute::InsertGroup& request, const net::Call& call);
  api::compute::InstanceGroup Get(const api::compute::GetZonal& request, const net::Call& call);
  api::compute::ListOf<api::compute::InstanceGroup> List(const api::compute::ListZonal& request,
                                                         const net::Call& call);
  api::compute::AggregatedListOf<api::compute::InstanceGroupsScopedList> Aggregate(
      const api::compute::ListProject& request, const net::Call& call);
  api::compute::Operation Delete(const api::compute::ChangeGroup& request, const net::Call& call);
  api::compute::Operation AddInstances(const api::compute::ChangeGroupMembers& request,
                                       const net::Call& call);
  api::compute::Operation RemoveInstances(const api::compute::ChangeGroupMembers& request,
                                          const net::Call& call);
  api::compute::Operation SetNamedPorts(const api::compute::SetGroupPorts& request,
                                        const net::Call& call);
  api::compute::ListOf<api::compute::GroupedInstance> ListInstances(
      const api::compute::ListGroupMembers& request, const net::Call& call);
  api::compute::ListOf<api::compute::Autoscaler> ListAutoscalers(
      const api::compute::ListZonal& request, const net::Call& call);
  api::compute::AggregatedListOf<api::compute::AutoscalersScopedList> AggregateAutoscalers(
      const api::compute::ListProject& request, const net::Call& call);

 private:
  template <class Request>
  api::compute::Operation Apply(const Request& request, const net::Call& call, std::string verb,
                                const std::function<void(Txn&, PlainGroupRecord&)>& change);

  Catalog& catalog_;
  IdSource& ids_;
  const Clock& clock_;
};

}  // namespace fireweed::compute
