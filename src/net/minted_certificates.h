// Certificates made on demand by the private CA, one per server name, renewed by themselves before
// they expire.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/log.h"
#include "net/certificate_authority.h"
#include "net/certificates.h"

struct ssl_ctx_st;

namespace fireweed::net {

class MintedCertificates final : public CertificateSource {
 public:
  // `local`: what the certificate for clients that name no server speaks for, besides localhost and
  // loopback: the daemon's addresses on bridges. All arguments outlive this, and this outlives
  // every SSL it made.
  MintedCertificates(const CertificateAuthority& authority, const Clock& clock, Logger& log,
                     LeafNames local = {});

  SslPtr NewServer(std::string_view name) override;

  // The leaf used for a name now; nullopt outside the allow-list. For tests and `doctor`.
  std::optional<Leaf> Find(std::string_view name);

 private:
  static int ChooseByName(ssl_st* ssl, void* self);
  bool Use(ssl_st* ssl, std::string_view name);

  const CertificateAuthority& authority_;
  const Clock& clock_;
  Logger& log_;
  LeafNames local_;
  std::shared_ptr<ssl_ctx_st> context_;
  std::mutex mu_;
  std::map<std::string, Leaf, std::less<>> leaves_;  // guarded by mu_; "" is the default one
};

}  // namespace fireweed::net
