// From what a client sent in an insert to the instance that is stored: checks, defaults, links. All refusals of an
// insert that need no second look are here.
#pragma once

#include <string>

#include "api/compute/methods.h"
#include "catalog/catalog.h"
#include "compute/catalogue.h"
#include "compute/records.h"

namespace fireweed::compute {

struct InsertContext {
  const Catalogue& catalogue;
  std::string default_account;  // e-mail of the project's default service account
  int64_t id = 0;               // of the new instance
  Time now;
  // Refuse what can only be met with a substitute: a smaller machine, fewer accelerators, another image.
  bool strict = false;
};

// Sets cpus, memory and warnings by the machine type and accelerators, and completes their links. Throws Failure as
// MakeInstance does.
void FitMachineType(InstanceRecord& record, const Catalogue& catalogue, bool strict);

// Throws Failure: kNotFound for zones, machine types, images and networks that are not there, kInvalid for bad
// values, kExhausted for what does not fit under `strict`.
InstanceRecord MakeInstance(Txn& txn, const api::compute::InsertInstance& request,
                            const InsertContext& context);

}  // namespace fireweed::compute
