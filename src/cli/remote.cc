#include "cli/remote.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "api/admin/server.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/random.h"
#include "cli/daemon_process.h"
#include "cli/env_check.h"
#include "describe/json_codec.h"
#include "net/http_client.h"
#include "net/url.h"

namespace fireweed::cli {
namespace {

constexpr size_t kSecretBytes = 24;

net::Url ServerUrl(const RemoteDaemon& remote) {
  std::optional<net::Url> url = net::ParseUrl(remote.server);
  if (!url || !url->https || url->target != "/") {
    throw Failure(Code::kInvalid,
                  fmt::format("invalid server '{}'; use https://HOST:PORT", remote.server));
  }
  return *url;
}

std::string HexOnly(std::string_view fingerprint) {
  std::string out;
  for (char c : fingerprint) {
    if (c != ':') out += c;
  }
  return ToLower(out);
}

// What the server says of itself. Nothing of it is believed before the fingerprint is compared.
api::admin::ServerDescription Ask(const RemoteDaemon& remote) {
  net::HttpClient client({.trust_anybody = true});
  net::ClientRequest request;
  request.url = remote.server + std::string(api::admin::kDescribeServer.path);
  Result<net::ClientResponse> response = client.Send(request);
  if (!response.ok()) {
    throw Failure(Code::kUnavailable,
                  fmt::format("cannot reach {}: {} (does it listen there? `fireweed up --https "
                              "0.0.0.0:PORT`)",
                              remote.server, response.error().message));
  }
  if (response->status != 200) {
    throw Failure(Code::kUnavailable, fmt::format("{} is not a Fireweed daemon (status {})",
                                                  remote.server, response->status));
  }
  return DecodeJson<api::admin::ServerDescription>(response->body);
}

std::string CredentialText(const std::string& state, const RemoteDaemon& remote) {
  std::string path = remote.credential.empty() ? state + "/" + kOwnerFile : remote.credential;
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file || text.str().empty()) {
    throw Failure(
        Code::kNotFound,
        "no credential for that daemon yet: there, run `fireweed credential >FILE`; bring "
        "the file here and name it with --credential FILE");
  }
  return text.str();
}

}  // namespace

std::string RemoteState(const Context& context, const RemoteDaemon& remote) {
  net::Url url = ServerUrl(remote);
  std::string host = url.host;
  std::replace(host.begin(), host.end(), ':', '_');
  return fmt::format("{}/.config/fireweed/servers/{}_{}", context.home, host, url.port);
}

void PrepareRemote(const std::string& state, const RemoteDaemon& remote) {
  net::Url url = ServerUrl(remote);
  api::admin::ServerDescription server = Ask(remote);
  std::string seen = CertificateFingerprint(server.authority);
  if (HexOnly(seen) != HexOnly(remote.fingerprint)) {
    throw Failure(Code::kDenied,
                  fmt::format("the certificate authority at {} has the fingerprint {}, not the one "
                              "given: another server answers there, or the daemon was reinstalled",
                              remote.server, seen));
  }
  AuthorizedUser user = DecodeJson<AuthorizedUser>(CredentialText(state, remote));
  std::optional<Endpoint> before = ReadEndpoint(state);
  if (before && before->server.empty()) {
    throw Failure(Code::kPrecondition,
                  fmt::format("{} belongs to a daemon on this host; choose another directory "
                              "with --state",
                              state));
  }
  WriteStateFile(state, kAuthorityFile, server.authority);
  WriteStateFile(state, kOwnerFile, EncodeJson(user));
  if (!std::filesystem::exists(state + "/" + kProxySecretFile)) {
    WriteStateFile(state, kProxySecretFile, SystemRandom().Hex(kSecretBytes) + "\n");
  }
  Endpoint endpoint = before.value_or(Endpoint{});
  endpoint.server = endpoint.https = fmt::format("{}:{}", url.host, url.port);
  endpoint.authority = state + "/" + kAuthorityFile;
  endpoint.version = server.version;
  endpoint.daemon_id = server.daemonId;
  endpoint.default_project = server.project;
  endpoint.zone = server.zone;
  endpoint.owner = user.account;
  WriteEndpoint(state, endpoint);
}

void EnsureForwarder(const Settings& settings, const std::string& state) {
  std::optional<Endpoint> endpoint = ReadEndpoint(state);
  if (!endpoint || IsAlive(*endpoint)) return;
  DaemonStart start;
  start.program = settings.context->program_directory + "/fireweed";
  start.arguments = {"forward", "--state", state};
  start.log_path = state + "/" + kDaemonLogFile;
  StartDaemon(start);
}

}  // namespace fireweed::cli
