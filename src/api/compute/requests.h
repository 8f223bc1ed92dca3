// What the methods of every kind of resource take alike: `project` and the scope come from the path; lists
// take filter, paging and order from the query.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "api/compute/service.h"

namespace fireweed::api::compute {

struct ProjectRequest {
  std::string project;
};
struct ListProject {
  std::string project, filter, pageToken, orderBy;
  int32_t maxResults = 500;
  bool includeAllScopes = false;
};
struct GetGlobal {
  std::string project, name;
};
struct ListZonal {
  std::string project, zone, filter, pageToken, orderBy;
  int32_t maxResults = 500;
};
struct GetZonal {
  std::string project, zone, name;
};
struct ListRegional {
  std::string project, region, filter, pageToken, orderBy;
  int32_t maxResults = 500;
};
struct GetRegional {
  std::string project, region, name;
};

// Changes that say nothing but which resource: delete and the like.
struct ChangeGlobal {
  std::string project, name, requestId;
};
struct ChangeZonal {
  std::string project, zone, name, requestId;
};
struct ChangeRegional {
  std::string project, region, name, requestId;
};

// Inserts, and changes with a body: Json for a patch, a struct of the API otherwise.
template <class Body>
struct InsertGlobal {
  std::string project, requestId;
  Body body;
};
template <class Body>
struct InsertZonal {
  std::string project, zone, requestId;
  Body body;
};
template <class Body>
struct InsertRegional {
  std::string project, region, requestId;
  Body body;
};
template <class Body>
struct EditGlobal {
  std::string project, name, requestId;
  Body body;
};
template <class Body>
struct EditZonal {
  std::string project, zone, name, requestId;
  Body body;
};
template <class Body>
struct EditRegional {
  std::string project, region, name, requestId;
  Body body;
};

struct LabelsBody {
  std::map<std::string, std::string> labels;
  Bytes labelFingerprint;
};

inline constexpr std::string_view kProjectResource = "projects/{project}";

}  // namespace fireweed::api::compute

