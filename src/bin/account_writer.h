// What for: objects written as an account, over the daemon's own API by a token of the account: the store decides as it does
//   for everybody.
// Who calls: actions and threads that may block, any number at once.
// A failure: the store's own words; kUnavailable may pass.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"
#include "identity/tokens.h"
#include "net/http_client.h"

namespace fireweed {

class AccountWriter {
 public:
  AccountWriter(identity::Tokens& tokens, const Clock& clock, std::string address)
      : tokens_(tokens), clock_(clock), address_(std::move(address)), http_({}) {}

  // Replaces an object of that name.
  Result<> Write(const std::string& account, const std::string& bucket, const std::string& name,
                 const std::string& bytes);
  // A token of the account that is good for a while.
  Result<std::string> Token(const std::string& account);

 private:
  identity::Tokens& tokens_;
  const Clock& clock_;
  const std::string address_;
  net::HttpClient http_;
  Guarded<std::map<std::string, identity::MintedToken>> minted_;
};

}  // namespace fireweed
