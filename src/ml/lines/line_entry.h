// What a line of a trainer says about itself: severity and payload. Pure.
#pragma once

#include <string>

#include "logs/log_line.h"

namespace fireweed::ml {

// Fills severity and payload of `line` from a text as a trainer printed it:
//   {"severity": "WARNING", "message": "..."}      structured: the object is the payload
//   INFO:tensorflow:loss = 0.3                     Python's logging
//   2026-11-15 07:00:00.1: W tensorflow/...        TensorFlow's C++ side
//   W1115 07:00:00.123456 12 file.cc:3] ...        glog
// Anything else has `otherwise`. Whether the line said a severity itself.
bool FillPayload(logs::LogLine& line, std::string text, api::logging::Severity otherwise);

}  // namespace fireweed::ml
