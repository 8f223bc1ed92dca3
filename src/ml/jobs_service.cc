#include "ml/jobs_service.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/bytes.h"
#include "compute/filter.h"
#include "compute/images.h"
#include "identity/policies.h"
#include "identity/service_accounts.h"
#include "ml/job_quota.h"
#include "ml/job_request.h"
#include "ml/prediction_model.h"
#include "ml/queue_plan.h"
#include "ml/replica_instances.h"
#include "ml/replica_layout.h"
#include "ml/service_account.h"
#include "ml/tuning/search_space.h"
#include "ml/tuning/trial_plan.h"
#include "ml/tuning/trial_report.h"

namespace fireweed::ml {
namespace {

using api::ml::Job;
using api::ml::JobState;

constexpr int32_t kLargestPage = 500, kUsualPage = 100;

Key OrderKey(const std::string& project, int64_t number) {
  return fmt::format("{}/{:020}", project, std::numeric_limits<int64_t>::max() - number);
}

Bytes EtagOf(int64_t version) { return {fmt::format("{:08x}", version)}; }

std::string ZoneIn(const std::string& region) {
  for (const std::string& zone : compute::Catalogue::ZoneNames()) {
    if (zone.starts_with(region + "-")) return zone;
  }
  throw Failure(Code::kInvalid, fmt::format("Field: region Error: {} has no zone.", region));
}

ActiveJob ActiveOf(const JobRecord& record, const compute::Catalogue& catalogue) {
  const api::ml::TrainingInput& input = *record.job.trainingInput;
  GangDemand demand = DemandOf(input, catalogue);
  int32_t gangs = GangsAtOnce(input, catalogue);
  for (auto& [type, count] : demand.cards) count *= gangs;
  int32_t priority = input.scheduling ? input.scheduling->priority.value_or(0) : 0;
  return {.created = *record.job.createTime,
          .number = record.number,
          .priority = priority,
          .cpus = demand.cpus * gangs,
          .memory_mb = demand.memory_mb * gangs,
          .cards = demand.cards};
}

// A job that goes on where another ended searches the same space.
void CheckPrevious(Txn& txn, const JobRecord& record) {
  const auto& input = record.job.trainingInput;
  if (!input || !input->hyperparameters) return;
  const std::string& name = input->hyperparameters->resumePreviousJobId;
  if (name.empty()) return;
  constexpr const char* kField = "Field: hyperparameters.resume_previous_job_id Error: {}";
  auto row = txn.Find<JobRecord>(record.project + "/" + name);
  bool tuned = row && row->value.job.trainingInput && row->value.job.trainingInput->hyperparameters;
  if (!tuned) {
    throw Failure(Code::kInvalid, fmt::format(kField, "There is no tuning job '" + name + "'."));
  }
  if (!api::ml::HasEnded(row->value.job.state)) {
    throw Failure(Code::kInvalid, fmt::format(kField, "The job '" + name + "' has not ended."));
  }
  std::string why =
      CheckResume(*input->hyperparameters, *row->value.job.trainingInput->hyperparameters);
  if (!why.empty()) throw Failure(Code::kInvalid, fmt::format(kField, why));
}

// What a job takes from elsewhere, its submitter may take: the service itself may take everything.
void RequireUse(net::AccessControl& access, const net::Caller& caller, const JobRecord& record) {
  if (record.job.predictionInput) {
    auto model = FindPredictionModel(*record.job.predictionInput, record.project);
    if (model) net::Require(access, caller, model->permission(), model->resource());
  }
  if (!record.job.trainingInput) return;
  const api::ml::TrainingInput& input = *record.job.trainingInput;
  for (const auto* config : {&input.masterConfig, &input.workerConfig, &input.parameterServerConfig,
                             &input.evaluatorConfig}) {
    if (!*config || (*config)->imageUri.empty()) continue;
    for (const std::string& image : ImageCandidates((*config)->imageUri)) {
      compute::RequireImageUse(access, caller, image, record.project);
    }
  }
}

using Labels = std::map<std::string, std::string>;

// "labels" replaces them all, "labels.team" the one.
void PatchLabels(Labels& labels, const Labels& given, std::string_view mask) {
  while (!mask.empty()) {
    std::string_view field = mask.substr(0, mask.find(','));
    mask.remove_prefix(std::min(mask.size(), field.size() + 1));
    if (field == "etag") continue;
    if (field == "labels") {
      labels = given;
    } else if (field.starts_with("labels.")) {
      std::string key(field.substr(7));
      auto found = given.find(key);
      found == given.end() ? (void)labels.erase(key) : (void)(labels[key] = found->second);
    } else {
      throw Failure(
          Code::kInvalid,
          fmt::format("Field: update_mask Error: '{}' cannot be changed; labels can.", field));
    }
  }
}

}  // namespace

Row<JobRecord> LoadJob(Txn& txn, const std::string& project, const std::string& job) {
  auto row = txn.Find<JobRecord>(project + "/" + job);
  if (!row) {
    throw Failure(Code::kNotFound,
                  fmt::format("Field: name Error: The specified job was not found: "
                              "projects/{}/jobs/{}",
                              project, job));
  }
  return *std::move(row);
}

void JobsService::Serve(net::Router& router) {
  namespace m = api::ml;
  using Self = JobsService;
  router.On(m::kCreateJob, this, &Self::Create);
  router.On(m::kListJobs, this, &Self::List);
  router.On(m::kGetJob, this, &Self::Get);
  router.On(m::kPatchJob, this, &Self::Patch);
  router.On(m::kCancelJob, this, &Self::Cancel);
  router.On(m::kGetJobPolicy, this, &Self::GetPolicy);
  router.On(m::kSetJobPolicy, this, &Self::SetPolicy);
  router.On(m::kTestJobPermissions, this, &Self::TestPermissions);
}

std::string JobsService::ProjectId(const std::string& name, const net::Caller& caller) {
  auto known = Query(parts_.catalog, [&](Txn& txn) { return parts_.projects.Find(txn, name); });
  if (known) return known->projectId;
  return Update(parts_.catalog, "project first use",
                [&](Txn& txn) { return parts_.projects.Ensure(txn, name, caller).projectId; });
}

std::string JobsService::IdOf(Txn& txn, const std::string& project) const {
  auto known = parts_.projects.Find(txn, project);
  return known ? known->projectId : project;
}

// The account of the request, or the service's own. Whoever submits a job can be its account from then on.
std::string JobsService::ChooseAccount(const Job& job, const std::string& project,
                                       const net::Caller& caller) {
  std::string wanted = job.trainingInput ? job.trainingInput->serviceAccount : "";
  if (wanted.empty()) {
    // Nearly always it is there, and a read is cheaper than a write.
    auto known = Query(parts_.catalog, [&](Txn& txn) -> std::optional<std::string> {
      auto home = parts_.projects.Find(txn, project);
      if (!home) return std::nullopt;
      std::string email = ServiceAccountOf(*home);
      return identity::FindServiceAccount(txn, email) ? std::optional(email) : std::nullopt;
    });
    if (known) return *known;
    return Update(parts_.catalog, "ml service account", [&](Txn& txn) {
      return EnsureServiceAccount(txn, parts_.projects.Ensure(txn, project, caller),
                                  parts_.clock.Now(), parts_.random);
    });
  }
  bool there = Query(parts_.catalog, [&](Txn& txn) {
    return identity::FindServiceAccount(txn, wanted).has_value();
  });
  if (!there) {
    throw Failure(Code::kInvalid,
                  fmt::format("Field: service_account Error: There is no account {}.", wanted));
  }
  net::Require(parts_.access, caller, "iam.serviceAccounts.actAs", "serviceAccounts/" + wanted);
  return wanted;
}

// A job that is over quota now waits in the queue; one that can never fit is refused.
void JobsService::RefuseOverQuota(const JobRecord& record) const {
  if (!record.job.trainingInput) return;
  auto demand = QuotaDemandOf(record, parts_.catalogue, parts_.preemptible);
  std::optional<Error> over = compute::NeverFits(demand, parts_.quotas);
  if (!over) return;
  // Not 403: gcloud would print that the caller has no permission.
  throw Failure(Code::kInvalid, over->reason,
                fmt::format("Quota failure for project {}: the job can never start. {}",
                            record.project, over->message));
}

void JobsService::Store(Txn& txn, const JobRecord& record) {
  if (txn.Find<JobRecord>(record.key())) {
    throw Failure(Code::kExists,
                  fmt::format("Field: job.job_id Error: A job with this id already exists."));
  }
  CheckPrevious(txn, record);
  CheckImages(txn, record);
  txn.Put(record.key(), record, 0);
  txn.Put(OrderKey(record.project, record.number), JobOrder{record.job.jobId}, 0);
  if (record.job.trainingInput) {
    txn.Put(record.key(), ActiveOf(record, parts_.catalogue), 0);
  }
  identity::CreatePolicy(txn, record.resource(), "projects/" + record.project,
                         {{"roles/ml.jobOwner", {record.creator}, {}}});
}

Job JobsService::Create(const api::ml::CreateJob& request, const net::Call& call) {
  CheckJob(request.body, parts_.catalogue);
  if (parts_.runtimes) CheckRuntime(request.body, *parts_.runtimes);
  JobRecord record{.project = ProjectId(request.project, call.caller), .job = request.body};
  if (record.job.trainingInput) {
    std::vector<Substitute> substitutes =
        SubstitutesOf(*record.job.trainingInput, parts_.catalogue, parts_.runtimes);
    RefuseSubstitutes(substitutes, parts_.strict);
    for (Substitute& one : substitutes) record.job.warnings.push_back(std::move(one.message));
  }
  RequireUse(parts_.access, call.caller, record);
  record.creator = call.caller.principal;
  record.number = parts_.ids.NextNumber();
  record.account = ChooseAccount(request.body, record.project, call.caller);
  record.zone = ZoneIn(request.body.trainingInput ? request.body.trainingInput->region
                                                  : request.body.predictionInput->region);
  RefuseOverQuota(record);
  Time now = parts_.clock.Now();
  record.job.createTime = now;
  record.job.state = JobState::kQueued;
  record.job.etag = {};
  AddEvent(record.job, "queued", now);
  Job shown = Update(parts_.catalog, "job create", [&](Txn& txn) {
    Store(txn, record);
    return Shown(txn, record);
  });
  auto say = [&](std::string message, std::string once,
                 api::logging::Severity severity = api::logging::Severity::kInfo) {
    parts_.say(record, {"service", "", severity, std::move(message), std::move(once)});
  };
  say("Validating job requirements...", "validating");
  say("Job creation request has been successfully validated.", "validated");
  say(fmt::format("Job {} is queued.", record.job.jobId), "queued");
  for (size_t i = 0; i < record.job.warnings.size(); ++i) {
    say(record.job.warnings[i], fmt::format("substitute-{}", i), api::logging::Severity::kWarning);
  }
  if (record.job.trainingInput && record.job.trainingInput->hyperparameters) {
    std::string note = AlgorithmNote(*record.job.trainingInput->hyperparameters);
    if (!note.empty()) say(note, "algorithm", api::logging::Severity::kNotice);
  }
  parts_.log.Info("job created", {{"job", record.key()}, {"by", call.caller.email}});
  return shown;
}

Job JobsService::Shown(Txn& txn, JobRecord record) const {
  Job& job = record.job;
  auto raw = txn.FindRaw(kRecordKind<JobRecord>, record.key());
  job.etag = EtagOf(raw ? raw->version : 0);
  if (job.state == JobState::kQueued) {
    std::vector<ActiveJob> active;
    txn.ForEach<ActiveJob>({}, [&](Row<ActiveJob>& row) {
      row.value.key = row.key;
      active.push_back(std::move(row.value));
    });
    auto order = QueueOrder(active, parts_.clock.Now());
    auto place =
        std::ranges::find(order, record.key(), [](const ActiveJob* one) { return one->key; });
    if (place != order.end()) job.jobPosition = place - order.begin() + 1;
  }
  bool tuned = job.trainingOutput && job.trainingInput && job.trainingInput->hyperparameters;
  if (tuned) SortTrials(job.trainingOutput->trials, job.trainingInput->hyperparameters->goal);
  return std::move(job);
}

// Clients stop reading lines at endTime: one that has not read the last of them yet does not see it (ADR 47).
Job JobsService::Get(const api::ml::NameJob& request, const net::Call& call) {
  return Query(parts_.catalog, [&](Txn& txn) {
    JobRecord record = LoadJob(txn, IdOf(txn, request.project), request.job).value;
    const std::optional<Time>& end = record.job.endTime;
    bool hide = end && parts_.reads_behind && parts_.reads_behind(call, record, *end);
    Job shown = Shown(txn, std::move(record));
    if (hide) shown.endTime.reset();
    return shown;
  });
}

api::ml::JobList JobsService::List(const api::ml::ListJobs& request, const net::Call&) {
  compute::Filter filter(request.filter);
  if (request.pageSize < 0)
    throw Failure(Code::kInvalid, "Field: page_size Error: Must not be negative.");
  size_t most = static_cast<size_t>(
      request.pageSize == 0 ? kUsualPage : std::min(request.pageSize, kLargestPage));
  std::optional<std::string> after;
  if (!request.pageToken.empty()) {
    after = Base64Decode(request.pageToken);
    if (!after) throw Failure(Code::kInvalid, "Field: page_token Error: It is none of ours.");
  }
  return Query(parts_.catalog, [&](Txn& txn) {
    api::ml::JobList page;
    std::string project = IdOf(txn, request.project);
    ScanRange range{.prefix = project + "/", .after = after, .limit = kLargestPage};
    Key last;
    txn.ForEach<JobOrder>(range, [&](const auto& row) {
      auto record = txn.Find<JobRecord>(project + "/" + row.value.job);
      if (!record || !filter.Matches(record->value.job)) return true;
      if (page.jobs.size() == most) {
        page.nextPageToken = Base64Encode(last, Base64::kUrl);
        return false;
      }
      page.jobs.push_back(std::move(record->value.job));
      page.jobs.back().etag = EtagOf(record->version);
      last = row.key;
      return true;
    });
    return page;
  });
}

Job JobsService::Patch(const api::ml::PatchJob& request, const net::Call&) {
  if (request.updateMask.empty()) {
    throw Failure(Code::kInvalid, "Field: update_mask Error: The field is required.");
  }
  const Job given = DecodeJson<Job>(request.body.text.empty() ? "{}" : request.body.text);
  return Update(parts_.catalog, "job labels", [&](Txn& txn) {
    Row<JobRecord> row = LoadJob(txn, IdOf(txn, request.project), request.job);
    if (!given.etag.raw.empty() && given.etag != EtagOf(row.version)) {
      throw Failure(Code::kExists, "aborted",
                    "Field: etag Error: The job has changed since it was read.");
    }
    PatchLabels(row.value.job.labels, given.labels, request.updateMask);
    CheckLabels(row.value.job.labels);
    txn.Put(row.key, row.value);
    return Shown(txn, row.value);
  });
}

api::Empty JobsService::Cancel(const api::ml::CancelJob& request, const net::Call& call) {
  parts_.catalog.Write("job cancel", [&](Txn& txn) {
    Row<JobRecord> row = LoadJob(txn, IdOf(txn, request.project), request.job);
    JobState state = row.value.job.state;
    if (api::ml::HasEnded(state)) {
      throw Failure(Code::kInvalid, "failedPrecondition",
                    fmt::format("Field: name Error: The job has ended already ({}): it cannot be "
                                "cancelled.",
                                EnumName(state)));
    }
    if (row.value.cancel) return;
    row.value.cancel = true;
    row.value.job.state = JobState::kCancelling;
    txn.Put(row.key, row.value);
  });
  parts_.log.Info("job to be cancelled",
                  {{"job", request.project + "/" + request.job}, {"by", call.caller.email}});
  return {};
}

api::Policy JobsService::GetPolicy(const api::ml::NameJob& request, const net::Call&) {
  return Query(parts_.catalog, [&](Txn& txn) {
    return identity::GetPolicy(
        txn, LoadJob(txn, IdOf(txn, request.project), request.job).value.resource());
  });
}

api::Policy JobsService::SetPolicy(const api::ml::SetJobPolicy& request, const net::Call&) {
  return Update(parts_.catalog, "job policy", [&](Txn& txn) {
    return identity::SetPolicy(
        txn, LoadJob(txn, IdOf(txn, request.project), request.job).value.resource(),
        request.body.policy);
  });
}

api::TestPermissionsBody JobsService::TestPermissions(const api::ml::TestJobPermissions& request,
                                                      const net::Call& call) {
  if (call.caller.anonymous()) throw Failure(Code::kUnauthenticated, "Sign in first.");
  std::string resource = Query(parts_.catalog, [&](Txn& txn) {
    return LoadJob(txn, IdOf(txn, request.project), request.job).value.resource();
  });
  return {identity::GrantedOf(parts_.access, call.caller, request.body.permissions, resource)};
}

}  // namespace fireweed::ml
