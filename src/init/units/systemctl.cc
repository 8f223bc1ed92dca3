#include "init/units/systemctl.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <iterator>
#include <map>
#include <set>

#include "init/applet.h"
#include "init/console.h"
#include "init/units/supervisor.h"
#include "init/units/unit_store.h"

namespace fireweed {
namespace {

constexpr int kNotActive = 3, kNoSuchUnit = 4, kNotStarted = 5;
constexpr std::string_view kChanging[] = {"start",       "stop",
                                          "restart",     "reload",
                                          "try-restart", "reload-or-restart",
                                          "enable",      "disable",
                                          "reenable",    "mask",
                                          "unmask",      "kill",
                                          "preset",      "force-reload",
                                          "condrestart", "try-reload-or-restart"};

void Print(const std::string& text) { std::printf("%s\n", text.c_str()); }
void Complain(const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); }

UnitStore Store() { return UnitStore(""); }

bool NeedsSocket(const Unit& unit) {
  for (const char* key : {"Unit.Requires", "Service.Sockets"}) {
    for (const std::string& name : unit.file.Words(key)) {
      if (name.ends_with(".socket")) return true;
    }
  }
  return false;
}

std::string StartOne(const std::string& name) {
  Unit unit = Store().Load(name);
  if (unit.masked) return "the unit is masked";
  if (unit.path.empty()) return "the unit does not exist";
  if (NeedsSocket(unit)) return "the unit needs a socket unit, which instances do not support";
  return StartUnit(unit);
}

// Starts all in parallel that do not wait for another. The problems by unit.
std::map<std::string, std::string> StartAll(const std::vector<std::string>& names) {
  std::vector<UnitStore::Planned> left = Store().PlanStart(names);
  std::map<pid_t, std::string> running;
  std::map<std::string, std::string> problems;
  std::set<std::string> waiting;
  for (const UnitStore::Planned& unit : left) waiting.insert(unit.name);
  while (!waiting.empty()) {
    auto ready = [&](const UnitStore::Planned& unit) {
      return std::ranges::none_of(unit.after,
                                  [&](const std::string& name) { return waiting.contains(name); });
    };
    auto next = std::ranges::find_if(left, ready);
    // A circle of units that wait for each other starts somewhere.
    if (next == left.end() && running.empty()) next = left.begin();
    if (next != left.end()) {
      std::string name = next->name;
      left.erase(next);
      std::fflush(nullptr);
      pid_t pid = fork();
      if (pid == 0) {
        std::string problem = StartOne(name);
        if (!problem.empty()) Complain("Failed to start " + name + ": " + problem + ".");
        std::fflush(nullptr);
        _exit(problem.empty() ? 0 : 1);
      }
      if (pid > 0) running[pid] = name;
      if (pid < 0) waiting.erase(name);
      continue;
    }
    int status = 0;
    pid_t pid = waitpid(-1, &status, 0);
    if (pid < 0 && errno != EINTR) break;
    auto ended = running.find(pid);
    if (ended == running.end()) continue;
    if (status != 0) problems[ended->second] = "failed";
    waiting.erase(ended->second);
    running.erase(ended);
  }
  return problems;
}

int Start(const std::string& name) {
  Unit unit = Store().Load(name);
  if (unit.name.ends_with(".target")) return 0;
  if (!unit.name.ends_with(".service")) {
    Complain("Skipped " + unit.name + ": instances support .service units only.");
    return 0;
  }
  if (unit.path.empty() && !unit.masked) {
    Complain("Failed to start " + unit.name + ": Unit " + unit.name + " not found.");
    return kNotStarted;
  }
  if (unit.masked) {
    Complain("Failed to start " + unit.name + ": Unit " + unit.name + " is masked.");
    return 1;
  }
  if (unit.name == "ssh.service") return 0;  // process 1 serves port 22
  return StartAll({unit.name}).contains(unit.name) ? 1 : 0;
}

int Stop(const std::string& name) {
  Unit unit = Store().Load(name);
  std::string problem = StopUnit(unit.name);
  if (!problem.empty()) Complain("Failed to stop " + unit.name + ": " + problem + ".");
  return problem.empty() ? 0 : 1;
}

int Reload(const std::string& name) {
  Unit unit = Store().Load(name);
  std::string problem = ReloadUnit(unit);
  if (!problem.empty()) Complain("Failed to reload " + unit.name + ": " + problem + ".");
  return problem.empty() ? 0 : 1;
}

bool IsActive(const std::string& name) {
  Unit unit = Store().Load(name);
  if (unit.name.ends_with(".target") || unit.name == "ssh.service") return true;
  return ReadUnitState(unit.name).active == "active";
}

int Enable(const SystemctlRequest& request, const std::string& name) {
  Unit unit = Store().Load(name);
  bool enables = request.verb != "disable";
  if (unit.path.empty()) {
    Complain("Failed to " + request.verb + " unit: Unit file " + unit.name + " does not exist.");
    return 1;
  }
  if (enables && Store().EnabledState(unit) == "static") {
    Complain("The unit file " + unit.name + " has no [Install] section and cannot be enabled.");
  }
  for (const std::string& line : enables ? Store().Enable(unit) : Store().Disable(unit)) {
    if (!request.quiet) Complain(line);
  }
  if (!request.now) return 0;
  return enables ? Start(unit.name) : Stop(unit.name);
}

std::string Since(int64_t seconds) {
  time_t at = seconds;
  std::tm parts{};
  gmtime_r(&at, &parts);
  char text[64];
  return {text, std::strftime(text, sizeof text, "%a %Y-%m-%d %H:%M:%S UTC", &parts)};
}

int Status(const std::string& name) {
  Unit unit = Store().Load(name);
  if (unit.path.empty()) {
    Complain("Unit " + unit.name + " could not be found.");
    return kNoSuchUnit;
  }
  UnitState state = ReadUnitState(unit.name);
  bool active = IsActive(unit.name);
  if (unit.name == "ssh.service") {
    state.active = "active";
    state.sub = "running, by process 1";
  }
  Print((active ? "● " : "○ ") + unit.name + " - " +
        unit.file.Value("Unit.Description", unit.name));
  Print("     Loaded: loaded (" + unit.path + "; " + Store().EnabledState(unit) + ")");
  std::string since = state.since > 0 ? " since " + Since(state.since) : "";
  std::string result = state.active == "failed" ? " (Result: " + state.result + ")" : "";
  Print("     Active: " + state.active + " (" + state.sub + ")" + result + since);
  if (state.main_pid > 0) Print("   Main PID: " + std::to_string(state.main_pid));
  Print("     Output: on the serial console of the instance");
  return active ? 0 : kNotActive;
}

int Show(const SystemctlRequest& request, const std::string& name) {
  Unit unit = Store().Load(name);
  UnitState state = ReadUnitState(unit.name);
  bool found = !unit.path.empty();
  std::vector<std::pair<std::string, std::string>> all{
      {"Id", unit.name},
      {"LoadState", unit.masked ? "masked"
                    : found     ? "loaded"
                                : "not-found"},
      {"ActiveState", IsActive(unit.name) ? "active" : state.active},
      {"SubState", state.sub},
      {"MainPID", std::to_string(state.main_pid)},
      {"UnitFileState", Store().EnabledState(unit)},
      {"FragmentPath", unit.path},
      {"SourcePath", ""},
      {"CanReload", unit.file.Values("Service.ExecReload").empty() ? "no" : "yes"},
      {"Description", unit.file.Value("Unit.Description", unit.name)}};
  for (const auto& [key, value] : all) {
    const std::vector<std::string>& wanted = request.properties;
    if (!wanted.empty() && std::ranges::find(wanted, key) == wanted.end()) continue;
    Print(request.value_only ? value : key + "=" + value);
  }
  return 0;
}

int ListUnits(const SystemctlRequest& request) {
  if (!request.no_legend) Print("UNIT                             LOAD   ACTIVE     SUB");
  for (const std::string& name : Store().AllServices()) {
    UnitState state = ReadUnitState(name);
    if (state.active == "inactive") continue;
    char line[256];
    std::snprintf(line, sizeof line, "%-32s loaded %-10s %s", name.c_str(), state.active.c_str(),
                  state.sub.c_str());
    Print(line);
  }
  return 0;
}

int ListUnitFiles(const SystemctlRequest& request) {
  if (!request.no_legend) Print("UNIT FILE                        STATE");
  for (const std::string& name : Store().AllServices()) {
    char line[256];
    std::snprintf(line, sizeof line, "%-32s %s", name.c_str(),
                  Store().EnabledState(Store().Load(name)).c_str());
    Print(line);
  }
  return 0;
}

int PrintState(const SystemctlRequest& request, const std::string& name) {
  Unit unit = Store().Load(name);
  if (request.verb == "is-enabled") {
    std::string state = Store().EnabledState(unit);
    if (!request.quiet && !state.empty()) Print(state);
    if (state.empty())
      Complain("Failed to get unit file state for " + unit.name + ": No such file");
    return state == "enabled" || state == "static" ? 0 : 1;
  }
  std::string active = IsActive(name) ? "active" : ReadUnitState(unit.name).active;
  if (!request.quiet) Print(active);
  if (request.verb == "is-failed") return active == "failed" ? 0 : 1;
  return active == "active" ? 0 : kNotActive;
}

int RunForUnit(const SystemctlRequest& request, const std::string& name) {
  const std::string& verb = request.verb;
  if (verb == "start") return Start(name);
  if (verb == "stop") return Stop(name);
  if (verb == "try-restart" || verb == "condrestart") {
    if (!IsActive(name)) return 0;
  }
  if (verb == "restart" || verb == "try-restart" || verb == "condrestart") {
    int code = Stop(name);
    return code != 0 ? code : Start(name);
  }
  if (verb == "reload") return Reload(name);
  if (verb == "reload-or-restart" || verb == "try-reload-or-restart" || verb == "force-reload") {
    if (!IsActive(name)) return verb == "try-reload-or-restart" ? 0 : Start(name);
    if (!Store().Load(name).file.Values("Service.ExecReload").empty()) return Reload(name);
    int code = Stop(name);
    return code != 0 ? code : Start(name);
  }
  if (verb == "enable" || verb == "disable" || verb == "reenable" || verb == "preset") {
    return Enable(request, name);
  }
  if (verb == "mask" || verb == "unmask") return Store().Mask(name, verb == "mask") ? 0 : 1;
  if (verb == "kill") {
    UnitState state = ReadUnitState(Store().Load(name).name);
    return state.main_pid > 1 && kill(static_cast<pid_t>(state.main_pid), SIGTERM) == 0 ? 0 : 1;
  }
  if (verb == "status") return Status(name);
  if (verb == "show") return Show(request, name);
  return PrintState(request, name);
}

bool Knows(const std::string& verb) {
  for (const char* word : {"status", "show", "is-active", "is-enabled", "is-failed"}) {
    if (verb == word) return true;
  }
  return std::ranges::find(kChanging, std::string_view(verb)) != std::end(kChanging);
}

}  // namespace

