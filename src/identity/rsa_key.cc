#include "identity/rsa_key.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include "base/error.h"

namespace fireweed::identity {
namespace {

constexpr int kLeastBits = 2048, kMostBits = 8192;

struct FreeBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
struct FreeCertificate {
  void operator()(X509* certificate) const { X509_free(certificate); }
};
using Bio = std::unique_ptr<BIO, FreeBio>;
using Context = std::unique_ptr<EVP_MD_CTX, FreeContext>;

void Check(bool ok, const char* what) {
  if (!ok) throw Failure(Code::kInternal, std::string("cryptography: ") + what);
}

std::string Drain(BIO* bio) {
  char* bytes = nullptr;
  long size = BIO_get_mem_data(bio, &bytes);
  return std::string(bytes, static_cast<size_t>(size));
}

bool IsSound(EVP_PKEY* key) {
  return EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA && EVP_PKEY_get_bits(key) >= kLeastBits &&
         EVP_PKEY_get_bits(key) <= kMostBits;
}

std::string Number(EVP_PKEY* key, const char* name) {
  BIGNUM* number = nullptr;
  Check(EVP_PKEY_get_bn_param(key, name, &number) == 1, "key parameter");
  std::string bytes(static_cast<size_t>(BN_num_bytes(number)), '\0');
  BN_bn2bin(number, reinterpret_cast<unsigned char*>(bytes.data()));
  BN_free(number);
  return bytes;
}

const unsigned char* Raw(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

struct RsaKey::Handle {
  explicit Handle(EVP_PKEY* pkey) : key(pkey) {}
  Handle(const Handle&) = delete;
  ~Handle() { EVP_PKEY_free(key); }
  EVP_PKEY* const key;
};

RsaKey RsaKey::Generate(int bits) {
  EVP_PKEY* key = EVP_RSA_gen(static_cast<unsigned>(bits));
  Check(key != nullptr, "key generation");
  return RsaKey(std::make_shared<const Handle>(key));
}

std::optional<RsaKey> RsaKey::FromPrivatePem(std::string_view pem) {
  Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  // No pass phrase: an encrypted key is refused rather than asked for on a terminal.
  auto no_phrase = [](char*, int, int, void*) { return -1; };
  EVP_PKEY* key = PEM_read_bio_PrivateKey(bio.get(), nullptr, no_phrase, nullptr);
  if (!key) return std::nullopt;
  auto handle = std::make_shared<const Handle>(key);
  if (!IsSound(key)) return std::nullopt;
  return RsaKey(std::move(handle));
}

std::optional<RsaKey> RsaKey::FromPublicPem(std::string_view pem) {
  Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  EVP_PKEY* key = PEM_read_bio_PUBKEY(bio.get(), nullptr, nullptr, nullptr);
  if (!key) return std::nullopt;
  auto handle = std::make_shared<const Handle>(key);
  if (!IsSound(key)) return std::nullopt;
  return RsaKey(std::move(handle));
}

std::string RsaKey::PrivatePem() const {
  Bio bio(BIO_new(BIO_s_mem()));
  Check(PEM_write_bio_PKCS8PrivateKey(bio.get(), handle_->key, nullptr, nullptr, 0, nullptr,
                                      nullptr) == 1,
        "private key to PEM");
  return Drain(bio.get());
}

std::string RsaKey::PublicPem() const {
  Bio bio(BIO_new(BIO_s_mem()));
  Check(PEM_write_bio_PUBKEY(bio.get(), handle_->key) == 1, "public key to PEM");
  return Drain(bio.get());
}

std::string RsaKey::Modulus() const { return Number(handle_->key, OSSL_PKEY_PARAM_RSA_N); }
std::string RsaKey::Exponent() const { return Number(handle_->key, OSSL_PKEY_PARAM_RSA_E); }

std::string RsaKey::SelfSignedCertificate(std::string_view common_name, int64_t not_before_s,
                                          int64_t not_after_s) const {
  std::unique_ptr<X509, FreeCertificate> certificate(X509_new());
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate.get()), 1);
  ASN1_TIME_set(X509_getm_notBefore(certificate.get()), static_cast<time_t>(not_before_s));
  ASN1_TIME_set(X509_getm_notAfter(certificate.get()), static_cast<time_t>(not_after_s));
  X509_NAME* name = X509_get_subject_name(certificate.get());
  // Common names end at 64 characters.
  std::string_view shown = common_name.substr(0, 64);
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, Raw(shown), static_cast<int>(shown.size()),
                             -1, 0);
  X509_set_issuer_name(certificate.get(), name);
  X509_set_pubkey(certificate.get(), handle_->key);
  Check(X509_sign(certificate.get(), handle_->key, EVP_sha256()) != 0, "certificate");
  Bio bio(BIO_new(BIO_s_mem()));
  Check(PEM_write_bio_X509(bio.get(), certificate.get()) == 1, "certificate to PEM");
  return Drain(bio.get());
}

std::string RsaKey::Sign(std::string_view text) const {
  Context context(EVP_MD_CTX_new());
  Check(EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, handle_->key) == 1,
        "signing");
  size_t size = 0;
  Check(EVP_DigestSign(context.get(), nullptr, &size, Raw(text), text.size()) == 1, "signing");
  std::string signature(size, '\0');
  Check(EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                       Raw(text), text.size()) == 1,
        "signing");
  signature.resize(size);
  return signature;
}

bool RsaKey::Verify(std::string_view text, std::string_view signature) const {
  Context context(EVP_MD_CTX_new());
  if (EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, handle_->key) != 1) {
    return false;
  }
  return EVP_DigestVerify(context.get(), Raw(signature), signature.size(), Raw(text),
                          text.size()) == 1;
}

}  // namespace fireweed::identity
