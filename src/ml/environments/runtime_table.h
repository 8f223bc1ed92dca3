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
  // Instead of the requirements, for jobs with an NVIDIA accelerator. Empty: the same.
  std::vector<std::string> accelerated;
  std::vector<std::string> shims;
  // What the public runtimes are named after: "TensorFlow". Empty: its versions do not name one.
  std::string framework;
};

// The version of `framework` among the requirements: "2.15.1"; empty without one. Pure.
std::string ProvidedFramework(const Runtime& runtime);
// Whether a version of the runtime names the framework version that it provides: "2.15" and 2.15.1. Pure.
bool HasFrameworkOf(const Runtime& runtime, std::string_view version);

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
std::string FingerprintOf(const std::vector<std::string>& requirements);

}  // namespace fireweed::ml

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<ml::Runtime> = "Runtime";
template <>
inline constexpr auto kFields<ml::Runtime> = [](auto...) {
  return Fields{F("versions", &ml::Runtime::versions, kRequired),
                F("python", &ml::Runtime::python),
                F("requirements", &ml::Runtime::requirements),
                F("accelerated", &ml::Runtime::accelerated),
                F("shims", &ml::Runtime::shims),
                F("framework", &ml::Runtime::framework)};
};
template <>
inline constexpr std::string_view kTypeName<ml::RuntimeTable> = "RuntimeTable";
template <>
inline constexpr auto kFields<ml::RuntimeTable> =
    [](auto...) { return Fields{F("runtimes", &ml::RuntimeTable::runtimes)}; };
}  // namespace fireweed
