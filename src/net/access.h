// Who is asking, and may they? The router asks before a handler runs; identity/ answers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/http_message.h"

namespace fireweed::net {

struct Caller {
  std::string principal;  // "user:ann@x", "serviceAccount:sa@p.iam..."; empty when anonymous
  std::string email;
  std::string project;              // home project of a service account; empty for users
  std::vector<std::string> scopes;  // empty means all
  bool anonymous() const { return principal.empty(); }
};

// What for: authentication and authorisation of requests.
// Threads: the Inline calls come on I/O threads and must not block: they answer from memory or say "not here".
//   The others come on pool threads and may read the catalog.
// Owns: nothing of the caller's. A Caller stays valid as long as the pointer is held.
// A failure: a bad, expired or foreign credential throws Failure(kUnauthenticated); no credential at all is an
//   anonymous caller, who may do what policies open to allUsers.
class AccessControl {
 public:
  virtual ~AccessControl() = default;
  virtual std::shared_ptr<const Caller> Identify(const Request& request) = 0;
  virtual bool May(const Caller& caller, std::string_view permission,
                   std::string_view resource) = 0;

  virtual std::shared_ptr<const Caller> IdentifyInline(const Request&) { return nullptr; }
  virtual std::optional<bool> MayInline(const Caller&, std::string_view, std::string_view) {
    return std::nullopt;
  }
};

// May, or Failure: kUnauthenticated for an anonymous caller, kDenied for anybody else, with Google's message.
void Require(AccessControl& access, const Caller& caller, std::string_view permission,
             std::string_view resource);
// The refusal alone, for whoever has judged already.
[[noreturn]] void Refuse(const Caller& caller, std::string_view permission,
                         std::string_view resource);

}  // namespace fireweed::net
