// What for: versions and operations on the wire (ml v1).
// Who calls: the router, on pool threads. May block for the catalog. The answer to a create comes when the version is
//   ready, failed, or after a moment, whatever is first: then clients need not poll for what is done in milliseconds.
// A failure: Failure in the API's words; nothing is changed then.
#pragma once

#include "api/ml/model_methods.h"
#include "base/ids.h"
#include "base/log.h"
#include "catalog/catalog.h"
#include "control/operation_waiters.h"
#include "ml/models/model_names.h"
#include "net/router.h"

namespace fireweed::ml {

class VersionsService {
 public:
  VersionsService(Catalog& catalog, net::AccessControl& access, OperationWaiters& waiters,
                  IdSource& ids, const Clock& clock, Logger& log)
      : catalog_(catalog),
        access_(access),
        waiters_(waiters),
        ids_(ids),
        clock_(clock),
        log_(log) {}
  void Serve(net::Router& router);

  net::Answer Create(const api::ml::CreateVersion& request, const net::Call& call);
  api::ml::Version Get(const api::ml::NameVersion& request, const net::Call& call);
  api::ml::VersionList List(const api::ml::ListVersions& request, const net::Call& call);
  net::Answer Patch(const api::ml::PatchVersion& request, const net::Call& call);
  net::Answer Delete(const api::ml::NameVersion& request, const net::Call& call);
  api::ml::Version SetDefault(const api::ml::SetDefaultVersion& request, const net::Call& call);

  net::Answer GetOperation(const api::ml::NameOperation& request, const net::Call& call);
  api::ml::OperationList ListOperations(const api::ml::ListOperations& request,
                                        const net::Call& call);
  api::Empty CancelOperation(const api::ml::CancelOperation& request, const net::Call& call);

 private:
  Operation NewOperation(std::string verb, const VersionRecord& record, const net::Call& call);
  net::Answer WhenEnded(const Operation& operation, int64_t wait_ms);
  net::Response Shown(const Key& operation);

  // Constant after construction.
  Catalog& catalog_;
  net::AccessControl& access_;
  OperationWaiters& waiters_;
  IdSource& ids_;
  const Clock& clock_;
  Logger& log_;
};

// Throws Failure(kInvalid) for what can never be served; fills in what was left out.
void CompleteVersion(api::ml::Version& version);

}  // namespace fireweed::ml
