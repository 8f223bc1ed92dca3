#include "machine/handle.h"

#include <charconv>
#include <system_error>

#include <fmt/format.h>

#include "init/workload_file.h"

namespace fireweed {
namespace {

constexpr size_t kLongestId = 48;

bool GoodId(std::string_view id) {
  if (id.empty() || id.size() > kLongestId || id.front() == '-') return false;
  for (char c : id) {
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-')) return false;
  }
  return true;
}

// An absolute path without "..": what the host and the machine understand alike.
bool GoodPath(std::string_view path) {
  return !path.empty() && path.front() == '/' && path.find('\0') == path.npos &&
         fmt::format("{}/", path).find("/../") == std::string::npos;
}

Error Wrong(std::string message) { return Error{Code::kInvalid, "", std::move(message)}; }

bool Consume(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

}  // namespace

MachineHandle EncodeHandle(std::string_view driver, const MachineKey& key) {
  return {fmt::format(R"({{"version":1,"driver":"{}","id":"{}","boot":{}}})", driver, key.id,
                      key.boot)};
}

// Reads exactly what EncodeHandle writes: the alphabet of ids needs no escapes, and nobody else
// makes handles.
Result<MachineKey> DecodeHandle(std::string_view driver, const MachineHandle& handle) {
  std::string_view rest = handle.text;
  if (!Consume(rest, R"({"version":)")) return Wrong("not a machine handle");
  if (!Consume(rest, R"(1,"driver":")")) return Wrong("machine handle of another version");
  if (!Consume(rest, driver) || !Consume(rest, R"(","id":")")) {
    return Wrong("machine handle of another driver");
  }
  MachineKey key;
  key.id = rest.substr(0, rest.find('"'));
  rest.remove_prefix(key.id.size());
  if (!GoodId(key.id) || !Consume(rest, R"(","boot":)")) return Wrong("not a machine handle");
  auto [end, status] = std::from_chars(rest.data(), rest.data() + rest.size(), key.boot);
  if (status != std::errc() || std::string_view(end, rest.data() + rest.size()) != "}") {
    return Wrong("not a machine handle");
  }
  return key;
}

Result<> CheckSpec(const MachineSpec& spec) {
  if (!GoodId(spec.id)) return Wrong(fmt::format("bad machine id '{}'", spec.id));
  if (spec.boot < 1) return Wrong("boots are counted from 1");
  for (const std::string& layer : spec.image_layers) {
    // Overlay options separate by ':' and ',': a layer with either could not be named.
    if (!GoodPath(layer) || layer.find_first_of(":,\\") != layer.npos) {
      return Wrong(fmt::format("bad image layer '{}'", layer));
    }
  }
  for (const MachineFile& file : spec.files) {
    if (!GoodPath(file.path)) return Wrong(fmt::format("bad file path '{}'", file.path));
  }
  for (const MachineBind& bind : spec.binds) {
    if (!GoodPath(bind.outside) || !GoodPath(bind.inside)) {
      return Wrong(fmt::format("bad bind '{}' at '{}'", bind.outside, bind.inside));
    }
  }
  for (const MachineVolume& volume : spec.volumes) {
    if (!GoodPath(volume.directory) || !GoodPath(volume.inside)) {
      return Wrong(fmt::format("bad volume '{}' at '{}'", volume.directory, volume.inside));
    }
  }
  if (spec.workload && spec.workload->argv.empty()) return Wrong("a workload without a program");
  if (!spec.writable_directory.empty() && !GoodPath(spec.writable_directory)) {
    return Wrong(fmt::format("bad writable directory '{}'", spec.writable_directory));
  }
  if (!spec.console_path.empty() && !GoodPath(spec.console_path)) {
    return Wrong(fmt::format("bad console path '{}'", spec.console_path));
  }
  return Done{};
}

std::optional<WorkloadPlacement> PlaceWorkload(const MachineSpec& spec, const std::string& root) {
  constexpr const char* kPath = "/etc/fireweed-workload";
  if (!spec.workload) return std::nullopt;
  const MachineWorkload& workload = *spec.workload;
  WorkloadOrder order{.arguments = workload.argv,
                      .directory = workload.directory,
                      .tree = workload.tree,
                      .marks = workload.marks};
  for (const auto& [name, value] : workload.environment) {
    order.variables.push_back(fmt::format("{}={}", name, value));
  }
  return WorkloadPlacement{
      .file = {.path = kPath, .mode = 0600, .contents = FormatWorkloadOrder(order)},
      .name = std::string(kWorkloadVariable),
      .value = root + kPath};
}

}  // namespace fireweed
