// What for: managed instance groups on the wire. A request writes what is wanted; the group controller does the rest. As in
//   the cloud, an operation ends when the wish is taken; `status.isStable` says when it has come true. Only a delete
//   waits until everything is gone.
// Who calls: the router, on pool threads.
#pragma once

#include <functional>
#include <string>

#include "api/compute/instance_group_manager_methods.h"
#include "base/clock.h"
#include "base/ids.h"
#include "catalog/catalog.h"
#include "compute/group_records.h"
#include "compute/instance_templates.h"
#include "net/router.h"

namespace fireweed::compute {

class GroupManagersService {
 public:
  GroupManagersService(Catalog& catalog, MakerRights rights, IdSource& ids, const Clock& clock)
      : catalog_(catalog), rights_(rights), ids_(ids), clock_(clock) {}
  void Serve(net::Router& router);

  api::compute::Operation Insert(const api::compute::InsertManagedGroup& request,
                                 const net::Call& call);
  api::compute::Operation InsertRegional(const api::compute::InsertRegionalManagedGroup& request,
                                         const net::Call& call);
  api::compute::ManagedGroup Get(const api::compute::GetZonal& request, const net::Call& call);
  api::compute::ListOf<api::compute::ManagedGroup> List(const api::compute::ListZonal& request,
                                                        const net::Call& call);
  api::compute::AggregatedListOf<api::compute::InstanceGroupManagersScopedList> Aggregate(
      const api::compute::ListProject& request, const net::Call& call);
  api::compute::Operation Patch(const api::compute::PatchManagedGroup& request,
                                const net::Call& call);
  api::compute::Operation Delete(const api::compute::ChangeManagedGroup& request,
                                 const net::Call& call);
  api::compute::Operation Resize(const api::compute::ResizeManagedGroup& request,
                                 const net::Call& call);
  api::compute::ManagedInstances ListManaged(const api::compute::ListManaged& request,
                                             const net::Call& call);
  api::compute::GroupErrorList ListErrors(const api::compute::ListManaged& request,
                                          const net::Call& call);
  api::compute::Operation Recreate(const api::compute::ChangeGroupInstances& request,
                                   const net::Call& call);
  api::compute::Operation DeleteInstances(const api::compute::ChangeGroupInstances& request,
                                          const net::Call& call);
  api::compute::Operation Abandon(const api::compute::ChangeGroupInstances& request,
                                  const net::Call& call);
  api::compute::Operation CreateInstances(const api::compute::CreateGroupInstances& request,
                                          const net::Call& call);
  api::compute::Operation SetTemplate(const api::compute::SetGroupTemplate& request,
                                      const net::Call& call);
  api::compute::Operation SetTargetPools(const api::compute::SetGroupTargetPools& request,
                                         const net::Call& call);

 private:
  // One transaction: the earlier operation of the same request id, or the change and its operation.
  using Change = std::function<void(Txn&, GroupRecord&)>;
  template <class Request>
  api::compute::Operation Apply(const Request& request, const net::Call& call, std::string verb,
                                const Change& change);
  // The template, after a look whether the caller may make instances of it.
  TemplateRecord UsableTemplate(const std::string& project, const std::string& reference,
                                const net::Call& call);
  void FitGroup(GroupRecord& record, const net::Call& call);

  // Constant after construction.
  Catalog& catalog_;
  const MakerRights rights_;
  IdSource& ids_;
  const Clock& clock_;
};

}  // namespace fireweed::compute
