// The row of a resource that is kept and shown and does nothing by itself.
#pragma once

#include <string>

#include "catalog/record.h"

namespace fireweed::compute {

// Key: "PROJECT/global/NAME" or "PROJECT/regions/R/NAME".
template <class T>
struct StoredRecord {
  std::string project, scope;
  T resource;
  Key key() const { return project + "/" + scope + "/" + resource.name; }
};

}  // namespace fireweed::compute

namespace fireweed {
template <class T>
inline constexpr auto kFields<compute::StoredRecord<T>> = [](auto...) {
  return Fields{F("project", &compute::StoredRecord<T>::project),
                F("scope", &compute::StoredRecord<T>::scope),
                F("resource", &compute::StoredRecord<T>::resource)};
};
}  // namespace fireweed
