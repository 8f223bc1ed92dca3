#include <fcntl.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "api/admin/server.h"
#include "base/disk.h"
#include "base/unique_fd.h"
#include "cli/commands.h"
#include "cli/daemon_process.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "client/rest_client.h"
#include "describe/json_codec.h"
#include "describe/json_writer.h"

namespace fireweed::cli {
namespace {

constexpr std::chrono::seconds kEndLimit{10};   // of a process that was killed
constexpr std::chrono::seconds kStopLimit{40};  // the daemon drains for 30 s at most

struct UpOptions {
  std::string http, https, config;
  bool foreground = false;
};

void PrintEndpoint(const Endpoint& endpoint, const Settings& settings, std::string_view what) {
  if (settings.json) {
    fmt::print("{}\n", EncodeJson(endpoint));
    return;
  }
  bool terminal = settings.context->terminal;
  fmt::print("fireweed {} {} (pid {})\n", endpoint.version, what, endpoint.pid);
  fmt::print("  http   {}\n", Paint("http://" + endpoint.http, Colour::kBold, terminal));
  fmt::print("  https  {}\n", Paint("https://" + endpoint.https, Colour::kBold, terminal));
  fmt::print("  state  {}\n", settings.State());
  std::string with = settings.state.empty() ? "" : fmt::format(" --state {}", settings.state);
  fmt::print("  next   eval \"$(fireweed{} env)\"\n", with);
}

// Whether the daemon of this endpoint answers: a number may be another's by now, and a process that
// was killed has its name until it is gone.
bool Answers(const Endpoint& endpoint) {
  try {
    RestClient client(endpoint, {});
    std::string text = client.SendUnsigned("GET", std::string(api::admin::kDescribeServer.path));
    return DecodeJson<api::admin::ServerDescription>(text).daemonId == endpoint.daemon_id;
  } catch (const Failure&) {
    return false;
  }
}

// Killed, and with threads that have not ended yet: the first one counts as dead by then, but the state's lock is held.
bool IsEnding(const Endpoint& endpoint) {
  std::ifstream comm(fmt::format("/proc/{}/comm", endpoint.pid));
  std::string name;
  return std::getline(comm, name) && name == "fireweedd";
}

// One `up` at a time: whoever comes second finds the first one's daemon serving. The lock goes with this program.
UniqueFd TakeTurn(const std::string& state) {
  MakeRealDisk()->MakeDirectories(state).value();
  UniqueFd directory(open(state.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory) flock(directory.get(), LOCK_EX);
  return directory;
}

void WarnAboutIgnoredOptions(const UpOptions& options, const Endpoint& running) {
  bool other = (!options.http.empty() && options.http != running.http) ||
               (!options.https.empty() && options.https != running.https) ||
               !options.config.empty();
  if (!other) return;
  fmt::print(stderr,
             "fireweed: the running daemon keeps its addresses and settings; "
             "run `fireweed down` first to change them\n");
}

void Up(const UpOptions& options, const Settings& settings) {
  std::string state = std::filesystem::absolute(settings.State());
  UniqueFd turn = TakeTurn(state);
  std::optional<Endpoint> old = ReadEndpoint(state);
  if (old && IsAlive(*old)) {
    if (Answers(*old)) {
      PrintEndpoint(*old, settings, "is running already");
      WarnAboutIgnoredOptions(options, *old);
      return;
    }
    // Killed and not gone yet: its directory is free once it has ended. A foreign process that has
    // its number by now holds nothing of ours, and the state's lock decides.
    WaitForEnd(old->pid, kEndLimit);
  } else if (old && IsEnding(*old)) {
    WaitForEnd(old->pid, kEndLimit);
  }
  if (old && !old->server.empty()) {
    throw Failure(
        Code::kPrecondition,
        fmt::format("{} belongs to the daemon at {}; choose another directory with --state", state,
                    old->server));
  }
  DaemonStart start;
  start.program = settings.context->program_directory + "/fireweedd";
  start.arguments = {"--state", state};
  for (const auto& [flag, value] :
       {std::pair("--http", options.http), std::pair("--https", options.https),
        std::pair("--config", options.config)}) {
    if (value.empty()) continue;
    start.arguments.push_back(flag);
    start.arguments.push_back(value);
  }
  start.log_path = state + "/" + kDaemonLogFile;
  if (options.foreground) BecomeDaemon(start);
  StartDaemon(start);
  PrintEndpoint(*ReadEndpoint(state), settings, "serves");
}

void Down(bool purge, const Settings& settings) {
  std::string state = settings.State();
  std::optional<Endpoint> endpoint = ReadEndpoint(state);
  bool running = endpoint && IsAlive(*endpoint);
  if (running && !StopDaemon(endpoint->pid, kStopLimit)) {
    fmt::print(stderr, "fireweed: the daemon did not stop within {} s and was killed\n",
               kStopLimit.count());
  }
  if (!settings.json) fmt::print("{}\n", running ? "stopped" : "no daemon was running");
  if (!purge) return;
  DaemonStart start{settings.context->program_directory + "/fireweedd",
                    {"--state", std::filesystem::absolute(state).string(), "--purge"},
                    ""};
  BecomeDaemon(start);
}

void Status(const Settings& settings) {
  std::optional<Endpoint> endpoint = ReadEndpoint(settings.State());
  if (!endpoint || !IsAlive(*endpoint)) {
    if (settings.json)
      fmt::print("{{\"running\":false}}\n");
    else
      fmt::print("no daemon is running in {}\n", settings.State());
    throw Exit{1};
  }
  RestClient client(*endpoint, ReadOwner(settings.State()));
  client.SendUnsigned("GET", "/readyz");
  PrintEndpoint(*endpoint, settings, "serves");
}

// One JSON object per line of the log.
int64_t PrintJsonFrom(const std::string& path, int64_t offset) {
  std::ifstream file(path);
  file.seekg(offset);
  // A last line without its end is still being written.
  for (std::string line; std::getline(file, line) && !file.eof();) {
    JsonWriter out;
    fmt::print("{}\n", out.BeginObject().Field("line", line).EndObject().text());
    offset += static_cast<int64_t>(line.size()) + 1;
  }
  std::fflush(stdout);
  return offset;
}

// Copies the file from `offset` on to standard output and returns the new offset.
int64_t PrintFrom(const std::string& path, int64_t offset) {
  std::ifstream file(path);
  file.seekg(offset);
  char buffer[65536];
  while (file.read(buffer, sizeof buffer), file.gcount() > 0) {
    std::fwrite(buffer, 1, static_cast<size_t>(file.gcount()), stdout);
    offset += file.gcount();
  }
  std::fflush(stdout);
  return offset;
}

int64_t LastLinesOffset(const std::string& path, int count) {
  std::ifstream file(path, std::ios::ate);
  int64_t offset = file.tellg();
  for (int lines = 0; offset > 0; --offset) {
    file.seekg(offset - 1);
    if (file.get() == '\n' && ++lines > count) break;
  }
  return std::max<int64_t>(offset, 0);
}

void Logs(int lines, bool follow, const Settings& settings) {
  std::string path = settings.State() + "/" + kDaemonLogFile;
  if (!std::filesystem::exists(path)) {
    throw Failure(
        Code::kNotFound,
        fmt::format("{} does not exist; a daemon in the foreground logs to its terminal", path));
  }
  UniqueFd watch(inotify_init1(IN_CLOEXEC));
  inotify_add_watch(watch.get(), path.c_str(), IN_MODIFY);
  auto print = settings.json ? PrintJsonFrom : PrintFrom;
  int64_t offset = print(path, LastLinesOffset(path, lines));
  char event[4096];
  while (follow && read(watch.get(), event, sizeof event) > 0) offset = print(path, offset);
}

}  // namespace

void AddDaemonCommands(Command& app, Settings& settings) {
  auto up = std::make_shared<UpOptions>();
  Command* command = app.AddCommand("up", "Start the daemon and wait until it is ready");
  command->AddOption("--http", up->http,
                     "HOST:PORT for plain HTTP; port 0 picks a free port and keeps it");
  command->AddOption("--https", up->https,
                     "HOST:PORT for TLS; port 0 picks a free port and keeps it");
  command->AddOption("--config", up->config,
                     "Settings file (default: config.yaml in the state directory)");
  command->AddFlag("--foreground", up->foreground, "Run in the foreground, for supervisors");
  command->OnRun([up, &settings] { Up(*up, settings); });

  auto purge = std::make_shared<bool>(false);
  command = app.AddCommand("down", "Stop the daemon; instances keep running without --purge");
  command->AddFlag("--purge", *purge,
                   "Also stop instances, cancel jobs, empty groups, and remove bridge, firewall "
                   "table, namespaces, "
                   "cgroups and mounts. Buckets, disks and settings stay");
  command->OnRun([purge, &settings] { Down(*purge, settings); });

  app.AddCommand("status", "Show whether the daemon is ready, and its addresses")
      ->OnRun([&settings] { Status(settings); });

  auto lines = std::make_shared<int>(20);
  auto follow = std::make_shared<bool>(false);
  command = app.AddCommand("logs", "Show the daemon's log");
  command->AddOption("-n,--lines", *lines, "Number of lines from the end")->ShowDefault();
  command->AddFlag("-f,--follow", *follow, "Print new lines as they arrive");
  command->OnRun([lines, follow, &settings] { Logs(*lines, *follow, settings); });
}

void AddVersionCommand(Command& app, Settings& settings) {
  app.AddCommand("version", "Print the version")->OnRun([&settings] { PrintVersion(settings); });
}

void PrintVersion(const Settings& settings) {
  if (settings.json)
    fmt::print("{{\"version\":\"{}\"}}\n", FIREWEED_VERSION);
  else
    fmt::print("fireweed {}\n", FIREWEED_VERSION);
}

}  // namespace fireweed::cli
