#include "cli/storage/listing.h"

#include <map>

#include <fmt/format.h>

#include "cli/format/transforms.h"
#include "cli/format/yaml_text.h"

namespace fireweed::cli {

std::string ListingLine(const RemoteEntry& entry, const ListingOptions& options) {
  std::string url = entry.url.Text();
  if (options.style == ListingStyle::kShort) return url + "\n";
  if (options.style == ListingStyle::kFull && !entry.prefix) {
    std::string text = YamlText(JsonTree::Parse(EncodeJson(entry.object, Audience::kWire)));
    std::string indented = url + ":\n";
    for (size_t at = 0; at < text.size();) {
      size_t end = text.find('\n', at);
      indented += "  " + text.substr(at, end - at) + "\n";
      at = end + 1;
    }
    return indented;
  }
  if (entry.prefix) return fmt::format("{:>33}{}\n", "", url);
  std::string size =
      options.readable ? SizeText(entry.object.size) : std::to_string(entry.object.size);
  std::string line =
      fmt::format("{:>10}  {}  {}", size, FormatTime(entry.object.timeCreated, 0), url);
  if (entry.url.generation) line += fmt::format("  metageneration={}", entry.object.metageneration);
  if (options.etag) line += fmt::format("  etag={}", entry.object.etag);
  return line + "\n";
}

std::string TotalLine(int64_t objects, int64_t bytes) {
  return fmt::format("TOTAL: {} objects, {} bytes ({})\n", objects, bytes, SizeText(bytes));
}

JsonTree ListingJson(const RemoteEntry& entry) {
  JsonTree tree = JsonTree::Object();
  tree["url"] = JsonTree::Text(entry.url.Text());
  tree["type"] = JsonTree::Text(entry.prefix ? "prefix" : "cloud_object");
  if (!entry.prefix) tree["metadata"] = JsonTree::Parse(EncodeJson(entry.object, Audience::kWire));
  return tree;
}

std::string UsageLine(int64_t bytes, const std::string& url, bool readable) {
  return fmt::format("{:<11}  {}\n", readable ? SizeText(bytes) : std::to_string(bytes), url);
}

void DiskUsage::Add(const RemoteEntry& entry) {
  total_ += entry.object.size;
  objects_.emplace_back(entry.url.Text(), entry.object.size);
}

std::string DiskUsage::Text(bool summary, bool readable) const {
  std::string out;
  if (!summary) {
    // A directory's name sorts before what lies below it; '\xff' at its end makes it come after.
    std::map<std::string, std::pair<std::string, int64_t>> lines;
    for (const auto& [url, size] : objects_) {
      lines[url] = {url, size};
      for (size_t slash = url.find('/', root_.size()); slash != std::string::npos;
           slash = url.find('/', slash + 1)) {
        std::string directory = url.substr(0, slash + 1);
        auto& line = lines[directory + "\xff"];
        line.first = directory;
        line.second += size;
      }
    }
    for (const auto& [key, line] : lines) out += UsageLine(line.second, line.first, readable);
  }
  return out + UsageLine(total_, root_, readable);
}

}  // namespace fireweed::cli
