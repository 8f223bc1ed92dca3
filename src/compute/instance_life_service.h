// What for: the verbs by which an instance is frozen, thawed, preempted and maintained. A request writes what is wanted or
//   announced together with its operation; the instance controller does the rest.
// Who calls: the router, on pool threads.
// A failure: Failure with Google's words; kInvalid "resourceNotReady" for an instance that does not run.
#pragma once

#include "api/compute/instance_life_methods.h"
#include "base/clock.h"
#include "base/ids.h"
#include "catalog/catalog.h"
#include "compute/catalogue.h"
#include "compute/instance_change.h"
#include "compute/quota.h"
#include "net/router.h"

namespace fireweed::compute {

class InstanceLifeService {
 public:
  InstanceLifeService(Catalog& catalog, const Catalogue& catalogue, QuotaLimits quotas,
                      IdSource& ids, const Clock& clock)
      : catalog_(catalog),
        catalogue_(catalogue),
        quotas_(std::move(quotas)),
        ids_(ids),
        clock_(clock) {}
  void Serve(net::Router& router);

  api::compute::Operation Suspend(const api::compute::ChangeInstance& request,
                                  const net::Call& call);
  api::compute::Operation Resume(const api::compute::ChangeInstance& request,
                                 const net::Call& call);
  // The event is announced and the operation is over; what it does to the machine is an operation of the system's.
  api::compute::Operation SimulateMaintenance(const api::compute::ChangeInstance& request,
                                              const net::Call& call);
  api::compute::Operation Preempt(const api::compute::ChangeInstance& request,
                                  const net::Call& call);

 private:
  api::compute::Operation Apply(const api::compute::ChangeInstance& request, const net::Call& call,
                                std::string verb, const InstanceChange& change,
                                InstanceLimit limit = {});
  api::compute::Operation Announce(const api::compute::ChangeInstance& request,
                                   const net::Call& call, std::string verb,
                                   const std::function<NoticeCause(const InstanceRecord&)>& cause);

  // Constant after construction.
  Catalog& catalog_;
  const Catalogue& catalogue_;
  const QuotaLimits quotas_;
  IdSource& ids_;
  const Clock& clock_;
};

}  // namespace fireweed::compute
