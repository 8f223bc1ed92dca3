// What a container driver lays out before a boot: directories, bundle, files to place, and the shim's order.
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

#include <fmt/format.h>

#include "machine/crun/bundle.h"
#include "machine/crun/crun_driver.h"
#include "machine/handle.h"
#include "machine/kept/state_file.h"

namespace fireweed {
namespace {

constexpr const char* kInitInside = "/usr/lib/fireweed/init";
// Where images made for accelerators look for the driver of whatever host they meet.
constexpr const char* kCardsInside = "/usr/local/nvidia";

uint64_t OwnCapabilities() {
  return CapabilitiesOf(ReadStateFile("/proc/self/status").value_or(""));
}

int64_t MostOpenFiles() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  return static_cast<int64_t>(std::min<rlim_t>(limit.rlim_max, 1 << 20));
}

std::vector<std::string> Environment(const MachineSpec& spec) {
  std::map<std::string, std::string> all{
      {"PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
      {"HOME", "/root"},
      {"TERM", "dumb"}};
  for (const auto& [name, value] : spec.environment) all[name] = value;
  if (auto workload = PlaceWorkload(spec, "")) all[workload->name] = workload->value;
  std::vector<std::string> lines;
  for (const auto& [name, value] : all) lines.push_back(fmt::format("{}={}", name, value));
  return lines;
}

int64_t VisibleCpus(const MachineLimits& limits) {
  return limits.visible_cpus > 0 ? limits.visible_cpus
                                 : static_cast<int64_t>(std::ceil(limits.cpus));
}

std::string HostOf(const MachineSpec& spec) {
  return spec.hostname.empty() ? spec.id : spec.hostname;
}
std::string ShortHostOf(const MachineSpec& spec) {
  std::string host = HostOf(spec);
  return host.substr(0, host.find('.'));
}

// What every machine has unless its spec says otherwise.
std::vector<MachineFile> AllFiles(const MachineSpec& spec, Ipv4 address) {
  std::string host = HostOf(spec), short_name = ShortHostOf(spec);
  std::string names = short_name == host ? host : fmt::format("{} {}", host, short_name);
  std::vector<MachineFile> files{
      {.path = "/etc/hostname", .contents = short_name + "\n"},
      {.path = "/etc/hosts",
       .contents = fmt::format("127.0.0.1 localhost\n{} {}\n"
                               "169.254.169.254 metadata.google.internal metadata\n",
                               FormatIpv4(address), names)},
      {.path = "/etc/resolv.conf", .contents = "nameserver 169.254.169.254\n"}};
  for (const char* directory : {"/usr/sbin", "/sbin"}) {
    for (const char* applet : {"shutdown", "poweroff", "halt", "reboot"}) {
      files.push_back(
          {.path = fmt::format("{}/{}", directory, applet), .link_target = kInitInside});
    }
  }
  if (!spec.cards.libraries.empty()) {
    files.push_back({.path = "/etc/ld.so.conf.d/00-accelerators.conf",
                     .contents = fmt::format("{}/lib64\n", kCardsInside)});
  }
  for (const std::string& program : spec.cards.programs) {
    std::string name = program.substr(program.rfind('/') + 1);
    files.push_back({.path = "/usr/local/bin/" + name,
                     .link_target = fmt::format("{}/bin/{}", kCardsInside, name)});
  }
  for (const MachineFile& wanted : spec.files) {
    std::erase_if(files, [&](const MachineFile& usual) { return usual.path == wanted.path; });
    files.push_back(wanted);
  }
  if (auto workload = PlaceWorkload(spec, "")) files.push_back(std::move(workload->file));
  return files;
}

}  // namespace

Result<> CrunDriver::Prepare(const MachineSpec& spec, const Subnet& subnet, uint32_t host,
                             ShimOrder& order) {
  MachineKey key{spec.id, spec.boot};
  std::string boot_directory = machines_.BootDirectory(key);
  std::string disk = spec.writable_directory.empty() ? machines_.MachineDirectory(spec.id) + "/disk"
                                                     : spec.writable_directory;
  std::string stage = StageDirectory(spec.id);
  // Process 1 inside is nobody outside, and has to pass through the directories above its root.
  for (const auto& [path, mode] :
       std::vector<std::pair<std::string, unsigned>>{{settings_.run_directory, 0711},
                                                     {settings_.run_directory + "/stage", 0711},
                                                     {settings_.run_directory + "/runtime", 0700},
                                                     {stage, 0711},
                                                     {boot_directory + "/bundle", 0700},
                                                     {boot_directory + "/files", 0700},
                                                     {disk + "/upper", 0755},
                                                     {disk + "/work", 0700}}) {
    if (Result<> made = MakeStateDirectory(path, mode); !made.ok()) return made;
    if (mode == 0711 && chmod(path.c_str(), mode) != 0) return ErrnoError(errno, path);
  }
  Result<> noted =
      WriteStateFile(machines_.MachineDirectory(spec.id) + "/network",
                     fmt::format("host {}\naddress {}\n", host, FormatIpv4(subnet.base + host)));
  if (!noted.ok()) return noted;

  order = {.container = true,
           .runtime = settings_.runtime,
           .runtime_root = settings_.run_directory + "/runtime",
           .container_id = ContainerId(spec.id),
           .bundle = boot_directory + "/bundle",
           .cgroup_path = CgroupPath(spec.id),
           .stage = stage,
           .layers = spec.image_layers,
           .disk = disk,
           .binds = {{settings_.init, kInitInside}},
           .id_base = IdBase(subnet, host),
           .console = spec.console_path,
           .console_keep = spec.console_keep_bytes};
  for (const MachineVolume& volume : spec.volumes) {
    if (Result<> added = AddVolume(volume, order); !added.ok()) return added;
  }
  for (const MachineBind& bind : spec.binds) order.binds.emplace_back(bind.outside, bind.inside);
  BundleSpec bundle{
      .root = stage + "/root",
      .hostname = ShortHostOf(spec),
      .command = spec.command.empty() ? std::vector<std::string>{kInitInside} : spec.command,
      .environment = Environment(spec),
      .limits = spec.limits,
      .cgroup_path = order.cgroup_path,
      .id_base = order.id_base,
      .held_capabilities = OwnCapabilities(),
      .most_open_files = MostOpenFiles()};
  AddLimits(spec, order, bundle);
  if (Result<> added = AddCards(spec.cards, order, bundle); !added.ok()) return added;
  Result<> written = WriteStateFile(order.bundle + "/config.json", MakeBundleConfig(bundle));
  if (!written.ok()) return written;
  return WriteFiles(spec, subnet.base + host, boot_directory, order);
}

void CrunDriver::AddLimits(const MachineSpec& spec, ShimOrder& order, BundleSpec& bundle) {
  MachineLimits& limits = bundle.limits;
  if (limits.pids == 0) limits.pids = settings_.most_pids;
  if (!cgroups_.Has("cpu")) limits.cpus = 0;
  if (!cgroups_.Has("memory")) limits.memory_bytes = 0;
  if (!cgroups_.Has("pids")) limits.pids = 0;
  if (int64_t wanted = VisibleCpus(spec.limits); wanted > 0) {
    CpuSet cpus = cpus_.Take(spec.id, static_cast<size_t>(wanted), spec.limits.cpus);
    bundle.cpu_list = FormatCpuList(cpus);
    // Without cpusets, most programs still count what these files show.
    if (cpus.empty()) cpus = ChooseCpus(OwnCpus(), {}, static_cast<size_t>(wanted));
    order.view_cpus = static_cast<int64_t>(cpus.size());
    order.view_cpu_list = FormatCpuList(cpus);
    bundle.views.emplace_back(order.stage + "/view/cpuinfo", "/proc/cpuinfo");
    for (const char* name : {"online", "present"}) {
      bundle.views.emplace_back(fmt::format("{}/view/{}", order.stage, name),
                                fmt::format("/sys/devices/system/cpu/{}", name));
    }
  }
  if (spec.limits.memory_bytes > 0) {
    order.view_memory = spec.limits.memory_bytes;
    bundle.views.emplace_back(order.stage + "/view/meminfo", "/proc/meminfo");
  }
}

Result<> CrunDriver::AddVolume(const MachineVolume& volume, ShimOrder& order) {
  for (const auto& [name, mode] : {std::pair("/upper", 0755u), std::pair("/work", 0700u)}) {
    if (Result<> made = MakeStateDirectory(volume.directory + name, mode); !made.ok()) return made;
  }
  order.volumes.push_back({volume.directory, volume.inside, volume.layers, volume.read_only});
  return Done{};
}

Result<> CrunDriver::AddCards(const MachineCards& cards, ShimOrder& order, BundleSpec& bundle) {
  for (const std::string& path : cards.devices) {
    struct stat node {};
    if (stat(path.c_str(), &node) != 0 || !S_ISCHR(node.st_mode)) {
      return Error{Code::kUnavailable, "", path + " is no character device of this host"};
    }
    bundle.devices.push_back({fmt::format("{}/devices/{}", order.stage, order.devices.size()), path,
                              major(node.st_rdev), minor(node.st_rdev)});
    order.devices.push_back(path);
  }
  // In memory, not on the disk: an image made of it, or its next boot, has no business with this host's driver.
  if (!cards.libraries.empty() || !cards.programs.empty()) order.scratch = kCardsInside;
  for (const auto& [files, directory] :
       {std::pair(&cards.libraries, "lib64"), std::pair(&cards.programs, "bin")}) {
    for (const std::string& file : *files) {
      std::string name = file.substr(file.rfind('/') + 1);
      order.binds.emplace_back(file, fmt::format("{}/{}/{}", kCardsInside, directory, name));
    }
  }
  return Done{};
}

Result<> CrunDriver::WriteFiles(const MachineSpec& spec, Ipv4 address,
                                const std::string& boot_directory, ShimOrder& order) {
  for (const MachineFile& file : AllFiles(spec, address)) {
    ShimPlacement placement{.path = file.path, .mode = file.mode, .link_target = file.link_target};
    if (file.link_target.empty()) {
      placement.source = fmt::format("{}/files/{}", boot_directory, order.files.size());
      Result<> written = WriteStateFile(placement.source, file.contents);
      if (!written.ok()) return written;
    }
    order.files.push_back(std::move(placement));
  }
  return Done{};
}

}  // namespace fireweed
