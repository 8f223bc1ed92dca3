#include "cli/doctor.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <time.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/disk.h"
#include "cli/client_directory.h"
#include "client/endpoint.h"

namespace fireweed::cli {
namespace {

std::string Slurp(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::pair<int, int> KernelVersion() {
  utsname name{};
  uname(&name);
  int major = 0, minor = 0;
  std::sscanf(name.release, "%d.%d", &major, &minor);
  return {major, minor};
}

Finding User(unsigned user_id) {
  if (user_id == 0) return {"user", Health::kGood, "root", ""};
  return {"user", Health::kPartly, fmt::format("uid {}", user_id),
          "containers, their network and limits need root; instances run as plain processes"};
}

Finding Kernel() {
  auto [major, minor] = KernelVersion();
  std::string seen = fmt::format("Linux {}.{}", major, minor);
  // Overlay mounts take idmapped layers from 5.19 on.
  if (std::pair(major, minor) >= std::pair(5, 19)) return {"kernel", Health::kGood, seen, ""};
  return {"kernel", Health::kPartly, seen,
          "before 5.19 an image cannot be shared by user namespaces: root inside an instance is "
          "root outside"};
}

Finding Overlay() {
  if (Slurp("/proc/filesystems").find("overlay") != std::string::npos ||
      std::filesystem::exists("/sys/module/overlay")) {
    return {"overlay file system", Health::kGood, "available", ""};
  }
  return {"overlay file system", Health::kBad, "not available",
          "no container instances; load it with `modprobe overlay`"};
}

Finding UserNamespaces() {
  std::string most = std::string(Trim(Slurp("/proc/sys/user/max_user_namespaces")));
  if (!most.empty() && most != "0") return {"user namespaces", Health::kGood, "up to " + most, ""};
  return {"user namespaces", Health::kPartly, "none allowed",
          "root inside an instance is root outside; raise user.max_user_namespaces"};
}

Finding Cgroups() {
  std::string layout = CgroupLayout(Slurp("/proc/mounts"));
  if (layout.empty()) {
    return {"cgroups", Health::kBad, "none mounted", "no CPU, memory and process limits"};
  }
  return {"cgroups", Health::kGood, layout, ""};
}

// Whether a display or 3D controller of NVIDIA's is on the PCI bus.
bool HasNvidiaController(const std::string& root) {
  std::error_code failed;
  for (const auto& device :
       std::filesystem::directory_iterator(root + "/sys/bus/pci/devices", failed)) {
    std::string vendor = Slurp(device.path() / "vendor"), kind = Slurp(device.path() / "class");
    if (vendor.starts_with("0x10de") && kind.starts_with("0x03")) return true;
  }
  return false;
}

Finding Program(const std::string& path, const std::vector<std::string>& names,
                const std::string& topic, Health missing, const std::string& cost) {
  for (const std::string& name : names) {
    std::string found = FindProgram(path, name);
    if (!found.empty()) return {topic, Health::kGood, found, ""};
  }
  return {topic, missing, fmt::format("no {}", fmt::join(names, " or ")), cost};
}

Finding DiskSpace(const std::string& state) {
  std::filesystem::path place(state);
  while (!std::filesystem::exists(place) && place.has_parent_path() && place != place.root_path()) {
    place = place.parent_path();
  }
  Result<int64_t> free = MakeRealDisk()->FreeBytes(place.string());
  if (!free.ok()) return {"disk", Health::kBad, free.error().message, "nothing can be stored"};
  double gib = static_cast<double>(*free) / (1 << 30);
  std::string seen = fmt::format("{:.1f} GiB free at {}", gib, place.string());
  if (gib >= 5) return {"disk", Health::kGood, seen, ""};
  return {"disk", gib < 1 ? Health::kBad : Health::kPartly, seen,
          "the base image takes about 1 GiB; uploads are refused when the disk is full"};
}

Finding Memory() {
  std::istringstream lines(Slurp("/proc/meminfo"));
  std::string word;
  int64_t kib = 0;
  while (lines >> word && word != "MemTotal:") {
  }
  lines >> kib;
  return {"machine", Health::kGood,
          fmt::format("{} cores, {:.1f} GiB memory", std::thread::hardware_concurrency(),
                      static_cast<double>(kib) / (1 << 20)),
          ""};
}

Finding WallClock(const std::string& state) {
  Time now = SystemClock().Now();
  if (now < *ParseTime("2026-01-01T00:00:00Z")) {
    return {"clock", Health::kBad, FormatTime(now), "tokens and certificates will not be valid"};
  }
  std::error_code error;
  auto written = std::filesystem::last_write_time(state + "/" + kEndpointFile, error);
  if (!error && written > decltype(written)::clock::now() + std::chrono::minutes(5)) {
    return {"clock", Health::kPartly, FormatTime(now),
            "the clock went back since the daemon last started; tokens tolerate five minutes"};
  }
  return {"clock", Health::kGood, FormatTime(now), ""};
}

Finding Certificates(const std::string& state) {
  if (SystemBundle().empty()) {
    return {"certificates", Health::kPartly, "no system list of authorities",
            "clients trust Fireweed only; install ca-certificates"};
  }
  std::string authority = state + "/" + kAuthorityFile;
  if (access(authority.c_str(), R_OK) == 0) return {"certificates", Health::kGood, authority, ""};
  return {"certificates", Health::kGood, "none yet; the first `fireweed up` creates them", ""};
}

Finding Ports(const DoctorInputs& inputs) {
  if (inputs.http.empty()) {
    return {"ports", Health::kGood,
            "no daemon is running; `fireweed up` picks free ports and keeps them", ""};
  }
  return {"ports", Health::kGood, fmt::format("http {}, https {}", inputs.http, inputs.https), ""};
}

}  // namespace

std::string CgroupLayout(const std::string& mounts) {
  std::istringstream lines(mounts);
  bool v1 = false, v2 = false;
  std::string v2_place;
  for (std::string device, place, kind, rest; lines >> device >> place >> kind;) {
    std::getline(lines, rest);
    if (kind == "cgroup") v1 = true;
    if (kind == "cgroup2") {
      v2 = true;
      v2_place = place;
    }
  }
  if (v1 && v2) return "hybrid: v1 controllers, v2 at " + v2_place;
  return v1 ? "v1" : v2 ? "v2" : "";
}

Finding ExamineAccelerators(const std::string& root) {
  std::map<std::string, int> models;
  std::error_code failed;
  for (const auto& gpu :
       std::filesystem::directory_iterator(root + "/proc/driver/nvidia/gpus", failed)) {
    std::istringstream lines(Slurp(gpu.path() / "information"));
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("Model:")) ++models[std::string(Trim(line.substr(6)))];
    }
  }
  if (models.empty()) {
    if (!HasNvidiaController(root)) {
      return {"accelerators", Health::kGood, "none; instances and jobs use the CPUs", ""};
    }
    return {"accelerators", Health::kPartly, "an NVIDIA card without its driver",
            "instances and jobs cannot use it: install the NVIDIA driver"};
  }
  std::vector<std::string> seen;
  for (const auto& [model, count] : models) seen.push_back(fmt::format("{} x {}", count, model));
  std::string text = fmt::format("{}", fmt::join(seen, ", "));
  if (std::filesystem::exists(root + "/dev/nvidia-uvm", failed)) {
    return {"accelerators", Health::kGood, text, ""};
  }
  return {"accelerators", Health::kPartly, text,
          "/dev/nvidia-uvm does not exist: run `nvidia-modprobe -c 0 -u`, then restart fireweedd"};
}

