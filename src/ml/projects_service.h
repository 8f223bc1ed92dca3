// What for: what the ml API says of a project: the account that acts for it, where it may run, and that studies are not
//   offered.
// Who calls: the router, on pool threads. May block for the catalog.
#pragma once

#include "api/ml/project_methods.h"
#include "api/ml/study_methods.h"
#include "base/clock.h"
#include "base/random.h"
#include "catalog/catalog.h"
#include "compute/catalogue.h"
#include "identity/projects.h"
#include "net/router.h"

namespace fireweed::ml {

class ProjectsService {
 public:
  ProjectsService(Catalog& catalog, const identity::Projects& projects,
                  const compute::Catalogue& catalogue, const Clock& clock, Random& random)
      : catalog_(catalog),
        projects_(projects),
        catalogue_(catalogue),
        clock_(clock),
        random_(random) {}
  void Serve(net::Router& router);

  api::ml::ProjectConfig GetConfig(const api::ml::NameProject& request, const net::Call& call);
  api::ml::LocationList ListLocations(const api::ml::ListLocations& request, const net::Call& call);
  api::ml::Location GetLocation(const api::ml::NameLocation& request, const net::Call& call);
  api::Empty RefuseStudy(const api::Empty& request, const net::Call& call);

 private:
  api::ml::Location LocationOf(const std::string& project, const std::string& region) const;

  Catalog& catalog_;
  const identity::Projects& projects_;
  const compute::Catalogue& catalogue_;
  const Clock& clock_;
  Random& random_;
};

}  // namespace fireweed::ml
