#include "machine/cpu/cpu_list.h"

#include <charconv>
#include <optional>

namespace fireweed {
namespace {

constexpr int kMaxCpu = 8191;  // NR_CPUS of the largest builds

std::optional<int> ParseCpu(std::string_view text) {
  int number = -1;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || number < 0 || number > kMaxCpu) return std::nullopt;
  return number;
}

}  // namespace

CpuSet ParseCpuList(std::string_view text) {
  while (text.ends_with('\n') || text.ends_with(' ')) text.remove_suffix(1);
  CpuSet cpus;
  while (!text.empty()) {
    std::string_view range = text.substr(0, text.find(','));
    text.remove_prefix(std::min(range.size() + 1, text.size()));
    size_t dash = range.find('-');
    std::optional<int> first = ParseCpu(range.substr(0, dash));
    std::optional<int> last = dash == range.npos ? first : ParseCpu(range.substr(dash + 1));
    if (!first || !last) return {};
    for (int cpu = *first; cpu <= *last; ++cpu) cpus.insert(cpu);
  }
  return cpus;
}

std::string FormatCpuList(const CpuSet& cpus) {
  std::string text;
  for (auto first = cpus.begin(); first != cpus.end();) {
    auto last = first;
    while (std::next(last) != cpus.end() && *std::next(last) == *last + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(*first);
    if (last != first) text += '-' + std::to_string(*last);
    first = std::next(last);
  }
  return text;
}

}  // namespace fireweed