namespace fireweed {
template <>
inline constexpr auto kFields<api::compute::ProjectRequest> =
    [](auto...) { return Fields{F("project", &api::compute::ProjectRequest::project, kPath)}; };
template <>
inline constexpr auto kFields<api::compute::ListProject> = [](auto...) {
  return Fields{F("project", &api::compute::ListProject::project, kPath),
                F("filter", &api::compute::ListProject::filter, kQuery),
                F("pageToken", &api::compute::ListProject::pageToken, kQuery),
                F("orderBy", &api::compute::ListProject::orderBy, kQuery),
                F("maxResults", &api::compute::ListProject::maxResults, kQuery),
                F("includeAllScopes", &api::compute::ListProject::includeAllScopes, kQuery)};
};
template <>
inline constexpr auto kFields<api::compute::GetGlobal> = [](auto...) {
  return Fields{F("project", &api::compute::GetGlobal::project, kPath),
                F("name", &api::compute::GetGlobal::name, kPath)};
};
template <>
inline constexpr auto kFields<api::compute::ListZonal> = [](auto...) {
  return Fields{F("project", &api::compute::ListZonal::project, kPath),
                F("zone", &api::compute::ListZonal::zone, kPath),
                F("filter", &api::compute::ListZonal::filter, kQuery),
                F("pageToken", &api::compute::ListZonal::pageToken, kQuery),
                F("orderBy", &api::compute::ListZonal::orderBy, kQuery),
                F("maxResults", &api::compute::ListZonal::maxResults, kQuery)};
};
template <>
inline constexpr auto kFields<api::compute::GetZonal> = [](auto...) {
  return Fields{F("project", &api::compute::GetZonal::project, kPath),
                F("zone", &api::compute::GetZonal::zone, kPath),
                F("name", &api::compute::GetZonal::name, kPath)};
};
template <>
inline constexpr auto kFields<api::compute::ListRegional> = [](auto...) {
  return Fields{F("project", &api::compute::ListRegional::project, kPath),
                F("region", &api::compute::ListRegional::region, kPath),
                F("filter", &api::compute::ListRegional::filter, kQuery),
                F("pageToken", &api::compute::ListRegional::pageToken, kQuery),
                F("orderBy", &api::compute::ListRegional::orderBy, kQuery),
                F("maxResults", &api::compute::ListRegional::maxResults, kQuery)};
};
template <>
inline constexpr auto kFields<api::compute::GetRegional> = [](auto...) {
  return Fields{F("project", &api::compute::GetRegional::project, kPath),
                F("region", &api::compute::GetRegional::region, kPath),
                F("name", &api::compute::GetRegional::name, kPath)};
};
template <>
inline constexpr auto kFields<api::compute::ChangeGlobal> = [](auto...) {
  return Fields{F("project", &api::compute::ChangeGlobal::project, kPath),
                F("name", &api::compute::ChangeGlobal::name, kPath),
                F("requestId", &api::compute::ChangeGlobal::requestId, kQuery)};
};
template <>
inline constexpr auto kFields<api::compute::ChangeZonal> = [](auto...) {
  return Fields{F("project", &api::compute::ChangeZonal::project, kPath),
                F("zone", &api::compute::ChangeZonal::zone, kPath),
                F("name", &api::compute::ChangeZonal::name, kPath),
                F("requestId", &api::compute::ChangeZonal::requestId, kQuery)};
};
template <>
inline constexpr auto kFields<api::compute::ChangeRegional> = [](auto...) {
  return Fields{F("project", &api::compute::ChangeRegional::project, kPath),
                F("region", &api::compute::ChangeRegional::region, kPath),
                F("name", &api::compute::ChangeRegional::name, kPath),
                F("requestId", &api::compute::ChangeRegional::requestId, kQuery)};
};
template <class Body>
inline constexpr auto kFields<api::compute::InsertGlobal<Body>> = [](auto...) {
  return Fields{F("project", &api::compute::InsertGlobal<Body>::project, kPath),
                F("requestId", &api::compute::InsertGlobal<Body>::requestId, kQuery),
                F("body", &api::compute::InsertGlobal<Body>::body, kBody)};
};
template <class Body>
inline constexpr auto kFields<api::compute::EditGlobal<Body>> = [](auto...) {
  return Fields{F("project", &api::compute::EditGlobal<Body>::project, kPath),
                F("name", &api::compute::EditGlobal<Body>::name, kPath),
                F("requestId", &api::compute::EditGlobal<Body>::requestId, kQuery),
                F("body", &api::compute::EditGlobal<Body>::body, kBody)};
};
template <class Body>
inline constexpr auto kFields<api::compute::InsertZonal<Body>> = [](auto...) {
  return Fields{F("project", &api::compute::InsertZonal<Body>::project, kPath),
                F("zone", &api::compute::InsertZonal<Body>::zone, kPath),
                F("requestId", &api::compute::InsertZonal<Body>::requestId, kQuery),
                F("body", &api::compute::InsertZonal<Body>::body, kBody)};
};
template <class Body>
inline constexpr auto kFields<api::compute::EditZonal<Body>> = [](auto...) {
  return Fields{F("project", &api::compute::EditZonal<Body>::project, kPath),
                F("zone", &api::compute::EditZonal<Body>::zone, kPath),
                F("name", &api::compute::EditZonal<Body>::name, kPath),
                F("requestId", &api::compute::EditZonal<Body>::requestId, kQuery),
                F("body", &api::compute::EditZonal<Body>::body, kBody)};
};
template <class Body>
inline constexpr auto kFields<api::compute::InsertRegional<Body>> = [](auto...) {
  return Fields{F("project", &api::compute::InsertRegional<Body>::project, kPath),
                F("region", &api::compute::InsertRegional<Body>::region, kPath),
                F("requestId", &api::compute::InsertRegional<Body>::requestId, kQuery),
                F("body", &api::compute::InsertRegional<Body>::body, kBody)};
};
template <class Body>
inline constexpr auto kFields<api::compute::EditRegional<Body>> = [](auto...) {
  return Fields{F("project", &api::compute::EditRegional<Body>::project, kPath),
                F("region", &api::compute::EditRegional<Body>::region, kPath),
                F("name", &api::compute::EditRegional<Body>::name, kPath),
                F("requestId", &api::compute::EditRegional<Body>::requestId, kQuery),
                F("body", &api::compute::EditRegional<Body>::body, kBody)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::LabelsBody> = "GlobalSetLabelsRequest";
template <>
inline constexpr auto kFields<api::compute::LabelsBody> = [](auto...) {
  return Fields{F("labels", &api::compute::LabelsBody::labels),
                F("labelFingerprint", &api::compute::LabelsBody::labelFingerprint)};
};
}  // namespace fireweed
