#include "identity/service_usage.h"

#include <algorithm>

#include <fmt/format.h>

#include "catalog/record.h"
#include "describe/json_codec.h"

namespace fireweed {
namespace identity {

// Key: the project's id. What differs from "served is enabled, the rest is not".
struct ServiceStatesRecord {
  std::map<std::string, bool> enabled;
};

}  // namespace identity

template <>
inline constexpr auto kFields<identity::ServiceStatesRecord> =
    [](auto...) { return Fields{F("enabled", &identity::ServiceStatesRecord::enabled)}; };
template <>
inline constexpr std::string_view kRecordKind<identity::ServiceStatesRecord> = "project-services";

namespace identity {
namespace {

using api::LongRunningOperation;
using api::serviceusage::ProjectService;
using api::serviceusage::State;
using net::Call;

constexpr std::string_view kDomain = ".googleapis.com";

ProjectService Shown(const api::crm::Project& project, const std::string& name,
                     const std::string& title, bool enabled) {
  std::string parent = fmt::format("projects/{}", project.projectNumber);
  return {.name = fmt::format("{}/services/{}", parent, name),
          .parent = parent,
          .config = {name, title},
          .state = enabled ? State::kEnabled : State::kDisabled};
}

void RequireServiceName(std::string_view name) {
  bool sound = name.size() > kDomain.size() && name.size() <= 200 && name.ends_with(kDomain) &&
               std::all_of(name.begin(), name.end(), [](char c) {
                 return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
               });
  if (sound) return;
  throw Failure(Code::kNotFound, fmt::format("Service {} not found or permission denied.", name));
}

// Enabling takes no time, so the operation is done when it is acknowledged.
LongRunningOperation DoneOperation(std::string response_type, std::string_view field,
                                   const std::string& value) {
  return {.name = "operations/noop.DONE_OPERATION",
          .done = true,
          .response = {fmt::format("{{\"@type\":\"type.googleapis.com/"
                                   "google.api.serviceusage.v1.{}\",\"{}\":{}}}",
                                   response_type, field, value)}};
}

bool StateMatches(const ProjectService& service, std::string_view filter) {
  if (filter.empty()) return true;
  if (filter == "state:ENABLED" || filter == "state=ENABLED") {
    return service.state == State::kEnabled;
  }
  if (filter == "state:DISABLED" || filter == "state=DISABLED") {
    return service.state == State::kDisabled;
  }
  throw Failure(Code::kInvalid, "Invalid filter: use state:ENABLED or state:DISABLED.");
}

}  // namespace

void ServiceUsage::Serve(net::Router& router) {
  namespace usage = api::serviceusage;
  router_ = &router;
  router.On(usage::kListServices, this, &ServiceUsage::List);
  router.On(usage::kGetService, this, &ServiceUsage::Get);
  router.On(usage::kBatchGet, this, &ServiceUsage::BatchGet);
  router.On(usage::kEnableService, this, &ServiceUsage::Enable);
  router.On(usage::kDisableService, this, &ServiceUsage::Disable);
  router.On(usage::kBatchEnable, this, &ServiceUsage::BatchEnable);
}

std::map<std::string, std::string> ServiceUsage::Served() const {
  std::map<std::string, std::string> served;
  for (const api::MethodEntry& method : router_->methods()) {
    const api::Service& service = *method.service;
    std::string name = std::string(service.name) + std::string(kDomain);
    if (std::find(service.hosts.begin(), service.hosts.end(), name) != service.hosts.end()) {
      served.try_emplace(name, service.title);
    }
  }
  return served;
}

std::map<std::string, ProjectService> ServiceUsage::Load(const std::string& name,
                                                         const Call& call) {
  struct View {
    std::optional<api::crm::Project> project;
    ServiceStatesRecord states;
  };
  auto read = [&](Txn& txn) {
    View view{projects_.Find(txn, name), {}};
    if (!view.project) return view;
    auto row = txn.Find<ServiceStatesRecord>(view.project->projectId);
    if (row) view.states = std::move(row->value);
    return view;
  };
  View view = Query(catalog_, read);
  if (!view.project) {
    view = fireweed::Update(catalog_, "project first use", [&](Txn& txn) {
      projects_.Ensure(txn, name, call.caller);
      return read(txn);
    });
  }
  std::map<std::string, ProjectService> all;
  for (const auto& [service, title] : Served()) {
    all[service] = Shown(*view.project, service, title, true);
  }
  for (const auto& [service, enabled] : view.states.enabled) {
    auto known = all.find(service);
    std::string title = known == all.end() ? service : known->second.config.title;
    all[service] = Shown(*view.project, service, title, enabled);
  }
  return all;
}

api::serviceusage::ServiceList ServiceUsage::List(const api::serviceusage::ListServices& request,
                                                  const Call& call) {
  api::serviceusage::ServiceList reply;
  // A few dozen: one page, whatever size was asked for.
  for (const auto& [name, service] : Load(request.project, call)) {
    if (StateMatches(service, request.filter)) reply.services.push_back(service);
  }
  return reply;
}

ProjectService ServiceUsage::Get(const api::serviceusage::NameService& request, const Call& call) {
  RequireServiceName(request.service);
  auto all = Load(request.project, call);
  auto it = all.find(request.service);
  if (it != all.end()) return it->second;
  auto project = Query(catalog_, [&](Txn& txn) { return projects_.Find(txn, request.project); });
  return Shown(project.value(), request.service, request.service, false);
}

api::serviceusage::ServiceList ServiceUsage::BatchGet(const api::serviceusage::BatchGet& request,
                                                      const Call& call) {
  api::serviceusage::ServiceList reply;
  for (const std::string& name : request.names) {
    reply.services.push_back(Get({request.project, name.substr(name.rfind('/') + 1)}, call));
  }
  return reply;
}

std::vector<ProjectService> ServiceUsage::SetState(const std::string& project,
                                                   const std::vector<std::string>& names,
                                                   bool enabled, const Call& call) {
  for (const std::string& name : names) RequireServiceName(name);
  catalog_.Write("service states", [&](Txn& txn) {
    std::string id = projects_.Ensure(txn, project, call.caller).projectId;
    auto row = txn.Find<ServiceStatesRecord>(id);
    ServiceStatesRecord states = row ? std::move(row->value) : ServiceStatesRecord{};
    for (const std::string& name : names) states.enabled[name] = enabled;
    txn.Put(id, states);
  });
  auto all = Load(project, call);
  std::vector<ProjectService> changed;
  for (const std::string& name : names) {
    log_.Info(enabled ? "service enabled" : "service disabled",
              {{"project", project}, {"service", name}, {"by", call.caller.email}});
    changed.push_back(all.at(name));
  }
  return changed;
}

LongRunningOperation ServiceUsage::Enable(const api::serviceusage::NameService& request,
                                          const Call& call) {
  auto changed = SetState(request.project, {request.service}, true, call);
  return DoneOperation("EnableServiceResponse", "service", EncodeJson(changed[0], Audience::kWire));
}

LongRunningOperation ServiceUsage::Disable(const api::serviceusage::NameService& request,
                                           const Call& call) {
  auto changed = SetState(request.project, {request.service}, false, call);
  return DoneOperation("DisableServiceResponse", "service",
                       EncodeJson(changed[0], Audience::kWire));
}

LongRunningOperation ServiceUsage::BatchEnable(const api::serviceusage::BatchEnable& request,
                                               const Call& call) {
  auto changed = SetState(request.project, request.body.serviceIds, true, call);
  return DoneOperation("BatchEnableServicesResponse", "services",
                       EncodeJson(changed, Audience::kWire));
}

}  // namespace identity
}  // namespace fireweed
