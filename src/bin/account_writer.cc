#include "bin/account_writer.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "net/errors.h"

namespace fireweed {

Result<std::string> AccountWriter::Token(const std::string& account) {
  constexpr std::chrono::minutes kSpare{10};
  Time now = clock_.Now();
  std::string known = minted_.With([&](auto& minted) -> std::string {
    auto found = minted.find(account);
    return found != minted.end() && found->second.expires > now + kSpare ? found->second.token : "";
  });
  if (!known.empty()) return known;
  try {
    identity::MintedToken fresh =
        tokens_.MintForServiceAccount(account, {}, identity::kUsualLifetime, "prediction");
    minted_.With([&](auto& minted) { minted[account] = fresh; });
    return fresh.token;
  } catch (const Failure& failure) {
    return failure.error();
  }
}

Result<> AccountWriter::Write(const std::string& account, const std::string& bucket,
                              const std::string& name, const std::string& bytes) {
  Result<std::string> token = Token(account);
  if (!token.ok()) return token.error();
  net::ClientRequest request{
      .method = "POST",
      .url = fmt::format("http://{}/upload/storage/v1/b/{}/o?uploadType=media&name={}", address_,
                         PercentEncode(bucket), PercentEncode(name)),
      .headers = {{"Authorization", "Bearer " + *token}, {"Content-Type", "text/plain"}},
      .body = bytes};
  Result<net::ClientResponse> reply = http_.Send(request);
  if (!reply.ok()) return reply.error();
  if (reply->status / 100 == 2) return Done{};
  return net::ErrorFromResponse(reply->status, reply->body);
}

}  // namespace fireweed
