// What for: the private CA that makes Google's API names answerable here. It is harmless elsewhere:
//   X.509 name constraints limit what any certificate under it can speak for, and its key never
//   leaves the state directory.
// Threads: any; Mint takes a fraction of a millisecond.
// May block: Open reads or writes files.
// A failure: Open throws Failure; a directory with half a CA in it is an error, not a reason to
//   make a new one, since clients may trust the old one already.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/disk.h"

struct x509_st;
struct evp_pkey_st;

namespace fireweed::net {

// What a certificate speaks for.
struct LeafNames {
  std::vector<std::string> hosts;      // DNS names, lower case
  std::vector<std::string> addresses;  // IP addresses as text
};

struct Leaf {
  std::shared_ptr<x509_st> certificate;
  std::shared_ptr<evp_pkey_st> key;
  Time expires;
};

class CertificateAuthority {
 public:
  // The CA kept in `directory` as ca.crt and ca.key (mode 0600); made there when neither exists.
  static std::unique_ptr<CertificateAuthority> Open(Disk& disk, const std::string& directory,
                                                    Time now);

  const std::string& certificate_pem() const { return pem_; }
  // SHA-256 of the certificate as upper-case hex pairs with colons, as openssl x509 -fingerprint
  // prints it.
  std::string Fingerprint() const;
  // A server certificate that begins a day ago (clocks differ) and lasts 90 days. Names outside the
  // constraints would be refused by clients, so they are a Failure here.
  Leaf Mint(const LeafNames& names, Time now) const;

 private:
  CertificateAuthority() = default;

  std::shared_ptr<x509_st> certificate_;
  std::shared_ptr<evp_pkey_st> key_;
  std::shared_ptr<evp_pkey_st> leaf_key_;  // one for all leaves of this process; never written down
  std::string pem_;
};

// Whether the CA's name constraints cover a host name: one of the domains or a name below it.
bool IsConstrainedName(std::string_view host);
std::span<const std::string_view> ConstrainedDomains();

}  // namespace fireweed::net
