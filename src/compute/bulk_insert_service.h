// What for: many instances by one request. All rows, one operation for each instance and one for the whole are written
//   in one transaction; the operation of the whole is ended by the bulk controller.
// Who calls: the router, on pool threads.
// A failure: Failure with Google's words; then nothing was made.
#pragma once

#include "api/compute/bulk_insert.h"
#include "compute/instance_templates.h"
#include "compute/instances_service.h"

namespace fireweed::compute {

class BulkInsertService {
 public:
  BulkInsertService(Catalog& catalog, MakerRights rights, const Catalogue& catalogue, IdSource& ids,
                    const Clock& clock, const InstanceRules& rules)
      : catalog_(catalog),
        rights_(rights),
        catalogue_(catalogue),
        ids_(ids),
        clock_(clock),
        rules_(rules) {}
  void Serve(net::Router& router);

  api::compute::Operation Insert(const api::compute::BulkInsert& request, const net::Call& call);
  // In the region's first zone.
  api::compute::Operation InsertRegional(const api::compute::BulkInsertRegional& request,
                                         const net::Call& call);

 private:
  TemplateRecord Source(Txn& txn, const api::compute::BulkInsert& request) const;

  // Constant after construction.
  Catalog& catalog_;
  const MakerRights rights_;
  const Catalogue& catalogue_;
  IdSource& ids_;
  const Clock& clock_;
  const InstanceRules rules_;
};

// The names of the instances: those given, else by the pattern from 1 on, passing over `taken`. Throws Failure.
std::vector<std::string> BulkNames(const api::compute::BulkInsertBody& body,
                                   const std::function<bool(const std::string&)>& taken);

}  // namespace fireweed::compute
