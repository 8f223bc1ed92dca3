#include "ml/models/records.h"

namespace fireweed {
template const Type& TypeOf<ml::ModelRecord>();
template const Type& TypeOf<ml::VersionRecord>();
}  // namespace fireweed
