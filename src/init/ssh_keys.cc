#include "init/ssh_keys.h"

#include <algorithm>
#include <ctime>

#include "init/metadata.h"

namespace fireweed {
namespace {

constexpr std::string_view kMark = "# Added by Google";
constexpr size_t kLongestName = 32;

std::string_view Stripped(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  while (!text.empty() && kBlank.find(text.front()) != kBlank.npos) text.remove_prefix(1);
  while (!text.empty() && kBlank.find(text.back()) != kBlank.npos) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    lines.push_back(line);
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return lines;
}

// The text of a JSON member; empty when it is not there. Enough for what gcloud writes behind a key.
std::string_view Member(std::string_view json, std::string_view name) {
  std::string key = '"' + std::string(name) + '"';
  size_t at = json.find(key);
  if (at == json.npos) return {};
  size_t from = json.find('"', at + key.size());
  if (from == json.npos) return {};
  size_t to = json.find('"', from + 1);
  return to == json.npos ? std::string_view() : json.substr(from + 1, to - from - 1);
}

// A key says that it ends by "google-ssh {...}"; one whose end cannot be read has ended.
bool HasExpired(std::string_view key, int64_t now) {
  constexpr std::string_view kWord = " google-ssh ";
  size_t at = key.find(kWord);
  if (at == key.npos) return false;
  std::string when(Member(key.substr(at + kWord.size()), "expireOn"));
  tm parts{};
  const char* end = strptime(when.c_str(), "%Y-%m-%dT%H:%M:%S%z", &parts);
  if (!end || *end != '\0') return true;
  int64_t offset = parts.tm_gmtoff;  // timegm sets it to zero
  return timegm(&parts) - offset <= now;
}

void TakeKeys(const std::optional<std::string>& item, int64_t now,
              std::map<std::string, std::vector<std::string>>& accounts) {
  if (!item) return;
  for (std::string_view line : LinesOf(*item)) {
    line = Stripped(line);
    size_t colon = line.find(':');
    if (colon == line.npos || line.front() == '#') continue;
    std::string_view name = Stripped(line.substr(0, colon)), key = Stripped(line.substr(colon + 1));
    // Two words at least: the kind and the key. What is not printed has no place in the file.
    bool sound = key.find(' ') != key.npos &&
                 std::ranges::all_of(key, [](unsigned char c) { return c >= ' ' && c != 0x7f; });
    if (!sound || !IsAccountName(name) || HasExpired(key, now)) continue;
    std::vector<std::string>& keys = accounts[std::string(name)];
    if (std::ranges::find(keys, key) == keys.end()) keys.emplace_back(key);
  }
}

}  // namespace

bool IsAccountName(std::string_view name) {
  auto letter = [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && name.size() <= kLongestName &&
         letter(static_cast<unsigned char>(name.front())) &&
         std::ranges::all_of(name,
                             [&](unsigned char c) { return letter(c) || c == '-' || c == '.'; });
}

std::map<std::string, std::vector<std::string>> AccountsOf(const KeyMetadata& metadata,
                                                           int64_t now) {
  std::map<std::string, std::vector<std::string>> accounts;
  TakeKeys(metadata.instance_keys, now, accounts);
  TakeKeys(metadata.instance_legacy, now, accounts);
  bool blocked = metadata.instance_legacy || IsTrueWord(metadata.block_project.value_or(""));
  if (blocked) return accounts;
  TakeKeys(metadata.project_keys, now, accounts);
  TakeKeys(metadata.project_legacy, now, accounts);
  return accounts;
}

std::string AuthorizedKeysWith(std::string_view before, const std::vector<std::string>& keys) {
  std::string text;
  bool marked = false;
  for (std::string_view line : LinesOf(before)) {
    bool ours = marked;
    marked = line == kMark;
    if (!ours && !marked) text.append(line).append("\n");
  }
  for (const std::string& key : keys) text.append(kMark).append("\n").append(key).append("\n");
  return text;
}

}  // namespace fireweed
