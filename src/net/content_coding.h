// gzip for responses where the client asks for it.
#pragma once

#include <string>
#include <string_view>

#include "net/http_message.h"

namespace fireweed::net {

// Whether an Accept-Encoding value takes gzip ("gzip;q=0" does not).
bool AcceptsGzip(std::string_view accept_encoding);

// Whether compressing pays and changes nothing that was promised: a text or JSON body of some size
// held in memory, status 200, no Content-Encoding, and no header that speaks of the exact bytes
// (ranges, digests, no-transform).
bool IsWorthCompressing(const Response& response);

// Replaces the body by its gzip form and says so in the headers. Takes about 10 ns a byte: large
// bodies belong on a pool thread. REQUIRES: IsWorthCompressing(response).
void Compress(Response& response);

}  // namespace fireweed::net
