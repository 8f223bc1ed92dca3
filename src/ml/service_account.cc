#include "ml/service_account.h"

#include <fmt/format.h>

#include "identity/policies.h"
#include "identity/service_accounts.h"

namespace fireweed::ml {

std::string ServiceAccountOf(const api::crm::Project& project) {
  return fmt::format("service-{}@cloud-ml.google.com.iam.gserviceaccount.com",
                     project.projectNumber);
}

std::string EnsureServiceAccount(Txn& txn, const api::crm::Project& project, Time now,
                                 Random& random) {
  std::string email = ServiceAccountOf(project);
  if (identity::FindServiceAccount(txn, email)) return email;
  identity::AddServiceAccount(
      txn,
      {.projectId = project.projectId, .email = email, .displayName = "AI Platform service agent"},
      now, random);
  identity::AddBinding(txn, "projects/" + project.projectId, "roles/ml.serviceAgent",
                       "serviceAccount:" + email);
  return email;
}

}  // namespace fireweed::ml
