// What a line of a trainer says about itself: severity and payload. Pure.
#pragma once

#include <optional>
#include <string>

#include "logs/log_line.h"

namespace fireweed::ml {

// Fills severity and payload of `line` from a text as a trainer printed it:
//   {"severity": "WARNING", "message": "..."}      structured: the object is the payload
//   INFO:tensorflow:loss = 0.3                     Python's logging
//   2026-11-15 07:00:00.1: W tensorflow/...        TensorFlow's C++ side
//   W1115 07:00:00.123456 12 file.cc:3] ...        glog
// Anything else has that of the message it goes on, if there is one, or `plain`; a structured line goes on nothing.
// Whether it begins a message that further lines may go on: it said a severity, in text.
bool FillPayload(logs::LogLine& line, std::string text, api::logging::Severity plain,
                 std::optional<api::logging::Severity> goes_on = std::nullopt);

}  // namespace fireweed::ml
