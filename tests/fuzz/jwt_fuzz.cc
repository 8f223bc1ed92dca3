// JSON Web Tokens before anything about them is believed.
#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "base/error.h"
#include "identity/jwt.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using fireweed::identity::Jwt;
  std::string_view input(reinterpret_cast<const char*>(bytes), size);
  // As it is, and as the claims of a token that is sound otherwise: the fuzzer need not learn base64.
  std::string wrapped =
      fireweed::Base64Encode(R"({"alg":"RS256","kid":"k"})", fireweed::Base64::kUrl) + "." +
      fireweed::Base64Encode(input, fireweed::Base64::kUrl) + ".c2ln";
  for (std::string_view text : {input, std::string_view(wrapped)}) {
    fireweed::Result<Jwt> jwt = fireweed::identity::ParseJwt(text);
    if (!jwt) continue;
    if (jwt->header.alg != "RS256") fireweed::Abort("another algorithm was taken");
    if (!text.starts_with(jwt->signed_text)) fireweed::Abort("signed text is not what was sent");
    (void)jwt->claims.HasAudience("x");
    (void)fireweed::identity::CheckTimes(jwt->claims, fireweed::FromMicros(1'700'000'000'000'000));
  }
  return 0;
}
