#include "ml/models/versions_service.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/bytes.h"
#include "compute/filter.h"
#include "describe/json_codec.h"
#include "net/errors.h"

namespace fireweed::ml {
namespace {

using api::ml::Framework;
using api::ml::VersionState;

constexpr int32_t kLargestPage = 100;
// How long the answer to a change waits for the change: most are done by then.
constexpr int64_t kAnswerWaitMs = 4000;
constexpr std::string_view kFirstMachineType = "mls1-c1-m2";

[[noreturn]] void Invalid(std::string_view field, std::string_view why) {
  throw Failure(Code::kInvalid, fmt::format("Field: version.{} Error: {}", field, why));
}

bool IsBucketUri(std::string_view uri) {
  return uri.starts_with("gs://") && uri.size() > 5 && uri[5] != '/';
}

bool IsMachineType(std::string_view type) {
  for (std::string_view family : {"mls1-c", "n1-", "n2-", "e2-", "c2-"}) {
    if (type.starts_with(family)) return true;
  }
  return false;
}

void CheckScaling(const api::ml::Version& version) {
  if (version.autoScaling && version.manualScaling) {
    Invalid("manual_scaling", "Only one of manual_scaling and auto_scaling may be given.");
  }
  if (version.manualScaling && version.manualScaling->nodes < 1) {
    Invalid("manual_scaling.nodes", "The number of nodes must be positive.");
  }
  if (!version.autoScaling) return;
  if (version.autoScaling->minNodes < 0) {
    Invalid("auto_scaling.min_nodes", "The number of nodes must not be negative.");
  }
  if (version.autoScaling->maxNodes &&
      *version.autoScaling->maxNodes < std::max(1, version.autoScaling->minNodes)) {
    Invalid("auto_scaling.max_nodes", "It must not be less than min_nodes.");
  }
}

void CheckLogging(const api::ml::Version& version) {
  if (!version.requestLoggingConfig) return;
  const auto& logging = *version.requestLoggingConfig;
  if (!logging.bigqueryTableName.empty()) {
    Invalid("request_logging_config.bigquery_table_name",
            "There is no BigQuery here; give outputUri, gs://BUCKET/PREFIX, instead.");
  }
  if (logging.samplingPercentage < 0 || logging.samplingPercentage > 1) {
    Invalid("request_logging_config.sampling_percentage", "It is a number between 0 and 1.");
  }
  if (logging.samplingPercentage > 0 && !IsBucketUri(logging.outputUri)) {
    Invalid("request_logging_config.output_uri", "It must be gs://BUCKET/PREFIX.");
  }
}

}  // namespace

void CompleteVersion(api::ml::Version& version) {
  if (!version.container.text.empty() || !version.routes.text.empty()) {
    Invalid("container", "Custom containers are not served here.");
  }
  if (!version.explanationConfig.text.empty()) {
    Invalid("explanation_config", "Explanations are not served here.");
  }
  if (!IsBucketUri(version.deploymentUri)) {
    Invalid("deployment_uri", "The model's directory must be given as gs://BUCKET/PATH.");
  }
  for (const std::string& uri : version.packageUris) {
    if (!IsBucketUri(uri)) Invalid("package_uris", "Packages must be given as gs://BUCKET/FILE.");
  }
  if (!version.predictionClass.empty() && version.framework != Framework::kUnspecified) {
    Invalid("framework", "The framework is left out where a prediction class is given.");
  }
  if (version.predictionClass.empty() && !version.packageUris.empty() &&
      version.framework == Framework::kTensorflow) {
    Invalid("package_uris", "Packages need a prediction class or scikit-learn.");
  }
  if (version.machineType.empty()) version.machineType = kFirstMachineType;
  if (!IsMachineType(version.machineType)) {
    Invalid("machine_type",
            fmt::format("'{}' is not a machine type for prediction.", version.machineType));
  }
  if (!version.autoScaling && !version.manualScaling) {
    version.autoScaling = api::ml::AutoScaling{.minNodes = 0};
  }
  CheckScaling(version);
  CheckLogging(version);
  RequireLabels(version.labels);
}

void VersionsService::Serve(net::Router& router) {
  namespace m = api::ml;
  router.On(m::kCreateVersion, this, &VersionsService::Create);
  router.On(m::kGetVersion, this, &VersionsService::Get);
  router.On(m::kListVersions, this, &VersionsService::List);
  router.On(m::kPatchVersion, this, &VersionsService::Patch);
  router.On(m::kDeleteVersion, this, &VersionsService::Delete);
  router.On(m::kSetDefaultVersion, this, &VersionsService::SetDefault);
  router.On(m::kGetOperation, this, &VersionsService::GetOperation);
  router.On(m::kListOperations, this, &VersionsService::ListOperations);
  router.On(m::kCancelOperation, this, &VersionsService::CancelOperation);
}

Operation VersionsService::NewOperation(std::string verb, const VersionRecord& record,
                                        const net::Call& call) {
  std::string_view word = std::string_view(verb).substr(0, verb.find('_'));
  return {.scope = OperationScope(record.project),
          .id = fmt::format("{}_{}_{}-{}", word, record.model, record.name, ids_.NextNumber()),
          .verb = std::move(verb),
          .target_kind = std::string(kRecordKind<VersionRecord>),
          .target = record.key(),
          .target_version = record.generation,
          .user = call.caller.email};
}

net::Response VersionsService::Shown(const Key& operation) {
  try {
    api::LongRunningOperation shown = Query(catalog_, [&](Txn& txn) {
      auto row = txn.Find<Operation>(operation);
      if (!row) throw Failure(Code::kNotFound, "The operation is no longer known.");
      return ShowMlOperation(txn, row->value);
    });
    return net::JsonResponse(200, EncodeJson(shown, Audience::kWire));
  } catch (const Failure& failure) {
    return net::JsonError(failure.error());
  }
}

net::Answer VersionsService::WhenEnded(const Operation& operation, int64_t wait_ms) {
  auto deferred = std::make_shared<net::Deferred>();
  deferred->timeout_ms = wait_ms;
  Key key = operation.key();
  OperationWaiters::Ticket ticket =
      waiters_.When(key, [this, deferred, key] { deferred->Complete(Shown(key)); });
  deferred->on_timeout = [this, ticket, key] {
    waiters_.Forget(ticket);
    return Shown(key);
  };
  return deferred;
}

net::Answer VersionsService::Create(const api::ml::CreateVersion& request, const net::Call& call) {
  RequireModelName("version.name", request.body.name);
  VersionRecord record{.model = request.model,
                       .name = request.body.name,
                       .uid = ids_.NextWord(),
                       .resource = request.body};
  CompleteVersion(record.resource);
  if (!record.resource.serviceAccount.empty()) {
    net::Require(access_, call.caller, "iam.serviceAccounts.actAs",
                 "serviceAccounts/" + record.resource.serviceAccount);
  }
  record.resource.state = VersionState::kCreating;
  record.resource.createTime = clock_.Now();
  Operation operation = Update(catalog_, "version create", [&](Txn& txn) {
    ModelRecord model = LoadModel(txn, request.project, request.model);
    record.project = model.project;
    if (txn.Find<VersionRecord>(record.key())) {
      throw Failure(Code::kExists,
                    "Field: version.name Error: A version with the same name already exists.");
    }
    txn.Put(record.key(), record, 0);
    auto present = txn.Find<VersionRecord>(model.key() + "/" + model.default_version);
    if (!present || present->value.resource.state == VersionState::kFailed) {
      model.default_version = record.name;
      txn.Put(model.key(), model);
    }
    return Begin(txn, NewOperation("create_version", record, call), clock_.Now());
  });
  log_.Info("version created", {{"version", record.key()}, {"by", call.caller.email}});
  return WhenEnded(operation, kAnswerWaitMs);
}

api::ml::Version VersionsService::Get(const api::ml::NameVersion& request, const net::Call&) {
  return Query(catalog_, [&](Txn& txn) {
    VersionRecord record = LoadVersion(txn, request.project, request.model, request.version);
    return ShowVersion(record, LoadModel(txn, request.project, request.model));
  });
}

api::ml::VersionList VersionsService::List(const api::ml::ListVersions& request, const net::Call&) {
  compute::Filter filter(request.filter);
  int32_t wanted = request.pageSize > 0 ? std::min(request.pageSize, kLargestPage) : kLargestPage;
  return Query(catalog_, [&](Txn& txn) {
    ModelRecord model = LoadModel(txn, request.project, request.model);
    ScanRange range{.prefix = model.key() + "/", .limit = wanted};
    if (!request.pageToken.empty()) range.after = model.key() + "/" + request.pageToken;
    api::ml::VersionList reply;
    txn.ForEach<VersionRecord>(range, [&](const auto& row) {
      api::ml::Version shown = ShowVersion(row.value, model);
      if (!filter.Matches(shown)) return true;
      reply.versions.push_back(std::move(shown));
      if (std::ssize(reply.versions) < wanted) return true;
      reply.nextPageToken = row.value.name;
      return false;
    });
    return reply;
  });
}

namespace {

// Throws Failure for fields that cannot be changed.
void RequireChangeable(const std::vector<std::string>& paths) {
  constexpr std::array<std::string_view, 5> kChangeable = {
      "description", "labels", "requestLoggingConfig", "autoScaling", "manualScaling"};
  for (const std::string& path : paths) {
    if (std::ranges::find(kChangeable, path.substr(0, path.find('.'))) == kChangeable.end()) {
      Invalid(path, "This field cannot be changed.");
    }
  }
}

bool Speaks(const std::vector<std::string>& paths, std::string_view field) {
  return std::ranges::any_of(
      paths, [&](const std::string& path) { return path.substr(0, path.find('.')) == field; });
}

}  // namespace

// Words are changed at once. A number of nodes is reached by the controller: the version is UPDATING until its process
// is there, and goes on answering meanwhile.
net::Answer VersionsService::Patch(const api::ml::PatchVersion& request, const net::Call& call) {
  std::vector<std::string> paths = MaskPaths(request.updateMask);
  RequireChangeable(paths);
  bool automatic = Speaks(paths, "autoScaling"), manual = Speaks(paths, "manualScaling");
  Operation operation = Update(catalog_, "version update", [&](Txn& txn) {
    VersionRecord record = LoadVersion(txn, request.project, request.model, request.version);
    if (record.resource.state == VersionState::kUpdating) {
      throw Failure(Code::kInvalid, "failedPrecondition",
                    "Field: name Error: The version is being updated already.");
    }
    CheckEtag(DecodeJson<api::ml::Version>(request.body.text).etag, record.generation);
    PatchValueMasked(TypeOf<api::ml::Version>(), &record.resource, request.body.text,
                     fmt::format("{}", fmt::join(paths, ",")));
    // The kind that is given replaces the other, which the version may have been given by us.
    if (!automatic && manual && record.resource.manualScaling) record.resource.autoScaling.reset();
    if (!manual && automatic && record.resource.autoScaling) record.resource.manualScaling.reset();
    CompleteVersion(record.resource);
    bool pending =
        (automatic || manual) && record.resource.state == VersionState::kReady && !record.deleting;
    if (pending) record.resource.state = VersionState::kUpdating;
    ++record.generation;
    txn.Put(record.key(), record);
    Operation wanted = NewOperation("update_version", record, call);
    if (!pending) wanted.ended = clock_.Now();
    return Begin(txn, wanted, clock_.Now());
  });
  if (operation.ended) return Shown(operation.key());
  return WhenEnded(operation, kAnswerWaitMs);
}

net::Answer VersionsService::Delete(const api::ml::NameVersion& request, const net::Call& call) {
  Operation operation = Update(catalog_, "version delete", [&](Txn& txn) {
    VersionRecord record = LoadVersion(txn, request.project, request.model, request.version);
    ModelRecord model = LoadModel(txn, request.project, request.model);
    if (model.default_version == record.name) {
      if (VersionsOf(txn, model).size() > 1) {
        throw Failure(Code::kInvalid, "failedPrecondition",
                      "Field: name Error: The default version cannot be deleted while the model "
                      "has other versions. Make another one the default first.");
      }
      model.default_version.clear();
    }
    model.resource.trafficSplit.erase(record.name);
    txn.Put(model.key(), model);
    ++record.generation;
    record.deleting = true;
    record.delete_since = clock_.Now();
    record.backoff = {};
    txn.Put(record.key(), record);
    // What was to be made is not made any more.
    Settle(txn, kRecordKind<VersionRecord>, record.key(), record.generation - 1,
           Error{Code::kCancelled, "", "The version was deleted."}, clock_.Now());
    Operation wanted = NewOperation("delete_version", record, call);
    wanted.target_version = fireweed::kGone;
    return Begin(txn, wanted, clock_.Now());
  });
  log_.Info("version to be deleted", {{"version", operation.target}, {"by", call.caller.email}});
  return WhenEnded(operation, kAnswerWaitMs);
}

api::ml::Version VersionsService::SetDefault(const api::ml::SetDefaultVersion& request,
                                             const net::Call& call) {
  api::ml::Version shown = Update(catalog_, "default version", [&](Txn& txn) {
    ModelRecord model = LoadModel(txn, request.project, request.model);
    VersionRecord record = ChooseDefault(txn, model, request.version);
    ++model.generation;
    txn.Put(model.key(), model);
    return ShowVersion(record, model);
  });
  log_.Info("default version set", {{"version", shown.name}, {"by", call.caller.email}});
  return shown;
}

namespace {

Key OperationKey(Txn& txn, const std::string& project, const std::string& operation) {
  return OperationScope(ProjectIdOf(txn, project)) + "/" + operation;
}

}  // namespace

net::Answer VersionsService::GetOperation(const api::ml::NameOperation& request, const net::Call&) {
  constexpr int64_t kLongestWaitMs = 120'000;
  auto row = Query(catalog_, [&](Txn& txn) {
    return txn.Find<Operation>(OperationKey(txn, request.project, request.operation));
  });
  if (!row) {
    throw Failure(
        Code::kNotFound,
        fmt::format("Field: name Error: The operation \"{}\" was not found.", request.operation));
  }
  int64_t wait = std::min(int64_t{request.waitSeconds} * 1000, kLongestWaitMs);
  if (wait <= 0 || row->value.ended) return Shown(row->key);
  return WhenEnded(row->value, wait);
}

api::ml::OperationList VersionsService::ListOperations(const api::ml::ListOperations& request,
                                                       const net::Call&) {
  int32_t wanted = request.pageSize > 0 ? std::min(request.pageSize, kLargestPage) : kLargestPage;
  return Query(catalog_, [&](Txn& txn) {
    ScanRange range{.prefix = OperationKey(txn, request.project, ""), .limit = wanted};
    if (!request.pageToken.empty()) range.after = range.prefix + request.pageToken;
    api::ml::OperationList reply;
    auto rows = txn.Scan<Operation>(range);
    for (const auto& row : rows) reply.operations.push_back(ShowMlOperation(txn, row.value));
    if (std::ssize(rows) == wanted) reply.nextPageToken = rows.back().value.id;
    return reply;
  });
}

// Only what is being made can be called off; the version goes with it.
api::Empty VersionsService::CancelOperation(const api::ml::CancelOperation& request,
                                            const net::Call&) {
  catalog_.Write("operation cancel", [&](Txn& txn) {
    auto row = txn.Find<Operation>(OperationKey(txn, request.project, request.operation));
    if (!row) throw Failure(Code::kNotFound, "Field: name Error: The operation was not found.");
    if (row->value.ended || row->value.verb != "create_version") return;
    auto version = txn.Find<VersionRecord>(row->value.target);
    if (!version) return;
    Settle(txn, kRecordKind<VersionRecord>, version->key, version->value.generation,
           Error{Code::kCancelled, "", "The operation was cancelled."}, clock_.Now());
    auto model = txn.Find<ModelRecord>(version->value.model_key());
    if (model && model->value.default_version == version->value.name) {
      model->value.default_version.clear();
      txn.Put(model->key, model->value);
    }
    ++version->value.generation;
    version->value.deleting = true;
    version->value.delete_since = clock_.Now();
    txn.Put(version->key, version->value);
  });
  return {};
}

}  // namespace fireweed::ml
