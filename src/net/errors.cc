#include "net/errors.h"

#include <fmt/format.h>

#include "describe/json_codec.h"
#include "describe/json_tree.h"

namespace fireweed {
namespace {

struct WireErrorItem {
  std::string reason, message, domain;
};
struct WireError {
  int32_t code = 0;
  std::string message, status;
  std::vector<WireErrorItem> errors;
};
struct WireErrorBody {
  WireError error;
};

}  // namespace

template <>
inline constexpr auto kFields<WireErrorItem> = [](auto...) {
  return Fields{F("message", &WireErrorItem::message), F("domain", &WireErrorItem::domain),
                F("reason", &WireErrorItem::reason)};
};
template <>
inline constexpr auto kFields<WireError> = [](auto...) {
  return Fields{F("code", &WireError::code), F("message", &WireError::message),
                F("status", &WireError::status), F("errors", &WireError::errors)};
};
template <>
inline constexpr auto kFields<WireErrorBody> =
    [](auto...) { return Fields{F("error", &WireErrorBody::error)}; };

namespace net {
namespace {

constexpr ErrorWords kInvalidWords{400, "INVALID_ARGUMENT", "invalid", "InvalidArgument"};
constexpr ErrorWords kUnauthenticatedWords{401, "UNAUTHENTICATED", "authError",
                                           "AuthenticationRequired"};
constexpr ErrorWords kDeniedWords{403, "PERMISSION_DENIED", "forbidden", "AccessDenied"};
constexpr ErrorWords kNotFoundWords{404, "NOT_FOUND", "notFound", "NoSuchKey"};
constexpr ErrorWords kGoneWords{410, "NOT_FOUND", "gone", "UploadGone"};
constexpr ErrorWords kExistsWords{409, "ALREADY_EXISTS", "conflict", "BucketAlreadyOwnedByYou"};
// The reason of a kExists whose thing was changed by another caller first.
constexpr std::string_view kAborted = "aborted";
constexpr ErrorWords kPreconditionWords{412, "FAILED_PRECONDITION", "conditionNotMet",
                                        "PreconditionFailed"};
constexpr ErrorWords kNotModifiedWords{304, "FAILED_PRECONDITION", "notModified", "NotModified"};
constexpr ErrorWords kRangeWords{416, "OUT_OF_RANGE", "requestedRangeNotSatisfiable",
                                 "InvalidRange"};
constexpr ErrorWords kTooLargeWords{413, "INVALID_ARGUMENT", "uploadTooLarge", "EntityTooLarge"};
constexpr ErrorWords kExhaustedWords{429, "RESOURCE_EXHAUSTED", "rateLimitExceeded", "SlowDown"};
// Clients repeat a request after 429, and apitools (gsutil, gcloud) does after any 5xx. They stop at 403.
constexpr ErrorWords kFullWords{403, "RESOURCE_EXHAUSTED", "quotaExceeded", "InsufficientQuota"};
constexpr ErrorWords kUnavailableWords{503, "UNAVAILABLE", "backendError", "ServiceUnavailable"};
constexpr ErrorWords kCancelledWords{499, "CANCELLED", "cancelled", "ClientClosed"};
constexpr ErrorWords kInternalWords{500, "INTERNAL", "internalError", "InternalError"};

// The ml API names the field at fault in its message and once more as a google.rpc.BadRequest, which gcloud prints.
void WriteViolation(JsonWriter& out, std::string_view message) {
  constexpr std::string_view kField = "Field: ", kError = " Error: ";
  size_t error = message.find(kError);
  if (!message.starts_with(kField) || error == std::string_view::npos) return;
  out.Key("details").BeginArray().BeginObject();
  out.Field("@type", "type.googleapis.com/google.rpc.BadRequest");
  out.Key("fieldViolations").BeginArray().BeginObject();
  out.Field("field", message.substr(kField.size(), error - kField.size()));
  out.Field("description", message.substr(error + kError.size()));
  out.EndObject().EndArray().EndObject().EndArray();
}

// A full disk, as ErrnoError and the stores describe it.
bool IsDiskFull(const Error& error) {
  return error.code == Code::kExhausted && error.reason == kFullWords.reason;
}

const ErrorWords& WordsOf(const Error& error) {
  return IsDiskFull(error) ? kFullWords : WordsFor(error.code);
}

}  // namespace

const ErrorWords& WordsFor(Code code) {
  switch (code) {
    case Code::kInvalid: return kInvalidWords;
    case Code::kUnauthenticated: return kUnauthenticatedWords;
    case Code::kDenied: return kDeniedWords;
    case Code::kNotFound: return kNotFoundWords;
    case Code::kGone: return kGoneWords;
    case Code::kExists: return kExistsWords;
    case Code::kPrecondition: return kPreconditionWords;
    case Code::kNotModified: return kNotModifiedWords;
    case Code::kRange: return kRangeWords;
    case Code::kTooLarge: return kTooLargeWords;
    case Code::kExhausted: return kExhaustedWords;
    case Code::kUnavailable: return kUnavailableWords;
    case Code::kCancelled: return kCancelledWords;
    case Code::kInternal: return kInternalWords;
  }
  return kInternalWords;
}

std::string ErrorJson(const Error& error) {
  const ErrorWords& words = WordsOf(error);
  std::string_view reason = error.reason.empty() ? words.reason : std::string_view(error.reason);
  std::string_view canonical = reason == kAborted ? "ABORTED" : words.canonical;
  JsonWriter out;
  out.BeginObject().Key("error").BeginObject();
  out.Field("code", words.status).Field("message", error.message).Field("status", canonical);
  out.Key("errors").BeginArray().BeginObject();
  out.Field("message", error.message).Field("domain", "global").Field("reason", reason);
  if (error.code == Code::kUnauthenticated) {
    out.Field("location", "Authorization").Field("locationType", "header");
  }
  out.EndObject().EndArray();
  WriteViolation(out, error.message);
  out.EndObject().EndObject();
  return out.Take();
}

Response JsonError(const Error& error) {
  Response response = JsonResponse(WordsOf(error).status, ErrorJson(error));
  if (error.code == Code::kNotModified) response.body = std::string();
  if (error.code == Code::kUnauthenticated) {
    std::string challenge = "Bearer realm=\"https://accounts.google.com/\"";
    // Without a credential there is no token that could be invalid.
    if (error.reason != "required") challenge += ", error=\"invalid_token\"";
    response.Set("WWW-Authenticate", challenge);
  }
  return response;
}

std::string XmlEscape(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\r': out += "&#13;"; break;  // readers make a line feed of a bare one
      default: out += c;
    }
  }
  return out;
}

