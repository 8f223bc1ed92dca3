// What for: who a signed URL speaks for. A good signature is as good as a token of the service account that made it;
//   what the account may do is asked as ever.
// Who calls: the XML API, on pool threads, before anything else looks at the caller. May read the catalog.
// Owns: nothing. Any thread.
// A failure: none is thrown; a bad signature comes back as the answer to send, in the words of the XML API.
#pragma once

#include <memory>
#include <optional>

#include "base/clock.h"
#include "catalog/catalog.h"
#include "net/access.h"
#include "net/router.h"

namespace fireweed::storage {

struct SignedCaller {
  std::shared_ptr<const net::Caller> caller;  // null: the request carries no signature
  std::optional<net::Response> refusal;       // it carries one that is no good
  std::string sha256;  // hex digest that the body must have; empty where none was signed
};

class Signatures {
 public:
  Signatures(const Catalog& catalog, const Clock& clock) : catalog_(catalog), clock_(clock) {}

  SignedCaller Judge(const net::Request& request) const;

 private:
  const Catalog& catalog_;
  const Clock& clock_;
};

// A handler for requests that may be signed: `inner` runs in the name of who signed, or of the caller there is
// without a signature. A body whose digest was signed is finished only when it has that digest.
net::Handler WithSignatures(const Signatures& signatures, net::Handler inner);
net::StreamHandler WithSignatures(const Signatures& signatures, net::StreamHandler inner);

}  // namespace fireweed::storage
