#include "compute/scheduling.h"

#include <fmt/format.h>

#include "base/error.h"
#include "compute/notice.h"

namespace fireweed::compute {
namespace {

constexpr int64_t kShortestRun = 30;  // seconds
constexpr int64_t kLongestRun = 120LL * 24 * 3600;

[[noreturn]] void Invalid(std::string_view field, std::string_view value, std::string_view why) {
  throw Failure(Code::kInvalid,
                fmt::format("Invalid value for field 'resource.scheduling{}{}': '{}'. {}",
                            field.empty() ? "" : ".", field, value, why));
}

void CheckWord(std::string_view field, const std::string& value, std::string_view one,
               std::string_view other) {
  if (value.empty() || value == one || value == other) return;
  Invalid(field, value, fmt::format("Must be one of [{}, {}].", one, other));
}

void CheckTime(const api::compute::Scheduling& rules) {
  if (rules.maxRunDuration && !rules.terminationTime.empty()) {
    Invalid("", "", "Only one of maxRunDuration and terminationTime can be specified.");
  }
  if (rules.maxRunDuration) {
    int64_t seconds = rules.maxRunDuration->seconds;
    if (seconds < kShortestRun || seconds > kLongestRun) {
      Invalid("maxRunDuration.seconds", std::to_string(seconds),
              "Must be between 30 seconds and 120 days.");
    }
  }
  if (!rules.terminationTime.empty() && !ParseTime(rules.terminationTime)) {
    Invalid("terminationTime", rules.terminationTime, "Must be a time in RFC 3339 format.");
  }
  bool ends = rules.maxRunDuration || !rules.terminationTime.empty();
  if (!rules.instanceTerminationAction.empty() && !ends && rules.provisioningModel != "SPOT") {
    Invalid("instanceTerminationAction", rules.instanceTerminationAction,
            "You can only specify a termination action for Spot VMs and for VMs whose run time is "
            "limited.");
  }
}

void CheckPreemptible(const api::compute::Scheduling& rules) {
  if (rules.automaticRestart.value_or(false)) {
    Invalid("automaticRestart", "true", "Preemptible instances do not restart automatically.");
  }
  if (rules.onHostMaintenance == "MIGRATE") {
    Invalid("onHostMaintenance", "MIGRATE",
            "Scheduling must have onHostMaintenance be TERMINATE when preemptible is true.");
  }
}

}  // namespace

void FitScheduling(api::compute::Scheduling& rules, bool accelerators) {
  CheckWord("onHostMaintenance", rules.onHostMaintenance, "MIGRATE", "TERMINATE");
  CheckWord("provisioningModel", rules.provisioningModel, "STANDARD", "SPOT");
  CheckWord("instanceTerminationAction", rules.instanceTerminationAction, "STOP", "DELETE");
  CheckTime(rules);
  bool preemptible = IsPreemptible(rules);
  if (preemptible) CheckPreemptible(rules);
  if (accelerators && rules.onHostMaintenance == "MIGRATE") {
    Invalid("onHostMaintenance", "MIGRATE",
            "Instances with guest accelerators do not support live migration.");
  }
  rules.preemptible = preemptible;
  rules.automaticRestart = rules.automaticRestart.value_or(!preemptible);
  if (rules.provisioningModel.empty()) rules.provisioningModel = "STANDARD";
  bool spot_action =
      rules.provisioningModel == "SPOT" || rules.maxRunDuration || !rules.terminationTime.empty();
  if (spot_action && rules.instanceTerminationAction.empty()) {
    rules.instanceTerminationAction = "STOP";
  }
  if (rules.onHostMaintenance.empty()) {
    rules.onHostMaintenance = preemptible || accelerators ? "TERMINATE" : "MIGRATE";
  }
}

}  // namespace fireweed::compute
