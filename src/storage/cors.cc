#include "storage/cors.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "net/errors.h"
#include "storage/xml_request.h"

namespace fireweed::storage {
namespace {

using api::storage::Cors;
using Headers = std::vector<net::ResponseHeader>;

bool Names(const std::vector<std::string>& words, std::string_view word) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& known) {
    return known == "*" || EqualIgnoreCase(known, word);
  });
}

// Whether each of a preflight's comma-separated headers may be sent.
bool NamesAll(const std::vector<std::string>& words, std::string_view list) {
  while (!list.empty()) {
    size_t comma = std::min(list.size(), list.find(','));
    std::string_view word = Trim(list.substr(0, comma));
    if (!word.empty() && !Names(words, word)) return false;
    list.remove_prefix(std::min(list.size(), comma + 1));
  }
  return true;
}

std::string Joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

void AddUnlessEmpty(Headers& headers, const char* name, std::string value) {
  if (!value.empty()) headers.push_back({name, std::move(value)});
}

void AddTo(net::Response& response, const Headers& headers) {
  for (const net::ResponseHeader& header : headers) response.Add(header.name, header.value);
}

class CorsSink final : public net::BodySink {
 public:
  CorsSink(std::unique_ptr<net::BodySink> inner, Headers headers)
      : inner_(std::move(inner)), headers_(std::move(headers)) {}
  void Write(std::span<const std::byte> bytes) override { inner_->Write(bytes); }
  net::Response Finish() override {
    net::Response response;
    try {
      response = inner_->Finish();
    } catch (const Failure& failure) {
      response = net::XmlError(failure.error());
    }
    AddTo(response, headers_);
    return response;
  }

 private:
  std::unique_ptr<net::BodySink> inner_;
  const Headers headers_;
};

Headers HeadersFor(const CorsSettings& settings, const net::Request& request) {
  return request.Header("Origin") ? CorsHeaders(settings(request), request) : Headers();
}

}  // namespace

Headers CorsHeaders(const std::vector<Cors>& settings, const net::Request& request) {
  std::string_view origin = request.Header("Origin").value_or("");
  bool preflight = request.method == "OPTIONS";
  std::string_view method =
      preflight ? request.Header("Access-Control-Request-Method").value_or("") : request.method;
  std::string_view sent = request.Header("Access-Control-Request-Headers").value_or("");
  auto fits = [&](const Cors& entry) {
    return Names(entry.origin, origin) && Names(entry.method, method) &&
           (!preflight || NamesAll(entry.responseHeader, sent));
  };
  auto entry = std::find_if(settings.begin(), settings.end(), fits);
  if (origin.empty() || method.empty() || entry == settings.end()) return {};
  bool any = Names(entry->origin, "*");
  Headers headers{{"Access-Control-Allow-Origin", any ? "*" : std::string(origin)}};
  if (!any) headers.push_back({"Vary", "Origin"});
  std::string known = Joined(entry->responseHeader);
  if (!preflight) {
    AddUnlessEmpty(headers, "Access-Control-Expose-Headers", std::move(known));
    return headers;
  }
  headers.push_back({"Access-Control-Allow-Methods", Joined(entry->method)});
  AddUnlessEmpty(headers, "Access-Control-Allow-Headers",
                 sent.empty() ? std::move(known) : std::string(sent));
  if (entry->maxAgeSeconds) {
    headers.push_back({"Access-Control-Max-Age", std::to_string(*entry->maxAgeSeconds)});
  }
  return headers;
}

net::Handler WithCors(CorsSettings settings, net::Handler inner) {
  return [settings = std::move(settings),
          inner = std::move(inner)](const net::Call& call) -> net::Answer {
    Headers headers = HeadersFor(settings, call.http);
    if (headers.empty()) return inner(call);
    net::Answer answer;
    try {
      answer = inner(call);
    } catch (const Failure& failure) {
      answer = net::XmlError(failure.error());
    }
    if (net::Response* response = std::get_if<net::Response>(&answer)) AddTo(*response, headers);
    return answer;
  };
}

net::StreamHandler WithCors(CorsSettings settings, net::StreamHandler inner) {
  return [settings = std::move(settings),
          inner = std::move(inner)](const net::Call& call) -> std::unique_ptr<net::BodySink> {
    Headers headers = HeadersFor(settings, call.http);
    if (headers.empty()) return inner(call);
    std::unique_ptr<net::BodySink> sink;
    try {
      sink = inner(call);
    } catch (const Failure& failure) {
      sink = KnownAnswer(net::XmlError(failure.error()));
    }
    return std::make_unique<CorsSink>(std::move(sink), std::move(headers));
  };
}

}  // namespace fireweed::storage
