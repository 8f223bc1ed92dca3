#include "cli/storage/signed_url.h"

#include <charconv>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/error.h"

namespace fireweed::cli {
namespace {

constexpr int64_t kWeek = 7 * 24 * 3600;

// "20261115T070809Z".
std::string CompactTime(Time time) {
  std::string text = FormatTime(time, 0), out;
  for (char c : text) {
    if (c != '-' && c != ':') out += c;
  }
  return out;
}

// An object's name in a path: everything but '/' and unreserved characters is escaped.
std::string PathEncode(std::string_view name) {
  std::string out;
  while (true) {
    size_t slash = name.find('/');
    out += PercentEncode(name.substr(0, slash));
    if (slash == std::string_view::npos) return out;
    out += '/';
    name.remove_prefix(slash + 1);
  }
}

}  // namespace

int64_t ParseSeconds(const std::string& text) {
  int64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string unit(end, text.data() + text.size());
  int64_t factor = unit.empty() || unit == "s" ? 1
                   : unit == "m"               ? 60
                   : unit == "h"               ? 3600
                   : unit == "d"               ? 24 * 3600
                                               : 0;
  if (error != std::errc() || factor == 0 || number <= 0 || number > kWeek) {
    throw Failure(Code::kInvalid, fmt::format("'{}' is no time: write 30s, 10m, 12h or 7d", text));
  }
  return number * factor;
}

SignedUrl::SignedUrl(SignedUrlRequest request) {
  if (request.seconds <= 0 || request.seconds > kWeek)
    throw Failure(Code::kInvalid, "a signed URL holds for at most seven days");
  std::string time = CompactTime(request.now);
  std::string scope = fmt::format("{}/{}/storage/goog4_request", time.substr(0, 8), request.region);
  request.headers["host"] = request.host;
  std::string names, lines;
  for (const auto& [name, value] : request.headers) {
    names += (names.empty() ? "" : ";") + ToLower(name);
    lines += fmt::format("{}:{}\n", ToLower(name), Trim(value));
  }
  std::map<std::string, std::string> query = request.query;
  query["X-Goog-Algorithm"] = "GOOG4-RSA-SHA256";
  query["X-Goog-Credential"] = request.account + "/" + scope;
  query["X-Goog-Date"] = time;
  query["X-Goog-Expires"] = std::to_string(request.seconds);
  query["X-Goog-SignedHeaders"] = names;
  std::string canonical_query;
  for (const auto& [name, value] : query) {
    canonical_query += fmt::format("{}{}={}", canonical_query.empty() ? "" : "&",
                                   PercentEncode(name), PercentEncode(value));
  }
  std::string path = fmt::format("/{}", PathEncode(request.bucket));
  if (!request.object.empty()) path += "/" + PathEncode(request.object);
  std::string canonical = fmt::format("{}\n{}\n{}\n{}\n{}\nUNSIGNED-PAYLOAD", request.verb, path,
                                      canonical_query, lines, names);
  string_to_sign_ = fmt::format("GOOG4-RSA-SHA256\n{}\n{}\n{}", time, scope,
                                HexEncode(Hash(Digest::kSha256, canonical)));
  address_ = fmt::format("https://{}{}?{}", request.host, path, canonical_query);
}

std::string SignedUrl::WithSignature(std::string_view signature) const {
  return fmt::format("{}&X-Goog-Signature={}", address_, HexEncode(signature));
}

}  // namespace fireweed::cli
