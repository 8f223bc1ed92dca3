#include "machine/cpu/cpu_board.h"

#include <sched.h>

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

namespace fireweed {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDaemonPrefix = "fireweed-";

std::string FirstLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// How many processors' worth of time a cgroup gets; nullopt: no limit.
std::optional<double> QuotaOf(const Cgroups& cgroups, const std::string& path) {
  std::string directory = cgroups.Directory("cpu", path);
  double quota = 0, period = 0;
  if (cgroups.unified()) {
    std::ifstream(directory + "/cpu.max") >> quota >> period;
  } else {
    std::ifstream(directory + "/cpu.cfs_quota_us") >> quota;
    std::ifstream(directory + "/cpu.cfs_period_us") >> period;
  }
  if (quota <= 0 || period <= 0) return std::nullopt;
  return quota / period;
}

double ShareOf(double cpus, size_t count) {
  return count == 0 ? 0 : std::min(1.0, cpus / static_cast<double>(count));
}

}  // namespace

CpuBoard::CpuBoard(const Cgroups& cgroups, std::string parent, CpuSet host)
    : cgroups_(cgroups), parent_(std::move(parent)), host_(std::move(host)) {}

CpuPlacements CpuBoard::Scan(const std::string& parent) const {
  CpuPlacements placements;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(cgroups_.Directory("cpuset", parent), failed)) {
    if (!entry.is_directory(failed)) continue;
    std::string name = entry.path().filename();
    CpuPlacement placed{ParseCpuList(FirstLine(entry.path() / "cpuset.cpus"))};
    if (placed.cpus.empty()) continue;
    auto count = static_cast<double>(placed.cpus.size());
    double quota = QuotaOf(cgroups_, parent + "/" + name).value_or(count);
    placed.share = ShareOf(quota, placed.cpus.size());
    placements[name] = std::move(placed);
  }
  return placements;
}

CpuPlacements CpuBoard::Others() const {
  CpuPlacements others;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(cgroups_.Directory("cpuset", ""), failed)) {
    std::string path = "/" + entry.path().filename().string();
    if (path == parent_ || !path.substr(1).starts_with(kDaemonPrefix)) continue;
    for (auto& [id, placed] : Scan(path)) others[path + "/" + id] = std::move(placed);
  }
  return others;
}

CpuSet CpuBoard::Take(const std::string& id, size_t count, double cpus) {
  if (!cgroups_.Has("cpuset")) return {};
  return taken_.With([&](CpuPlacements& taken) {
    taken.erase(id);
    CpuPlacements placements = Others();
    placements.merge(Scan(parent_));
    placements.erase(id);
    for (const auto& [machine, placed] : taken) placements.try_emplace(machine, placed);
    CpuPlacement placed{ChooseCpus(host_, placements, count)};
    placed.share = ShareOf(cpus, placed.cpus.size());
    return taken.insert_or_assign(id, std::move(placed)).first->second.cpus;
  });
}

void CpuBoard::Release(const std::string& id) {
  if (!cgroups_.Has("cpuset")) return;
  taken_.With([&](CpuPlacements& taken) {
    taken.erase(id);
    CpuPlacements own = Scan(parent_), fixed = Others();
    own.erase(id);
    for (const auto& [machine, placed] : taken) {
      if (!own.contains(machine)) fixed[machine] = placed;  // starts just now
    }
    for (const std::string& moved : BalanceCpus(host_, fixed, own)) {
      std::string path = fmt::format("{}/{}", parent_, moved);
      std::ofstream(cgroups_.Directory("cpuset", path) + "/cpuset.cpus")
          << FormatCpuList(own[moved].cpus) << std::flush;
    }
  });
}

CpuSet OwnCpus() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  sched_getaffinity(0, sizeof mask, &mask);
  CpuSet cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &mask)) cpus.insert(cpu);
  }
  return cpus;
}

}  // namespace fireweed
