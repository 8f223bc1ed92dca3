#include "machine/cpu/cpu_placement.h"

#include <algorithm>
#include <set>

namespace fireweed {
namespace {

constexpr double kRounding = 1e-9;

struct CpuMove {
  CpuPlacements::iterator machine;
  int from = 0, to = 0;
  double gain = 0;  // how much the difference between the two processors shrinks
};

// The move that helps most. Moving a share evens two processors out if they differ by more than that share.
CpuMove BestMove(const std::map<int, double>& loads, CpuPlacements& own) {
  CpuMove best{own.end()};
  for (auto machine = own.begin(); machine != own.end(); ++machine) {
    const CpuPlacement& placed = machine->second;
    for (int from : placed.cpus) {
      auto crowded = loads.find(from);
      if (crowded == loads.end()) continue;
      for (const auto& [to, load] : loads) {
        double gain = crowded->second - load - placed.share;
        if (!placed.cpus.contains(to) && gain > best.gain + kRounding) {
          best = {machine, from, to, gain};
        }
      }
    }
  }
  return best;
}

}  // namespace

std::map<int, double> CpuLoads(const CpuSet& host, const CpuPlacements& placements) {
  std::map<int, double> loads;
  for (int cpu : host) loads[cpu] = 0;
  for (const auto& [machine, placed] : placements) {
    for (int cpu : placed.cpus) {
      if (auto load = loads.find(cpu); load != loads.end()) load->second += placed.share;
    }
  }
  return loads;
}

CpuSet ChooseCpus(const CpuSet& host, const CpuPlacements& placements, size_t count) {
  std::vector<std::pair<double, int>> by_load;
  for (const auto& [cpu, load] : CpuLoads(host, placements)) by_load.emplace_back(load, cpu);
  count = std::min(count, by_load.size());
  auto end = by_load.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(by_load.begin(), end, by_load.end());
  CpuSet chosen;
  for (auto next = by_load.begin(); next != end; ++next) chosen.insert(next->second);
  return chosen;
}

std::vector<std::string> BalanceCpus(const CpuSet& host, const CpuPlacements& others,
                                     CpuPlacements& own) {
  std::map<int, double> loads = CpuLoads(host, others);
  for (const auto& [cpu, load] : CpuLoads(host, own)) loads[cpu] += load;
  std::set<std::string> moved;
  while (true) {
    CpuMove move = BestMove(loads, own);
    if (move.machine == own.end()) break;
    CpuPlacement& placed = move.machine->second;
    placed.cpus.erase(move.from);
    placed.cpus.insert(move.to);
    loads[move.from] -= placed.share;
    loads[move.to] += placed.share;
    moved.insert(move.machine->first);
  }
  return {moved.begin(), moved.end()};
}

}  // namespace fireweed
