// What for: verbs that edit what an instance is told to be: machine type, scheduling, account, disks, addresses. They
//   are done when they are written; what a machine reads only at its boot can be changed only while it is stopped. Data
//   disks come to a running machine and go from it: then they are done when the machine has followed.
// Who calls: the router, on pool threads.
#pragma once

#include "api/compute/instance_settings_methods.h"
#include "base/clock.h"
#include "base/ids.h"
#include "catalog/catalog.h"
#include "compute/catalogue.h"
#include "compute/instance_change.h"
#include "compute/instance_identity.h"
#include "compute/records.h"
#include "net/router.h"

namespace fireweed::compute {

class InstanceSettings {
 public:
  // `strict`: machine types that do not fit this machine are refused instead of clipped.
  InstanceSettings(Catalog& catalog, net::AccessControl& access, const Catalogue& catalogue,
                   InstanceIdentity& identity, IdSource& ids, const Clock& clock, bool strict)
      : catalog_(catalog),
        access_(access),
        catalogue_(catalogue),
        identity_(identity),
        ids_(ids),
        clock_(clock),
        strict_(strict) {}
  void Serve(net::Router& router);

  template <class Body>
  using Edit = api::compute::EditZonal<Body>;
  using Op = api::compute::Operation;

  Op SetMachineType(const Edit<api::compute::MachineTypeBody>& request, const net::Call& call);
  Op SetMachineResources(const Edit<api::compute::AcceleratorsBody>& request,
                         const net::Call& call);
  Op SetScheduling(const Edit<api::compute::Scheduling>& request, const net::Call& call);
  Op SetServiceAccount(const Edit<api::compute::InstanceServiceAccount>& request,
                       const net::Call& call);
  Op SetMinCpuPlatform(const Edit<api::compute::CpuPlatformBody>& request, const net::Call& call);
  Op SetDeletionProtection(const api::compute::SetDeletionProtection& request,
                           const net::Call& call);
  Op SetDiskAutoDelete(const api::compute::SetDiskAutoDelete& request, const net::Call& call);
  Op AttachDisk(const Edit<api::compute::AttachedDisk>& request, const net::Call& call);
  Op DetachDisk(const api::compute::DetachDisk& request, const net::Call& call);
  Op AddAccessConfig(const api::compute::EditAccessConfig& request, const net::Call& call);
  Op UpdateAccessConfig(const api::compute::EditAccessConfig& request, const net::Call& call);
  Op DeleteAccessConfig(const api::compute::DeleteAccessConfig& request, const net::Call& call);
  Op Update(const Edit<Json>& request, const net::Call& call);
  api::Empty Screenshot(const api::compute::GetZonal& request, const net::Call& call);

 private:
  template <class Request>
  Op Change(const Request& request, const net::Call& call, std::string verb,
            const InstanceTxnChange& change);

  // Constant after construction.
  Catalog& catalog_;
  net::AccessControl& access_;
  const Catalogue& catalogue_;
  InstanceIdentity& identity_;
  IdSource& ids_;
  const Clock& clock_;
  const bool strict_;
};

}  // namespace fireweed::compute
