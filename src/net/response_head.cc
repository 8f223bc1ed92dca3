#include "net/response_head.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/bytes.h"

namespace fireweed::net {
namespace {

void AppendNumber(std::string& out, int64_t number) {
  std::array<char, 24> digits;
  auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out.append(digits.data(), end);
}

bool IsControl(char c) {
  unsigned char byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && byte != '\t') || byte == 0x7f;
}

void AppendClean(std::string& out, std::string_view text) {
  if (std::none_of(text.begin(), text.end(), IsControl)) {
    out.append(text);
    return;
  }
  std::copy_if(text.begin(), text.end(), std::back_inserter(out),
               [](char c) { return !IsControl(c); });
}

bool IsServersOwn(std::string_view name) {
  switch (name.size()) {
    case 4: return EqualIgnoreCase(name, "date");
    case 6: return EqualIgnoreCase(name, "server");
    case 10: return EqualIgnoreCase(name, "connection");
    case 12: return EqualIgnoreCase(name, "x-request-id");
    case 14: return EqualIgnoreCase(name, "content-length");
    case 17: return EqualIgnoreCase(name, "transfer-encoding");
    default: return false;
  }
}

void AppendFraming(std::string& out, const BodyFraming& framing) {
  switch (framing.kind) {
    case BodyFraming::Kind::kLength:
      out += "Content-Length: ";
      AppendNumber(out, framing.length);
      out += "\r\n";
      break;
    case BodyFraming::Kind::kChunked: out += "Transfer-Encoding: chunked\r\n"; break;
    case BodyFraming::Kind::kUntilClose:
    case BodyFraming::Kind::kNone: break;
  }
}

std::optional<int64_t> BodyLength(const Response& response) {
  if (auto* text = std::get_if<std::string>(&response.body)) return text->size();
  if (auto* shared = std::get_if<std::shared_ptr<const std::string>>(&response.body)) {
    return *shared ? (*shared)->size() : 0;
  }
  if (auto* slice = std::get_if<FileSlice>(&response.body)) return slice->length;
  const auto& source = std::get<std::unique_ptr<ByteSource>>(response.body);
  return source ? source->size() : 0;
}

}  // namespace

void AppendHead(std::string& out, const Response& response, const HeadContext& context) {
  out += context.http11 ? "HTTP/1.1 " : "HTTP/1.0 ";
  AppendNumber(out, response.status);
  out += ' ';
  out += ReasonPhrase(response.status);
  out += "\r\nServer: fireweed\r\nDate: ";
  out += context.date;
  out += "\r\n";
  if (!context.request_id.empty()) {
    out += "X-Request-Id: ";
    out += context.request_id;
    out += "\r\n";
  }
  for (const ResponseHeader& header : response.headers) {
    if (IsServersOwn(header.name)) continue;
    AppendClean(out, header.name);
    out += ": ";
    AppendClean(out, header.value);
    out += "\r\n";
  }
  if (response.head_lines) out += *response.head_lines;
  AppendFraming(out, context.framing);
  if (!context.keep_alive) {
    out += "Connection: close\r\n";
  } else if (!context.http11) {
    out += "Connection: keep-alive\r\n";
  }
  out += "\r\n";
}

BodyFraming PlanFraming(const Response& response, bool head_request, bool http11) {
  using Kind = BodyFraming::Kind;
  if (!StatusHasBody(response.status)) return {Kind::kNone, 0};
  std::optional<int64_t> length = BodyLength(response);
  if (head_request && length == 0) {
    int64_t stated = 0;
    std::string_view text = response.Header("Content-Length").value_or("0");
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), stated);
    if (error == std::errc() && end == text.data() + text.size() && stated > 0) length = stated;
  }
  if (length) return {Kind::kLength, *length};
  return {http11 ? Kind::kChunked : Kind::kUntilClose, 0};
}

bool StatusHasBody(int status) { return status >= 200 && status != 204 && status != 304; }

std::string_view ReasonPhrase(int status) {
  switch (status) {
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 206: return "Partial Content";
    case 301: return "Moved Permanently";
    case 302: return "Found";
    case 303: return "See Other";
    case 304: return "Not Modified";
    case 307: return "Temporary Redirect";
    case 308: return "Resume Incomplete";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 407: return "Proxy Authentication Required";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 410: return "Gone";
    case 411: return "Length Required";
    case 412: return "Precondition Failed";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 415: return "Unsupported Media Type";
    case 416: return "Range Not Satisfiable";
    case 417: return "Expectation Failed";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 499: return "Client Closed Request";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 502: return "Bad Gateway";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    default: return "Status";
  }
}

}  // namespace fireweed::net
