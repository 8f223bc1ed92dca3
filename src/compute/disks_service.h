// What for: disks on the wire: those instances brought along, and those made by themselves.
// Who calls: the router, on pool threads. Changes are done when the reply is sent; what was on a deleted disk is
//   removed soon after by the disk controller.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "api/compute/disk_methods.h"
#include "base/clock.h"
#include "base/ids.h"
#include "catalog/catalog.h"
#include "compute/catalogue.h"
#include "compute/instance_identity.h"
#include "compute/quota.h"
#include "compute/records.h"
#include "net/router.h"

namespace fireweed::compute {

class DisksService {
 public:
  DisksService(Catalog& catalog, net::AccessControl& access, InstanceIdentity& identity,
               const Catalogue& catalogue, QuotaLimits quotas, IdSource& ids, const Clock& clock,
               bool strict = false)
      : catalog_(catalog),
        access_(access),
        identity_(identity),
        catalogue_(catalogue),
        quotas_(std::move(quotas)),
        ids_(ids),
        clock_(clock),
        strict_(strict) {}
  void Serve(net::Router& router);

  api::compute::ListOf<api::compute::Disk> List(const api::compute::ListZonal& request,
                                                const net::Call& call);
  api::compute::AggregatedListOf<api::compute::DisksScopedList> Aggregate(
      const api::compute::ListProject& request, const net::Call& call);
  api::compute::Disk Get(const api::compute::GetZonal& request, const net::Call& call);
  api::compute::Operation Insert(const api::compute::InsertDisk& request, const net::Call& call);
  api::compute::Operation Delete(const api::compute::ChangeZonal& request, const net::Call& call);
  api::compute::Operation Resize(const api::compute::EditZonal<api::compute::ResizeBody>& request,
                                 const net::Call& call);
  api::compute::Operation SetLabels(
      const api::compute::EditZonal<api::compute::LabelsBody>& request, const net::Call& call);
  api::compute::Operation CreateSnapshot(
      const api::compute::EditZonal<api::compute::Snapshot>& request, const net::Call& call);

 private:
  // What it gives is why nothing was changed; then the operation ends with it.
  using Change = std::function<std::optional<Error>(Txn&, DiskRecord&)>;
  template <class Request>
  api::compute::Operation Apply(const Request& request, const net::Call& call,
                                const std::string& verb, const Change& change);

  // Constant after construction.
  Catalog& catalog_;
  net::AccessControl& access_;
  InstanceIdentity& identity_;
  const Catalogue& catalogue_;
  const QuotaLimits quotas_;
  IdSource& ids_;
  const Clock& clock_;
  const bool strict_;  // refuse images that the base image stands for
};

}  // namespace fireweed::compute
