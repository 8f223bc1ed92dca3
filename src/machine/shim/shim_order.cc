#include "machine/shim/shim_order.h"

#include <charconv>

namespace fireweed {
namespace {

constexpr std::string_view kFirstLine = "fireweed-shim-order 1";

std::string Escape(std::string_view value) {
  std::string out;
  for (char c : value) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out;
}

std::optional<std::string> Unescape(std::string_view value) {
  std::string out;
  for (size_t i = 0; i < value.size(); ++i) {
    if (value[i] != '\\') {
      out += value[i];
      continue;
    }
    if (++i == value.size() || (value[i] != 'n' && value[i] != '\\')) return std::nullopt;
    out += value[i] == 'n' ? '\n' : '\\';
  }
  return out;
}

template <class Number>
std::optional<Number> ParseNumber(std::string_view text, int base = 10) {
  Number number{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

class Lines {
 public:
  explicit Lines(std::string& out) : out_(out) {}
  void Add(std::string_view key, std::string_view value) {
    out_.append(key).append(" ").append(Escape(value)).append("\n");
  }
  void AddUnlessEmpty(std::string_view key, std::string_view value) {
    if (!value.empty()) Add(key, value);
  }

 private:
  std::string& out_;
};

// Single-valued keys, in the order they are written.
struct TextKey {
  std::string_view key;
  std::string ShimOrder::*field;
};
constexpr TextKey kTextKeys[] = {
    {"runtime", &ShimOrder::runtime},
    {"runtime-root", &ShimOrder::runtime_root},
    {"container-id", &ShimOrder::container_id},
    {"bundle", &ShimOrder::bundle},
    {"cgroup", &ShimOrder::cgroup_path},
    {"stage", &ShimOrder::stage},
    {"disk", &ShimOrder::disk},
    {"scratch", &ShimOrder::scratch},
    {"view-cpu-list", &ShimOrder::view_cpu_list},
    {"directory", &ShimOrder::directory},
    {"console", &ShimOrder::console},
};
struct ListKey {
  std::string_view key;
  std::vector<std::string> ShimOrder::*field;
};
constexpr ListKey kListKeys[] = {
    {"layer", &ShimOrder::layers},
    {"device", &ShimOrder::devices},
    {"argument", &ShimOrder::command},
    {"variable", &ShimOrder::environment},
};

template <class Keys>
bool TakeFrom(const Keys& keys, std::string_view key, const std::string& value, ShimOrder& order) {
  for (const auto& known : keys) {
    if (known.key != key) continue;
    if constexpr (std::is_same_v<std::decay_t<decltype(known)>, ListKey>) {
      (order.*known.field).push_back(value);
    } else {
      order.*known.field = value;
    }
    return true;
  }
  return false;
}

bool TakeNumber(std::string_view key, const std::string& value, ShimOrder& order) {
  std::optional<int64_t> number = ParseNumber<int64_t>(value);
  if (!number) return false;
  if (key == "container") {
    order.container = *number != 0;
  } else if (key == "id-base") {
    order.id_base = *number;
  } else if (key == "console-keep") {
    order.console_keep = *number;
  } else if (key == "view-cpus") {
    order.view_cpus = *number;
  } else if (key == "view-memory") {
    order.view_memory = *number;
  } else {
    return false;
  }
  return true;
}

// Keys of several lines that belong together: the first opens an element, the others fill the last one.
bool TakeGrouped(std::string_view key, const std::string& value, ShimOrder& order) {
  if (key == "bind") {
    order.binds.emplace_back(value, "");
  } else if (key == "bind-at" && !order.binds.empty()) {
    order.binds.back().second = value;
  } else if (key == "volume") {
    order.volumes.push_back({.directory = value});
  } else if (key == "volume-at" && !order.volumes.empty()) {
    order.volumes.back().inside = value;
  } else if (key == "volume-layer" && !order.volumes.empty()) {
    order.volumes.back().layers.push_back(value);
  } else if (key == "volume-read-only" && !order.volumes.empty()) {
    order.volumes.back().read_only = value == "1";
  } else if (key == "file") {
    order.files.push_back({.path = value});
  } else if (key == "file-mode" && !order.files.empty()) {
    std::optional<uint32_t> mode = ParseNumber<uint32_t>(value, 8);
    if (!mode) return false;
    order.files.back().mode = *mode;
  } else if (key == "file-source" && !order.files.empty()) {
    order.files.back().source = value;
  } else if (key == "file-link" && !order.files.empty()) {
    order.files.back().link_target = value;
  } else {
    return false;
  }
  return true;
}

std::string Octal(uint32_t value) {
  char digits[16];
  auto [end, error] = std::to_chars(digits, digits + sizeof digits, value, 8);
  return {digits, end};
}

}  // namespace

std::string FormatShimOrder(const ShimOrder& order) {
  std::string text(kFirstLine);
  text += '\n';
  Lines lines(text);
  lines.Add("container", order.container ? "1" : "0");
  for (const TextKey& known : kTextKeys) lines.AddUnlessEmpty(known.key, order.*known.field);
  for (const ListKey& known : kListKeys) {
    for (const std::string& value : order.*known.field) lines.Add(known.key, value);
  }
  for (const auto& [outside, inside] : order.binds) {
    lines.Add("bind", outside);
    lines.Add("bind-at", inside);
  }
  for (const ShimVolume& volume : order.volumes) {
    lines.Add("volume", volume.directory);
    lines.Add("volume-at", volume.inside);
    for (const std::string& layer : volume.layers) lines.Add("volume-layer", layer);
    lines.Add("volume-read-only", volume.read_only ? "1" : "0");
  }
  for (const ShimPlacement& file : order.files) {
    lines.Add("file", file.path);
    lines.Add("file-mode", Octal(file.mode));
    lines.AddUnlessEmpty("file-source", file.source);
    lines.AddUnlessEmpty("file-link", file.link_target);
  }
  lines.Add("id-base", std::to_string(order.id_base));
  lines.Add("console-keep", std::to_string(order.console_keep));
  lines.Add("view-cpus", std::to_string(order.view_cpus));
  lines.Add("view-memory", std::to_string(order.view_memory));
  return text;
}

std::optional<ShimOrder> ParseShimOrder(std::string_view text) {
  ShimOrder order;
  bool first = true;
  while (!text.empty()) {
    size_t end = text.find('\n');
    if (end == text.npos) return std::nullopt;  // cut short
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (std::exchange(first, false)) {
      if (line != kFirstLine) return std::nullopt;
      continue;
    }
    size_t blank = line.find(' ');
    if (blank == line.npos) return std::nullopt;
    std::string_view key = line.substr(0, blank);
    std::optional<std::string> value = Unescape(line.substr(blank + 1));
    if (!value) return std::nullopt;
    if (!TakeFrom(kTextKeys, key, *value, order) && !TakeFrom(kListKeys, key, *value, order) &&
        !TakeGrouped(key, *value, order) && !TakeNumber(key, *value, order)) {
      return std::nullopt;
    }
  }
  return first ? std::nullopt : std::optional(std::move(order));
}

std::string FormatShimExit(const ShimExit& exit) {
  return "wait-status " + std::to_string(exit.wait_status) + "\nstop-asked " +
         (exit.stop_asked ? "1" : "0") + "\nout-of-memory " +
         std::to_string(exit.out_of_memory_kills) + "\n";
}

std::optional<ShimExit> ParseShimExit(std::string_view text) {
  std::optional<int64_t> status = NumberAfter(text, "wait-status");
  std::optional<int64_t> asked = NumberAfter(text, "stop-asked");
  if (!status || !asked) return std::nullopt;
  return ShimExit{static_cast<int>(*status), *asked != 0,
                  NumberAfter(text, "out-of-memory").value_or(0)};
}

std::optional<int64_t> NumberAfter(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.starts_with(key) && line.size() > key.size() && line[key.size()] == ' ') {
      return ParseNumber<int64_t>(line.substr(key.size() + 1));
    }
  }
  return std::nullopt;
}

}  // namespace fireweed
