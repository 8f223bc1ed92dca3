// Cloud Resource Manager v1 over the project rows. Handlers run on pool threads and may block for the catalog.
#pragma once

#include "api/crm/operation.h"
#include "api/crm/project.h"
#include "base/log.h"
#include "catalog/catalog.h"
#include "identity/projects.h"
#include "net/router.h"

namespace fireweed::identity {

class ProjectService {
 public:
  ProjectService(Catalog& catalog, const Projects& projects, net::AccessControl& access,
                 Logger& log)
      : catalog_(catalog), projects_(projects), access_(access), log_(log) {}

  void Serve(net::Router& router);

 private:
  api::crm::ProjectList List(const api::crm::ListProjects& request, const net::Call& call);
  api::LongRunningOperation Create(const api::crm::CreateProject& request, const net::Call& call);
  api::crm::Project Get(const api::crm::GetProject& request, const net::Call& call);
  api::crm::Project Update(const api::crm::UpdateProject& request, const net::Call& call);
  api::Empty Delete(const api::crm::GetProject& request, const net::Call& call);
  api::Empty Undelete(const api::crm::GetProject& request, const net::Call& call);
  api::Policy GetPolicy(const api::crm::GetProjectPolicy& request, const net::Call& call);
  api::Policy SetPolicy(const api::crm::SetProjectPolicy& request, const net::Call& call);
  api::TestPermissionsBody TestPermissions(const api::crm::TestProjectPermissions& request,
                                           const net::Call& call);
  api::LongRunningOperation GetOperation(const api::crm::GetOperation& request,
                                         const net::Call& call);

  // The project, made on first use where that is allowed.
  api::crm::Project Load(std::string_view project, const net::Call& call);
  void SetState(std::string_view project, api::crm::LifecycleState state);

  Catalog& catalog_;
  const Projects& projects_;
  net::AccessControl& access_;
  Logger& log_;
};

}  // namespace fireweed::identity
