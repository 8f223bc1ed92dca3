// What for: models on the wire (ml v1): create, get, list, patch, delete, policies.
// Who calls: the router, on pool threads. May block for the catalog.
// A failure: Failure in the API's words; nothing is changed then.
#pragma once

#include "api/ml/model_methods.h"
#include "base/ids.h"
#include "base/log.h"
#include "catalog/catalog.h"
#include "identity/projects.h"
#include "ml/models/model_names.h"
#include "net/router.h"

namespace fireweed::ml {

class ModelsService {
 public:
  ModelsService(Catalog& catalog, const identity::Projects& projects, net::AccessControl& access,
                IdSource& ids, const Clock& clock, Logger& log)
      : catalog_(catalog),
        projects_(projects),
        access_(access),
        ids_(ids),
        clock_(clock),
        log_(log) {}
  void Serve(net::Router& router);

  api::ml::Model Create(const api::ml::CreateModel& request, const net::Call& call);
  api::ml::Model Get(const api::ml::NameModel& request, const net::Call& call);
  api::ml::ModelList List(const api::ml::ListModels& request, const net::Call& call);
  api::LongRunningOperation Patch(const api::ml::PatchModel& request, const net::Call& call);
  api::LongRunningOperation Delete(const api::ml::NameModel& request, const net::Call& call);
  api::Policy GetPolicy(const api::ml::NameModel& request, const net::Call& call);
  api::Policy SetPolicy(const api::ml::SetModelPolicy& request, const net::Call& call);
  api::TestPermissionsBody TestPermissions(const api::ml::TestModelPermissions& request,
                                           const net::Call& call);

 private:
  Operation Ended(Txn& txn, std::string verb, const ModelRecord& record, const net::Call& call);

  // Constant after construction.
  Catalog& catalog_;
  const identity::Projects& projects_;
  net::AccessControl& access_;
  IdSource& ids_;
  const Clock& clock_;
  Logger& log_;
};

}  // namespace fireweed::ml
