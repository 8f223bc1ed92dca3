#include "source/cgi.h"

#include <algorithm>
#include <charconv>

#include "base/bytes.h"

namespace fireweed::source {

std::vector<std::string> CgiEnvironment(const CgiRequest& request, std::vector<std::string> base) {
  auto add = [&](std::string_view name, std::string_view value) {
    bool sound = std::ranges::none_of(value, [](char c) { return c == '\n' || c == '\0'; });
    if (sound) base.push_back(std::string(name) + "=" + std::string(value));
  };
  add("GATEWAY_INTERFACE", "CGI/1.1");
  add("GIT_PROJECT_ROOT", request.root);
  add("GIT_HTTP_EXPORT_ALL", "1");
  add("PATH_INFO", "/" + request.directory + "/" + request.tail);
  add("REQUEST_METHOD", request.method);
  add("QUERY_STRING", request.query);
  add("CONTENT_TYPE", request.content_type);
  if (!request.content_encoding.empty()) add("HTTP_CONTENT_ENCODING", request.content_encoding);
  if (!request.git_protocol.empty()) {
    add("GIT_PROTOCOL", request.git_protocol);
    add("HTTP_GIT_PROTOCOL", request.git_protocol);
  }
  // http-backend takes pushes from whoever has a name.
  if (request.may_push) add("REMOTE_USER", request.user);
  return base;
}

std::optional<CgiHead> ParseCgiHead(std::string_view bytes) {
  CgiHead head;
  std::string_view rest = bytes;
  while (true) {
    size_t end = rest.find('\n');
    if (end == rest.npos) return std::nullopt;
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) break;
    size_t colon = line.find(':');
    if (colon == line.npos) {
      head.status = 502;
      continue;
    }
    std::string name(line.substr(0, colon)), value(Trim(line.substr(colon + 1)));
    if (!EqualIgnoreCase(name, "Status")) {
      head.headers.emplace_back(std::move(name), std::move(value));
      continue;
    }
    int status = 0;
    auto [at, error] = std::from_chars(value.data(), value.data() + value.size(), status);
    head.status = error == std::errc() && status >= 100 && status <= 599 ? status : 502;
  }
  head.length = bytes.size() - rest.size();
  return head;
}

}  // namespace fireweed::source
