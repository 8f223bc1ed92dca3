#include "compute/records.h"

namespace fireweed {
template const Type& TypeOf<compute::ImageRecord>();
template const Type& TypeOf<compute::InstanceRecord>();
}  // namespace fireweed
