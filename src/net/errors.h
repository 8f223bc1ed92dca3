// The one table from Code to HTTP status and Google's words, and the two shapes errors take on the wire.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "net/http_message.h"

namespace fireweed::net {

struct ErrorWords {
  int status;                  // 404
  std::string_view canonical;  // "NOT_FOUND"
  std::string_view reason;     // "notFound", used where the error names none
  std::string_view xml_code;   // "NoSuchKey"
};

const ErrorWords& WordsFor(Code code);

// {"error":{"code":404,"message":"...","status":"NOT_FOUND","errors":[{"message","domain","reason"}]}}
std::string ErrorJson(const Error& error);
Response JsonError(const Error& error);
// <?xml version='1.0' encoding='UTF-8'?><Error><Code>NoSuchKey</Code><Message>...</Message></Error>
Response XmlError(const Error& error);
// Text as it stands in XML, in an error or in any other reply.
std::string XmlEscape(std::string_view text);

// An Error from the status and body another Fireweed (or Google) answered with.
Error ErrorFromResponse(int status, std::string_view body);

Response JsonResponse(int status, std::string body);

}  // namespace fireweed::net
