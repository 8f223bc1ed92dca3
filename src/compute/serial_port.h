// The serial port's output as the API hands it out: by offsets that stay true for ever.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/compute/instance.h"

namespace fireweed::compute {

inline constexpr int64_t kLargestSerialRead = 1 << 20;

// From `start`, or the last megabyte; a negative start counts from the end. At most a megabyte, cut at a line end
// where a line ends. Bytes that are no longer kept are left out, and `start` tells where the contents begin. A
// file that is not there yet is empty output. May block for a read of the file.
api::compute::SerialPortOutput ReadSerialPort(const std::string& path,
                                              std::optional<int64_t> start);

}  // namespace fireweed::compute
