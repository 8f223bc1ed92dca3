#include "cli/env_plan.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "describe/json_writer.h"

namespace fireweed::cli {
namespace {

constexpr std::string_view kMarker = "FIREWEED_ENV";
constexpr std::string_view kSaved = "FIREWEED_OLD_";
constexpr std::string_view kPrograms = "FIREWEED_PROGRAMS";
constexpr std::string_view kLocalNames =
    "localhost,127.0.0.1,127.0.0.0/8,::1,169.254.169.254,metadata.google.internal";

constexpr std::pair<Client, std::string_view> kClientNames[] = {{Client::kGcloud, "gcloud"},
                                                                {Client::kGsutil, "gsutil"},
                                                                {Client::kCurl, "curl"},
                                                                {Client::kPython, "python"},
                                                                {Client::kTensorflow, "tensorflow"},
                                                                {Client::kGit, "git"},
                                                                {Client::kNode, "node"},
                                                                {Client::kWget, "wget"}};

// Variables whose value is a list of certificate authorities, and who reads them.
struct AuthorityVariable {
  std::string_view name;
  std::vector<Client> readers;
};
const std::vector<AuthorityVariable>& AuthorityVariables() {
  static const std::vector<AuthorityVariable> variables = {
      {"CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE", {Client::kGcloud, Client::kGsutil}},
      {"CURL_CA_BUNDLE", {Client::kCurl, Client::kTensorflow, Client::kPython}},
      {"SSL_CERT_FILE", {Client::kCurl, Client::kPython}},
      {"REQUESTS_CA_BUNDLE", {Client::kPython}},
      {"HTTPLIB2_CA_CERTS", {Client::kPython}},
      {"PIP_CERT", {Client::kPython}},
      {"GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", {Client::kPython, Client::kTensorflow}},
      {"GIT_SSL_CAINFO", {Client::kGit, Client::kGcloud}},
      {"NODE_EXTRA_CA_CERTS", {Client::kNode}},
  };
  return variables;
}

// Settings that would win over the prepared directory.
constexpr std::string_view kOverrides[] = {"CLOUDSDK_ACTIVE_CONFIG_NAME",
                                           "CLOUDSDK_CORE_PROJECT",
                                           "CLOUDSDK_CORE_ACCOUNT",
                                           "CLOUDSDK_AUTH_ACCESS_TOKEN",
                                           "CLOUDSDK_AUTH_ACCESS_TOKEN_FILE",
                                           "CLOUDSDK_AUTH_CREDENTIAL_FILE_OVERRIDE",
                                           "CLOUDSDK_PROXY_TYPE",
                                           "CLOUDSDK_PROXY_ADDRESS",
                                           "CLOUDSDK_PROXY_PORT",
                                           "BOTO_PATH"};

// Collects the wanted values; what they replace is remembered when the plan is made.
class Wanted {
 public:
  explicit Wanted(const EnvInputs& inputs) : inputs_(inputs) {}

  bool For(std::initializer_list<Client> clients) const {
    if (inputs_.clients.empty()) return true;
    return std::any_of(clients.begin(), clients.end(), [&](Client client) {
      return std::find(inputs_.clients.begin(), inputs_.clients.end(), client) !=
             inputs_.clients.end();
    });
  }
  bool For(const std::vector<Client>& clients) const {
    return std::any_of(clients.begin(), clients.end(), [&](Client c) { return For({c}); });
  }
  void Set(std::string_view name, std::string value) {
    changes_.push_back({std::string(name), std::move(value)});
  }
  void Unset(std::string_view name) { changes_.push_back({std::string(name), std::nullopt}); }
  std::vector<EnvChange> Take() { return std::move(changes_); }

