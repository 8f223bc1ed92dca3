// projects.jobs of the ml API.
#pragma once

#include <string>
#include <vector>

#include "api/ml/job.h"
#include "api/ml/service.h"
#include "api/policy.h"

namespace fireweed::api::ml {

struct CreateJob {
  std::string project;
  Job body;
};
struct NameJob {
  std::string project, job;
};
struct CancelJob {
  std::string project, job;
  Empty body;
};
struct ListJobs {
  std::string project, filter, pageToken;
  int32_t pageSize = 0;
};
struct JobList {
  std::vector<Job> jobs;
  std::string nextPageToken;
};
// The body stays text: which of its fields count is said by the mask.
struct PatchJob {
  std::string project, job, updateMask;
  Json body;
};
struct SetJobPolicy {
  std::string project, job;
  SetIamPolicyBody body;
};
struct TestJobPermissions {
  std::string project, job;
  TestPermissionsBody body;
};

inline constexpr Method<CreateJob, Job> kCreateJob{
    kService,         Verb::kPost,     "/v1/projects/{project}/jobs", "ml.projects.jobs.create",
    "ml.jobs.create", kProjectResource};
inline constexpr Method<ListJobs, JobList> kListJobs{
    kService,       Verb::kGet,      "/v1/projects/{project}/jobs", "ml.projects.jobs.list",
    "ml.jobs.list", kProjectResource};
inline constexpr Method<NameJob, Job> kGetJob{
    kService,      Verb::kGet,  "/v1/projects/{project}/jobs/{job}", "ml.projects.jobs.get",
    "ml.jobs.get", kJobResource};
inline constexpr Method<PatchJob, Job> kPatchJob{
    kService,         Verb::kPatch, "/v1/projects/{project}/jobs/{job}", "ml.projects.jobs.patch",
    "ml.jobs.update", kJobResource};
inline constexpr Method<CancelJob, Empty> kCancelJob{kService,
                                                     Verb::kPost,
                                                     "/v1/projects/{project}/jobs/{job}:cancel",
                                                     "ml.projects.jobs.cancel",
                                                     "ml.jobs.cancel",
                                                     kJobResource};
inline constexpr Method<NameJob, Policy> kGetJobPolicy{
    kService,
    Verb::kGet,
    "/v1/projects/{project}/jobs/{job}:getIamPolicy",
    "ml.projects.jobs.getIamPolicy",
    "ml.jobs.getIamPolicy",
    kJobResource};
inline constexpr Method<SetJobPolicy, Policy> kSetJobPolicy{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/jobs/{job}:setIamPolicy",
    "ml.projects.jobs.setIamPolicy",
    "ml.jobs.setIamPolicy",
    kJobResource};
inline constexpr Method<TestJobPermissions, TestPermissionsBody> kTestJobPermissions{
    kService, Verb::kPost, "/v1/projects/{project}/jobs/{job}:testIamPermissions",
    "ml.projects.jobs.testIamPermissions"};

}  // namespace fireweed::api::ml

namespace fireweed {
template <>
inline constexpr auto kFields<api::ml::CreateJob> = [](auto...) {
  return Fields{F("project", &api::ml::CreateJob::project, kPath),
                F("body", &api::ml::CreateJob::body, kBody)};
};
template <>
inline constexpr auto kFields<api::ml::NameJob> = [](auto...) {
  return Fields{F("project", &api::ml::NameJob::project, kPath),
                F("job", &api::ml::NameJob::job, kPath)};
};
template <>
inline constexpr auto kFields<api::ml::CancelJob> = [](auto...) {
  return Fields{F("project", &api::ml::CancelJob::project, kPath),
                F("job", &api::ml::CancelJob::job, kPath),
                F("body", &api::ml::CancelJob::body, kBody)};
};
template <>
inline constexpr auto kFields<api::ml::ListJobs> = [](auto...) {
  return Fields{F("project", &api::ml::ListJobs::project, kPath),
                F("filter", &api::ml::ListJobs::filter, kQuery),
                F("pageSize", &api::ml::ListJobs::pageSize, kQuery),
                F("pageToken", &api::ml::ListJobs::pageToken, kQuery)};
};
template <>
inline constexpr std::string_view kTypeName<api::ml::JobList> = "ListJobsResponse";
template <>
inline constexpr auto kFields<api::ml::JobList> = [](auto...) {
  return Fields{F("jobs", &api::ml::JobList::jobs),
                F("nextPageToken", &api::ml::JobList::nextPageToken)};
};
template <>
inline constexpr auto kFields<api::ml::PatchJob> = [](auto...) {
  return Fields{F("project", &api::ml::PatchJob::project, kPath),
                F("job", &api::ml::PatchJob::job, kPath),
                F("updateMask", &api::ml::PatchJob::updateMask, kQuery),
                F("body", &api::ml::PatchJob::body, kBody)};
};
template <>
inline constexpr auto kFields<api::ml::SetJobPolicy> = [](auto...) {
  return Fields{F("project", &api::ml::SetJobPolicy::project, kPath),
                F("job", &api::ml::SetJobPolicy::job, kPath),
                F("body", &api::ml::SetJobPolicy::body, kBody)};
};
template <>
inline constexpr auto kFields<api::ml::TestJobPermissions> = [](auto...) {
  return Fields{F("project", &api::ml::TestJobPermissions::project, kPath),
                F("job", &api::ml::TestJobPermissions::job, kPath),
                F("body", &api::ml::TestJobPermissions::body, kBody)};
};
}  // namespace fireweed
