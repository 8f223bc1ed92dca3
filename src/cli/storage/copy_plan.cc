#include "cli/storage/copy_plan.h"

#include <fmt/format.h>

#include "base/error.h"

namespace fireweed::cli {

bool IsSafeRelativePath(std::string_view relative) {
  if (relative.empty() || relative.find('\0') != std::string_view::npos) return false;
  while (true) {
    std::string_view segment = relative.substr(0, relative.find('/'));
    if (segment.empty() || segment == "." || segment == "..") return false;
    if (segment.size() == relative.size()) return true;
    relative.remove_prefix(segment.size() + 1);
    if (relative.empty()) return true;  // "dir/" marks a folder
  }
}

CopyTarget PlanTarget(const StorageUrl& destination, const TargetFacts& facts, size_t roots,
                      bool any_container) {
  CopyTarget target{destination, false};
  if (destination.stream()) {
    if (any_container || roots > 1)
      throw Failure(Code::kInvalid, "standard output takes one object at a time; see `cat`");
    return target;
  }
  bool slash = destination.name.ends_with('/');
  target.directory = facts.is_directory || destination.IsBucket() || slash || roots > 1;
  if (!destination.local()) return target;
  if (facts.is_file && (target.directory || any_container)) {
    throw Failure(Code::kInvalid,
                  fmt::format("{} is a file: {} cannot go below it", destination.name,
                              roots > 1 ? "several things" : "a directory"));
  }
  if (roots > 1 && !facts.is_directory) {
    throw Failure(Code::kInvalid, fmt::format("{} is no directory: several things cannot be "
                                              "copied to it; make it first",
                                              destination.name));
  }
  return target;
}

StorageUrl PlanDestination(const CopyRoot& root, std::string_view relative,
                           const CopyTarget& target) {
  if (target.url.stream()) return target.url;
  std::string below;
  if (target.directory && !root.url.stream()) below = root.url.Base();
  if (root.container) {
    if (!below.empty()) below += '/';
    below += relative;
  }
  if (target.directory && root.url.stream()) {
    throw Failure(Code::kInvalid, fmt::format("{} is a directory: standard input has no name; name "
                                              "the object",
                                              target.url.Text()));
  }
  if (below.empty()) return target.url;
  if (target.url.local() && !IsSafeRelativePath(below)) {
    throw Failure(Code::kInvalid,
                  fmt::format("{} cannot become a file below {}: its name has a '..', '.' or empty "
                              "part",
                              root.container ? root.url.Under(relative).Text() : root.url.Text(),
                              target.url.name));
  }
  return target.url.Under(below);
}

}  // namespace fireweed::cli
