// google.longrunning.Operation: what resource manager, service usage and ml answer to changes that may take time.
// (Compute has a form of its own.)
#pragma once

#include <optional>
#include <string>

#include "describe/type.h"

namespace fireweed::api {

struct OperationStatus {
  int32_t code = 0;  // google.rpc.Code
  std::string message;
};

struct LongRunningOperation {
  std::string name;
  Json metadata;
  bool done = false;
  std::optional<OperationStatus> error;
  Json response;
};

}  // namespace fireweed::api

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::OperationStatus> = "Status";
template <>
inline constexpr auto kFields<api::OperationStatus> = [](auto...) {
  return Fields{F("code", &api::OperationStatus::code),
                F("message", &api::OperationStatus::message)};
};
template <>
inline constexpr std::string_view kTypeName<api::LongRunningOperation> = "Operation";
template <>
inline constexpr auto kFields<api::LongRunningOperation> = [](auto...) {
  return Fields{F("name", &api::LongRunningOperation::name),
                F("metadata", &api::LongRunningOperation::metadata),
                F("done", &api::LongRunningOperation::done),
                F("error", &api::LongRunningOperation::error),
                F("response", &api::LongRunningOperation::response)};
};
}  // namespace fireweed
