#include "ml/models/models_service.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compute/filter.h"
#include "describe/json_codec.h"
#include "identity/policies.h"

namespace fireweed::ml {
namespace {

constexpr int32_t kLargestPage = 100;

// Shares of versions that are there, a hundred percent at most.
void CheckSplit(Txn& txn, const ModelRecord& record) {
  int32_t sum = 0;
  for (const auto& [version, percent] : record.resource.trafficSplit) {
    if (!txn.Find<VersionRecord>(record.key() + "/" + version)) {
      throw Failure(Code::kInvalid,
                    fmt::format("Field: trafficSplit Error: There is no version '{}'.", version));
    }
    if (percent < 0 || percent > 100 || (sum += percent) > 100) {
      throw Failure(Code::kInvalid,
                    "Field: trafficSplit Error: Shares are percents and add up to 100 at most.");
    }
  }
}

}  // namespace

void ModelsService::Serve(net::Router& router) {
  namespace m = api::ml;
  router.On(m::kCreateModel, this, &ModelsService::Create);
  router.On(m::kGetModel, this, &ModelsService::Get);
  router.On(m::kListModels, this, &ModelsService::List);
  router.On(m::kPatchModel, this, &ModelsService::Patch);
  router.On(m::kDeleteModel, this, &ModelsService::Delete);
  router.On(m::kGetModelPolicy, this, &ModelsService::GetPolicy);
  router.On(m::kSetModelPolicy, this, &ModelsService::SetPolicy);
  router.On(m::kTestModelPermissions, this, &ModelsService::TestPermissions);
}

api::ml::Model ModelsService::Create(const api::ml::CreateModel& request, const net::Call& call) {
  RequireModelName("model.name", request.body.name);
  RequireLabels(request.body.labels);
  if (request.body.regions.size() > 1) {
    throw Failure(Code::kInvalid, "Field: model.regions Error: Only one region may be given.");
  }
  ModelRecord record{.name = request.body.name, .resource = request.body, .created = clock_.Now()};
  api::ml::Model shown = Update(catalog_, "model create", [&](Txn& txn) {
    record.project = projects_.Ensure(txn, request.project, call.caller).projectId;
    if (txn.Find<ModelRecord>(record.key())) {
      throw Failure(Code::kExists,
                    "Field: model.name Error: A model with the same name already exists.");
    }
    CheckSplit(txn, record);
    txn.Put(record.key(), record, 0);
    identity::CreatePolicy(txn, record.resource_name(), "projects/" + record.project);
    return ShowModel(txn, record);
  });
  log_.Info("model created", {{"model", record.key()}, {"by", call.caller.email}});
  return shown;
}

api::ml::Model ModelsService::Get(const api::ml::NameModel& request, const net::Call&) {
  return Query(catalog_, [&](Txn& txn) {
    return ShowModel(txn, LoadModel(txn, request.project, request.model));
  });
}

// A page is full of models that the filter lets through, so rows are read until it is.
api::ml::ModelList ModelsService::List(const api::ml::ListModels& request, const net::Call&) {
  compute::Filter filter(request.filter);
  int32_t wanted = request.pageSize > 0 ? std::min(request.pageSize, kLargestPage) : kLargestPage;
  return Query(catalog_, [&](Txn& txn) {
    ScanRange range{.prefix = ProjectIdOf(txn, request.project) + "/", .limit = wanted};
    if (!request.pageToken.empty()) range.after = range.prefix + request.pageToken;
    api::ml::ModelList reply;
    txn.ForEach<ModelRecord>(range, [&](const auto& row) {
      api::ml::Model shown = ShowModel(txn, row.value);
      if (!filter.Matches(shown)) return true;
      reply.models.push_back(std::move(shown));
      if (std::ssize(reply.models) < wanted) return true;
      reply.nextPageToken = row.value.name;
      return false;
    });
    return reply;
  });
}

// Asks for nothing that takes time: born ended.
Operation ModelsService::Ended(Txn& txn, std::string verb, const ModelRecord& record,
                               const net::Call& call) {
  Operation operation{.scope = OperationScope(record.project),
                      .id = fmt::format("{}_{}-{}", verb, record.name, ids_.NextNumber()),
                      .verb = std::move(verb),
                      .target_kind = std::string(kRecordKind<ModelRecord>),
                      .target = record.key(),
                      .target_version = record.generation,
                      .user = call.caller.email,
                      .ended = clock_.Now()};
  return Begin(txn, operation, clock_.Now());
}

api::LongRunningOperation ModelsService::Patch(const api::ml::PatchModel& request,
                                               const net::Call& call) {
  std::vector<std::string> paths = MaskPaths(request.updateMask);
  auto is_default = [](const std::string& path) { return path.starts_with("defaultVersion"); };
  return Update(catalog_, "model update", [&](Txn& txn) {
    ModelRecord record = LoadModel(txn, request.project, request.model);
    api::ml::Model given = DecodeJson<api::ml::Model>(request.body.text);
    CheckEtag(given.etag, record.generation);
    PatchValueMasked(TypeOf<api::ml::Model>(), &record.resource, request.body.text,
                     fmt::format("{}", fmt::join(paths, ",")));
    if (std::ranges::any_of(paths, is_default)) {
      std::string name = given.defaultVersion.value_or(api::ml::Version{}).name;
      ChooseDefault(txn, record, name.substr(name.rfind('/') + 1));
    }
    RequireLabels(record.resource.labels);
    CheckSplit(txn, record);
    ++record.generation;
    txn.Put(record.key(), record);
    return ShowMlOperation(txn, Ended(txn, "update_model", record, call));
  });
}

api::LongRunningOperation ModelsService::Delete(const api::ml::NameModel& request,
                                                const net::Call& call) {
  api::LongRunningOperation shown = Update(catalog_, "model delete", [&](Txn& txn) {
    ModelRecord record = LoadModel(txn, request.project, request.model);
    if (!VersionsOf(txn, record).empty()) {
      throw Failure(Code::kInvalid, "failedPrecondition",
                    "Field: name Error: A model with existing versions cannot be deleted. Delete "
                    "its versions first.");
    }
    txn.Erase<ModelRecord>(record.key());
    identity::ErasePolicy(txn, record.resource_name());
    return ShowMlOperation(txn, Ended(txn, "delete_model", record, call));
  });
  log_.Info("model deleted",
            {{"model", request.project + "/" + request.model}, {"by", call.caller.email}});
  return shown;
}

api::Policy ModelsService::GetPolicy(const api::ml::NameModel& request, const net::Call&) {
  return Query(catalog_, [&](Txn& txn) {
    return identity::GetPolicy(txn, LoadModel(txn, request.project, request.model).resource_name());
  });
}

api::Policy ModelsService::SetPolicy(const api::ml::SetModelPolicy& request,
                                     const net::Call& call) {
  api::Policy policy = Update(catalog_, "model policy", [&](Txn& txn) {
    return identity::SetPolicy(txn, LoadModel(txn, request.project, request.model).resource_name(),
                               request.body.policy);
  });
  log_.Info("policy changed",
            {{"model", request.project + "/" + request.model}, {"by", call.caller.email}});
  return policy;
}

api::TestPermissionsBody ModelsService::TestPermissions(
    const api::ml::TestModelPermissions& request, const net::Call& call) {
  if (call.caller.anonymous()) throw Failure(Code::kUnauthenticated, "Sign in first.");
  ModelRecord record =
      Query(catalog_, [&](Txn& txn) { return LoadModel(txn, request.project, request.model); });
  return {
      identity::GrantedOf(access_, call.caller, request.body.permissions, record.resource_name())};
}

}  // namespace fireweed::ml
