#include "compute/completion.h"

#include <fmt/format.h>

#include "base/error.h"
#include "compute/metadata_items.h"

namespace fireweed::compute {
namespace {

bool Says(const GuestAttributes& guest, std::string_view name, std::string_view value) {
  auto found = guest.values.find(std::string(name));
  return found != guest.values.end() && found->second == value;
}

}  // namespace

std::optional<Completion> ParseCompletion(std::string_view word) {
  if (word.empty() || word == "never") return Completion::kNever;
  if (word == "on-poweroff") return Completion::kOnPoweroff;
  if (word == "on-success") return Completion::kOnSuccess;
  return std::nullopt;
}

void CheckCompletion(std::string_view field, std::string_view word) {
  if (ParseCompletion(word)) return;
  throw Failure(Code::kInvalid,
                fmt::format("Invalid value for field '{}': '{}'. Must be one of [never, "
                            "on-poweroff, on-success].",
                            field, word));
}

Completion CompletionOf(std::string_view group_word, const InstanceRecord& instance) {
  if (!group_word.empty()) return ParseCompletion(group_word).value_or(Completion::kNever);
  std::optional<std::string> word = FindMetadata(instance.resource.metadata, kCompletionKey);
  return ParseCompletion(word.value_or("")).value_or(Completion::kNever);
}

bool IsWorkDone(Completion completion, const InstanceRecord& instance,
                const GuestAttributes* guest) {
  switch (completion) {
    case Completion::kNever: return false;
    case Completion::kOnPoweroff:
      return instance.finished && instance.want == InstanceWant::kStopped;
    case Completion::kOnSuccess:
      return guest && (Says(*guest, kCompletionAttribute, "success") ||
                       Says(*guest, kStartupExitAttribute, "0"));
  }
  return false;
}

}  // namespace fireweed::compute
