#include "ml/job_record.h"

namespace fireweed {
template const Type& TypeOf<ml::JobRecord>();
}  // namespace fireweed
