#include "ml/projects_service.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "ml/service_account.h"

namespace fireweed::ml {

void ProjectsService::Serve(net::Router& router) {
  namespace m = api::ml;
  using Self = ProjectsService;
  router.On(m::kGetConfig, this, &Self::GetConfig);
  router.On(m::kListLocations, this, &Self::ListLocations);
  router.On(m::kGetLocation, this, &Self::GetLocation);
  for (const auto* method : m::kStudyMethods) router.On(*method, this, &Self::RefuseStudy);
}

api::ml::ProjectConfig ProjectsService::GetConfig(const api::ml::NameProject& request,
                                                  const net::Call& call) {
  return Update(catalog_, "ml service account", [&](Txn& txn) {
    api::crm::Project project = projects_.Ensure(txn, request.project, call.caller);
    return api::ml::ProjectConfig{
        .serviceAccount = EnsureServiceAccount(txn, project, clock_.Now(), random_),
        .serviceAccountProject = project.projectNumber};
  });
}

api::ml::Location ProjectsService::LocationOf(const std::string& project,
                                              const std::string& region) const {
  std::vector<std::string> cards;
  for (std::string type : catalogue_.host().accelerators) {
    std::ranges::transform(type, type.begin(), [](unsigned char c) {
      return c == '-' ? '_' : static_cast<char>(std::toupper(c));
    });
    if (std::ranges::find(cards, type) == cards.end()) cards.push_back(type);
  }
  return {
      .name = fmt::format("projects/{}/locations/{}", project, region),
      .capabilities = {{"TRAINING", cards}, {"BATCH_PREDICTION", {}}, {"ONLINE_PREDICTION", {}}}};
}

api::ml::LocationList ProjectsService::ListLocations(const api::ml::ListLocations& request,
                                                     const net::Call&) {
  api::ml::LocationList list;
  for (const std::string& region : compute::Catalogue::RegionNames()) {
    list.locations.push_back(LocationOf(request.project, region));
  }
  return list;
}

api::ml::Location ProjectsService::GetLocation(const api::ml::NameLocation& request,
                                               const net::Call&) {
  if (!compute::Catalogue::HasRegion(request.location)) {
    throw Failure(Code::kNotFound,
                  fmt::format("Field: name Error: There is no location '{}'.", request.location));
  }
  return LocationOf(request.project, request.location);
}

api::Empty ProjectsService::RefuseStudy(const api::Empty&, const net::Call&) {
  throw Failure(Code::kNotFound,
                "Studies are not offered here: tune with the hyperparameters of a training job.");
}

}  // namespace fireweed::ml
