// The common gateway interface, as far as git's http-backend speaks it. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fireweed::source {

struct CgiRequest {
  std::string root;       // where the repositories lie
  std::string directory;  // of this one, below `root`
  std::string tail;       // "info/refs", "git-upload-pack", "git-receive-pack"
  std::string method, query, content_type, content_encoding, git_protocol;
  std::string user;  // who it is, for hooks and logs of pushes
  bool may_push = false;
};

// "NAME=value" lines, added to `base`. Values with line ends or zeros in them are left out.
std::vector<std::string> CgiEnvironment(const CgiRequest& request, std::vector<std::string> base);

struct CgiHead {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;  // without Status
  size_t length = 0;                                         // of the head, with the empty line
};
// nullopt while the empty line is not there yet. A line without a colon makes `status` 502.
std::optional<CgiHead> ParseCgiHead(std::string_view bytes);

}  // namespace fireweed::source
