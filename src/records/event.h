// TensorBoard's events, as far as tuning and plots need them: scalars, in the form of TensorFlow 1 (simple_value)
// and of TensorFlow 2 (a tensor with one element). Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace fireweed::records {

struct Scalar {
  std::string tag;
  double value = 0;

  friend bool operator==(const Scalar&, const Scalar&) = default;
};

struct Event {
  double wall_time = 0;  // seconds since 1970
  int64_t step = 0;
  std::string file_version;  // "brain.Event:2" in a file's first event
  std::vector<Scalar> scalars;
};

// One record of an event file. What is no scalar is passed over. kInvalid: the bytes are no event.
Result<Event> ParseEvent(std::string_view record);
// The record of an event, scalars as simple_value.
std::string EncodeEvent(const Event& event);

// Whether an object or file of this name is an event file: "events.out.tfevents." in its last part.
bool IsEventFile(std::string_view name);

}  // namespace fireweed::records
