// Service Usage v1: which APIs a project has turned on.
#pragma once

#include <string>
#include <vector>

#include "api/long_running_operation.h"
#include "api/method.h"

namespace fireweed::api::serviceusage {

inline constexpr std::string_view kHosts[] = {"serviceusage.googleapis.com"};
inline constexpr Service kService{.name = "serviceusage",
                                  .version = "v1",
                                  .title = "Service Usage API",
                                  .hosts = kHosts,
                                  .path_names = PathNames::kByResource};

enum class State { kUnspecified, kDisabled, kEnabled };

struct ServiceConfig {
  std::string name, title;
};
struct ProjectService {
  std::string name;    // projects/NUMBER/services/storage.googleapis.com
  std::string parent;  // projects/NUMBER
  ServiceConfig config;
  State state = State::kDisabled;
};

struct ListServices {
  std::string project, filter, pageToken;
  int32_t pageSize = 0;
};
struct ServiceList {
  std::vector<ProjectService> services;
  std::string nextPageToken;
};
// Bodies of enable and disable hold options that change nothing here.
struct NameService {
  std::string project, service;
};
struct ServiceIds {
  std::vector<std::string> serviceIds;
};
struct BatchEnable {
  std::string project;
  ServiceIds body;
};
struct BatchGet {
  std::string project;
  std::vector<std::string> names;
};

inline constexpr Method<ListServices, ServiceList> kListServices{kService,
                                                                 Verb::kGet,
                                                                 "/v1/projects/{project}/services",
                                                                 "serviceusage.services.list",
                                                                 "serviceusage.services.list",
                                                                 "projects/{project}"};
inline constexpr Method<NameService, ProjectService> kGetService{
    kService,
    Verb::kGet,
    "/v1/projects/{project}/services/{service}",
    "serviceusage.services.get",
    "serviceusage.services.get",
    "projects/{project}"};
inline constexpr Method<NameService, LongRunningOperation> kEnableService{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/services/{service}:enable",
    "serviceusage.services.enable",
    "serviceusage.services.enable",
    "projects/{project}"};
inline constexpr Method<NameService, LongRunningOperation> kDisableService{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/services/{service}:disable",
    "serviceusage.services.disable",
    "serviceusage.services.disable",
    "projects/{project}"};
inline constexpr Method<BatchEnable, LongRunningOperation> kBatchEnable{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/services:batchEnable",
    "serviceusage.services.batchEnable",
    "serviceusage.services.enable",
    "projects/{project}"};
inline constexpr Method<BatchGet, ServiceList> kBatchGet{kService,
                                                         Verb::kGet,
                                                         "/v1/projects/{project}/services:batchGet",
                                                         "serviceusage.services.batchGet",
                                                         "serviceusage.services.get",
                                                         "projects/{project}"};

}  // namespace fireweed::api::serviceusage

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::serviceusage::State> = "State";
template <>
inline constexpr std::array kEnumNames<api::serviceusage::State>{
    std::string_view("STATE_UNSPECIFIED"), std::string_view("DISABLED"),
    std::string_view("ENABLED")};
template <>
inline constexpr std::string_view kTypeName<api::serviceusage::ServiceConfig> =
    "GoogleApiServiceusageV1ServiceConfig";
template <>
inline constexpr auto kFields<api::serviceusage::ServiceConfig> = [](auto...) {
  return Fields{F("name", &api::serviceusage::ServiceConfig::name),
                F("title", &api::serviceusage::ServiceConfig::title)};
};
template <>
inline constexpr std::string_view kTypeName<api::serviceusage::ProjectService> =
    "GoogleApiServiceusageV1Service";
template <>
inline constexpr auto kFields<api::serviceusage::ProjectService> = [](auto...) {
  return Fields{F("name", &api::serviceusage::ProjectService::name),
                F("parent", &api::serviceusage::ProjectService::parent),
                F("config", &api::serviceusage::ProjectService::config),
                F("state", &api::serviceusage::ProjectService::state)};
};
template <>
inline constexpr auto kFields<api::serviceusage::ListServices> = [](auto...) {
  return Fields{F("project", &api::serviceusage::ListServices::project, kPath),
                F("filter", &api::serviceusage::ListServices::filter, kQuery),
                F("pageSize", &api::serviceusage::ListServices::pageSize, kQuery),
                F("pageToken", &api::serviceusage::ListServices::pageToken, kQuery)};
};
template <>
inline constexpr std::string_view kTypeName<api::serviceusage::ServiceList> =
    "ListServicesResponse";
template <>
inline constexpr auto kFields<api::serviceusage::ServiceList> = [](auto...) {
  return Fields{F("services", &api::serviceusage::ServiceList::services),
                F("nextPageToken", &api::serviceusage::ServiceList::nextPageToken)};
};
template <>
inline constexpr auto kFields<api::serviceusage::NameService> = [](auto...) {
  return Fields{F("project", &api::serviceusage::NameService::project, kPath),
                F("service", &api::serviceusage::NameService::service, kPath)};
};
template <>
inline constexpr std::string_view kTypeName<api::serviceusage::ServiceIds> =
    "BatchEnableServicesRequest";
template <>
inline constexpr auto kFields<api::serviceusage::ServiceIds> =
    [](auto...) { return Fields{F("serviceIds", &api::serviceusage::ServiceIds::serviceIds)}; };
template <>
inline constexpr auto kFields<api::serviceusage::BatchEnable> = [](auto...) {
  return Fields{F("project", &api::serviceusage::BatchEnable::project, kPath),
                F("body", &api::serviceusage::BatchEnable::body, kBody)};
};
template <>
inline constexpr auto kFields<api::serviceusage::BatchGet> = [](auto...) {
  return Fields{F("project", &api::serviceusage::BatchGet::project, kPath),
                F("names", &api::serviceusage::BatchGet::names, kQuery)};
};
}  // namespace fireweed
