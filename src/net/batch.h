// What for: many requests in one (POST /batch, /batch/compute/v1, /batch/storage/v1): multipart/mixed in, the same
//   out, answers in the order of the questions.
// Threads: parts run one after another on the pool thread of the outer request; those that answer later (long
//   polls) wait together, so that their times do not add up, and hold no thread.
// Owns: the parts until all are answered. Borrows the router, which serves parts as it serves anybody.
// A failure: a body that cannot be taken apart is refused whole; everything else is the answer of its part.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/http_message.h"
#include "net/router.h"

namespace fireweed::net {

struct BatchPart {
  std::string content_id;  // without angle brackets; empty where the client sent none
  std::string method, target, path, query;  // target: path and query
  std::string host;  // of an absolute URL or a Host header; empty: the outer request's
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};

// Takes a batch apart: CRLF or LF line ends, boundary bare or in either kind of quotes. Pure. Throws
// Failure(kInvalid).
std::vector<BatchPart> ParseBatch(std::string_view content_type, std::string_view body);

class Batch {
 public:
  explicit Batch(Router& router) : router_(router) {}
  // Adds the batch routes to the router it was made with.
  void Serve();
  Answer Handle(const Request& request);

 private:
  Answer RunPart(const Request& outer, const BatchPart& part);

  Router& router_;
};

}  // namespace fireweed::net
