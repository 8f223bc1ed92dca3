#include "compute/instance_templates.h"

#include <fmt/format.h>

#include "compute/completion.h"
#include "compute/fingerprint.h"
#include "compute/images.h"
#include "compute/instance_change.h"
#include "compute/instance_request.h"
#include "compute/labels.h"
#include "compute/links.h"
#include "compute/metadata_items.h"
#include "compute/operations_service.h"
#include "compute/paging.h"

namespace fireweed::compute {
namespace {

using api::compute::Instance;
using api::compute::InstanceProperties;
using api::compute::InstanceTemplate;

constexpr std::string_view kKind = kRecordKind<TemplateRecord>;
// A template has no zone; whether it makes an instance is asked in one.
constexpr std::string_view kTryOutZone = "us-central1-a";

std::string TemplatePath(const std::string& project, const std::string& name) {
  return fmt::format("projects/{}/global/instanceTemplates/{}", project, name);
}

Operation TemplateOperation(IdSource& ids, const std::string& project, const std::string& name,
                            std::string verb, const std::string& request_id,
                            const net::Caller& caller) {
  return NewOperation(ids, {project, "global", kKind, project + "/" + name, 1}, std::move(verb),
                      request_id, caller);
}

void RefuseUsed(Txn& txn, const TemplateRecord& record) {
  txn.ForEach<GroupRecord>({.prefix = record.project + "/"}, [&](const auto& row) {
    if (row.value.resource.instanceTemplate != record.resource.selfLink) return;
    throw Failure(Code::kInvalid, "resourceInUseByAnotherResource",
                  fmt::format("The instance_template resource '{}' is already being used by '{}'",
                              TemplatePath(record.project, record.resource.name),
                              ParseRef(row.value.resource.selfLink).name()));
  });
}

}  // namespace

TemplateRecord FindTemplate(Txn& txn, const std::string& project, std::string_view reference) {
  ResourceRef ref = ParseRef(reference);
  if (!ref.path.empty() && ref.path.front() == "regions") {
    throw Failure(Code::kInvalid,
                  fmt::format("Invalid value for field 'instanceTemplate': '{}'. Regional instance "
                              "templates are not supported; use a global one.",
                              reference));
  }
  std::string home = ref.project.empty() ? project : ref.project;
  auto row = txn.Find<TemplateRecord>(home + "/" + ref.name());
  if (!row) {
    throw Failure(Code::kNotFound,
                  fmt::format("The resource '{}' was not found", TemplatePath(home, ref.name())));
  }
  return std::move(row->value);
}

Instance InstanceFrom(const TemplateRecord& source, const std::string& name) {
  InstanceProperties made = source.resource.properties.value_or(InstanceProperties{});
  // A template keeps names bare; an instance's fields take them as well.
  Instance instance = DecodeJson<Instance>(EncodeJson(made));
  instance.name = name;
  instance.tags.fingerprint = {};
  for (api::compute::AttachedDisk& disk : instance.disks) {
    if (disk.initializeParams) disk.initializeParams->diskName.clear();  // one for each instance
  }
  bool said = FindMetadata(instance.metadata, kCompletionKey).has_value();
  if (!made.completion.empty() && !said) {
    instance.metadata.items.push_back({std::string(kCompletionKey), made.completion});
  }
  return instance;
}

InstanceProperties PropertiesOf(const InstanceRecord& record) {
  InstanceProperties made = DecodeJson<InstanceProperties>(EncodeJson(record.resource));
  made.machineType = LastWord(made.machineType);
  for (api::compute::AcceleratorConfig& card : made.guestAccelerators) {
    card.acceleratorType = LastWord(card.acceleratorType);
  }
  for (api::compute::NetworkInterface& nic : made.networkInterfaces) {
    nic.networkIP.clear();
    nic.subnetwork.clear();
    for (api::compute::AccessConfig& access : nic.accessConfigs) access.natIP.clear();
  }
  std::erase_if(made.disks, [](const auto& disk) { return !disk.boot && !disk.initializeParams; });
  for (api::compute::AttachedDisk& disk : made.disks) {
    api::compute::DiskInitializeParams params =
        disk.initializeParams.value_or(api::compute::DiskInitializeParams{});
    if (disk.boot) params.sourceImage = record.image;
    params.diskName.clear();
    params.diskType = LastWord(params.diskType);
    disk.initializeParams = params;
    disk.source.clear();
  }
  return made;
}

api::compute::InsertInstance WithTemplate(const Catalog& catalog,
                                          const api::compute::InsertInstance& request) {
  if (request.sourceInstanceTemplate.empty()) return request;
  TemplateRecord source = Query(catalog, [&](Txn& txn) {
    return FindTemplate(txn, request.project, request.sourceInstanceTemplate);
  });
  api::compute::InsertInstance filled = request;
  filled.sourceInstanceTemplate.clear();
  filled.body = InstanceFrom(source, request.body.name);
  PatchJson(filled.body, EncodeJson(request.body));
  return filled;
}

std::string RequireAccount(const MakerRights& rights, const net::Caller& caller,
                           const std::string& project, const std::string& wanted) {
  std::string fallback = rights.identity.EnsureProject(project, caller).default_account;
  std::string email = wanted.empty() || wanted == "default" ? fallback : wanted;
  if (email != fallback && rights.identity.AccountId(email).empty()) {
    throw Failure(Code::kNotFound,
                  fmt::format("The resource '{}' of type 'serviceAccount' was not found.", email));
  }
  // Whoever makes an instance can be its account from then on.
  if (!rights.access.May(caller, "iam.serviceAccounts.actAs", "serviceAccounts/" + email)) {
    throw Failure(Code::kDenied, "SERVICE_ACCOUNT_ACCESS_DENIED",
                  fmt::format("The user does not have access to service account '{}'. User: '{}'. "
                              "Ask a project owner to grant you the iam.serviceAccountUser role on "
                              "the service account",
                              email, caller.email));
  }
  return email;
}

void RequireMaking(const MakerRights& rights, const net::Caller& caller, const std::string& project,
                   const InstanceProperties& properties) {
  for (const api::compute::InstanceServiceAccount& account : properties.serviceAccounts) {
    RequireAccount(rights, caller, project, account.email);
  }
  for (const api::compute::AttachedDisk& disk : properties.disks) {
    if (!disk.initializeParams || disk.initializeParams->sourceImage.empty()) continue;
    RequireImageUse(rights.access, caller, disk.initializeParams->sourceImage, project);
  }
}

void InstanceTemplatesService::Serve(net::Router& router) {
  using Self = InstanceTemplatesService;
  namespace c = api::compute;
  router.On(c::kInsertInstanceTemplate, this, &Self::Insert);
  router.On(c::kGetInstanceTemplate, this, &Self::Get);
  router.On(c::kListInstanceTemplates, this, &Self::List);
  router.On(c::kAggregateInstanceTemplates, this, &Self::Aggregate);
  router.On(c::kDeleteInstanceTemplate, this, &Self::Delete);
}

void InstanceTemplatesService::TryOut(Txn& txn, const TemplateRecord& record,
                                      const std::string& default_account, int64_t id, Time now) {
  InsertContext context{
      .catalogue = catalogue_, .default_account = default_account, .id = id, .now = now};
  api::compute::InsertInstance request{.project = record.project, .zone = std::string(kTryOutZone)};
  // A name that nothing has: only the rest is on trial.
  request.body = InstanceFrom(record, fmt::format("t{}", id));
  MakeInstance(txn, request, context);
}

api::compute::Operation InstanceTemplatesService::Insert(
    const api::compute::InsertInstanceTemplate& request, const net::Call& call) {
  TemplateRecord record{.project = request.project, .resource = request.body};
  InstanceTemplate& resource = record.resource;
  if (!IsResourceName(resource.name)) {
    throw Failure(Code::kInvalid,
                  fmt::format("Invalid value for field 'resource.name': '{}'. Must be a match of "
                              "regex '(?:[a-z](?:[-a-z0-9]{{0,61}}[a-z0-9])?)'",
                              resource.name));
  }
  if (!resource.sourceInstance.empty()) {
    ResourceRef ref = ParseRef(resource.sourceInstance);
    std::string zone = ref.path.size() >= 4 ? ref.path[1] : "";
    resource.properties = PropertiesOf(Query(
        catalog_, [&](Txn& txn) { return FindInstance(txn, request.project, zone, ref.name()); }));
  }
  if (!resource.properties) {
    throw Failure(Code::kInvalid,
                  "Invalid value for field 'resource.properties': ''. The field is required.");
  }
  CheckLabelsAndTags(*resource.properties);
  CheckCompletion("resource.properties.completion", resource.properties->completion);
  RequireMaking(rights_, call.caller, request.project, *resource.properties);
  std::string account =
      rights_.identity.EnsureProject(request.project, call.caller).default_account;
  Time now = clock_.Now();
  resource.id = ids_.NextNumber();
  resource.creationTimestamp = FormatTime(now);
  resource.selfLink = ScopedLink(request.project, "global", "instanceTemplates", resource.name);
  SealMetadata(resource.properties->metadata);
  Operation operation = TemplateOperation(ids_, request.project, resource.name, "insert",
                                          request.requestId, call.caller);
  operation.ended = now;
  operation.target_id = resource.id;
  return ShowOperation(Update(catalog_, "template insert", [&](Txn& txn) {
    if (auto earlier = FindRetried(txn, operation)) return *earlier;
    if (txn.Find<TemplateRecord>(record.key())) {
      throw Failure(Code::kExists, "alreadyExists",
                    fmt::format("The resource '{}' already exists",
                                TemplatePath(request.project, resource.name)));
    }
    TryOut(txn, record, account, resource.id, now);
    txn.Put(record.key(), record, 0);
    return Begin(txn, operation, now);
  }));
}

InstanceTemplate InstanceTemplatesService::Get(const api::compute::GetGlobal& request,
                                               const net::Call&) {
  return Query(catalog_,
               [&](Txn& txn) { return FindTemplate(txn, request.project, request.name).resource; });
}

api::compute::ListOf<InstanceTemplate> InstanceTemplatesService::List(
    const api::compute::ListProject& request, const net::Call&) {
  PageRequest wanted(request);
  auto page = Query(catalog_, [&](Txn& txn) {
    return PageOfRows<TemplateRecord, InstanceTemplate>(
        txn, request.project + "/", wanted,
        [](const TemplateRecord& record) { return record.resource; });
  });
  return {.kind = "compute#instanceTemplateList",
          .id = "projects/" + request.project + "/global/instanceTemplates",
          .items = page.TakeValues(),
          .nextPageToken = page.next,
          .selfLink = ProjectLink(request.project) + "/global/instanceTemplates"};
}

api::compute::AggregatedListOf<api::compute::InstanceTemplatesScopedList>
InstanceTemplatesService::Aggregate(const api::compute::ListProject& request,
                                    const net::Call& call) {
  auto list = List(request, call);
  api::compute::AggregatedListOf<api::compute::InstanceTemplatesScopedList> reply{
      .kind = "compute#instanceTemplateAggregatedList",
      .id = "projects/" + request.project + "/aggregated/instanceTemplates",
      .nextPageToken = list.nextPageToken,
      .selfLink = ProjectLink(request.project) + "/aggregated/instanceTemplates"};
  if (!list.items.empty()) {
    reply.items["global"].instanceTemplates = std::move(list.items);
  } else if (request.includeAllScopes) {
    reply.items["global"].warning = NoResultsIn("global");
  }
  return reply;
}

api::compute::Operation InstanceTemplatesService::Delete(
    const api::compute::ChangeTemplate& request, const net::Call& call) {
  Time now = clock_.Now();
  Operation operation = TemplateOperation(ids_, request.project, request.name, "delete",
                                          request.requestId, call.caller);
  operation.ended = now;
  return ShowOperation(Update(catalog_, "template delete", [&](Txn& txn) {
    if (auto earlier = FindRetried(txn, operation)) return *earlier;
    TemplateRecord record = FindTemplate(txn, request.project, request.name);
    RefuseUsed(txn, record);
    txn.Erase<TemplateRecord>(record.key());
    operation.target_id = record.resource.id;
    return Begin(txn, operation, now);
  }));
}

}  // namespace fireweed::compute
