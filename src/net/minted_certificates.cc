#include "net/minted_certificates.h"

#include <arpa/inet.h>

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "base/bytes.h"

namespace fireweed::net {
namespace {

constexpr auto kRenewBefore = std::chrono::hours(24 * 30);
constexpr size_t kMaxLeaves = 4096;  // names are the clients' choice; the list must not be
constexpr unsigned char kProtocols[] = "\x08http/1.1";

// http/1.1 or nothing: a client that insists on another protocol learns it in the handshake.
int ChooseProtocol(SSL*, const unsigned char** out, unsigned char* out_size,
                   const unsigned char* in, unsigned in_size, void*) {
  unsigned char* chosen = nullptr;
  int outcome =
      SSL_select_next_proto(&chosen, out_size, kProtocols, sizeof kProtocols - 1, in, in_size);
  *out = chosen;
  return outcome == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

bool IsAddress(const std::string& name) {
  unsigned char bytes[16];
  return inet_pton(AF_INET, name.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, name.c_str(), bytes) == 1;
}

}  // namespace

MintedCertificates::MintedCertificates(const CertificateAuthority& authority, const Clock& clock,
                                       Logger& log, LeafNames local)
    : authority_(authority), clock_(clock), log_(log), local_(std::move(local)) {
  for (const char* host :
       {"localhost", "fireweed.local", "fireweed.internal", "metadata.google.internal"}) {
    local_.hosts.push_back(host);
  }
  for (const char* address : {"127.0.0.1", "::1", "169.254.169.254"})
    local_.addresses.push_back(address);
  context_ = std::shared_ptr<SSL_CTX>(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (!context_) throw Failure(Code::kInternal, "cannot make a TLS context");
  SSL_CTX* context = context_.get();
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_num_tickets(context, 1);  // clients that reconnect for every request use one
  constexpr unsigned char kSessions[] = "fireweed";
  SSL_CTX_set_session_id_context(context, kSessions, sizeof kSessions - 1);
  SSL_CTX_set_alpn_select_cb(context, ChooseProtocol, nullptr);
  SSL_CTX_set_cert_cb(context, ChooseByName, this);
}

std::optional<Leaf> MintedCertificates::Find(std::string_view name) {
  std::string host = ToLower(name);
  if (IsAddress(host)) host.clear();
  if (!host.empty() && !IsConstrainedName(host)) return std::nullopt;
  const Time now = clock_.Now();
  std::lock_guard lock(mu_);
  auto found = leaves_.find(host);
  if (found != leaves_.end() && found->second.expires - kRenewBefore > now) return found->second;
  if (leaves_.size() >= kMaxLeaves) leaves_.clear();
  LeafNames one;
  one.hosts.push_back(host);
  Leaf leaf = authority_.Mint(host.empty() ? local_ : one, now);
  leaves_[host] = leaf;
  return leaf;
}

bool MintedCertificates::Use(SSL* ssl, std::string_view name) {
  try {
    std::optional<Leaf> leaf = Find(name);
    if (!leaf) return false;
    return SSL_use_cert_and_key(ssl, leaf->certificate.get(), leaf->key.get(), nullptr, 1) == 1;
  } catch (const Failure& failure) {
    log_.Error("certificate not made", {{"name", name}, {"why", failure.what()}});
    return false;
  }
}

int MintedCertificates::ChooseByName(SSL* ssl, void* self) {
  const char* name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
  if (name == nullptr) return 1;  // NewServer has chosen already
  return static_cast<MintedCertificates*>(self)->Use(ssl, name) ? 1 : 0;
}

SslPtr MintedCertificates::NewServer(std::string_view name) {
  SslPtr ssl(SSL_new(context_.get()));
  if (!ssl || !Use(ssl.get(), name)) {
    ERR_clear_error();
    return nullptr;
  }
  SSL_set_accept_state(ssl.get());
  return ssl;
}

}  // namespace fireweed::net
