// When is the work of a group's member done? (ADR 23) Pure.
//
//   on-poweroff  the guest powered itself off, and nobody had told it to go: no stop, preemption or maintenance
//   on-success   the guest said so in a guest attribute, as the last step of what it had to do
//   never        as in the cloud: whatever ends is made anew
//
// A kill by the host, a crash, a process 1 that ran out of memory and a preemption are never completion.
#pragma once

#include <optional>
#include <string_view>

#include "compute/metadata_tree.h"
#include "compute/records.h"

namespace fireweed::compute {

enum class Completion { kNever, kOnPoweroff, kOnSuccess };

// The metadata key by which an instance says it, where its group does not.
inline constexpr std::string_view kCompletionKey = "fireweed-completion";
// Guest attributes by which a guest tells of success: what its script ended with ("0"), or "success".
inline constexpr std::string_view kStartupExitAttribute = "fireweed/startup-exit";
inline constexpr std::string_view kCompletionAttribute = "fireweed/completion";

// nullopt for a word that is none of them; empty is kNever.
std::optional<Completion> ParseCompletion(std::string_view word);
// Throws Failure(kInvalid) that names the field.
void CheckCompletion(std::string_view field, std::string_view word);

// What the group says, else what the instance's metadata says.
Completion CompletionOf(std::string_view group_word, const InstanceRecord& instance);
bool IsWorkDone(Completion completion, const InstanceRecord& instance,
                const GuestAttributes* guest);

}  // namespace fireweed::compute
