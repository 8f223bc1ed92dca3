// What for: instance templates on the wire, and instances made of them.
// Who calls: the router on pool threads; InstanceFrom and its like inside transactions of others.
// A failure: Failure with Google's words.
#pragma once

#include <string>
#include <string_view>

#include "api/compute/instance_methods.h"
#include "api/compute/instance_templates.h"
#include "base/clock.h"
#include "base/ids.h"
#include "catalog/catalog.h"
#include "compute/catalogue.h"
#include "compute/group_records.h"
#include "compute/instance_identity.h"
#include "net/router.h"

namespace fireweed::compute {

// A reference to a template of `project`, as sent. kNotFound when there is none, kInvalid when it is regional.
TemplateRecord FindTemplate(Txn& txn, const std::string& project, std::string_view reference);

// The body of an insert for an instance of this template.
api::compute::Instance InstanceFrom(const TemplateRecord& source, const std::string& name);
// The other way: what another instance like this one needs.
api::compute::InstanceProperties PropertiesOf(const InstanceRecord& record);

// An insert that names a template, with the template's properties under its own; any other as it is.
api::compute::InsertInstance WithTemplate(const Catalog& catalog,
                                          const api::compute::InsertInstance& request);

// Whether the caller may make instances of this: accounts they run as, images they boot. Throws Failure.
struct MakerRights {
  net::AccessControl& access;
  InstanceIdentity& identity;
};
// The account that `wanted` means ("default" or empty: the project's), when it is there and the caller may act as it.
std::string RequireAccount(const MakerRights& rights, const net::Caller& caller,
                           const std::string& project, const std::string& wanted);
void RequireMaking(const MakerRights& rights, const net::Caller& caller, const std::string& project,
                   const api::compute::InstanceProperties& properties);

class InstanceTemplatesService {
 public:
  InstanceTemplatesService(Catalog& catalog, MakerRights rights, const Catalogue& catalogue,
                           IdSource& ids, const Clock& clock)
      : catalog_(catalog), rights_(rights), catalogue_(catalogue), ids_(ids), clock_(clock) {}
  void Serve(net::Router& router);

  api::compute::Operation Insert(const api::compute::InsertInstanceTemplate& request,
                                 const net::Call& call);
  api::compute::InstanceTemplate Get(const api::compute::GetGlobal& request, const net::Call& call);
  api::compute::ListOf<api::compute::InstanceTemplate> List(
      const api::compute::ListProject& request, const net::Call& call);
  api::compute::AggregatedListOf<api::compute::InstanceTemplatesScopedList> Aggregate(
      const api::compute::ListProject& request, const net::Call& call);
  api::compute::Operation Delete(const api::compute::ChangeTemplate& request,
                                 const net::Call& call);

 private:
  // Would an instance of it be taken? Throws what its insert would throw.
  void TryOut(Txn& txn, const TemplateRecord& record, const std::string& default_account,
              int64_t id, Time now);

  // Constant after construction.
  Catalog& catalog_;
  const MakerRights rights_;
  const Catalogue& catalogue_;
  IdSource& ids_;
  const Clock& clock_;
};

}  // namespace fireweed::compute
