// HTTP's own conditions of a read: If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since,
// If-Range.
// Pure.
#pragma once

#include <string_view>

#include "base/clock.h"
#include "net/http_message.h"
#include "storage/preconditions.h"

namespace fireweed::storage {

// In the order of RFC 9110: a tag beats a date of the same sense, and a match that fails beats
// "not modified". Tags are compared without their quotes; dates in whole seconds. A date that is
// none is ignored.
Verdict CheckHttpConditions(const net::Request& request, std::string_view etag, Time modified);

// Whether the Range of a request counts: a resumed download whose first part is of another version
// (If-Range) gets the whole.
bool RangeCounts(const net::Request& request, std::string_view etag, Time modified);

}  // namespace fireweed::storage
