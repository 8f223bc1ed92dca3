// The tables of the largest resources, compiled once for everybody.
#include "api/compute/instance.h"
#include "api/compute/operation.h"
#include "api/ml/job.h"
#include "api/policy.h"
#include "api/storage/bucket.h"
#include "api/storage/object.h"

namespace fireweed {
template const Type& TypeOf<api::Policy>();
template const Type& TypeOf<api::compute::Instance>();
template const Type& TypeOf<api::compute::Operation>();
template const Type& TypeOf<api::storage::Bucket>();
template const Type& TypeOf<api::storage::Object>();
template const Type& TypeOf<api::ml::Job>();
}  // namespace fireweed
