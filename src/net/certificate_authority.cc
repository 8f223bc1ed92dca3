#include "net/certificate_authority.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "base/bytes.h"
#include "base/random.h"

namespace fireweed::net {
namespace {

using Certificate = std::shared_ptr<X509>;
using Key = std::shared_ptr<EVP_PKEY>;
using Bio = std::unique_ptr<BIO, decltype(&BIO_free_all)>;

constexpr std::chrono::hours kDay{24};
constexpr auto kAuthorityLife = 3650 * kDay;
constexpr auto kLeafLife = 90 * kDay;

constexpr std::array<std::string_view, 9> kDomains = {
    "googleapis.com", "accounts.google.com", "source.developers.google.com",
    "cloudproxy.app", "localhost",           "metadata.google.internal",
    "fireweed.local", "fireweed.internal",   "tunnel.cloudproxy.app"};

constexpr std::array<std::string_view, 4> kNetworks = {
    "127.0.0.0/255.0.0.0", "169.254.169.254/255.255.255.255", "10.0.0.0/255.0.0.0",
    "::1/ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"};

[[noreturn]] void FailOpenSsl(std::string_view what) {
  char text[256] = "";
  ERR_error_string_n(ERR_get_error(), text, sizeof text);
  ERR_clear_error();
  throw Failure(Code::kInternal, fmt::format("{}: {}", what, text));
}

void Check(bool good, std::string_view what) {
  if (!good) FailOpenSsl(what);
}

Key NewKey() {
  Key key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  Check(key != nullptr, "cannot make a key");
  return key;
}

Bio MemoryBio() {
  Bio bio(BIO_new(BIO_s_mem()), BIO_free_all);
  Check(bio != nullptr, "no memory");
  return bio;
}

std::string Contents(BIO* bio) {
  char* text = nullptr;
  long size = BIO_get_mem_data(bio, &text);
  return std::string(text, static_cast<size_t>(size));
}

std::string CertificatePem(X509* certificate) {
  Bio bio = MemoryBio();
  Check(PEM_write_bio_X509(bio.get(), certificate) == 1, "cannot write a certificate");
  return Contents(bio.get());
}

std::string KeyPem(EVP_PKEY* key) {
  Bio bio = MemoryBio();
  Check(PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1,
        "cannot write a key");
  return Contents(bio.get());
}

void SetTimes(X509* certificate, Time begin, Time end) {
  ASN1_TIME_set(X509_getm_notBefore(certificate), ToSeconds(begin));
  ASN1_TIME_set(X509_getm_notAfter(certificate), ToSeconds(end));
}

void SetSerial(X509* certificate) {
  std::array<std::byte, 16> bytes;
  SystemRandom().Fill(bytes);
  bytes[0] = (bytes[0] & std::byte{0x3f}) | std::byte{0x40};  // positive, and always as long
  BIGNUM* number =
      BN_bin2bn(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), nullptr);
  BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate));
  BN_free(number);
}

void AddName(X509_NAME* name, const char* field, const std::string& value) {
  Check(X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8,
                                   reinterpret_cast<const unsigned char*>(value.data()),
                                   static_cast<int>(value.size()), -1, 0) == 1,
        "bad certificate name");
}

void AddExtension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  Check(extension != nullptr, "bad certificate extension");
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

std::string ConstraintText() {
  std::string text = "critical";
  for (std::string_view domain : kDomains) text += fmt::format(",permitted;DNS:{}", domain);
  for (std::string_view network : kNetworks) text += fmt::format(",permitted;IP:{}", network);
  return text;
}

Certificate Blank(EVP_PKEY* key, Time begin, Time end) {
  Certificate certificate(X509_new(), X509_free);
  Check(certificate != nullptr, "no memory");
  X509_set_version(certificate.get(), X509_VERSION_3);
  SetSerial(certificate.get());
  SetTimes(certificate.get(), begin, end);
  X509_set_pubkey(certificate.get(), key);
  AddName(X509_get_subject_name(certificate.get()), "O", "Fireweed");
  return certificate;
}

