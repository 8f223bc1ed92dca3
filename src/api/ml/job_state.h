// Where a job or a trial stands.
#pragma once

#include <array>
#include <string_view>

#include "describe/type.h"

namespace fireweed::api::ml {

enum class JobState {
  kUnspecified,
  kQueued,
  kPreparing,
  kRunning,
  kSucceeded,
  kFailed,
  kCancelling,
  kCancelled,
};

inline bool HasEnded(JobState state) {
  return state == JobState::kSucceeded || state == JobState::kFailed ||
         state == JobState::kCancelled;
}

}  // namespace fireweed::api::ml

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::ml::JobState> = "JobState";
template <>
inline constexpr std::array<std::string_view, 8> kEnumNames<api::ml::JobState>{
    "STATE_UNSPECIFIED", "QUEUED", "PREPARING",  "RUNNING",
    "SUCCEEDED",         "FAILED", "CANCELLING", "CANCELLED"};
}  // namespace fireweed