 private:
  const EnvInputs& inputs_;
  std::vector<EnvChange> changes_;
};

std::string Get(const Environment& environment, std::string_view name) {
  auto it = environment.find(std::string(name));
  return it == environment.end() ? std::string() : it->second;
}

Environment Apply(Environment environment, const std::vector<EnvChange>& changes) {
  for (const EnvChange& change : changes) {
    if (change.value)
      environment[change.name] = *change.value;
    else
      environment.erase(change.name);
  }
  return environment;
}

// Names that must never go through a proxy, before whatever was listed already.
std::string WithLocalNames(const std::string& old) {
  return old.empty() ? std::string(kLocalNames) : fmt::format("{},{}", kLocalNames, old);
}

void WantProxy(const EnvInputs& inputs, const Environment& before, Wanted& want) {
  // Both spellings: wget reads only the lower one, TensorFlow's file system only the upper one. The
  // lower one also reaches TensorFlow's gRPC, which is why the exceptions come with it.
  for (std::string_view name : {"HTTPS_PROXY", "https_proxy"}) want.Set(name, inputs.proxy_url);
  std::string exceptions = Get(before, "NO_PROXY");
  if (exceptions.empty()) exceptions = Get(before, "no_proxy");
  for (std::string_view name : {"NO_PROXY", "no_proxy"}) want.Set(name, WithLocalNames(exceptions));
}

void WantEndpoints(const EnvInputs& inputs, Wanted& want) {
  for (std::string_view api : {"STORAGE", "COMPUTE", "ML", "LOGGING", "CLOUDRESOURCEMANAGER", "IAM",
                               "IAMCREDENTIALS", "SERVICEUSAGE", "SOURCEREPO"}) {
    want.Set(fmt::format("CLOUDSDK_API_ENDPOINT_OVERRIDES_{}", api), inputs.http_url + "/");
  }
  want.Set("CLOUDSDK_AUTH_TOKEN_HOST", inputs.http_url + "/token");
  // Models and predictions put REGION- in front of the host, which has no such name here.
  want.Set("CLOUDSDK_AI_PLATFORM_REGION", "global");
  // Not STORAGE_EMULATOR_HOST: with it google-cloud-storage sends no credential.
  want.Set("API_ENDPOINT_OVERRIDE", inputs.http_url);
}

void WantGit(const EnvInputs& inputs, const Environment& before, Wanted& want) {
  int count = 0;
  try {
    count = std::stoi("0" + Get(before, "GIT_CONFIG_COUNT"));
  } catch (const std::exception&) {
    count = 0;  // git itself ignores a count it cannot read
  }
  auto add = [&](std::string key, std::string value) {
    want.Set(fmt::format("GIT_CONFIG_KEY_{}", count), std::move(key));
    want.Set(fmt::format("GIT_CONFIG_VALUE_{}", count++), std::move(value));
  };
  add("credential.https://source.developers.google.com.helper", inputs.git_helper);
  // git offers the proxy's password to every helper that has no URL; an empty value removes them, and
  // gcloud's helper would print an error.
  if (inputs.use_proxy) add(fmt::format("credential.{}.helper", inputs.http_url), "");
  want.Set("GIT_CONFIG_COUNT", std::to_string(count));
}

void WantLibraries(const EnvInputs& inputs, Wanted& want) {
  if (want.For({Client::kPython, Client::kTensorflow, Client::kNode})) {
    want.Set("GOOGLE_APPLICATION_CREDENTIALS",
             inputs.client_directory + (inputs.use_proxy ? "/adc.json" : "/adc_direct.json"));
    want.Set("GOOGLE_CLOUD_PROJECT", inputs.project);
  }
  if (!want.For({Client::kPython, Client::kTensorflow})) return;
  // These libraries try gRPC or compiled-in roots first and lose minutes before they fall back.
  want.Set("GOOGLE_CLOUD_DISABLE_GRPC", "true");
  want.Set("GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT", "false");
  want.Set("TENSORBOARD_DATA_SERVER_BINARY", "/nonexistent");
  // gcsfs, and with it pandas, ignores the proxy unless its aiohttp session reads the environment.
  want.Set("FSSPEC_GCS", inputs.use_proxy
                             ? R"({"session_kwargs": {"trust_env": true}})"
                             : fmt::format(R"({{"endpoint_url": "{}"}})", inputs.http_url));
}

}  // namespace

std::string ShellQuote(std::string_view text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out + "'";
}

std::string PathWithoutPrograms(const Environment& environment) {
  std::string path = Get(environment, "PATH"), directory = Get(environment, kPrograms), out;
  if (directory.empty()) return path;
  for (size_t start = 0; start <= path.size();) {
    size_t end = std::min(path.find(':', start), path.size());
    std::string place = path.substr(start, end - start);
    start = end + 1;
    if (place != directory) out += place + ":";
  }
  if (!out.empty()) out.pop_back();
  return out;
}

std::optional<Client> ClientByName(std::string_view name) {
  for (const auto& [client, word] : kClientNames) {
    if (word == name) return client;
  }
  return std::nullopt;
}

std::vector<std::string_view> ClientNames() {
  std::vector<std::string_view> names;
  for (const auto& [client, word] : kClientNames) names.push_back(word);
  return names;
}

std::vector<EnvChange> PlanEnv(const EnvInputs& inputs) {
  std::vector<EnvChange> undo = PlanUnset(inputs.environment);
  Environment before = Apply(inputs.environment, undo);
  Wanted want(inputs);
  if (want.For({Client::kGcloud, Client::kGsutil, Client::kGit})) {
    want.Set("CLOUDSDK_CONFIG", inputs.client_directory + "/gcloud");
    for (std::string_view name : kOverrides) {
      if (before.count(std::string(name))) want.Unset(name);
    }
  }
  if (want.For({Client::kGsutil})) want.Set("BOTO_CONFIG", inputs.client_directory + "/boto");
  if (inputs.use_proxy)
    WantProxy(inputs, before, want);
  else
    WantEndpoints(inputs, want);
  for (const AuthorityVariable& variable : AuthorityVariables()) {
    if (want.For(variable.readers)) {
      want.Set(variable.name, inputs.bundle(Get(before, variable.name)));
    }
  }
  if (want.For({Client::kGit})) WantGit(inputs, before, want);
  if (want.For({Client::kWget})) want.Set("WGETRC", inputs.client_directory + "/wgetrc");
  WantLibraries(inputs, want);
  want.Set("FIREWEED_STATE", inputs.state);
  std::string path = Get(before, "PATH");
  // Without a PATH a shell uses its built-in list, which a PATH of one directory would hide.
  bool programs = !inputs.programs_directory.empty() && !path.empty() &&
                  want.For({Client::kGcloud, Client::kGsutil});
  if (programs) want.Set(kPrograms, inputs.programs_directory);

  std::vector<EnvChange> plan = want.Take();
  std::string names;
  std::vector<EnvChange> saved;
  for (const EnvChange& change : plan) {
    names += (names.empty() ? "" : ":") + change.name;
    auto old = before.find(change.name);
    if (old != before.end()) saved.push_back({std::string(kSaved) + change.name, old->second});
  }
  // What an earlier call changed and this one does not goes back first.
  std::set<std::string> touched;
  for (const EnvChange& change : plan) touched.insert(change.name);
  for (const EnvChange& change : saved) touched.insert(change.name);
  std::vector<EnvChange> all;
  for (const EnvChange& change : undo) {
    if (!touched.count(change.name) && change.name != kMarker) all.push_back(change);
  }
  all.insert(all.end(), saved.begin(), saved.end());
  all.insert(all.end(), plan.begin(), plan.end());
  if (programs) {
    // Not one of `names`: --unset removes the directory from the PATH of that moment, which may have changed since.
    std::erase_if(all, [](const EnvChange& change) { return change.name == "PATH"; });
    all.push_back({"PATH", inputs.programs_directory + ":" + path});
  }
  all.push_back({std::string(kMarker), names});
  return all;
}

std::vector<EnvChange> PlanUnset(const Environment& environment) {
  std::vector<EnvChange> changes;
  std::string names = Get(environment, kMarker);
  for (size_t start = 0; start < names.size();) {
    size_t end = std::min(names.find(':', start), names.size());
    std::string name = names.substr(start, end - start);
    start = end + 1;
    std::string saved = std::string(kSaved) + name;
    auto old = environment.find(saved);
    if (old == environment.end()) {
      changes.push_back({name, std::nullopt});
      continue;
    }
    changes.push_back({name, old->second});
    changes.push_back({saved, std::nullopt});
  }
  if (std::string path = PathWithoutPrograms(environment); path != Get(environment, "PATH")) {
    changes.push_back({"PATH", path});
  }
  if (!names.empty()) changes.push_back({std::string(kMarker), std::nullopt});
  return changes;
}

std::string RenderEnv(const std::vector<EnvChange>& changes, EnvFormat format) {
  std::string out;
  if (format == EnvFormat::kJson) {
    JsonWriter json;
    json.BeginObject();
    for (const EnvChange& change : changes) {
      json.Key(change.name);
      if (change.value)
        json.String(*change.value);
      else
        json.Null();
    }
    json.EndObject();
    return json.Take() + "\n";
  }
  for (const EnvChange& change : changes) {
    if (format == EnvFormat::kDotenv) {
      if (change.value) out += fmt::format("{}={}\n", change.name, ShellQuote(*change.value));
    } else if (change.value) {
      out += fmt::format("export {}={}\n", change.name, ShellQuote(*change.value));
    } else {
      out += fmt::format("unset {}\n", change.name);
    }
  }
  return out;
}

}  // namespace fireweed::cli