// The random word keeps the CAs of several daemons apart where one bundle holds them all.
Certificate MakeAuthority(EVP_PKEY* key, Time now) {
  Certificate certificate = Blank(key, now - kDay, now + kAuthorityLife);
  X509* x = certificate.get();
  AddName(X509_get_subject_name(x), "CN", "Fireweed local CA " + SystemRandom().Hex(4));
  X509_set_issuer_name(x, X509_get_subject_name(x));
  AddExtension(x, x, NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
  AddExtension(x, x, NID_key_usage, "critical,keyCertSign,cRLSign");
  AddExtension(x, x, NID_subject_key_identifier, "hash");
  AddExtension(x, x, NID_name_constraints, ConstraintText());
  Check(X509_sign(x, key, EVP_sha256()) > 0, "cannot sign the CA");
  return certificate;
}

std::string ReadFile(Disk& disk, const std::string& path) {
  std::unique_ptr<File> file = disk.Open(path, OpenMode::kRead).value();
  std::string text(static_cast<size_t>(file->Size().value()), '\0');
  size_t count = file->ReadAt(0, std::as_writable_bytes(std::span(text))).value();
  text.resize(count);
  return text;
}

// Whole or not at all, and there after a power cut.
void WriteFile(Disk& disk, const std::string& directory, const std::string& name,
               const std::string& text) {
  const std::string path = directory + "/" + name, draft = path + ".new";
  std::unique_ptr<File> file = disk.Open(draft, OpenMode::kCreate).value();
  file->Truncate(0).value();
  file->WriteAt(0, AsBytes(text)).value();
  file->Sync().value();
  disk.Rename(draft, path).value();
  disk.SyncDirectory(directory).value();
}

Certificate ParseCertificate(const std::string& pem) {
  Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free_all);
  Certificate certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr), X509_free);
  Check(certificate != nullptr, "the CA's certificate cannot be read");
  return certificate;
}

Key ParseKey(const std::string& pem) {
  Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free_all);
  Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr), EVP_PKEY_free);
  Check(key != nullptr, "the CA's key cannot be read");
  return key;
}

}  // namespace

std::unique_ptr<CertificateAuthority> CertificateAuthority::Open(Disk& disk,
                                                                 const std::string& directory,
                                                                 Time now) {
  disk.MakeDirectories(directory).value();
  std::unique_ptr<CertificateAuthority> authority(new CertificateAuthority);
  const bool have_certificate = disk.Exists(directory + "/ca.crt").value();
  if (have_certificate) {
    authority->certificate_ = ParseCertificate(ReadFile(disk, directory + "/ca.crt"));
    authority->key_ = ParseKey(ReadFile(disk, directory + "/ca.key"));
    Check(X509_check_private_key(authority->certificate_.get(), authority->key_.get()) == 1,
          "the CA's key does not belong to its certificate");
  } else {
    // The key goes first: a certificate that is there has its key, whenever the power fails.
    authority->key_ = NewKey();
    authority->certificate_ = MakeAuthority(authority->key_.get(), now);
    WriteFile(disk, directory, "ca.key", KeyPem(authority->key_.get()));
    WriteFile(disk, directory, "ca.crt", CertificatePem(authority->certificate_.get()));
  }
  authority->leaf_key_ = NewKey();
  authority->pem_ = CertificatePem(authority->certificate_.get());
  return authority;
}

std::string CertificateAuthority::Fingerprint() const {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  Check(X509_digest(certificate_.get(), EVP_sha256(), digest.data(), &size) == 1, "no fingerprint");
  std::string text;
  for (unsigned i = 0; i < size; ++i) text += fmt::format("{}{:02X}", i == 0 ? "" : ":", digest[i]);
  return text;
}

Leaf CertificateAuthority::Mint(const LeafNames& names, Time now) const {
  std::string alternatives;
  for (const std::string& host : names.hosts) {
    if (!IsConstrainedName(host))
      throw Failure(Code::kDenied, "no certificate is made for " + host);
    alternatives += (alternatives.empty() ? "DNS:" : ",DNS:") + host;
  }
  for (const std::string& address : names.addresses) {
    alternatives += (alternatives.empty() ? "IP:" : ",IP:") + address;
  }
  Leaf leaf;
  leaf.key = leaf_key_;
  leaf.expires = now + kLeafLife;
  leaf.certificate = Blank(leaf_key_.get(), now - kDay, leaf.expires);
  X509* x = leaf.certificate.get();
  X509_set_issuer_name(x, X509_get_subject_name(certificate_.get()));
  AddExtension(x, certificate_.get(), NID_basic_constraints, "critical,CA:FALSE");
  AddExtension(x, certificate_.get(), NID_key_usage, "critical,digitalSignature");
  AddExtension(x, certificate_.get(), NID_ext_key_usage, "serverAuth");
  AddExtension(x, certificate_.get(), NID_subject_key_identifier, "hash");
  AddExtension(x, certificate_.get(), NID_authority_key_identifier, "keyid");
  AddExtension(x, certificate_.get(), NID_subject_alt_name, alternatives);
  Check(X509_sign(x, key_.get(), EVP_sha256()) > 0, "cannot sign a certificate");
  return leaf;
}

std::span<const std::string_view> ConstrainedDomains() { return kDomains; }

bool IsConstrainedName(std::string_view host) {
  auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
  };
  if (host.empty() || host.size() > 253 || !std::all_of(host.begin(), host.end(), plain))
    return false;
  return std::any_of(kDomains.begin(), kDomains.end(), [&](std::string_view domain) {
    if (host == domain) return true;
    return host.size() > domain.size() + 1 && host.ends_with(domain) &&
           host[host.size() - domain.size() - 1] == '.';
  });
}

}  // namespace fireweed::net
