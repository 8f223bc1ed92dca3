// For tests: a private CA in a temporary directory and certificates made by it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "base/disk.h"
#include "base/log.h"
#include "net/minted_certificates.h"

namespace fireweed::net {

class TestAuthority {
 public:
  TestAuthority() {
    std::string pattern = (std::filesystem::temp_directory_path() / "fireweed-tls-XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
    std::unique_ptr<Disk> disk = MakeRealDisk();
    authority_ = CertificateAuthority::Open(*disk, directory_, clock_.Now());
    certificates_ = std::make_shared<MintedCertificates>(*authority_, clock_, log_);
  }
  ~TestAuthority() { std::filesystem::remove_all(directory_); }

  std::shared_ptr<CertificateSource> certificates() const { return certificates_; }
  std::string ca_file() const { return directory_ + "/ca.crt"; }

 private:
  SystemClock clock_;
  NullLogger log_;
  std::string directory_;
  std::unique_ptr<CertificateAuthority> authority_;
  std::shared_ptr<MintedCertificates> certificates_;
};

}  // namespace fireweed::net
