// A person's credential in the file form that Google's libraries read: the daemon writes the owner's, commands use it.
#pragma once

#include <string>

#include "describe/type.h"

namespace fireweed {

struct AuthorizedUser {
  std::string type = "authorized_user";
  std::string client_id, client_secret, refresh_token;
  std::string account;
  std::string universe_domain = "googleapis.com";
};
template <>
inline constexpr auto kFields<AuthorizedUser> = [](auto...) {
  return Fields{F("type", &AuthorizedUser::type),
                F("client_id", &AuthorizedUser::client_id),
                F("client_secret", &AuthorizedUser::client_secret),
                F("refresh_token", &AuthorizedUser::refresh_token),
                F("account", &AuthorizedUser::account),
                F("universe_domain", &AuthorizedUser::universe_domain)};
};

}  // namespace fireweed
