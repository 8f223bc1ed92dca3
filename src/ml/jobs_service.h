// What for: projects.jobs of the ml API, on the wire: intents are written here, controllers act on them.
// Who calls: the router, on pool threads. May block for the catalog and the log store.
// A failure: Failure in the API's words.
#pragma once

#include <functional>
#include <string>

#include "api/ml/job_methods.h"
#include "base/ids.h"
#include "base/log.h"
#include "base/random.h"
#include "catalog/catalog.h"
#include "compute/catalogue.h"
#include "compute/quota.h"
#include "identity/projects.h"
#include "ml/environments/runtime_table.h"
#include "ml/job_plan.h"
#include "ml/job_record.h"
#include "ml/job_substitutes.h"
#include "net/router.h"

namespace fireweed::ml {

class JobsService {
 public:
  struct Parts {
    Catalog& catalog;
    const identity::Projects& projects;
    net::AccessControl& access;
    const compute::Catalogue& catalogue;
    IdSource& ids;
    const Clock& clock;
    Random& random;
    Logger& log;
    std::function<void(const JobRecord&, const JobLine&)> say;  // into the job's log
    const RuntimeTable* runtimes = nullptr;  // null: environments alone say what there is
    // True if the caller follows the job's lines and has not read up to `end` yet. Empty: no caller does.
    std::function<bool(const net::Call& call, const JobRecord& job, Time end)> reads_behind = {};
    StrictRules strict = {};
    compute::QuotaLimits quotas = {};
    bool preemptible = false;  // replicas are preemptible instances
  };
  explicit JobsService(Parts parts) : parts_(std::move(parts)) {}
  void Serve(net::Router& router);

  api::ml::Job Create(const api::ml::CreateJob& request, const net::Call& call);
  api::ml::Job Get(const api::ml::NameJob& request, const net::Call& call);
  api::ml::JobList List(const api::ml::ListJobs& request, const net::Call& call);
  api::ml::Job Patch(const api::ml::PatchJob& request, const net::Call& call);
  api::Empty Cancel(const api::ml::CancelJob& request, const net::Call& call);
  api::Policy GetPolicy(const api::ml::NameJob& request, const net::Call& call);
  api::Policy SetPolicy(const api::ml::SetJobPolicy& request, const net::Call& call);
  api::TestPermissionsBody TestPermissions(const api::ml::TestJobPermissions& request,
                                           const net::Call& call);

 private:
  // By id or number; a project that may be made on first use is.
  std::string ProjectId(const std::string& name, const net::Caller& caller);
  std::string ChooseAccount(const api::ml::Job& job, const std::string& project,
                            const net::Caller& caller);
  void RefuseOverQuota(const JobRecord& record) const;
  void Store(Txn& txn, const JobRecord& record);
  api::ml::Job Shown(Txn& txn, JobRecord record) const;
  std::string IdOf(Txn& txn, const std::string& project) const;

  const Parts parts_;
};

// kNotFound in the API's words when there is none.
Row<JobRecord> LoadJob(Txn& txn, const std::string& project, const std::string& job);

}  // namespace fireweed::ml
