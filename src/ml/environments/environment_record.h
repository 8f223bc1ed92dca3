// An environment in the catalog. Key: a hash of what goes in, so that the same packages are the same row.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "catalog/record.h"
#include "ml/environments.h"

namespace fireweed::ml {

enum class EnvironmentState {
  kWaiting,   // for the base below it, or for its packages to be copied
  kBuilding,  // an instance is at it
  kReady,
  kFailed,
};

struct PackageFile {
  std::string uri, name;
  int64_t generation = 0;
  std::string sum;  // of its bytes
};

struct EnvironmentRecord {
  std::string key;
  std::string project, account, runtime;
  std::string base;  // key of the runtime's environment; empty: none below it
  std::vector<std::string> requirements;
  std::vector<PackageFile> packages;
  bool python = true, strict = false;
  bool shared = false;  // a runtime's: it lies where other daemons of this host find it

  EnvironmentState state = EnvironmentState::kWaiting;
  Time since{};
  std::optional<Time> finished;
  std::string builder;  // key of the instance
  int64_t builder_id = 0;
  int32_t attempts = 0;
  std::string message;  // of kFailed
  std::vector<std::string> warnings;
  Time last_used{};
  int64_t bytes = 0;
};

}  // namespace fireweed::ml

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<ml::EnvironmentState> = "EnvironmentState";
template <>
inline constexpr std::array<std::string_view, 4> kEnumNames<ml::EnvironmentState>{
    "WAITING", "BUILDING", "READY", "FAILED"};
template <>
inline constexpr std::string_view kTypeName<ml::PackageFile> = "PackageFile";
template <>
inline constexpr auto kFields<ml::PackageFile> = [](auto...) {
  return Fields{F("uri", &ml::PackageFile::uri), F("name", &ml::PackageFile::name),
                F("generation", &ml::PackageFile::generation), F("sum", &ml::PackageFile::sum)};
};
template <>
inline constexpr std::string_view kTypeName<ml::EnvironmentRecord> = "EnvironmentRecord";
template <>
inline constexpr auto kFields<ml::EnvironmentRecord> = [](auto...) {
  return Fields{F("key", &ml::EnvironmentRecord::key),
                F("project", &ml::EnvironmentRecord::project),
                F("account", &ml::EnvironmentRecord::account),
                F("runtime", &ml::EnvironmentRecord::runtime),
                F("base", &ml::EnvironmentRecord::base),
                F("requirements", &ml::EnvironmentRecord::requirements),
                F("packages", &ml::EnvironmentRecord::packages),
                F("python", &ml::EnvironmentRecord::python),
                F("strict", &ml::EnvironmentRecord::strict),
                F("shared", &ml::EnvironmentRecord::shared),
                F("state", &ml::EnvironmentRecord::state),
                F("since", &ml::EnvironmentRecord::since),
                F("finished", &ml::EnvironmentRecord::finished),
                F("builder", &ml::EnvironmentRecord::builder),
                F("builderId", &ml::EnvironmentRecord::builder_id),
                F("attempts", &ml::EnvironmentRecord::attempts),
                F("message", &ml::EnvironmentRecord::message),
                F("warnings", &ml::EnvironmentRecord::warnings),
                F("lastUsed", &ml::EnvironmentRecord::last_used),
                F("bytes", &ml::EnvironmentRecord::bytes)};
};
template <>
inline constexpr std::string_view kRecordKind<ml::EnvironmentRecord> = ml::kEnvironmentKind;
}  // namespace fireweed
