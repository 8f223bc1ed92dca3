#include "machine/shim/view_text.h"

#include <algorithm>
#include <optional>

#include "machine/shim/shim_order.h"

namespace fireweed {
namespace {

constexpr int64_t kKib = 1024;

std::string_view TakeLine(std::string_view& text) {
  std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

// "cpu cores" of "cpu cores\t: 8".
std::string_view KeyOf(std::string_view line) {
  std::string_view key = line.substr(0, line.find(':'));
  while (key.ends_with('\t') || key.ends_with(' ')) key.remove_suffix(1);
  return key;
}

std::string WithValue(std::string_view line, int value) {
  return std::string(line.substr(0, line.find(':'))) + ": " + std::to_string(value);
}

// The line of meminfo `key` is the line `unified` of memory.stat, or `v1` with cgroup v1.
struct StatLine {
  std::string_view key, unified, v1;
};
constexpr StatLine kStatLines[] = {
    {"Cached", "file", "total_cache"},
    {"Active(anon)", "active_anon", "total_active_anon"},
    {"Inactive(anon)", "inactive_anon", "total_inactive_anon"},
    {"Active(file)", "active_file", "total_active_file"},
    {"Inactive(file)", "inactive_file", "total_inactive_file"},
    {"Unevictable", "unevictable", "total_unevictable"},
    {"AnonPages", "anon", "total_rss"},
    {"Committed_AS", "anon", "total_rss"},
    {"Mapped", "file_mapped", "total_mapped_file"},
    {"Shmem", "shmem", "total_shmem"},
    {"Dirty", "file_dirty", "total_dirty"},
    {"Writeback", "file_writeback", "total_writeback"},
    {"KReclaimable", "slab_reclaimable", ""},
    {"SReclaimable", "slab_reclaimable", ""},
    {"SUnreclaim", "slab_unreclaimable", ""},
    {"KernelStack", "kernel_stack", ""},
    {"PageTables", "pagetables", ""},
};

int64_t FromStat(std::string_view stat, std::string_view key) {
  for (const StatLine& line : kStatLines) {
    if (line.key != key) continue;
    std::optional<int64_t> value = NumberAfter(stat, line.unified);
    if (!value && !line.v1.empty()) value = NumberAfter(stat, line.v1);
    return value.value_or(0);
  }
  return 0;
}

// Bytes of a line of meminfo.
int64_t MemoryLine(std::string_view key, const MemoryUse& use) {
  auto stat = [&](std::string_view name) { return FromStat(use.stat, name); };
  int64_t free = std::max<int64_t>(0, use.limit - use.used);
  if (key == "MemTotal" || key == "CommitLimit") return use.limit;
  if (key == "MemFree") return free;
  if (key == "MemAvailable") {
    int64_t caches = stat("Active(file)") + stat("Inactive(file)") + stat("SReclaimable");
    return std::min(use.limit, free + caches);
  }
  if (key == "Active") return stat("Active(anon)") + stat("Active(file)");
  if (key == "Inactive") return stat("Inactive(anon)") + stat("Inactive(file)");
  if (key == "Slab") return stat("SReclaimable") + stat("SUnreclaim");
  return stat(key);
}

std::string PaddedTo(size_t width, std::string_view text) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ').append(text);
}

}  // namespace

std::string CpuinfoText(std::string_view host, int cpus) {
  std::string text;
  int seen = 0;
  for (std::string_view rest = host; !rest.empty();) {
    std::string_view line = TakeLine(rest), key = KeyOf(line);
    if (key == "processor" && ++seen > cpus) break;
    if (key == "processor") {
      text += WithValue(line, seen - 1);
    } else if (key == "siblings" || key == "cpu cores") {
      text += WithValue(line, cpus);
    } else {
      text += line;
    }
    text += '\n';
  }
  return seen < cpus ? std::string(host) : text;
}

std::string MeminfoText(std::string_view host, const MemoryUse& use) {
  // Sizes that are the same in every machine of the host.
  constexpr std::string_view kKept[] = {"Hugepagesize", "VmallocTotal"};
  std::string text;
  for (std::string_view rest = host; !rest.empty();) {
    std::string_view line = TakeLine(rest), key = KeyOf(line);
    if (key.starts_with("DirectMap")) continue;
    if (std::find(std::begin(kKept), std::end(kKept), key) != std::end(kKept)) {
      text.append(line).append("\n");
      continue;
    }
    // Columns as the kernel sets them, so that the length stays the same while the values change.
    std::string value = std::to_string(MemoryLine(key, use) / kKib);
    std::string name = std::string(key) + ":";
    text += name + PaddedTo(std::max<size_t>(24, name.size() + 8) - name.size(), value);
    text += line.ends_with(" kB") ? " kB\n" : "\n";
  }
  return text;
}

}  // namespace fireweed
