#include "machine/crun/bundle.h"

#include <algorithm>
#include <charconv>

#include "describe/json_writer.h"
#include "machine/crun/seccomp.h"

namespace fireweed {
namespace {

struct Capability {
  const char* name;
  int bit;
  bool only_in_user_namespace;
};

// What root inside needs to run services, sudo, package tools and debuggers. Not there: MKNOD, SYS_MODULE, SYS_RAWIO,
// SYS_ADMIN, NET_ADMIN, SYS_TIME and the like. SYS_BOOT reaches only the machine's own pid namespace, but outside a user
// namespace it would also cover kexec.
constexpr Capability kCapabilities[] = {
    {"CAP_CHOWN", 0, false},          {"CAP_DAC_OVERRIDE", 1, false},
    {"CAP_DAC_READ_SEARCH", 2, true}, {"CAP_FOWNER", 3, false},
    {"CAP_FSETID", 4, false},         {"CAP_KILL", 5, false},
    {"CAP_SETGID", 6, false},         {"CAP_SETUID", 7, false},
    {"CAP_SETPCAP", 8, false},        {"CAP_NET_BIND_SERVICE", 10, false},
    {"CAP_NET_RAW", 13, true},        {"CAP_SYS_CHROOT", 18, false},
    {"CAP_SYS_PTRACE", 19, true},     {"CAP_SYS_BOOT", 22, true},
    {"CAP_SYS_NICE", 23, true},       {"CAP_AUDIT_WRITE", 29, false},
    {"CAP_SETFCAP", 31, false},
};

constexpr const char* kMaskedPaths[] = {
    "/proc/acpi",        "/proc/asound",      "/proc/interrupts", "/proc/kcore",
    "/proc/keys",        "/proc/key-users",   "/proc/kmsg",       "/proc/latency_stats",
    "/proc/sched_debug", "/proc/scsi",        "/proc/slabinfo",   "/proc/timer_list",
    "/proc/timer_stats", "/proc/vmallocinfo", "/sys/firmware",    "/sys/kernel",
    "/sys/block",        "/sys/fs",           "/sys/module",      "/sys/devices/virtual/powercap",
};
constexpr const char* kReadOnlyPaths[] = {"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys",
                                          "/proc/sysrq-trigger"};

struct DeviceNode {
  const char* path;
  int64_t major, minor;
};
// null, zero, full, random, urandom, tty: what a runtime makes by itself; pts and ptmx are masters of their own.
constexpr DeviceNode kDevices[] = {
    {"/dev/null", 1, 3},    {"/dev/zero", 1, 5}, {"/dev/full", 1, 7}, {"/dev/random", 1, 8},
    {"/dev/urandom", 1, 9}, {"/dev/tty", 5, 0},  {"/dev/ptmx", 5, 2}};
constexpr int64_t kPtsMajor = 136;

void WriteStrings(JsonWriter& out, std::string_view key, const std::vector<std::string>& words) {
  out.Key(key).BeginArray();
  for (const std::string& word : words) out.String(word);
  out.EndArray();
}

void WriteCapabilities(JsonWriter& out, const BundleSpec& spec) {
  std::vector<std::string> names;
  for (const Capability& capability : kCapabilities) {
    bool held = spec.id_base > 0 || (spec.held_capabilities >> capability.bit & 1);
    if (held && (spec.id_base > 0 || !capability.only_in_user_namespace)) {
      names.emplace_back(capability.name);
    }
  }
  out.Key("capabilities").BeginObject();
  for (const char* set : {"bounding", "effective", "permitted"}) WriteStrings(out, set, names);
  out.EndObject();
}

void WriteProcess(JsonWriter& out, const BundleSpec& spec) {
  constexpr int64_t kOpenFiles = 1 << 20;
  out.Key("process").BeginObject().Field("terminal", false).Field("cwd", "/");
  out.Key("user").BeginObject().Field("uid", 0).Field("gid", 0).EndObject();
  WriteStrings(out, "args", spec.command);
  WriteStrings(out, "env", spec.environment);
  WriteCapabilities(out, spec);
  int64_t hard = std::min(spec.most_open_files, kOpenFiles);
  out.Key("rlimits").BeginArray().BeginObject().Field("type", "RLIMIT_NOFILE");
  out.Field("hard", hard).Field("soft", std::min<int64_t>(hard, 1024)).EndObject().EndArray();
  // sudo must work inside.
  out.Field("noNewPrivileges", false).EndObject();
}

void WriteMount(JsonWriter& out, const std::string& at, const char* type,
                const std::vector<std::string>& options, const std::string& source = "") {
  out.BeginObject().Field("destination", at).Field("type", type);
  out.Field("source", source.empty() ? type : source);
  WriteStrings(out, "options", options);
  out.EndObject();
}

// sysfs is in the root already: the shim mounts it.
void WriteMounts(JsonWriter& out, const BundleSpec& spec) {
  out.Key("mounts").BeginArray();
  WriteMount(out, "/proc", "proc", {"nosuid", "noexec", "nodev"});
  WriteMount(out, "/dev", "tmpfs", {"nosuid", "strictatime", "mode=755", "size=65536k"});
  WriteMount(out, "/dev/pts", "devpts",
             {"nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620", "gid=5"});
  WriteMount(out, "/dev/shm", "tmpfs", {"nosuid", "nodev", "mode=1777"});
  WriteMount(out, "/dev/mqueue", "mqueue", {"nosuid", "noexec", "nodev"});
  WriteMount(out, "/run", "tmpfs", {"nosuid", "nodev", "mode=755"});
  for (const BundleDevice& device : spec.devices) {
    WriteMount(out, device.inside, "bind", {"bind", "nosuid", "noexec"}, device.source);
  }
  for (const auto& [source, inside] : spec.views) {
    WriteMount(out, inside, "bind", {"bind", "ro", "nosuid", "nodev", "noexec"}, source);
  }
  out.EndArray();
}

void WriteDeviceRule(JsonWriter& out, bool allow, int64_t major, int64_t minor) {
  out.BeginObject().Field("allow", allow).Field("access", "rwm");
  if (major >= 0) out.Field("type", "c").Field("major", major);
  if (minor >= 0) out.Field("minor", minor);
  out.EndObject();
}

void WriteResources(JsonWriter& out, const BundleSpec& spec) {
  constexpr int64_t kCpuPeriodMicros = 100'000;
  out.Key("resources").BeginObject();
  out.Key("devices").BeginArray();
  WriteDeviceRule(out, false, -1, -1);
  for (const DeviceNode& device : kDevices) WriteDeviceRule(out, true, device.major, device.minor);
  WriteDeviceRule(out, true, kPtsMajor, -1);
  for (const BundleDevice& device : spec.devices) {
    WriteDeviceRule(out, true, device.major, device.minor);
  }
  out.EndArray();
  if (spec.limits.memory_bytes > 0) {
    out.Key("memory").BeginObject().Field("limit", spec.limits.memory_bytes).EndObject();
  }
  if (spec.limits.cpus > 0 || !spec.cpu_list.empty()) {
    auto quota = static_cast<int64_t>(spec.limits.cpus * static_cast<double>(kCpuPeriodMicros));
    out.Key("cpu").BeginObject();
    if (spec.limits.cpus > 0) {
      out.Field("quota", std::max<int64_t>(quota, 1000)).Field("period", kCpuPeriodMicros);
    }
    if (!spec.cpu_list.empty()) out.Field("cpus", spec.cpu_list);
    out.EndObject();
  }
  if (spec.limits.pids > 0) {
    out.Key("pids").BeginObject().Field("limit", spec.limits.pids).EndObject();
  }
  out.EndObject();
}

void WriteMappings(JsonWriter& out, const BundleSpec& spec) {
  for (const char* key : {"uidMappings", "gidMappings"}) {
    out.Key(key).BeginArray().BeginObject().Field("containerID", 0);
    out.Field("hostID", spec.id_base).Field("size", spec.ids).EndObject().EndArray();
  }
}

void WriteLinux(JsonWriter& out, const BundleSpec& spec) {
  out.Key("linux").BeginObject().Key("namespaces").BeginArray();
  // No "network": the runtime is started in the machine's network already.
  for (const char* type : {"pid", "ipc", "uts", "mount", "cgroup"}) {
    out.BeginObject().Field("type", type).EndObject();
  }
  if (spec.id_base > 0) out.BeginObject().Field("type", "user").EndObject();
  out.EndArray();
  if (spec.id_base > 0) WriteMappings(out, spec);
  WriteResources(out, spec);
  out.Field("cgroupsPath", spec.cgroup_path);
  out.Key("maskedPaths").BeginArray();
  for (const char* path : kMaskedPaths) out.String(path);
  // What drivers tell of the host's cards concerns only those who were lent one.
  if (spec.devices.empty()) out.String("/proc/driver");
  out.EndArray().Key("readonlyPaths").BeginArray();
  for (const char* path : kReadOnlyPaths) out.String(path);
  out.EndArray().Key("seccomp");
  WriteSeccomp(out);
  out.EndObject();
}

}  // namespace

std::string MakeBundleConfig(const BundleSpec& spec) {
  JsonWriter out;
  out.BeginObject().Field("ociVersion", "1.0.0").Field("hostname", spec.hostname);
  out.Key("root").BeginObject().Field("path", spec.root).Field("readonly", false).EndObject();
  WriteProcess(out, spec);
  WriteMounts(out, spec);
  WriteLinux(out, spec);
  out.EndObject();
  return out.Take();
}

uint64_t CapabilitiesOf(std::string_view status) {
  constexpr std::string_view kKey = "CapBnd:\t";
  size_t at = status.find(kKey);
  uint64_t bits = 0;
  if (at == status.npos) return 0;
  std::string_view digits = status.substr(at + kKey.size());
  std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
  return bits;
}

}  // namespace fireweed
