// Signed URLs: what a request's query says about its signature, and the text that was signed. Both of Google's
// forms: V4 (X-Goog-Signature and its companions) and V2 (GoogleAccessId, Expires, Signature). Pure; whose key
// made the signature is decided elsewhere (storage/signatures.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "net/http_message.h"

namespace fireweed::storage {

struct SignedQuery {
  enum class Form { kV2, kV4 };
  Form form = Form::kV4;
  std::string email;      // of the service account that is said to have signed
  std::string signature;  // raw bytes
  Time from, until;       // V2 has no beginning
  // V4 only.
  std::string date, scope;  // "20261115T070000Z", "20261115/auto/storage/goog4_request"
  std::vector<std::string> signed_headers;  // lower case, in order
};

// nullopt for a query that carries no signature. Failure(kInvalid) for one that is broken.
std::optional<SignedQuery> ParseSignedQuery(std::string_view query);

// The texts that a good signature may have been made over. Several, because the forms leave a choice: HEAD may be
// asked with a signature for GET, and hosts are signed with or without their port.
struct SignedText {
  std::string text;
  std::string canonical;  // V4: the canonical request, whose digest the text holds
};
std::vector<SignedText> TextsToSign(const SignedQuery& query, const net::Request& request);

// Headers that change what a V4 request does and are there unsigned: their names. Google refuses such requests.
std::vector<std::string> UnsignedExtensions(const SignedQuery& query, const net::Request& request);

}  // namespace fireweed::storage
