// What for: images on the wire. An insert checks and writes what is wanted together with an operation; bytes, where
//   there are any to move, are the image controller's.
// Who calls: the router, on pool threads.
#pragma once

#include <functional>
#include <string>

#include "api/compute/image_methods.h"
#include "base/clock.h"
#include "base/ids.h"
#include "catalog/catalog.h"
#include "compute/instance_identity.h"
#include "compute/records.h"
#include "control/operations.h"
#include "net/router.h"

namespace fireweed::compute {

class ImagesService {
 public:
  ImagesService(Catalog& catalog, net::AccessControl& access, InstanceIdentity& identity,
                IdSource& ids, const Clock& clock, bool strict = false)
      : catalog_(catalog),
        access_(access),
        identity_(identity),
        ids_(ids),
        clock_(clock),
        strict_(strict) {}
  void Serve(net::Router& router);

  api::compute::Image Get(const api::compute::GetGlobal& request, const net::Call& call);
  api::compute::Image GetFromFamily(const api::compute::GetGlobal& request, const net::Call& call);
  api::compute::ImageFamilyView GetFamilyView(const api::compute::GetZonal& request,
                                              const net::Call& call);
  api::compute::ListOf<api::compute::Image> List(const api::compute::ListProject& request,
                                                 const net::Call& call);
  api::compute::Operation Insert(const api::compute::InsertImage& request, const net::Call& call);
  api::compute::Operation Delete(const api::compute::ChangeGlobal& request, const net::Call& call);
  api::compute::Operation Patch(const api::compute::EditGlobal<Json>& request,
                                const net::Call& call);
  api::compute::Operation Deprecate(
      const api::compute::EditGlobal<api::compute::Deprecation>& request, const net::Call& call);
  api::compute::Operation SetLabels(
      const api::compute::EditGlobal<api::compute::LabelsBody>& request, const net::Call& call);
  api::Policy GetPolicy(const api::compute::GetGlobal& request, const net::Call& call);
  api::Policy SetPolicy(const api::compute::SetImagePolicy& request, const net::Call& call);
  api::TestPermissionsBody TestPermissions(const api::compute::TestImagePermissions& request,
                                           const net::Call& call);

 private:
  using Change = std::function<void(Txn&, ImageRecord&)>;
  // A change of an image that is there, done at once: the operation is born ended.
  template <class Request>
  api::compute::Operation Apply(const Request& request, const net::Call& call,
                                const std::string& verb, const Change& change);
  // Public image projects are everybody's to read, and the daemon's owner's to change.
  void Require(std::string_view permission, const std::string& project, const std::string& image,
               const net::Call& call);
  void CheckSource(const api::compute::InsertImage& request, const net::Call& call);
  ImageRecord MakeImage(Txn& txn, const api::compute::InsertImage& request, int64_t id, Time now);
  api::compute::Image Resolve(const std::string& project, const std::string& path);

  // Constant after construction.
  Catalog& catalog_;
  net::AccessControl& access_;
  InstanceIdentity& identity_;
  IdSource& ids_;
  const Clock& clock_;
  const bool strict_;  // refuse images that the base image stands for
};

}  // namespace fireweed::compute
