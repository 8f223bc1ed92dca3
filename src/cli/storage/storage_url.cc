#include "cli/storage/storage_url.h"

#include <charconv>

#include <fmt/format.h>

#include "base/error.h"

namespace fireweed::cli {
namespace {

// "name#123" names a generation where only digits follow the last '#'.
void SplitGeneration(StorageUrl& url) {
  size_t hash = url.name.rfind('#');
  if (hash == std::string::npos || hash + 1 == url.name.size()) return;
  int64_t generation = 0;
  const char *begin = url.name.data() + hash + 1, *end = url.name.data() + url.name.size();
  auto [stopped, error] = std::from_chars(begin, end, generation);
  if (error != std::errc() || stopped != end) return;
  url.generation = generation;
  url.name.resize(hash);
}

}  // namespace

StorageUrl StorageUrl::Parse(std::string_view text) {
  StorageUrl url;
  if (text == "-") {
    url.kind = Kind::kStream;
    return url;
  }
  size_t scheme = text.find("://");
  if (text.starts_with("gs://")) {
    url.kind = Kind::kRemote;
    text.remove_prefix(5);
    size_t slash = text.find('/');
    url.bucket = text.substr(0, slash);
    if (slash != std::string_view::npos) url.name = text.substr(slash + 1);
    if (url.bucket.empty()) {
      throw Failure(Code::kInvalid,
                    "gs:// names no bucket: write gs://BUCKET or gs://BUCKET/OBJECT");
    }
    SplitGeneration(url);
    return url;
  }
  if (text.starts_with("file://")) {
    text.remove_prefix(7);
  } else if (scheme != std::string_view::npos && text.find('/') == scheme + 1) {
    throw Failure(Code::kInvalid, fmt::format("{}: only gs:// and file:// are known here", text));
  }
  if (text.empty()) throw Failure(Code::kInvalid, "an empty path names nothing");
  url.name = text;
  return url;
}

StorageUrl StorageUrl::Remote(std::string bucket, std::string name) {
  return {Kind::kRemote, std::move(bucket), std::move(name), std::nullopt};
}
StorageUrl StorageUrl::Local(std::string path) {
  return {Kind::kLocal, "", std::move(path), std::nullopt};
}

std::string StorageUrl::Text() const {
  if (stream()) return "-";
  if (local()) return "file://" + name;
  std::string text = fmt::format("gs://{}/{}", bucket, name);
  return generation ? fmt::format("{}#{}", text, *generation) : text;
}

std::string StorageUrl::Base() const {
  if (IsBucket()) return bucket;
  std::string_view path = name;
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return std::string(path.substr(path.rfind('/') + 1));
}

StorageUrl StorageUrl::Under(std::string_view relative) const {
  StorageUrl under = *this;
  under.generation.reset();
  if (!under.name.empty() && !under.name.ends_with('/')) under.name += '/';
  under.name += relative;
  return under;
}

}  // namespace fireweed::cli
