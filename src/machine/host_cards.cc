#include "machine/host_cards.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>

#include "machine/kept/state_file.h"

namespace fireweed {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNode = "/dev/nvidia";

// A model is of a type when all the words are in its name; the first that fits counts.
struct KnownModel {
  std::string_view words, type;
};
constexpr KnownModel kModels[] = {
    {"K80", "nvidia-tesla-k80"},   {"P4", "nvidia-tesla-p4"},
    {"P100", "nvidia-tesla-p100"}, {"V100", "nvidia-tesla-v100"},
    {"T4", "nvidia-tesla-t4"},     {"A100 80GB", "nvidia-a100-80gb"},
    {"A100", "nvidia-tesla-a100"}, {"L4", "nvidia-l4"},
    {"H100", "nvidia-h100-80gb"},  {"H200", "nvidia-h200-141gb"},
    {"B200", "nvidia-b200"},       {"RTX PRO 6000", "nvidia-rtx-pro-6000"},
};

std::vector<std::string> WordsOf(std::string_view model) {
  std::vector<std::string> words(1);
  for (char c : model) {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

// The value after "KEY:" on a line of its own, without blanks around it.
std::string ValueOf(const std::string& text, const std::string& key) {
  size_t at = text.rfind("\n" + key + ":", text.npos);
  if (text.starts_with(key + ":")) at = 0;
  if (at == text.npos) return "";
  size_t from = text.find_first_not_of(" \t", text.find(':', at) + 1);
  size_t to = text.find('\n', at + 1);
  if (from >= std::min(to, text.size())) return "";
  std::string value = text.substr(from, to == text.npos ? to : to - from);
  value.erase(value.find_last_not_of(" \t\r") + 1);
  return value;
}

std::optional<int> MinorOf(std::string_view digits) {
  int minor = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), minor);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return minor;
}

bool IsThere(const std::string& path) {
  std::error_code failed;
  return fs::exists(path, failed);
}

std::vector<fs::path> EntriesOf(const std::string& directory) {
  std::vector<fs::path> entries;
  std::error_code failed;
  for (fs::directory_iterator it(directory, failed), end; !failed && it != end;
       it.increment(failed)) {
    entries.push_back(it->path());
  }
  std::ranges::sort(entries);
  return entries;
}

// By minor, what the kernel's driver says of its cards.
std::map<int, HostCard> DescribedCards(const std::string& root) {
  std::map<int, HostCard> cards;
  for (const fs::path& entry : EntriesOf(root + "/proc/driver/nvidia/gpus")) {
    std::string text = ReadStateFile(entry.string() + "/information").value_or("");
    std::optional<int> minor = MinorOf(ValueOf(text, "Device Minor"));
    std::string uuid = ValueOf(text, "GPU UUID");
    if (!minor) continue;
    // Without a process that uses the card some drivers do not know its identity yet.
    if (uuid.find('?') != uuid.npos) uuid.clear();
    cards[*minor] = {.type = AcceleratorTypeOf(ValueOf(text, "Model")), .uuid = uuid};
    if (ValueOf(text, "GPU Excluded") == "Yes") cards[*minor].type.clear();
  }
  return cards;
}

// Where the user's half of the driver lies, and its version, "580.159.04".
struct DriverFiles {
  fs::path directory;
  std::string version;
};
std::optional<DriverFiles> FindDriver(const std::string& root) {
  constexpr std::string_view kLibrary = "libcuda.so.";
  for (const char* directory :
       {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/lib",
        "/usr/local/nvidia/lib64", "/run/opengl-driver/lib"}) {
    std::error_code failed;
    fs::path found = fs::canonical(root + directory + "/libcuda.so.1", failed);
    std::string name = found.filename();
    if (failed || !name.starts_with(kLibrary)) continue;
    return DriverFiles{found.parent_path(), name.substr(kLibrary.size())};
  }
  return std::nullopt;
}

// Every library of this version of the driver, once, under the name that programs ask for.
std::vector<std::string> LibrariesOf(const DriverFiles& driver) {
  std::map<fs::path, std::string> by_file;
  for (const fs::path& entry : EntriesOf(driver.directory)) {
    std::string name = entry.filename();
    bool ours = name.starts_with("libnvidia-") || name.starts_with("libcuda") ||
                name.starts_with("libnvcuvid") || name.starts_with("libnvoptix");
    if (!ours || name.find(".so.") == name.npos) continue;
    std::error_code failed;
    fs::path file = fs::canonical(entry, failed);
    if (failed || !file.filename().string().ends_with("." + driver.version)) continue;
    std::string& known = by_file[file];
    if (known.empty() || name.size() < fs::path(known).filename().string().size()) known = entry;
  }
  std::vector<std::string> libraries;
  for (const auto& [file, shortest] : by_file) libraries.push_back(shortest);
  std::ranges::sort(libraries);
  return libraries;
}

void AddNvidiaDriver(MachineCards& lent, const std::string& root) {
  // Not nvidia-caps: whoever opens those divides cards, also those of others.
  for (const char* node :
       {"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools", "/dev/nvidia-modeset"}) {
    if (IsThere(root + node)) lent.devices.push_back(node);
  }
  std::optional<DriverFiles> driver = FindDriver(root);
  if (!driver) return;
  for (std::string& library : LibrariesOf(*driver)) lent.libraries.push_back(std::move(library));
  // Beside the libraries first: what is in /usr/bin may be a script that looks for it there.
  std::string beside = driver->directory.parent_path() / "bin/nvidia-smi";
  for (const std::string& program : {beside, root + "/usr/bin/nvidia-smi"}) {
    if (!IsThere(program)) continue;
    lent.programs.push_back(program);
    break;
  }
}

}  // namespace

