// Cloud Source Repositories v1, and the paths that git itself asks for.
#pragma once

#include <string>
#include <vector>

#include "api/method.h"
#include "api/policy.h"

namespace fireweed::api::source {

inline constexpr std::string_view kHosts[] = {"sourcerepo.googleapis.com"};
inline constexpr Service kService{.name = "sourcerepo",
                                  .version = "v1",
                                  .title = "Cloud Source Repositories API",
                                  .hosts = kHosts,
                                  .path_names = PathNames::kByResource};

inline constexpr std::string_view kGitHost = "source.developers.google.com";
inline constexpr std::string_view kGitHosts[] = {kGitHost};
inline constexpr Service kGit{.name = "sourcegit",
                              .version = "v1",
                              .title = "Git over HTTPS",
                              .hosts = kGitHosts,
                              .documented = false};

struct Repo {
  std::string name;  // projects/P/repos/R
  int64_t size = 0;  // bytes on disk
  std::string url;
};
struct CreateRepo {
  std::string project;
  Repo body;
};
struct NameRepo {
  std::string project, repo;
};
struct ListRepos {
  std::string project, pageToken;
  int32_t pageSize = 0;
};
struct RepoList {
  std::vector<Repo> repos;
  std::string nextPageToken;
};
struct SetRepoPolicy {
  std::string project, repo;
  SetIamPolicyBody body;
};
struct TestRepoPermissions {
  std::string project, repo;
  TestPermissionsBody body;
};
struct GitRefs {
  std::string project, repo, service;
};

inline constexpr std::string_view kProject = "projects/{project}";
inline constexpr std::string_view kRepo = "projects/{project}/repos/{repo}";

inline constexpr Method<CreateRepo, Repo> kCreateRepo{kService,
                                                      Verb::kPost,
                                                      "/v1/projects/{project}/repos",
                                                      "sourcerepo.projects.repos.create",
                                                      "source.repos.create",
                                                      kProject};
inline constexpr Method<ListRepos, RepoList> kListRepos{kService,
                                                        Verb::kGet,
                                                        "/v1/projects/{project}/repos",
                                                        "sourcerepo.projects.repos.list",
                                                        "source.repos.list",
                                                        kProject};
inline constexpr Method<NameRepo, Repo> kGetRepo{kService,
                                                 Verb::kGet,
                                                 "/v1/projects/{project}/repos/{repo=**}",
                                                 "sourcerepo.projects.repos.get",
                                                 "source.repos.get",
                                                 kRepo};
inline constexpr Method<NameRepo, Empty> kDeleteRepo{kService,
                                                     Verb::kDelete,
                                                     "/v1/projects/{project}/repos/{repo=**}",
                                                     "sourcerepo.projects.repos.delete",
                                                     "source.repos.delete",
                                                     kRepo};
inline constexpr Method<NameRepo, Policy> kGetRepoPolicy{
    kService,
    Verb::kGet,
    "/v1/projects/{project}/repos/{repo=**}:getIamPolicy",
    "sourcerepo.projects.repos.getIamPolicy",
    "source.repos.getIamPolicy",
    kRepo};
inline constexpr Method<SetRepoPolicy, Policy> kSetRepoPolicy{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/repos/{repo=**}:setIamPolicy",
    "sourcerepo.projects.repos.setIamPolicy",
    "source.repos.setIamPolicy",
    kRepo};
inline constexpr Method<TestRepoPermissions, TestPermissionsBody> kTestRepoPermissions{
    kService, Verb::kPost, "/v1/projects/{project}/repos/{repo=**}:testIamPermissions",
    "sourcerepo.projects.repos.testIamPermissions"};

// Who may is decided by the handlers: git wants to be asked for a password in its own way.
inline constexpr Method<GitRefs, Empty> kGitRefs{
    kGit, Verb::kGet, "/p/{project}/r/{repo=**}/info/refs", "sourcegit.refs"};
inline constexpr Method<NameRepo, Empty> kGitUploadPack{
    kGit, Verb::kPost, "/p/{project}/r/{repo=**}/git-upload-pack", "sourcegit.uploadPack"};
inline constexpr Method<NameRepo, Empty> kGitReceivePack{
    kGit, Verb::kPost, "/p/{project}/r/{repo=**}/git-receive-pack", "sourcegit.receivePack"};

}  // namespace fireweed::api::source

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::source::Repo> = "Repo";
template <>
inline constexpr auto kFields<api::source::Repo> = [](auto...) {
  return Fields{F("name", &api::source::Repo::name), F("size", &api::source::Repo::size),
                F("url", &api::source::Repo::url)};
};
template <>
inline constexpr auto kFields<api::source::CreateRepo> = [](auto...) {
  return Fields{F("project", &api::source::CreateRepo::project, kPath),
                F("body", &api::source::CreateRepo::body, kBody)};
};
template <>
inline constexpr auto kFields<api::source::NameRepo> = [](auto...) {
  return Fields{F("project", &api::source::NameRepo::project, kPath),
                F("repo", &api::source::NameRepo::repo, kPath)};
};
template <>
inline constexpr auto kFields<api::source::ListRepos> = [](auto...) {
  return Fields{F("project", &api::source::ListRepos::project, kPath),
                F("pageSize", &api::source::ListRepos::pageSize, kQuery),
                F("pageToken", &api::source::ListRepos::pageToken, kQuery)};
};
template <>
inline constexpr std::string_view kTypeName<api::source::RepoList> = "ListReposResponse";
template <>
inline constexpr auto kFields<api::source::RepoList> = [](auto...) {
  return Fields{F("repos", &api::source::RepoList::repos),
                F("nextPageToken", &api::source::RepoList::nextPageToken)};
};
template <>
inline constexpr auto kFields<api::source::SetRepoPolicy> = [](auto...) {
  return Fields{F("project", &api::source::SetRepoPolicy::project, kPath),
                F("repo", &api::source::SetRepoPolicy::repo, kPath),
                F("body", &api::source::SetRepoPolicy::body, kBody)};
};
template <>
inline constexpr auto kFields<api::source::TestRepoPermissions> = [](auto...) {
  return Fields{F("project", &api::source::TestRepoPermissions::project, kPath),
                F("repo", &api::source::TestRepoPermissions::repo, kPath),
                F("body", &api::source::TestRepoPermissions::body, kBody)};
};
template <>
inline constexpr auto kFields<api::source::GitRefs> = [](auto...) {
  return Fields{F("project", &api::source::GitRefs::project, kPath),
                F("repo", &api::source::GitRefs::repo, kPath),
                F("service", &api::source::GitRefs::service, kQuery)};
};
}  // namespace fireweed