SystemctlRequest ParseSystemctl(const std::vector<std::string_view>& arguments) {
  SystemctlRequest request;
  bool have_verb = false, options = true;
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string word(arguments[i]);
    if (options && word == "--") {
      options = false;
    } else if (options && (word == "-p" || word == "--property") && i + 1 < arguments.size()) {
      request.properties.emplace_back(arguments[++i]);
    } else if (options && word.starts_with("--property=")) {
      request.properties.push_back(word.substr(11));
    } else if (options && (word == "-t" || word == "-n" || word == "-s") &&
               i + 1 < arguments.size()) {
      ++i;
    } else if (options && word.starts_with('-')) {
      if (word == "--now") request.now = true;
      if (word == "-q" || word == "--quiet") request.quiet = true;
      if (word == "--value") request.value_only = true;
      if (word == "--no-legend") request.no_legend = true;
      if (word == "--user") request.problem = "Instances have no user services; omit --user.";
      if (word == "--version") request.verb = "version", have_verb = true;
    } else if (!have_verb) {
      request.verb = word;
      have_verb = true;
    } else {
      request.units.push_back(word);
    }
  }
  for (size_t i = 0; i < request.properties.size(); ++i) {
    std::string list = request.properties[i];
    if (size_t comma = list.find(','); comma != list.npos) {
      request.properties[i] = list.substr(0, comma);
      request.properties.push_back(list.substr(comma + 1));
    }
  }
  return request;
}