std::string AcceleratorTypeOf(std::string_view model) {
  std::vector<std::string> words = WordsOf(model);
  for (const KnownModel& known : kModels) {
    bool all = std::ranges::all_of(WordsOf(known.words), [&](const std::string& word) {
      return std::ranges::find(words, word) != words.end();
    });
    if (all) return std::string(known.type);
  }
  std::string type = "nvidia";
  for (std::string& word : words) {
    for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (word != "nvidia") type += "-" + word;
  }
  return words.empty() ? "nvidia-gpu" : type;
}

std::vector<HostCard> FindHostCards(const std::string& root) {
  std::map<int, HostCard> described = DescribedCards(root);
  std::map<int, HostCard> cards;
  for (const fs::path& entry : EntriesOf(root + "/dev")) {
    std::string node = "/dev/" + entry.filename().string();
    if (!node.starts_with(kNode)) continue;
    std::optional<int> minor = MinorOf(std::string_view(node).substr(kNode.size()));
    if (!minor) continue;
    // In some containers the nodes are there and what /proc says of them is not.
    HostCard card = described.contains(*minor) ? described[*minor] : HostCard{.type = "nvidia-gpu"};
    card.devices = {node};
    if (!card.type.empty()) cards[*minor] = std::move(card);
  }
  std::vector<HostCard> all;
  for (auto& [minor, card] : cards) all.push_back(std::move(card));
  return all;
}

MachineCards LendCards(const std::vector<HostCard>& cards, const std::string& root) {
  MachineCards lent;
  bool nvidia = false;
  for (const HostCard& card : cards) {
    bool own = card.name().starts_with(kNode);
    nvidia = nvidia || own;
    lent.devices.insert(lent.devices.end(), card.devices.begin(), card.devices.end());
    lent.libraries.insert(lent.libraries.end(), card.libraries.begin(), card.libraries.end());
    if (own) lent.ids.push_back(card.uuid.empty() ? card.name().substr(kNode.size()) : card.uuid);
  }
  if (nvidia) AddNvidiaDriver(lent, root);
  for (std::vector<std::string>* list : {&lent.devices, &lent.libraries}) {
    std::ranges::sort(*list);
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  return lent;
}

}  // namespace fireweed
