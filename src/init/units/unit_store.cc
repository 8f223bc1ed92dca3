#include "init/units/unit_store.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <map>

#include "init/program.h"

namespace fireweed {
namespace {

constexpr const char* kOwnDirectory = "/etc/systemd/system";
constexpr const char* kDirectories[] = {kOwnDirectory, "/run/systemd/system",
                                        "/run/systemd/generator", "/usr/local/lib/systemd/system",
                                        "/lib/systemd/system"};
// The targets of a boot. There is nothing to be done for a target itself.
constexpr const char* kBootTargets[] = {"sysinit.target",        "basic.target",
                                        "network-online.target", "multi-user.target",
                                        "graphical.target",      "default.target"};
// Process 1 is the ssh server; scrubbing needs the host's disks.
constexpr const char* kNotStarted[] = {"ssh.service", "sshd.service", "e2scrub_reap.service"};

std::vector<std::string> Entries(const std::string& path) {
  std::vector<std::string> names;
  DIR* directory = opendir(path.c_str());
  if (!directory) return names;
  while (const dirent* entry = readdir(directory)) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  closedir(directory);
  std::ranges::sort(names);
  return names;
}

std::string LinkTarget(const std::string& path) {
  char target[4096];
  ssize_t n = readlink(path.c_str(), target, sizeof target);
  return n > 0 ? std::string(target, static_cast<size_t>(n)) : "";
}

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string TemplateOf(const std::string& name) {
  size_t at = name.find('@');
  return at == name.npos ? name : name.substr(0, at + 1) + name.substr(name.rfind('.'));
}

std::string SysvText(const std::string& script) {
  return "[Unit]\nDescription=LSB: " + BaseName(script) +
         "\n[Service]\nType=forking\nRemainAfterExit=yes\nKillMode=process\nExecStart=" + script +
         " start\nExecStop=" + script + " stop\nExecReload=" + script +
         " reload\n[Install]\nWantedBy=multi-user.target\n";
}

}  // namespace

std::string FullUnitName(std::string_view name) {
  for (const char* ending : {".service", ".target", ".socket", ".timer", ".mount", ".path"}) {
    if (name.ends_with(ending)) return std::string(name);
  }
  return std::string(name) + ".service";
}

Unit UnitStore::Load(std::string_view given) const {
  Unit unit{.name = FullUnitName(given)};
  if (unit.name.find('/') != unit.name.npos) return unit;
  for (const std::string& name : {unit.name, TemplateOf(unit.name)}) {
    for (const char* directory : kDirectories) {
      std::string path = root_ + directory + "/" + name;
      std::string target = LinkTarget(path);
      if (target == "/dev/null") {
        unit.masked = true;
        unit.path = path;
        return unit;
      }
      std::string aliased = BaseName(target);
      if (!target.empty() && aliased != name && aliased.find('@') == aliased.npos) {
        return Load(aliased);
      }
      std::optional<std::string> text =
          ReadSmallFile(target.starts_with('/') ? root_ + target : path);
      if (!text) continue;
      unit.path = path;
      unit.file.Add(*text);
      for (const char* place : kDirectories) {
        std::string drop_ins = root_ + place + "/" + name + ".d";
        for (const std::string& entry : Entries(drop_ins)) {
          if (entry.ends_with(".conf")) {
            unit.file.Add(ReadSmallFile(drop_ins + "/" + entry).value_or(""));
          }
        }
      }
      return unit;
    }
  }
  std::string script = "/etc/init.d/" + ParseUnitName(unit.name).prefix;
  if (unit.name.ends_with(".service") && access((root_ + script).c_str(), X_OK) == 0) {
    unit.path = root_ + script;
    unit.file.Add(SysvText(script));
  }
  return unit;
}

std::vector<std::string> UnitStore::LinkPaths(const Unit& unit) const {
  std::vector<std::string> paths;
  std::string own = root_ + kOwnDirectory + "/";
  for (const std::string& target : unit.file.Words("Install.WantedBy")) {
    paths.push_back(own + target + ".wants/" + unit.name);
  }
  for (const std::string& target : unit.file.Words("Install.RequiredBy")) {
    paths.push_back(own + target + ".requires/" + unit.name);
  }
  for (const std::string& alias : unit.file.Words("Install.Alias")) paths.push_back(own + alias);
  return paths;
}

std::string UnitStore::EnabledState(const Unit& unit) const {
  if (unit.masked) return "masked";
  if (unit.path.empty()) return "";
  std::vector<std::string> paths = LinkPaths(unit);
  if (paths.empty()) return "static";
  for (const std::string& path : paths) {
    if (!LinkTarget(path).empty()) return "enabled";
  }
  return "disabled";
}

std::vector<std::string> UnitStore::Enable(const Unit& unit) const {
  std::vector<std::string> lines;
  for (const std::string& path : LinkPaths(unit)) {
    mkdir(path.substr(0, path.rfind('/')).c_str(), 0755);
    std::string target = unit.path.substr(root_.size());
    if (symlink(target.c_str(), path.c_str()) == 0) {
      lines.push_back("Created symlink " + path + " → " + target + ".");
    }
  }
  return lines;
}

std::vector<std::string> UnitStore::Disable(const Unit& unit) const {
  std::vector<std::string> lines;
  for (const std::string& path : LinkPaths(unit)) {
    if (!LinkTarget(path).empty() && unlink(path.c_str()) == 0) {
      lines.push_back("Removed \"" + path + "\".");
    }
  }
  return lines;
}

bool UnitStore::Mask(const std::string& name, bool masked) const {
  std::string path = root_ + kOwnDirectory + "/" + FullUnitName(name);
  bool is_masked = LinkTarget(path) == "/dev/null";
  if (is_masked == masked) return true;
  return masked ? symlink("/dev/null", path.c_str()) == 0 : unlink(path.c_str()) == 0;
}

std::vector<std::string> UnitStore::WantedBy(const std::string& unit) const {
  std::vector<std::string> names;
  for (const char* directory : kDirectories) {
    for (const char* kind : {".wants", ".requires"}) {
      for (const std::string& name : Entries(root_ + directory + "/" + unit + kind)) {
        names.push_back(name);
      }
    }
  }
  return names;
}

std::vector<std::string> UnitStore::BootUnits() const {
  std::set<std::string> names;
  for (const char* target : kBootTargets) {
    for (const std::string& name : WantedBy(target)) names.insert(name);
  }
  // Scripts of packages without units: S01name.
  for (const std::string& entry : Entries(root_ + "/etc/rc2.d")) {
    if (entry.starts_with('S') && entry.size() > 3 &&
        Load(entry.substr(3)).path.find("/etc/init.d/") != std::string::npos) {
      names.insert(entry.substr(3) + ".service");
    }
  }
  for (const char* name : kNotStarted) names.erase(name);
  return {names.begin(), names.end()};
}

std::vector<std::string> UnitStore::AllServices() const {
  std::set<std::string> names;
  for (const char* directory : kDirectories) {
    for (const std::string& name : Entries(root_ + directory)) {
      if (name.ends_with(".service")) names.insert(name);
    }
  }
  return {names.begin(), names.end()};
}

std::vector<UnitStore::Planned> UnitStore::PlanStart(const std::vector<std::string>& names) const {
  std::map<std::string, Unit> units;
  std::deque<std::string> left(names.begin(), names.end());
  while (!left.empty()) {
    Unit unit = Load(left.front());
    left.pop_front();
    if (!unit.name.ends_with(".service") || unit.path.empty() || unit.masked) continue;
    if (units.contains(unit.name)) continue;
    for (const char* key : {"Unit.Wants", "Unit.Requires", "Unit.BindsTo"}) {
      for (const std::string& name : unit.file.Words(key)) left.push_back(name);
    }
    for (const std::string& name : WantedBy(unit.name)) left.push_back(name);
    std::string name = unit.name;
    units.emplace(std::move(name), std::move(unit));
  }
  std::map<std::string, std::set<std::string>> after;
  for (const auto& [name, unit] : units) {
    for (const std::string& other : unit.file.Words("Unit.After")) {
      if (units.contains(other)) after[name].insert(other);
    }
    for (const std::string& other : unit.file.Words("Unit.Before")) {
      if (units.contains(other)) after[other].insert(name);
    }
  }
  std::vector<Planned> plan;
  for (const auto& [name, unit] : units) plan.push_back({name, after[name]});
  return plan;
}

}  // namespace fireweed
