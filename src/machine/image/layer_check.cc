#include "machine/image/layer_check.h"

#include <charconv>
#include <filesystem>
#include <set>

#include "base/disk.h"

namespace fireweed {
namespace {

namespace fs = std::filesystem;

Error Refused(const std::string& name, std::string_view why) {
  return Error{Code::kInvalid, "",
               "The layer was refused: '" + name + "' " + std::string(why) + "."};
}

// A name in double quotes at the front of `text`, with C's escapes; taken off it.
bool TakeQuoted(std::string_view& text, std::string& out) {
  if (!text.starts_with('"')) return false;
  for (size_t at = 1; at < text.size(); ++at) {
    char c = text[at];
    if (c == '"') {
      text.remove_prefix(at + 1);
      return true;
    }
    if (c != '\\') {
      out += c;
      continue;
    }
    if (++at >= text.size()) return false;
    constexpr std::string_view kLetters = "abfnrtv", kMeant = "\a\b\f\n\r\t\v";
    if (size_t letter = kLetters.find(text[at]); letter != std::string_view::npos) {
      out += kMeant[letter];
    } else if (text[at] >= '0' && text[at] <= '7') {
      int code = 0;
      auto end =
          std::from_chars(text.data() + at, text.data() + std::min(at + 3, text.size()), code, 8)
              .ptr;
      out += static_cast<char>(code);
      at = static_cast<size_t>(end - text.data()) - 1;
    } else {
      out += text[at];
    }
  }
  return false;
}

// "-rw-r--r-- 0/0 5 2026-01-01 00:00 " before the name: the size is the third word; devices have "1,3" there.
int64_t SizeIn(std::string_view words) {
  for (int skipped = 0; skipped < 2; ++skipped) {
    words.remove_prefix(std::min(words.find(' '), words.size()));
    words.remove_prefix(std::min(words.find_first_not_of(' '), words.size()));
  }
  int64_t size = 0;
  std::from_chars(words.data(), words.data() + words.size(), size);
  return size;
}

Result<LayerEntry> ParseLine(std::string_view line) {
  LayerEntry entry;
  size_t quote = line.find('"');
  std::string_view rest = line.substr(std::min(quote, line.size()));
  if (line.empty() || !TakeQuoted(rest, entry.name)) {
    return Error{Code::kInvalid, "", "The layer was refused: its list of files is not readable."};
  }
  entry.type = line.front();
  entry.size = SizeIn(line.substr(0, quote));
  constexpr std::string_view kLink = " link to ";
  if (entry.type == 'h' && rest.starts_with(kLink)) {
    rest.remove_prefix(kLink.size());
    if (!TakeQuoted(rest, entry.target)) return Refused(entry.name, "links to an unreadable name");
  }
  return entry;
}

// Why a name must not be used; empty: it is safe. `seen`: parents that were found safe.
std::string_view WhyUnsafe(const std::string& name, const std::string& root,
                           std::set<std::string>& seen) {
  fs::path path(name);
  if (path.is_absolute()) return "is an absolute path";
  for (const fs::path& part : path) {
    if (part == "..") return "leads out of the image";
  }
  std::string parent = path.parent_path();
  if (seen.contains(parent)) return "";
  std::error_code failed;
  std::string real = fs::weakly_canonical(root + "/" + parent, failed);
  while (real.ends_with('/')) real.pop_back();
  if (failed || (real != root && !real.starts_with(root + "/"))) {
    return "is reached through a link out of the image";
  }
  seen.insert(std::move(parent));
  return "";
}

}  // namespace

Result<std::vector<LayerEntry>> ParseLayerListing(std::string_view listing) {
  std::vector<LayerEntry> entries;
  while (!listing.empty()) {
    size_t end = std::min(listing.find('\n'), listing.size());
    Result<LayerEntry> entry = ParseLine(listing.substr(0, end));
    if (!entry.ok()) return entry.error();
    entries.push_back(*std::move(entry));
    listing.remove_prefix(std::min(end + 1, listing.size()));
  }
  return entries;
}

Result<> CheckLayer(const std::vector<LayerEntry>& entries, const std::string& root) {
  std::set<std::string> seen;
  int64_t bytes = 0;
  for (const LayerEntry& entry : entries) {
    bool file = entry.type == '-';
    if (file) bytes += entry.size;
    std::string_view why = WhyUnsafe(entry.name, root, seen);
    if (why.empty() && entry.type == 'h') why = WhyUnsafe(entry.target, root, seen);
    if (!why.empty()) return Refused(entry.name, why);
  }
  Result<int64_t> free = MakeRealDisk()->FreeBytes(root);
  if (free.ok() && bytes > *free) {
    return Error{Code::kExhausted, "", "The layer needs more space than is free at " + root + "."};
  }
  return Done{};
}

}  // namespace fireweed