std::string FindProgram(const std::string& path, const std::string& name) {
  // Ordinary users' PATH often lacks the places where ip, nft and debootstrap lie.
  std::istringstream places(path + ":/usr/sbin:/sbin");
  for (std::string place; std::getline(places, place, ':');) {
    if (place.empty()) continue;
    std::string candidate = place + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0 && !std::filesystem::is_directory(candidate)) {
      return candidate;
    }
  }
  return "";
}

std::vector<Finding> Examine(const DoctorInputs& inputs) {
  const std::string& path = inputs.path;
  return {
      Memory(),
      User(inputs.user_id),
      Kernel(),
      Overlay(),
      UserNamespaces(),
      Cgroups(),
      ExamineAccelerators(),
      Program(path, {"crun", "runc"}, "OCI runtime", Health::kBad,
              "no container instances: install crun"),
      Program(path, {"ip"}, "ip", Health::kBad, "no network for instances: install iproute2"),
      Program(path, {"nft"}, "nft", Health::kPartly,
              "instances reach each other but not the outside: install nftables"),
      Program(path, {"debootstrap"}, "debootstrap", Health::kPartly,
              "the base image cannot be built here: install debootstrap, or bring an image from "
              "another host (`fireweed base-images export FILE` there, `import FILE` here)"),
      Program(path, {"git"}, "git", Health::kPartly, "no source repositories: install git"),
      Program(path, {"ssh"}, "ssh", Health::kPartly,
              "no `gcloud compute ssh` from here: install openssh-client"),
      Program(path, {"gcloud"}, "gcloud", Health::kPartly,
              "use `fireweed` or the API instead; no registry offers it"),
      Program(path, {"gsutil"}, "gsutil", Health::kPartly, "install it with `pip install gsutil`"),
      DiskSpace(inputs.state),
      Certificates(inputs.state),
      Ports(inputs),
      WallClock(inputs.state),
  };
}

}  // namespace fireweed::cli
