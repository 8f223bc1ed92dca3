// The account that jobs and models of a project act as unless told otherwise. It is a real one: it can be granted roles in
// project policies and on buckets. For catalog transactions; Failure rolls back.
#pragma once

#include <string>

#include "api/crm/project.h"
#include "base/clock.h"
#include "base/random.h"
#include "catalog/catalog.h"

namespace fireweed::ml {

// "service-NUMBER@cloud-ml.google.com.iam.gserviceaccount.com"
std::string ServiceAccountOf(const api::crm::Project& project);

// Makes it on first use, as service agent of its project; gives its e-mail.
std::string EnsureServiceAccount(Txn& txn, const api::crm::Project& project, Time now,
                                 Random& random);

}  // namespace fireweed::ml
