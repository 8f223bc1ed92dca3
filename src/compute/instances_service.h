// What for: instances on the wire. Requests check, write what is wanted together with an operation, and return; the
//   instance controller does the rest.
// Who calls: the router, on pool threads.
#pragma once

#include <functional>
#include <string>

#include "api/compute/methods.h"
#include "base/clock.h"
#include "base/ids.h"
#include "catalog/catalog.h"
#include "compute/catalogue.h"
#include "compute/instance_change.h"
#include "compute/instance_identity.h"
#include "compute/quota.h"
#include "compute/records.h"
#include "control/operations.h"
#include "net/router.h"

namespace fireweed::compute {

struct InstanceRules {
  std::string console_directory;  // where serial ports are written
  bool strict = false;            // refuse instead of clipping (ADR 57)
  QuotaLimits quotas;
};

class InstancesService {
 public:
  InstancesService(Catalog& catalog, net::AccessControl& access, const Catalogue& catalogue,
                   InstanceIdentity& identity, IdSource& ids, const Clock& clock,
                   InstanceRules rules)
      : catalog_(catalog),
        access_(access),
        catalogue_(catalogue),
        identity_(identity),
        ids_(ids),
        clock_(clock),
        rules_(std::move(rules)) {}
  void Serve(net::Router& router);

  api::compute::Operation Insert(const api::compute::InsertInstance& request,
                                 const net::Call& call);
  api::compute::Instance Get(const api::compute::GetZonal& request, const net::Call& call);
  api::compute::ListOf<api::compute::Instance> List(const api::compute::ListZonal& request,
                                                    const net::Call& call);
  api::compute::AggregatedListOf<api::compute::InstancesScopedList> Aggregate(
      const api::compute::ListProject& request, const net::Call& call);
  api::compute::Operation Delete(const api::compute::ChangeInstance& request,
                                 const net::Call& call);
  api::compute::Operation Start(const api::compute::ChangeInstance& request, const net::Call& call);
  api::compute::Operation Stop(const api::compute::ChangeInstance& request, const net::Call& call);
  api::compute::Operation Reset(const api::compute::ChangeInstance& request, const net::Call& call);
  api::compute::Operation SetMetadata(const api::compute::SetInstanceMetadata& request,
                                      const net::Call& call);
  api::compute::Operation SetLabels(const api::compute::SetInstanceLabels& request,
                                    const net::Call& call);
  api::compute::Operation SetTags(const api::compute::SetInstanceTags& request,
                                  const net::Call& call);
  api::compute::SerialPortOutput SerialPort(const api::compute::GetSerialPort& request,
                                            const net::Call& call);

 private:
  template <class Request>
  api::compute::Operation Apply(const Request& request, const net::Call& call, std::string verb,
                                const InstanceChange& change, InstanceLimit limit = {});

  // Constant after construction.
  Catalog& catalog_;
  net::AccessControl& access_;
  const Catalogue& catalogue_;
  InstanceIdentity& identity_;
  IdSource& ids_;
  const Clock& clock_;
  const InstanceRules rules_;
};

}  // namespace fireweed::compute
