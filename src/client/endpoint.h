// How a command finds its daemon: a small file the daemon leaves in its state directory when it
// serves, and the credentials beside it (mode 0600, readable by the daemon's user only).
#pragma once

#include <optional>
#include <string>

#include "api/oauth/authorized_user.h"
#include "describe/type.h"

namespace fireweed {

struct Endpoint {
  std::string http;   // "127.0.0.1:8080"
  std::string https;  // "127.0.0.1:8443"
  int64_t pid = 0;
  std::string version;
  std::string daemon_id;  // tells bridges, cgroups and namespaces of several daemons apart
  std::string started;
  std::string default_project;
  std::string zone;
  std::string owner;   // e-mail of the local owner
  std::string driver;  // what runs instances
  // The daemon is another machine's, at HOST:PORT; `http` is then a forwarder here, `pid` its
  // process, and `authority` the file with that daemon's certificate authority.
  std::string server, authority;
};

// Names of the files in a state directory that commands read.
inline constexpr const char* kEndpointFile = "endpoint.json";
inline constexpr const char* kOwnerFile = "owner.json";
inline constexpr const char* kProxySecretFile = "proxy-secret";
inline constexpr const char* kAuthorityFile = "ca/ca.crt";
inline constexpr const char* kDaemonLogFile = "log/fireweedd.log";

// The user in the proxy URL; the password is the proxy secret. It decides who a request without a
// credential is: anonymous, or the local owner (`fireweed env --sign-in`).
inline constexpr const char* kProxyUser = "fireweed";
inline constexpr const char* kSignInProxyUser = "owner";

// Absent when no daemon has ever served from this directory. Throws Failure on a broken file.
std::optional<Endpoint> ReadEndpoint(const std::string& state);
void WriteEndpoint(const std::string& state, const Endpoint& endpoint);
AuthorizedUser ReadOwner(const std::string& state);
// A whole small file; kNotFound and kDenied name the path and what to do about it.
std::string ReadStateFile(const std::string& state, const std::string& name);
// Replaces a small file of the directory in one step, mode 0600.
void WriteStateFile(const std::string& state, const std::string& name, std::string_view contents);

}  // namespace fireweed

namespace fireweed {
template <>
inline constexpr auto kFields<Endpoint> = [](auto...) {
  return Fields{F("http", &Endpoint::http),
                F("https", &Endpoint::https),
                F("pid", &Endpoint::pid),
                F("version", &Endpoint::version),
                F("daemonId", &Endpoint::daemon_id),
                F("started", &Endpoint::started),
                F("project", &Endpoint::default_project),
                F("zone", &Endpoint::zone),
                F("owner", &Endpoint::owner),
                F("driver", &Endpoint::driver),
                F("server", &Endpoint::server),
                F("authority", &Endpoint::authority)};
};
}  // namespace fireweed
