// What `runtimeVersion` means: rows of runtimes/table.yaml and of the operator's settings. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "describe/type.h"

namespace fireweed::ml {

struct Runtime {
  std::vector<std::string> versions;
  std::vector<std::string> python;        // what its jobs were written for
  std::vector<std::string> requirements;  // provided, in pip's words
  std::vector<std::string> shims;
};

struct RuntimeTable {
  std::vector<Runtime> runtimes;

  // The last row that names it; null when there is none. The empty version is plain Python, always there.
  const Runtime* Find(std::string_view version) const;
  // Every version once, in the order of the rows.
  std::vector<std::string> Versions() const;
};

// Throws Failure(kInvalid) with what is wrong and where.
RuntimeTable ParseRuntimes(std::string_view yaml);

// What goes into the name of a runtime's environment: the same words, the same environment.
std::string FingerprintOf(const Runtime& runtime);

}  // namespace fireweed::ml

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<ml::Runtime> = "Runtime";
template <>
inline constexpr auto kFields<ml::Runtime> = [](auto...) {
  return Fields{F("versions", &ml::Runtime::versions, kRequired), F("python", &ml::Runtime::python),
                F("requirements", &ml::Runtime::requirements), F("shims", &ml::Runtime::shims)};
};
template <>
inline constexpr std::string_view kTypeName<ml::RuntimeTable> = "RuntimeTable";
template <>
inline constexpr auto kFields<ml::RuntimeTable> =
    [](auto...) { return Fields{F("runtimes", &ml::RuntimeTable::runtimes)}; };
}  // namespace fireweed