Response XmlError(const Error& error) {
  const ErrorWords& words = WordsOf(error);
  Response response;
  response.status = words.status;
  response.Set("Content-Type", "application/xml; charset=UTF-8");
  if (error.code == Code::kNotModified) return response;
  bool usual = error.reason.empty() || IsDiskFull(error);
  std::string_view code = usual ? words.xml_code : std::string_view(error.reason);
  // Who may not do what is told as the details of a message that is always the same.
  bool denied = error.code == Code::kDenied || error.code == Code::kUnauthenticated;
  std::string_view message = !denied                       ? std::string_view(error.message)
                             : error.code == Code::kDenied ? "Access denied."
                                                           : "Authentication required.";
  std::string details =
      denied ? fmt::format("<Details>{}</Details>", XmlEscape(error.message)) : std::string();
  response.body = fmt::format(
      "<?xml version='1.0' encoding='UTF-8'?><Error><Code>{}</Code><Message>{}</Message>{}</Error>",
      XmlEscape(code), XmlEscape(message), details);
  return response;
}

Error ErrorFromResponse(int status, std::string_view body) {
  Error error;
  for (Code code :
       {Code::kInvalid, Code::kUnauthenticated, Code::kDenied, Code::kNotFound, Code::kGone,
        Code::kExists, Code::kPrecondition, Code::kNotModified, Code::kRange, Code::kTooLarge,
        Code::kExhausted, Code::kUnavailable, Code::kInternal}) {
    if (WordsFor(code).status == status) error.code = code;
  }
  error.message = fmt::format("HTTP status {}", status);
  try {
    // A served model has no more than words.
    if (std::string words = JsonTree::Parse(body).TextOf("error"); !words.empty()) {
      error.message = words;
      return error;
    }
    WireErrorBody wire = DecodeJson<WireErrorBody>(body);
    if (!wire.error.message.empty()) error.message = wire.error.message;
    if (!wire.error.errors.empty()) error.reason = wire.error.errors.front().reason;
    if (status == 403 && error.reason == kFullWords.reason) error.code = Code::kExhausted;
  } catch (const Failure&) {
    // Neither is it Google's JSON: the status line has to do.
  }
  return error;
}

Response JsonResponse(int status, std::string body) {
  Response response;
  response.status = status;
  response.Add("Content-Type", "application/json; charset=UTF-8");
  response.body = std::move(body);
  return response;
}

}  // namespace net
}  // namespace fireweed
