// Accelerators that are named by hand: of other makers, under another type, or fewer than there are.
#pragma once

#include <string>
#include <vector>

#include "describe/type.h"

namespace fireweed {

struct AcceleratorSetting {
  std::string type;
  std::vector<std::string> devices;    // the first is this card's alone
  std::vector<std::string> libraries;  // files that programs need to use it
};
template <>
inline constexpr auto kFields<AcceleratorSetting> = [](auto...) {
  return Fields{F("type", &AcceleratorSetting::type), F("devices", &AcceleratorSetting::devices),
                F("libraries", &AcceleratorSetting::libraries)};
};

}  // namespace fireweed
