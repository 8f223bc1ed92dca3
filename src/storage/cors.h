// What for: a bucket's CORS settings: which pages of other origins a browser lets use its objects. They hold where Google
//   applies them, for the XML API; the first entry that fits a request decides.
// Threads: CorsHeaders is pure; handlers made by WithCors run on pool threads.
// A failure: a request that no entry fits is answered as ever, without these headers: it is the browser that refuses.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/storage/bucket.h"
#include "net/router.h"

namespace fireweed::storage {

// What an answer to `request` gets: to a preflight (OPTIONS) what may follow, to any other who may read it.
std::vector<net::ResponseHeader> CorsHeaders(const std::vector<api::storage::Cors>& settings,
                                             const net::Request& request);

// Handlers whose answers, errors as well, get these headers. `settings` finds those of the request's bucket, and is asked
// for requests with an Origin only.
using CorsSettings = std::function<std::vector<api::storage::Cors>(const net::Request& request)>;
net::Handler WithCors(CorsSettings settings, net::Handler inner);
net::StreamHandler WithCors(CorsSettings settings, net::StreamHandler inner);

}  // namespace fireweed::storage
