#include "cli/env_check.h"

#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "client/rest_client.h"

namespace fireweed::cli {
namespace {

std::string Variable(const Settings& settings, const std::string& name) {
  auto it = settings.context->environment.find(name);
  return it == settings.context->environment.end() ? "" : it->second;
}

Finding CheckShell(const Settings& settings) {
  if (Variable(settings, "FIREWEED_ENV").empty()) {
    return {"shell", Health::kBad, "not set up", "type: eval \"$(fireweed env)\""};
  }
  return {"shell", Health::kGood, "set up for " + Variable(settings, "FIREWEED_STATE"), ""};
}

Finding CheckDaemon(const Settings& settings, const std::optional<Endpoint>& endpoint) {
  if (!endpoint) {
    return {"daemon", Health::kBad, "none in " + settings.State(), "start one with `fireweed up`"};
  }
  if (!IsAlive(*endpoint)) {
    if (!endpoint->server.empty()) {
      return {"daemon", Health::kBad, "the forwarder to " + endpoint->server + " is not running",
              "type again: eval \"$(fireweed env)\""};
    }
    return {"daemon", Health::kBad, "not running",
            "start it with `fireweed up`: it comes back on the same ports; or leave it with eval "
            "\"$(fireweed env --unset)\""};
  }
  return {"daemon", Health::kGood, fmt::format("pid {} at {}", endpoint->pid, endpoint->http), ""};
}

Finding CheckProxy(const Settings& settings, const Endpoint& endpoint) {
  std::string proxy = Variable(settings, "HTTPS_PROXY");
  if (proxy.empty() && !Variable(settings, "API_ENDPOINT_OVERRIDE").empty()) {
    return {"proxy", Health::kGood, "not used (--no-proxy)", ""};
  }
  if (proxy.ends_with("@" + endpoint.http)) {
    bool signs_in = proxy.starts_with(fmt::format("http://{}:", kSignInProxyUser));
    std::string seen =
        endpoint.http + (signs_in ? ", requests without a credential act as " + endpoint.owner
                                  : ", requests without a credential are anonymous");
    return {"proxy", Health::kGood, seen, ""};
  }
  return {"proxy", Health::kBad,
          proxy.empty() ? "HTTPS_PROXY is not set" : "HTTPS_PROXY is another's",
          "type again: eval \"$(fireweed env)\""};
}

Finding CheckAuthority(const Settings& settings) {
  std::string ours = std::string(Trim(ReadStateFile(settings.State(), kAuthorityFile)));
  for (const char* name : {"CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE",
                           "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE"}) {
    std::string path = Variable(settings, name);
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    if (text.str().find(ours) == std::string::npos) {
      return {"certificates", Health::kBad, fmt::format("{} ({}) lacks our authority", name, path),
              "type again: eval \"$(fireweed env)\""};
    }
  }
  return {"certificates", Health::kGood, "every list holds our authority", ""};
}

Finding CheckRequest(const Settings& settings, const Endpoint& endpoint) {
  try {
    RestClient client(endpoint, ReadOwner(settings.State()));
    client.Send("GET", "/v1/projects", "");
    return {"request", Health::kGood, "answered, signed in as " + endpoint.owner, ""};
  } catch (const Failure& failure) {
    return {"request", Health::kBad, failure.error().message, "see `fireweed logs`"};
  }
}

}  // namespace

std::vector<Finding> CheckEnv(const Settings& settings) {
  std::vector<Finding> findings = {CheckShell(settings)};
  std::optional<Endpoint> endpoint = ReadEndpoint(settings.State());
  findings.push_back(CheckDaemon(settings, endpoint));
  if (findings.back().health != Health::kGood) return findings;
  if (findings.front().health == Health::kGood) {
    findings.push_back(CheckProxy(settings, *endpoint));
    findings.push_back(CheckAuthority(settings));
  }
  findings.push_back(CheckRequest(settings, *endpoint));
  return findings;
}

std::string CertificateFingerprint(const std::string& pem) {
  constexpr std::string_view kBegin = "-----BEGIN CERTIFICATE-----",
                             kEnd = "-----END CERTIFICATE-----";
  size_t begin = pem.find(kBegin), end = pem.find(kEnd);
  std::optional<std::string> der;
  if (begin != std::string::npos && end != std::string::npos) {
    std::string digits;
    for (char c : pem.substr(begin + kBegin.size(), end - begin - kBegin.size())) {
      if (c != '\n' && c != '\r') digits += c;
    }
    der = Base64Decode(digits);
  }
  if (!der) throw Failure(Code::kInvalid, "the file holds no certificate");
  std::string out;
  for (unsigned char c : Hash(Digest::kSha256, *der)) {
    out += fmt::format("{}{:02X}", out.empty() ? "" : ":", c);
  }
  return out;
}

}  // namespace fireweed::cli
