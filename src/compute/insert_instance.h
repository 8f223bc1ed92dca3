// Stores a new instance: the one place that all writers of instances go through (requests, bulk inserts, managed groups,
// jobs and builders of environments).
//
// Threading: inside a transaction body, any thread.
// Blocking: as the transaction does.
// Ownership: borrows everything for the call.
// Errors: throws Failure as MakeInstance does, and kExists if the name is taken. Over quota is the Result's error: callers
//   differ in what they do then. Nothing is stored in either case.
#pragma once

#include <functional>
#include <string>

#include "api/compute/instance_methods.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/result.h"
#include "catalog/catalog.h"
#include "compute/instance_request.h"
#include "compute/quota.h"
#include "compute/records.h"

namespace fireweed::compute {

struct NewInstance {
  const api::compute::InsertInstance& request;
  const InsertContext& context;
  // Null: the instance is not charged, because a hold covers it or the service created it for itself.
  QuotaLedger* ledger = nullptr;
  std::string creator = {};                            // email of the user who is charged
  Key group = {};                                      // the managed group it is a member of
  std::function<void(InstanceRecord&)> complete = {};  // the last changes before it is stored
};

// The record as stored, with its disks.
Result<InstanceRecord> InsertInstance(Txn& txn, const NewInstance& instance, IdSource& ids);

}  // namespace fireweed::compute
