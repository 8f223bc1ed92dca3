// What for: the RSA keys that the service signs with itself: one per service account (signBlob, signJwt), one for
//   id tokens. Each is made at its first use.
// Who calls: token endpoints, iamcredentials, the metadata server; pool threads.
// May block: for the catalog; the first use of a key for the tens of milliseconds that making it takes.
// A failure: Failure. Private halves are in the catalog, inside the state directory, and nowhere else.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/random.h"
#include "catalog/catalog.h"
#include "identity/rsa_key.h"

namespace fireweed::identity {

struct SigningKey {
  std::string id;
  RsaKey key;
  Time created;
};

struct IdTokenSubject {
  std::string subject;  // unique id
  std::string email;
  bool show_email = true;
  std::string google;  // JSON of a "google" claim; empty: none
};

class SigningKeys {
 public:
  SigningKeys(Catalog& catalog, const Clock& clock, Random& random)
      : catalog_(catalog), clock_(clock), random_(random) {}

  // kNotFound when there is no such account.
  SigningKey ForAccount(std::string_view email);
  // Signs id tokens; its public half is at /oauth2/v3/certs.
  SigningKey Issuer();

  // An OpenID Connect token for `audience`, good for an hour.
  std::string IdToken(const IdTokenSubject& who, std::string_view audience);

 private:
  SigningKey Obtain(std::string_view name, bool account);

  Catalog& catalog_;
  const Clock& clock_;
  Random& random_;
};

}  // namespace fireweed::identity