int RunSystemctl(const std::vector<std::string_view>& arguments) {
  SystemctlRequest request = ParseSystemctl(arguments);
  const std::string& verb = request.verb;
  if (!request.problem.empty()) {
    Complain(request.problem);
    return 1;
  }
  if (verb == "poweroff" || verb == "reboot" || verb == "halt") return RunApplet(verb, {}, {});
  if (verb == "version") return Print("systemd 252 (fireweed-init)"), 0;
  if (verb == "daemon-reload" || verb == "daemon-reexec" || verb == "reset-failed") return 0;
  if (verb == "is-system-running") return Print("running"), 0;
  if (verb == "list-units") return ListUnits(request);
  if (verb == "list-unit-files") return ListUnitFiles(request);
  if (!Knows(verb)) {
    Complain("Unknown command verb " + verb + ". Instances support services only: start, stop, " +
             "restart, reload, enable, disable, status, is-active, is-enabled, show, list-units.");
    return 1;
  }
  bool changes = std::ranges::find(kChanging, std::string_view(verb)) != std::end(kChanging);
  if (changes && geteuid() != 0) {
    Complain("systemctl " + verb + ": must be root");
    return kNoSuchUnit;
  }
  if (request.units.empty() && verb == "status") return ListUnits(request);
  if (request.units.empty() && verb != "show") {
    Complain("Too few arguments: systemctl " + verb + " UNIT...");
    return 1;
  }
  int worst = 0;
  for (const std::string& name : request.units) worst = std::max(worst, RunForUnit(request, name));
  return worst;
}

int StartEnabledUnits() {
  std::vector<std::string> names = Store().BootUnits();
  if (!names.empty()) StartAll(names);
  return 0;
}

}  // namespace fireweed
