// gzip for responses where the client asks for it, and of requests.
#pragma once

#include <cstdint>
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

// What a compressed body was. Throws Failure: kInvalid on what is no gzip or is cut off, kTooLarge beyond
// `most` bytes. Takes about 5 ns a byte.
std::string Uncompressed(std::string_view packed, int64_t most);

}  // namespace fireweed::net
