// The bytes of a response's head. Pure: appends to a buffer that the session reuses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "net/http_message.h"

namespace fireweed::net {

// How the client learns where the body ends.
struct BodyFraming {
  enum class Kind { kLength, kChunked, kUntilClose, kNone };
  Kind kind = Kind::kNone;
  int64_t length = 0;  // of the body for kLength
};

struct HeadContext {
  BodyFraming framing;
  bool keep_alive = true;
  bool http11 = true;
  std::string_view date;        // as FormatHttpDate writes it
  std::string_view request_id;  // empty: no X-Request-Id
};

// Framing headers and Date, Server, Connection are the server's own: what the handler set under
// these names is left out, except a Content-Length that answers HEAD (see PlanFraming). Control
// characters in values are dropped, so that no handler can be tricked into a second header line.
void AppendHead(std::string& out, const Response& response, const HeadContext& context);

// What a body means on the wire for this request. A handler that answers HEAD may give an empty
// body and set Content-Length itself.
BodyFraming PlanFraming(const Response& response, bool head_request, bool http11);

// Whether a response of this status can have a body at all.
bool StatusHasBody(int status);

std::string_view ReasonPhrase(int status);

}  // namespace fireweed::net
