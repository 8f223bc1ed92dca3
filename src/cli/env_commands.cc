#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "base/bytes.h"
#include "cli/client_directory.h"
#include "cli/commands.h"
#include "cli/doctor.h"
#include "cli/env_check.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "cli/remote.h"
#include "cli/stand_ins.h"
#include "describe/json_writer.h"

namespace fireweed::cli {
namespace {

struct EnvOptions {
  bool unset = false, check = false, no_proxy = false, sign_in = false;
  std::string format = "shell";
  RemoteDaemon remote;
  std::vector<std::string> clients;
};

std::string Variable(const Context& context, const std::string& name) {
  auto it = context.environment.find(name);
  return it == context.environment.end() ? "" : it->second;
}

std::string Contents(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

EnvFormat FormatByName(const std::string& name) {
  if (name == "shell") return EnvFormat::kShell;
  if (name == "json") return EnvFormat::kJson;
  return EnvFormat::kDotenv;
}

// Where the calling user may keep a directory of their own for this daemon.
std::string ClientDirectoryPath(const Settings& settings, const Endpoint& endpoint) {
  std::string state = std::filesystem::absolute(settings.State());
  if (access(state.c_str(), W_OK) == 0) return state + "/client";
  return fmt::format("{}/.config/fireweed/{}", settings.context->home, endpoint.daemon_id);
}

ClientDirectorySpec Spec(const Settings& settings, const EnvOptions& options,
                         const std::vector<Client>& clients) {
  const Context& context = *settings.context;
  std::string state = settings.State();
  std::optional<Endpoint> endpoint = ReadEndpoint(state);
  if (!endpoint) {
    throw Failure(Code::kNotFound,
                  fmt::format("no daemon in {}: start one with `fireweed up`", state));
  }
  ClientDirectorySpec spec;
  spec.endpoint = *endpoint;
  spec.path = ClientDirectoryPath(settings, *endpoint);
  spec.owner = ReadOwner(state);
  if (spec.owner.account.empty()) spec.owner.account = endpoint->owner;
  spec.proxy_secret = std::string(Trim(ReadStateFile(state, kProxySecretFile)));
  spec.authority_pem = ReadStateFile(state, kAuthorityFile);
  std::string wgetrc = Variable(context, "FIREWEED_OLD_WGETRC");
  if (wgetrc.empty() && Variable(context, "FIREWEED_ENV").empty())
    wgetrc = Variable(context, "WGETRC");
  spec.user_wgetrc = Contents(wgetrc.empty() ? context.home + "/.wgetrc" : wgetrc);
  // The runtime that jobs get, once one was built.
  std::string python = std::filesystem::absolute(state) / "python";
  if (access(python.c_str(), X_OK) == 0) spec.local_python = python;
  bool only_gsutil = clients.size() == 1 && clients[0] == Client::kGsutil;
  spec.gsutil_stands_alone = only_gsutil || options.no_proxy || !endpoint->server.empty() ||
                             GsutilStandsAlone(PathWithoutPrograms(context.environment));
  spec.programs = WantedStandIns(PathWithoutPrograms(context.environment));
  spec.program = context.program_directory + "/fireweed";
  spec.state = std::filesystem::absolute(state);
  spec.use_proxy = !options.no_proxy;
  return spec;
}

// git's helper where the Cloud SDK's is missing: a shell function that prints a token of this user.
std::string OwnGitHelper(const Context& context) {
  return fmt::format(
      "!f() {{ test \"$1\" = get && echo username=fireweed && echo \"password=$('{}/fireweed' auth "
      "print-access-token)\"; }}; f",
      context.program_directory);
}

void CheckSignIn(const EnvOptions& options, const Endpoint& endpoint) {
  if (!options.sign_in) return;
  if (options.no_proxy) {
    throw Failure(Code::kInvalid, "--sign-in needs the proxy: leave out --no-proxy");
  }
  if (!endpoint.server.empty()) {
    throw Failure(Code::kInvalid,
                  fmt::format("--sign-in works only on the host of the daemon; this shell uses {}. "
                              "Send a token: `fireweed auth print-access-token` prints one",
                              endpoint.server));
  }
}

void PrintEnv(const EnvOptions& options, const Settings& settings) {
  EnvInputs inputs;
  inputs.environment = settings.context->environment;
  inputs.use_proxy = !options.no_proxy;
  for (const std::string& name : options.clients) {
    std::optional<Client> client = ClientByName(name);
    if (!client) {
      throw Failure(Code::kInvalid, fmt::format("unknown client '{}'; supported: {}", name,
                                                fmt::join(ClientNames(), ", ")));
    }
    inputs.clients.push_back(*client);
  }
  ClientDirectorySpec spec = Spec(settings, options, inputs.clients);
  CheckSignIn(options, spec.endpoint);
  ClientDirectory directory(spec);
  directory.Prepare();
  inputs.state = std::filesystem::absolute(settings.State());
  inputs.client_directory = spec.path;
  inputs.http_url = "http://" + spec.endpoint.http;
  inputs.proxy_url = fmt::format("http://{}:{}@{}", options.sign_in ? kSignInProxyUser : kProxyUser,
                                 spec.proxy_secret, spec.endpoint.http);
  inputs.project = spec.endpoint.default_project;
  // A file of variables is read elsewhere too, for instance in containers, where this PATH means nothing.
  if (options.format != "dotenv") inputs.programs_directory = directory.ProgramsDirectory();
  if (FindProgram(Variable(*settings.context, "PATH"), "git-credential-gcloud.sh").empty()) {
    inputs.git_helper = OwnGitHelper(*settings.context);
  }
  inputs.bundle = [&](const std::string& base) { return directory.Bundle(base); };
  fmt::print("{}", RenderEnv(PlanEnv(inputs), FormatByName(options.format)));
  if (!IsAlive(spec.endpoint)) {
    fmt::print(stderr,
               "fireweed: the daemon is not running; https will fail until `fireweed up`\n");
  }
  if (isatty(STDOUT_FILENO)) {
    fmt::print(stderr, "# to apply these settings, run: eval \"$(fireweed env)\"\n");
  }
}

// Another machine's daemon gets a directory here, and a forwarder in front of it.
void UseRemote(const EnvOptions& options, Settings& settings) {
  if (!options.remote.server.empty()) {
    if (options.remote.fingerprint.empty()) {
      throw Failure(
          Code::kInvalid,
          "--server needs --ca-fingerprint; run `fireweed ca --fingerprint` on that host");
    }
    if (settings.state.empty()) {
      settings.state = RemoteState(*settings.context, options.remote);
    }
    settings.state = std::filesystem::absolute(settings.state);
    PrepareRemote(settings.state, options.remote);
  }
  std::optional<Endpoint> endpoint = ReadEndpoint(settings.State());
  if (endpoint && !endpoint->server.empty()) EnsureForwarder(settings, settings.State());
}

void Check(const Settings& settings) {
  bool good = true;
  JsonWriter json;
  json.BeginArray();
  for (const Finding& finding : CheckEnv(settings)) {
    bool fine = finding.health == Health::kGood;
    good = good && fine;
    json.BeginObject().Field("topic", finding.topic).Field("health", fine ? "good" : "bad");
    json.Field("seen", finding.seen).Field("cost", finding.cost).EndObject();
    if (settings.json) continue;
    std::string mark = Paint(fine ? "ok  " : "FAIL", fine ? Colour::kGreen : Colour::kRed,
                             settings.context->terminal);
    fmt::print("{} {}: {}\n", mark, finding.topic, finding.seen);
    if (!finding.cost.empty()) fmt::print("       {}\n", finding.cost);
  }
  if (settings.json) fmt::print("{}\n", json.EndArray().text());
  if (!good) throw Exit{1};
}

void Env(const EnvOptions& options, Settings& settings) {
  if (options.unset) {
    fmt::print("{}",
               RenderEnv(PlanUnset(settings.context->environment), FormatByName(options.format)));
    return;
  }
  if (options.check) return Check(settings);
  UseRemote(options, settings);
  PrintEnv(options, settings);
}

}  // namespace

void AddEnvCommand(Command& app, Settings& settings) {
  auto options = std::make_shared<EnvOptions>();
  Command* command = app.AddCommand(
      "env", "Print shell settings that point clients at the daemon: eval \"$(fireweed env)\"");
  command->AddOption(
      "client", options->clients,
      fmt::format("Clients to set up (default: all): {}", fmt::join(ClientNames(), ", ")));
  command->AddFlag("--unset", options->unset,
                   "Restore the variables as they were; works without a daemon");
  command->AddFlag("--check", options->check, "Check whether this shell reaches the daemon");
  command->AddFlag("--no-proxy", options->no_proxy, "Use endpoint settings instead of a proxy");
  command->AddFlag("--sign-in", options->sign_in,
                   "Let requests without a credential act as the daemon's owner");
  command->AddOption("--server", options->remote.server,
                     "Daemon on another host: https://HOST:PORT");
  command->AddOption("--ca-fingerprint", options->remote.fingerprint,
                     "Fingerprint that `fireweed ca --fingerprint` prints on that host");
  command->AddOption("--credential", options->remote.credential,
                     "File with the output of `fireweed credential` on that host; needed once");
  command->AddOption("--format", options->format, "shell, json or dotenv")
      ->OneOf({"shell", "json", "dotenv"})
      ->ShowDefault();
  command->OnRun([options, &settings] { Env(*options, settings); });
}

void AddAuthorityCommand(Command& app, Settings& settings) {
  auto pem = std::make_shared<bool>(false);
  auto fingerprint = std::make_shared<bool>(false);
  Command* command =
      app.AddCommand("ca", "Print the path of the certificate authority that clients must trust");
  command->AddFlag("--pem", *pem, "Print the certificate");
  command->AddFlag("--fingerprint", *fingerprint, "Print its SHA-256 fingerprint");
  command->OnRun([pem, fingerprint, &settings] {
    std::string text = ReadStateFile(settings.State(), kAuthorityFile);
    std::string path = fmt::format("{}/{}", settings.State(), kAuthorityFile);
    if (settings.json) {
      JsonWriter out;
      out.BeginObject().Field("path", path).Field("fingerprint", CertificateFingerprint(text));
      if (*pem) out.Field("pem", text);
      return fmt::print("{}\n", out.EndObject().text());
    }
    if (*pem) return fmt::print("{}", text);
    fmt::print("{}\n", *fingerprint ? CertificateFingerprint(text) : path);
  });
}

}  // namespace fireweed::cli
