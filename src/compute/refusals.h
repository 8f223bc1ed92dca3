// Refusals in the words that clients of Compute Engine know. All throw Failure.
#pragma once

#include <string>
#include <string_view>

namespace fireweed::compute {

// "The resource 'projects/P/zones/z/disks/d' was not found". `path`: what follows the project.
[[noreturn]] void Missing(std::string_view project, std::string_view path);
[[noreturn]] void InvalidField(std::string_view field, std::string_view value,
                               std::string_view why);
[[noreturn]] void AlreadyThere(std::string_view project, std::string_view path);
[[noreturn]] void NotReady(std::string_view project, std::string_view path);
// `kind`: "disk", "network"; `user`: the link of what uses it.
[[noreturn]] void InUse(std::string_view kind, std::string_view link, std::string_view user);

void RequireResourceName(std::string_view name);
void RequireZone(std::string_view project, std::string_view zone);
void RequireRegion(std::string_view project, std::string_view region);

}  // namespace fireweed::compute
