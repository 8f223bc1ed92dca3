// What for: what compute asks of identity: project numbers, default service accounts, and tokens for instances.
// Who calls: handlers and the metadata server, on pool threads.
// May block: for catalog reads and writes.
// A failure: Result where both outcomes are shown; the others throw Failure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "net/access.h"

namespace fireweed::compute {

struct InstanceToken {
  std::string token;
  Time expires{};
};

struct InstanceClaims {
  std::string email;  // whose token it is
  std::string audience;
  std::string
      google;  // JSON of the machine's own claim, in the full form only; the e-mail is shown then, too
};

struct ProjectIdentity {
  int64_t number = 0;
  std::string default_account;  // e-mail of the account instances run as unless told otherwise
};

class InstanceIdentity {
 public:
  virtual ~InstanceIdentity() = default;
  // The project, made on first use where the caller may do that. kNotFound when there is none.
  virtual ProjectIdentity EnsureProject(const std::string& project, const net::Caller& caller) = 0;
  // kNotFound when there is no such project.
  virtual ProjectIdentity FindProject(const std::string& project) = 0;
  // The id of a project by id or number; of one that is not there, what was asked for.
  virtual std::string ProjectId(const std::string& project) = 0;
  // Another one when the account was deleted and made again; empty when there is none.
  virtual std::string AccountId(const std::string& email) = 0;
  virtual Result<InstanceToken> MintToken(const std::string& email,
                                          const std::vector<std::string>& scopes) = 0;
  // A signed identity token (JWT).
  virtual Result<std::string> MintIdentity(const InstanceClaims& claims) = 0;
};

}  // namespace fireweed::compute
