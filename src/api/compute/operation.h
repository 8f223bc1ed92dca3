// Operations: what every mutation answers with, and what clients wait for.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/compute/service.h"

namespace fireweed::api::compute {

enum class OperationStatus { kPending, kRunning, kDone };

struct OperationErrorItem {
  std::string code, message, location;
};
struct OperationError {
  std::vector<OperationErrorItem> errors;
};

// `zone` or `region` is a full URL for scoped operations, absent for global ones: clients poll by it.
struct Operation {
  std::string kind = "compute#operation";
  int64_t id = 0;
  std::string name, zone, region, clientOperationId, operationGroupId, operationType, targetLink;
  int64_t targetId = 0;
  OperationStatus status = OperationStatus::kRunning;
  std::string user;
  int32_t progress = 0;
  std::string insertTime, startTime, endTime;
  std::optional<OperationError> error;
  std::vector<Warning> warnings;
  std::optional<int32_t> httpErrorStatusCode;
  std::string httpErrorMessage, selfLink;
};

struct OperationsScopedList {
  std::vector<Operation> operations;
  std::optional<Warning> warning;
};

}  // namespace fireweed::api::compute

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::compute::OperationStatus> = "OperationStatus";
template <>
inline constexpr std::array<std::string_view, 3> kEnumNames<api::compute::OperationStatus>{
    "PENDING", "RUNNING", "DONE"};
template <>
inline constexpr std::string_view kTypeName<api::compute::OperationErrorItem> =
    "OperationErrorItem";
template <>
inline constexpr auto kFields<api::compute::OperationErrorItem> = [](auto...) {
  return Fields{F("code", &api::compute::OperationErrorItem::code),
                F("message", &api::compute::OperationErrorItem::message),
                F("location", &api::compute::OperationErrorItem::location)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::OperationError> = "OperationError";
template <>
inline constexpr auto kFields<api::compute::OperationError> =
    [](auto...) { return Fields{F("errors", &api::compute::OperationError::errors)}; };
template <>
inline constexpr std::string_view kTypeName<api::compute::Operation> = "Operation";
template <>
inline constexpr auto kFields<api::compute::Operation> = [](auto...) {
  return Fields{F("kind", &api::compute::Operation::kind),
                F("id", &api::compute::Operation::id),
                F("name", &api::compute::Operation::name),
                F("zone", &api::compute::Operation::zone),
                F("region", &api::compute::Operation::region),
                F("clientOperationId", &api::compute::Operation::clientOperationId),
                F("operationGroupId", &api::compute::Operation::operationGroupId),
                F("operationType", &api::compute::Operation::operationType),
                F("targetLink", &api::compute::Operation::targetLink),
                F("targetId", &api::compute::Operation::targetId),
                F("status", &api::compute::Operation::status),
                F("user", &api::compute::Operation::user),
                F("progress", &api::compute::Operation::progress),
                F("insertTime", &api::compute::Operation::insertTime),
                F("startTime", &api::compute::Operation::startTime),
                F("endTime", &api::compute::Operation::endTime),
                F("error", &api::compute::Operation::error),
                F("warnings", &api::compute::Operation::warnings),
                F("httpErrorStatusCode", &api::compute::Operation::httpErrorStatusCode),
                F("httpErrorMessage", &api::compute::Operation::httpErrorMessage),
                F("selfLink", &api::compute::Operation::selfLink)};
};
extern template const Type& TypeOf<api::compute::Operation>();
template <>
inline constexpr std::string_view kTypeName<api::compute::OperationsScopedList> =
    "OperationsScopedList";
template <>
inline constexpr auto kFields<api::compute::OperationsScopedList> = [](auto...) {
  return Fields{F("operations", &api::compute::OperationsScopedList::operations),
                F("warning", &api::compute::OperationsScopedList::warning)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::ListOf<api::compute::Operation>> =
    "OperationList";
template <>
inline constexpr std::string_view
    kTypeName<api::compute::AggregatedListOf<api::compute::OperationsScopedList>> =
        "OperationAggregatedList";
}  // namespace fireweed
