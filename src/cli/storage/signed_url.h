// Addresses that let anyone use one object for a while (V4 signing). Pure: whoever has the account's key signs
// StringToSign.
#pragma once

#include <map>
#include <string>

#include "base/clock.h"

namespace fireweed::cli {

struct SignedUrlRequest {
  std::string verb = "GET", bucket, object, account, region = "auto";
  std::string host = "storage.googleapis.com";
  int64_t seconds = 3600;  // at most a week
  Time now;
  std::map<std::string, std::string> headers, query;  // further ones that are signed
};

class SignedUrl {
 public:
  // Throws Failure(kInvalid) for a time that is no time or too long.
  explicit SignedUrl(SignedUrlRequest request);

  const std::string& string_to_sign() const { return string_to_sign_; }
  // With the raw bytes of the RSA-SHA256 signature.
  std::string WithSignature(std::string_view signature) const;

 private:
  std::string address_;  // up to the signature
  std::string string_to_sign_;
};

// "10s", "5m", "12h", "7d", or bare seconds. Throws Failure(kInvalid).
int64_t ParseSeconds(const std::string& text);

}  // namespace fireweed::cli
