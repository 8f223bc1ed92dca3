// RSA keys for service accounts and id tokens: RS256 (RSASSA-PKCS1-v1_5 with SHA-256), PEM in and out.
// Any thread; a key may be used by several at once. Nothing blocks; Generate takes tens of milliseconds.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace fireweed::identity {

class RsaKey {
 public:
  static RsaKey Generate(int bits = 2048);
  // nullopt for anything that is no RSA key in PEM of at least 2048 bits.
  static std::optional<RsaKey> FromPrivatePem(std::string_view pem);
  static std::optional<RsaKey> FromPublicPem(std::string_view pem);

  std::string PrivatePem() const;  // PKCS #8. REQUIRES: a private key.
  std::string PublicPem() const;   // SubjectPublicKeyInfo
  // Raw big-endian modulus and exponent, as a JWK has them.
  std::string Modulus() const;
  std::string Exponent() const;
  // A certificate by this key for itself, in PEM: what clients fetch to check signatures. REQUIRES: private.
  std::string SelfSignedCertificate(std::string_view common_name, int64_t not_before_s,
                                    int64_t not_after_s) const;

  std::string Sign(std::string_view text) const;  // REQUIRES: a private key.
  bool Verify(std::string_view text, std::string_view signature) const;

 private:
  struct Handle;
  explicit RsaKey(std::shared_ptr<const Handle> handle) : handle_(std::move(handle)) {}
  std::shared_ptr<const Handle> handle_;
};

}  // namespace fireweed::identity
