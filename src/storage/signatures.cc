#include "storage/signatures.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "identity/assertion.h"
#include "identity/service_accounts.h"
#include "net/errors.h"
#include "storage/signed_url.h"

namespace fireweed::storage {
namespace {

constexpr std::chrono::minutes kClockTolerance(15);  // as Google's servers allow
constexpr std::string_view kDigestHeader = "x-goog-content-sha256";

struct Detail {
  std::string_view name;
  std::string text;
};

net::Response Refusal(Code code, std::string_view reason, std::string message,
                      const std::vector<Detail>& details) {
  net::Response response = net::XmlError({code, std::string(reason), std::move(message)});
  std::string& body = std::get<std::string>(response.body);
  std::string more;
  for (const Detail& detail : details) {
    more += fmt::format("<{}>{}</{}>", detail.name, net::XmlEscape(detail.text), detail.name);
  }
  body.insert(body.rfind("</Error>"), more);
  return response;
}

net::Response Mismatch(const SignedText& expected) {
  std::vector<Detail> details{{"StringToSign", expected.text}};
  if (!expected.canonical.empty()) details.push_back({"CanonicalRequest", expected.canonical});
  return Refusal(Code::kDenied, "SignatureDoesNotMatch",
                 "The request signature we calculated does not match the signature you provided. "
                 "Check your Google secret key and signing method.",
                 details);
}

std::optional<net::Response> OutOfTime(const SignedQuery& query, Time now) {
  if (now > query.until) {
    return Refusal(Code::kInvalid, "ExpiredToken", "The provided token has expired.",
                   {{"Details", "Request signature expired at: " + FormatTime(query.until, 0)}});
  }
  if (query.form == SignedQuery::Form::kV4 && query.from > now + kClockTolerance) {
    return Refusal(Code::kDenied, "AccessDenied", "Access denied.",
                   {{"Details", "Request is not valid until: " + FormatTime(query.from, 0)}});
  }
  return std::nullopt;
}

// The body of a signed request. Holds who signed as long as the body is on its way.
class SignedSink final : public net::BodySink {
 public:
  SignedSink(std::unique_ptr<net::BodySink> inner, SignedCaller signer)
      : signer_(std::move(signer)), inner_(std::move(inner)) {}
  void Write(std::span<const std::byte> bytes) override {
    if (!signer_.sha256.empty()) hasher_.Update(bytes);
    inner_->Write(bytes);
  }
  net::Response Finish() override {
    bool good =
        signer_.sha256.empty() || EqualIgnoreCase(HexEncode(hasher_.Current()), signer_.sha256);
    if (!good) {
      throw Failure(Code::kInvalid, "BadDigest",
                    "The body does not have the SHA-256 digest that was signed.");
    }
    return inner_->Finish();
  }

 private:
  const SignedCaller signer_;
  std::unique_ptr<net::BodySink> inner_;
  Hasher hasher_{Digest::kSha256};
};

// A refusal is known before the body, which is passed over.
class RefusalSink final : public net::BodySink {
 public:
  explicit RefusalSink(net::Response response) : response_(std::move(response)) {}
  void Write(std::span<const std::byte>) override {}
  net::Response Finish() override { return std::move(response_); }

 private:
  net::Response response_;
};

// The digest of the body that the signature covers; empty for UNSIGNED-PAYLOAD and none.
std::string SignedDigest(const SignedQuery& query, const net::Request& request) {
  bool covered = std::find(query.signed_headers.begin(), query.signed_headers.end(),
                           kDigestHeader) != query.signed_headers.end();
  std::string digest(request.Header(kDigestHeader).value_or(""));
  return covered && digest != "UNSIGNED-PAYLOAD" ? digest : "";
}

}  // namespace

SignedCaller Signatures::Judge(const net::Request& request) const {
  try {
    std::optional<SignedQuery> query = ParseSignedQuery(request.query);
    if (!query) return {};
    Time now = clock_.Now();
    if (std::optional<net::Response> late = OutOfTime(*query, now)) {
      return {nullptr, std::move(late), ""};
    }
    if (!UnsignedExtensions(*query, request).empty()) {
      return {nullptr,
              Refusal(Code::kInvalid, "MalformedSecurityHeader",
                      "Your request has a malformed header. Header was included in the request, "
                      "but not in X-Goog-SignedHeaders.",
                      {{"ParameterName", UnsignedExtensions(*query, request).front()}}),
              ""};
    }
    std::vector<SignedText> texts = TextsToSign(*query, request);
    bool good = std::any_of(texts.begin(), texts.end(), [&](const SignedText& text) {
      return identity::VerifyAccountSignature(catalog_, query->email, text.text, query->signature,
                                              now);
    });
    if (!good) return {nullptr, Mismatch(texts.front()), ""};
    auto account =
        Query(catalog_, [&](Txn& txn) { return identity::FindServiceAccount(txn, query->email); });
    std::string project = account ? account->value.projectId : "";
    auto caller = std::make_shared<const net::Caller>(
        net::Caller{"serviceAccount:" + query->email, query->email, project, {}});
    return {std::move(caller), std::nullopt, SignedDigest(*query, request)};
  } catch (const Failure& failure) {
    return {nullptr, net::XmlError(failure.error()), ""};
  }
}

net::Handler WithSignatures(const Signatures& signatures, net::Handler inner) {
  return [&signatures, inner = std::move(inner)](const net::Call& call) -> net::Answer {
    SignedCaller signer = signatures.Judge(call.http);
    if (signer.refusal) return *std::move(signer.refusal);
    if (!signer.caller) return inner(call);
    return inner(net::Call{call.http, *signer.caller, call.path_values, call.method});
  };
}

net::StreamHandler WithSignatures(const Signatures& signatures, net::StreamHandler inner) {
  return [&signatures,
          inner = std::move(inner)](const net::Call& call) -> std::unique_ptr<net::BodySink> {
    SignedCaller signer = signatures.Judge(call.http);
    if (signer.refusal) return std::make_unique<RefusalSink>(*std::move(signer.refusal));
    if (!signer.caller) return inner(call);
    std::unique_ptr<net::BodySink> sink =
        inner(net::Call{call.http, *signer.caller, call.path_values, call.method});
    return std::make_unique<SignedSink>(std::move(sink), std::move(signer));
  };
}

}  // namespace fireweed::storage
