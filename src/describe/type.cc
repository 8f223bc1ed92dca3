#include "describe/type.h"

namespace fireweed {

const Field* Type::Find(std::string_view field) const {
  for (const Field& candidate : fields) {
    if (candidate.name == field) return &candidate;
  }
  return nullptr;
}

}  // namespace fireweed
