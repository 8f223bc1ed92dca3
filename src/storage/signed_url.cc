#include "storage/signed_url.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/error.h"
#include "storage/xml_request.h"

namespace fireweed::storage {
namespace {

constexpr std::string_view kAlgorithm = "GOOG4-RSA-SHA256";
constexpr std::string_view kScopeEnd = "/storage/goog4_request";
constexpr int64_t kLongestV4 = 604800;  // a week, in seconds

struct Pair {
  std::string name, value;  // decoded
};

[[noreturn]] void Refuse(std::string message) {
  throw Failure(Code::kInvalid, "AuthorizationQueryParametersError", std::move(message));
}

std::vector<Pair> PairsOf(std::string_view query) {
  std::vector<Pair> pairs;
  while (!query.empty()) {
    size_t end = query.find('&');
    std::string_view piece = query.substr(0, end);
    query = end == std::string_view::npos ? std::string_view() : query.substr(end + 1);
    if (piece.empty()) continue;
    size_t equals = piece.find('=');
    std::optional<std::string> name = PercentDecode(piece.substr(0, equals));
    std::string_view raw = equals == std::string_view::npos ? "" : piece.substr(equals + 1);
    std::optional<std::string> value = PercentDecode(raw);
    if (!name || !value) Refuse("Broken percent-encoding in the query.");
    pairs.push_back({*std::move(name), *std::move(value)});
  }
  return pairs;
}

// The value of a parameter, its name in any case; empty when it is not there.
std::string ValueOf(const std::vector<Pair>& pairs, std::string_view name) {
  for (const Pair& pair : pairs) {
    if (EqualIgnoreCase(pair.name, name)) return pair.value;
  }
  return {};
}

std::optional<int64_t> NumberOf(std::string_view text) {
  int64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool whole = error == std::errc() && end == text.data() + text.size() && number >= 0;
  return whole ? std::optional(number) : std::nullopt;
}

// "20261115T070000Z"
std::optional<Time> BasicTime(std::string_view text) {
  if (text.size() != 16 || text[8] != 'T' || text[15] != 'Z') return std::nullopt;
  return ParseTime(fmt::format("{}-{}-{}T{}:{}:{}Z", text.substr(0, 4), text.substr(4, 2),
                               text.substr(6, 2), text.substr(9, 2), text.substr(11, 2),
                               text.substr(13, 2)));
}

SignedQuery ParseV4(const std::vector<Pair>& pairs) {
  SignedQuery query;
  query.form = SignedQuery::Form::kV4;
  if (ValueOf(pairs, "X-Goog-Algorithm") != kAlgorithm) {
    Refuse("X-Goog-Algorithm must be GOOG4-RSA-SHA256.");
  }
  std::string credential = ValueOf(pairs, "X-Goog-Credential");
  size_t slash = credential.find('/');
  if (slash == std::string::npos || !credential.ends_with(kScopeEnd)) {
    Refuse("X-Goog-Credential must be EMAIL/DATE/LOCATION/storage/goog4_request.");
  }
  query.email = ToLower(credential.substr(0, slash));
  query.scope = credential.substr(slash + 1);
  query.date = ValueOf(pairs, "X-Goog-Date");
  std::optional<Time> from = BasicTime(query.date);
  if (!from || !query.scope.starts_with(query.date.substr(0, 8) + "/")) {
    Refuse("X-Goog-Date must be YYYYMMDDTHHMMSSZ, of the credential's day.");
  }
  std::optional<int64_t> seconds = NumberOf(ValueOf(pairs, "X-Goog-Expires"));
  if (!seconds || *seconds == 0 || *seconds > kLongestV4) {
    Refuse(fmt::format("X-Goog-Expires must be 1 to {} seconds.", kLongestV4));
  }
  query.from = *from;
  query.until = *from + std::chrono::seconds(*seconds);
  std::optional<std::string> signature = HexDecode(ToLower(ValueOf(pairs, "X-Goog-Signature")));
  if (!signature) Refuse("X-Goog-Signature must be hexadecimal.");
  query.signature = *std::move(signature);
  std::string names = ToLower(ValueOf(pairs, "X-Goog-SignedHeaders"));
  for (size_t at = 0; at <= names.size();) {
    size_t end = std::min(names.find(';', at), names.size());
    if (end > at) query.signed_headers.push_back(names.substr(at, end - at));
    at = end + 1;
  }
  auto host = std::find(query.signed_headers.begin(), query.signed_headers.end(), "host");
  if (host == query.signed_headers.end()) Refuse("X-Goog-SignedHeaders must name host.");
  return query;
}

SignedQuery ParseV2(const std::vector<Pair>& pairs) {
  SignedQuery query;
  query.form = SignedQuery::Form::kV2;
  query.email = ToLower(ValueOf(pairs, "GoogleAccessId"));
  std::optional<int64_t> expires = NumberOf(ValueOf(pairs, "Expires"));
  // Beyond this the clock's nanoseconds would not fit.
  constexpr int64_t kLatest = 9'000'000'000;
  if (!expires) Refuse("Expires must be seconds since 1970.");
  query.until = Time(std::chrono::seconds(std::min(*expires, kLatest)));
  query.date = std::to_string(*expires);
  std::optional<std::string> signature = Base64Decode(ValueOf(pairs, "Signature"));
  if (!signature || signature->empty()) Refuse("Signature must be base64.");
  query.signature = *std::move(signature);
  return query;
}

// Every byte but unreserved ones and '/', whatever the client wrote encoded and what not.
std::string CanonicalPath(std::string_view raw) {
  std::optional<std::string> path = PercentDecode(raw);
  if (!path) Refuse("Broken percent-encoding in the path.");
  std::string out;
  for (size_t at = 0; at <= path->size();) {
    size_t slash = std::min(path->find('/', at), path->size());
    out += PercentEncode(std::string_view(*path).substr(at, slash - at));
    if (slash < path->size()) out += '/';
    at = slash + 1;
  }
  return out;
}

// Values of all headers of a name, white space folded, joined by commas.
std::string HeaderText(const net::Request& request, std::string_view name) {
  std::string out;
  bool any = false;
  for (const net::RequestHeader& header : request.headers) {
    if (!EqualIgnoreCase(header.name, name)) continue;
    if (any) out += ',';
    any = true;
    bool space = false;
    for (char c : Trim(header.value)) {
      bool blank = c == ' ' || c == '\t';
      if (!blank || !space) out += blank ? ' ' : c;
      space = blank;
    }
  }
  return out;
}

std::string CanonicalV4(const SignedQuery& query, const net::Request& request,
                        std::string_view method, std::string_view host) {
  std::vector<std::string> parameters;
  for (const Pair& pair : PairsOf(request.query)) {
    if (EqualIgnoreCase(pair.name, "X-Goog-Signature")) continue;
    parameters.push_back(PercentEncode(pair.name) + "=" + PercentEncode(pair.value));
  }
  std::sort(parameters.begin(), parameters.end());
  std::string headers;
  std::string payload = "UNSIGNED-PAYLOAD";
  for (const std::string& name : query.signed_headers) {
    std::string value = name == "host" ? std::string(host) : HeaderText(request, name);
    headers += fmt::format("{}:{}\n", name, value);
    if (name == "x-goog-content-sha256") payload = value;
  }
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", method, CanonicalPath(request.path),
                     fmt::join(parameters, "&"), headers, fmt::join(query.signed_headers, ";"),
                     payload);
}

// Parameters that stand for a part of a bucket or object: V2 signs these, and no others.
bool IsSubresource(std::string_view name) {
  constexpr std::string_view kNames[] = {
      "acl",          "append",    "billing",  "compose", "cors",       "defaultobjectacl",
      "encryption",   "lifecycle", "location", "logging", "partnumber", "retention",
      "storageclass", "tagging",   "uploadid", "uploads", "versioning", "website"};
  std::string lower = ToLower(name);
  return std::find(std::begin(kNames), std::end(kNames), lower) != std::end(kNames);
}

bool IsOfSignature(std::string_view name) {
  return name == "GoogleAccessId" || name == "Expires" || name == "Signature";
}

// "x-goog-acl:public-read\n" for each extension header, sorted. Keys of customers are not signed.
std::string ExtensionHeaders(const net::Request& request) {
  std::vector<std::string> names;
  for (const net::RequestHeader& header : request.headers) {
    std::string name = ToLower(header.name);
    bool counts = name.starts_with("x-goog-") && !name.starts_with("x-goog-encryption-key");
    if (counts && std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(std::move(name));
    }
  }
  std::sort(names.begin(), names.end());
  std::string out;
  for (const std::string& name : names) {
    out += fmt::format("{}:{}\n", name, HeaderText(request, name));
  }
  return out;
}

// "/bucket/object" as it stands in a path-style address; hosts that name the bucket are put in front.
std::string ResourceV2(const net::Request& request) {
  std::string_view bucket = BucketInHost(request.host);
  std::string path = CanonicalPath(request.path);
  return bucket.empty() ? path : fmt::format("/{}{}", bucket, path);
}

std::string TextV2(const SignedQuery& query, const net::Request& request, std::string_view method,
                   std::string_view parameters) {
  return fmt::format("{}\n{}\n{}\n{}\n{}{}{}", method, HeaderText(request, "Content-MD5"),
                     HeaderText(request, "Content-Type"), query.date, ExtensionHeaders(request),
                     ResourceV2(request), parameters);
}

// "?acl" with sub-resources alone, and "?a=1&b=2" with all, as some libraries sign them.
std::vector<std::string> ParameterFormsV2(const net::Request& request) {
  std::vector<Pair> others = PairsOf(request.query);
  std::erase_if(others, [](const Pair& pair) { return IsOfSignature(pair.name); });
  std::sort(others.begin(), others.end(),
            [](const Pair& a, const Pair& b) { return a.name < b.name; });
  std::vector<std::string> parts, all;
  for (const Pair& pair : others) {
    std::string text = pair.value.empty() ? pair.name : pair.name + "=" + pair.value;
    if (IsSubresource(pair.name)) parts.push_back(std::move(text));
    all.push_back(PercentEncode(ToLower(pair.name)) + "=" + PercentEncode(pair.value));
  }
  std::vector<std::string> forms{parts.empty() ? "" : fmt::format("?{}", fmt::join(parts, "&"))};
  if (!all.empty()) forms.push_back(fmt::format("?{}", fmt::join(all, "&")));
  return forms;
}

std::vector<std::string_view> Methods(const net::Request& request) {
  if (request.method == "HEAD") return {"HEAD", "GET"};
  return {request.method};
}

}  // namespace

