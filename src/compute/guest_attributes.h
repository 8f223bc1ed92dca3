// What for: guest attributes, "NAMESPACE/KEY" to value: an instance writes them through its metadata server, whoever
//   may read the instance reads them by the API. Only where metadata says enable-guest-attributes.
// Who calls: the metadata server and the router, on pool threads. May block for the catalog.
// A failure: Failure, with the words that gcloud looks for.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "api/compute/guest_methods.h"
#include "catalog/catalog.h"
#include "compute/records.h"
#include "net/router.h"

namespace fireweed::compute {

struct GuestAttributes {
  std::map<std::string, std::string> values;
};

// The instance's own word, else the project's. Pure.
bool GuestAttributesEnabled(const api::compute::Metadata& instance,
                            const api::compute::Metadata& project);

// "NAMESPACE/KEY". Pure.
bool IsGuestAttributeName(std::string_view name);

// Throws kTooLarge for a value or a number of them beyond the limits. False when there was nothing to delete.
void PutGuestAttribute(Catalog& catalog, const Key& instance, const std::string& name,
                       std::string_view value);
bool DeleteGuestAttribute(Catalog& catalog, const Key& instance, const std::string& name);

class GuestAttributesService {
 public:
  explicit GuestAttributesService(const Catalog& catalog) : catalog_(catalog) {}
  void Serve(net::Router& router);

  api::compute::GuestAttributes Get(const api::compute::GetGuestAttributes& request,
                                    const net::Call& call);

 private:
  const Catalog& catalog_;
};

}  // namespace fireweed::compute

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<compute::GuestAttributes> = "GuestAttributes";
template <>
inline constexpr auto kFields<compute::GuestAttributes> =
    [](auto...) { return Fields{F("values", &compute::GuestAttributes::values)}; };
template <>
inline constexpr std::string_view kRecordKind<compute::GuestAttributes> =
    "compute.guest-attributes";
}  // namespace fireweed
