#include "cli/storage/local_tree.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/error.h"
#include "cli/storage/wildcard.h"

namespace fireweed::cli {
namespace {

namespace fs = std::filesystem;

// Sorted names of a directory.
std::vector<std::string> Names(const std::string& directory) {
  std::error_code error;
  std::vector<std::string> names;
  fs::directory_iterator at(directory.empty() ? "." : directory, error), end;
  if (error) throw Failure(ErrnoError(error.value(), "read the directory " + directory));
  for (; at != end; at.increment(error)) {
    if (error) throw Failure(ErrnoError(error.value(), "read the directory " + directory));
    names.push_back(at->path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string Join(const std::string& directory, const std::string& name) {
  if (directory.empty()) return name;
  return directory.ends_with('/') ? directory + name : directory + "/" + name;
}

bool Walk(const std::string& directory, const std::string& relative,
          const std::function<bool(const LocalFile&)>& visit,
          const std::function<void(const std::string&)>& skipped) {
  for (const std::string& name : Names(directory)) {
    std::string path = Join(directory, name), below = Join(relative, name);
    struct stat itself, status;
    if (lstat(path.c_str(), &itself) != 0 || stat(path.c_str(), &status) != 0) {
      skipped(path);
    } else if (S_ISREG(status.st_mode)) {
      if (!visit({path, below, status.st_size, status.st_mtim.tv_sec})) return false;
    } else if (S_ISDIR(itself.st_mode)) {
      if (!Walk(path, below, visit, skipped)) return false;
    } else {
      skipped(path);
    }
  }
  return true;
}

bool Shows(const std::string& name, std::string_view pattern) {
  return !name.starts_with('.') || pattern.starts_with('.');
}

// `rest`: the segments of the pattern that are not yet found; `found`: the path so far.
void Expand(const std::string& found, std::string_view rest, std::vector<std::string>& out) {
  size_t slash = rest.find('/');
  std::string_view segment = rest.substr(0, slash);
  std::string_view after = slash == std::string_view::npos ? "" : rest.substr(slash + 1);
  if (segment.find("**") != std::string_view::npos) {
    std::string base = found.empty() ? "." : found;
    WalkDirectory(
        base,
        [&](const LocalFile& file) {
          if (MatchesWildcard(rest, file.relative)) out.push_back(Join(found, file.relative));
          return true;
        },
        [](const std::string&) {});
    return;
  }
  auto go_on = [&](const std::string& path) {
    LocalFacts facts = LookAt(path);
    if (!facts.exists) return;
    if (after.empty())
      out.push_back(path);
    else if (facts.directory)
      Expand(path, after, out);
  };
  if (!HasWildcard(segment)) {
    if (segment.empty() && found.empty()) return Expand("/", after, out);
    return segment.empty() ? Expand(found, after, out) : go_on(Join(found, std::string(segment)));
  }
  for (const std::string& name : Names(found)) {
    if (Shows(name, segment) && MatchesWildcard(segment, name)) go_on(Join(found, name));
  }
}

}  // namespace

LocalFacts LookAt(const std::string& path) {
  struct stat status;
  LocalFacts facts;
  if (stat(path.c_str(), &status) != 0) return facts;
  facts.exists = true;
  facts.directory = S_ISDIR(status.st_mode);
  facts.size = status.st_size;
  facts.mtime = status.st_mtim.tv_sec;
  facts.mtime_nanos = status.st_mtim.tv_nsec;
  facts.inode = static_cast<int64_t>(status.st_ino);
  return facts;
}

void WalkDirectory(const std::string& directory, const std::function<bool(const LocalFile&)>& visit,
                   const std::function<void(const std::string& path)>& skipped) {
  Walk(directory, "", visit, skipped);
}

std::vector<std::string> ExpandLocal(const std::string& pattern) {
  std::vector<std::string> out;
  Expand("", pattern, out);
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace fireweed::cli