std::optional<SignedQuery> ParseSignedQuery(std::string_view query) {
  // Most queries carry nothing of the kind, and are not taken apart to see that.
  if (query.find("ignature=") == std::string_view::npos) return std::nullopt;
  std::vector<Pair> pairs = PairsOf(query);
  if (!ValueOf(pairs, "X-Goog-Signature").empty()) return ParseV4(pairs);
  bool v2 = !ValueOf(pairs, "Signature").empty() && !ValueOf(pairs, "GoogleAccessId").empty();
  return v2 ? std::optional(ParseV2(pairs)) : std::nullopt;
}

std::vector<SignedText> TextsToSign(const SignedQuery& query, const net::Request& request) {
  std::vector<SignedText> texts;
  for (std::string_view method : Methods(request)) {
    if (query.form == SignedQuery::Form::kV2) {
      for (const std::string& parameters : ParameterFormsV2(request)) {
        texts.push_back({TextV2(query, request, method, parameters), ""});
      }
      continue;
    }
    for (std::string_view host : {request.authority, request.host}) {
      std::string canonical = CanonicalV4(query, request, method, host);
      std::string digest = HexEncode(Hash(Digest::kSha256, canonical));
      texts.push_back({fmt::format("{}\n{}\n{}\n{}", kAlgorithm, query.date, query.scope, digest),
                       std::move(canonical)});
      if (request.authority == request.host) break;
    }
  }
  return texts;
}

std::vector<std::string> UnsignedExtensions(const SignedQuery& query, const net::Request& request) {
  std::vector<std::string> names;
  if (query.form == SignedQuery::Form::kV2) return names;  // signed, one and all
  for (const net::RequestHeader& header : request.headers) {
    std::string name = ToLower(header.name);
    bool is_signed = std::find(query.signed_headers.begin(), query.signed_headers.end(), name) !=
                     query.signed_headers.end();
    if (name.starts_with("x-goog-") && !is_signed) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace fireweed::storage
