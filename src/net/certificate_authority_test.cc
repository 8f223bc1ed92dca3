#include "net/certificate_authority.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include "base/sim_clock.h"
#include "net/minted_certificates.h"

namespace fireweed::net {
namespace {

class PrivateCa : public testing::Test {
 protected:
  PrivateCa() {
    std::string pattern = (std::filesystem::temp_directory_path() / "fireweed-ca-XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
  }
  ~PrivateCa() override { std::filesystem::remove_all(directory_); }

  std::unique_ptr<CertificateAuthority> Open() {
    return CertificateAuthority::Open(*disk_, directory_, clock_.Now());
  }

  std::string directory_;
  std::unique_ptr<Disk> disk_ = MakeRealDisk();
  SimClock clock_;
  NullLogger log_;
};

// OpenSSL's own verdict on a chain, for a host name at a time.
int Verify(const std::string& ca_pem, X509* leaf, const char* host, Time at) {
  BIO* bio = BIO_new_mem_buf(ca_pem.data(), static_cast<int>(ca_pem.size()));
  X509* ca = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
  X509_STORE* store = X509_STORE_new();
  X509_STORE_add_cert(store, ca);
  X509_STORE_CTX* context = X509_STORE_CTX_new();
  X509_STORE_CTX_init(context, store, leaf, nullptr);
  X509_VERIFY_PARAM* rules = X509_STORE_CTX_get0_param(context);
  X509_VERIFY_PARAM_set_time(rules, ToSeconds(at));
  X509_VERIFY_PARAM_set_purpose(rules, X509_PURPOSE_SSL_SERVER);
  if (X509_VERIFY_PARAM_set1_ip_asc(rules, host) != 1) X509_VERIFY_PARAM_set1_host(rules, host, 0);
  X509_verify_cert(context);
  int verdict = X509_STORE_CTX_get_error(context);
  X509_STORE_CTX_free(context);
  X509_STORE_free(store);
  X509_free(ca);
  BIO_free(bio);
  return verdict;
}

TEST_F(PrivateCa, IsMadeOnceAndKept) {
  std::string first = Open()->Fingerprint();
  EXPECT_EQ(first.size(), 32 * 3 - 1u);
  EXPECT_EQ(Open()->Fingerprint(), first);
  struct stat status {};
  ASSERT_EQ(stat((directory_ + "/ca.key").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(PrivateCa, IsNotReplacedWhenItsKeyIsMissing) {
  Open();
  std::filesystem::remove(directory_ + "/ca.key");
  EXPECT_THROW(Open(), Failure);
}

TEST_F(PrivateCa, RefusesAForeignKey) {
  Open();
  std::string other = directory_ + "/other";
  CertificateAuthority::Open(*disk_, other, clock_.Now());
  std::filesystem::copy_file(other + "/ca.key", directory_ + "/ca.key",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_THROW(Open(), Failure);
}

TEST_F(PrivateCa, MintsWhatClientsAccept) {
  auto authority = Open();
  for (const char* host :
       {"storage.googleapis.com", "a.b.storage.googleapis.com", "accounts.google.com",
        "source.developers.google.com", "metadata.google.internal", "localhost"}) {
    Leaf leaf = authority->Mint({{host}, {}}, clock_.Now());
    EXPECT_EQ(Verify(authority->certificate_pem(), leaf.certificate.get(), host, clock_.Now()),
              X509_V_OK)
        << host;
    EXPECT_EQ(
        Verify(authority->certificate_pem(), leaf.certificate.get(), "example.com", clock_.Now()),
        X509_V_ERR_HOSTNAME_MISMATCH);
  }
  Leaf local = authority->Mint({{"localhost"}, {"127.0.0.1", "::1", "10.128.0.1"}}, clock_.Now());
  for (const char* address : {"127.0.0.1", "::1", "10.128.0.1"}) {
    EXPECT_EQ(Verify(authority->certificate_pem(), local.certificate.get(), address, clock_.Now()),
              X509_V_OK)
        << address;
  }
}

TEST_F(PrivateCa, CannotSpeakForTheRestOfTheWorld) {
  auto authority = Open();
  for (const char* host :
       {"example.com", "google.com", "www.google.com", "xgoogleapis.com", "mail.google.com",
        "googleapis.com.evil.org", "", "a,DNS:evil.org", "*.googleapis.com"}) {
    EXPECT_THROW(authority->Mint({{host}, {}}, clock_.Now()), Failure) << host;
  }
  // Addresses are limited by the constraints alone: whoever got the key gains nothing by it.
  Leaf outside = authority->Mint({{}, {"8.8.8.8"}}, clock_.Now());
  EXPECT_EQ(
      Verify(authority->certificate_pem(), outside.certificate.get(), "8.8.8.8", clock_.Now()),
      X509_V_ERR_PERMITTED_VIOLATION);
}

TEST_F(PrivateCa, RenewsLeavesBeforeTheyExpire) {
  auto authority = Open();
  MintedCertificates source(*authority, clock_, log_);
  Leaf first = *source.Find("storage.googleapis.com");
  EXPECT_EQ(source.Find("Storage.GoogleApis.com")->certificate, first.certificate);
  clock_.Advance(std::chrono::hours(24 * 59));
  EXPECT_EQ(source.Find("storage.googleapis.com")->certificate, first.certificate);
  clock_.Advance(std::chrono::hours(24 * 2));
  Leaf second = *source.Find("storage.googleapis.com");
  EXPECT_NE(second.certificate, first.certificate);
  EXPECT_GT(second.expires, clock_.Now() + std::chrono::hours(24 * 80));
}

TEST_F(PrivateCa, ServesOnlyAllowedNames) {
  auto authority = Open();
  MintedCertificates source(*authority, clock_, log_);
  EXPECT_FALSE(source.Find("example.com"));
  EXPECT_EQ(source.NewServer("example.com"), nullptr);
  EXPECT_NE(source.NewServer(""), nullptr);
  EXPECT_NE(source.NewServer("127.0.0.1"), nullptr);
}

}  // namespace
}  // namespace fireweed::net
