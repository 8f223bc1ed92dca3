// How the image of a container wants to be run: the part of an OCI image's configuration that counts here, under the
// names it has there. An image that is a plain root has none of it.
#pragma once

#include <string>
#include <vector>

#include "describe/type.h"

namespace fireweed {

struct ContainerConfig {
  std::vector<std::string> entrypoint, command;
  std::vector<std::string> environment;  // "NAME=value"
  std::string directory;                 // to begin in; empty: no wish
  friend bool operator==(const ContainerConfig&, const ContainerConfig&) = default;
};

template <>
inline constexpr std::string_view kTypeName<ContainerConfig> = "ContainerConfig";
template <>
inline constexpr auto kFields<ContainerConfig> = [](auto...) {
  return Fields{F("Entrypoint", &ContainerConfig::entrypoint), F("Cmd", &ContainerConfig::command),
                F("Env", &ContainerConfig::environment),
                F("WorkingDir", &ContainerConfig::directory)};
};

}  // namespace fireweed
