// Where each copied thing goes, by the rules of gsutil and gcloud storage. Pure; the commands find out what is there
// and carry it out.
#pragma once

#include <string>
#include <string_view>

#include "cli/storage/storage_url.h"

namespace fireweed::cli {

// One thing that the command line named, after wildcards: a file or object, or a directory, prefix or bucket whose
// contents are copied.
struct CopyRoot {
  StorageUrl url;
  bool container = false;
};

// Where to: `directory` when the things keep their names below it.
struct CopyTarget {
  StorageUrl url;
  bool directory = false;
};

// What is known of the destination.
struct TargetFacts {
  bool is_directory = false;  // a local directory, or a prefix under which there are objects
  bool is_file = false;       // a local file
};

// Throws Failure(kInvalid) where the destination cannot take what is copied: several things into one file, a
// directory into a file, a directory into a stream.
CopyTarget PlanTarget(const StorageUrl& destination, const TargetFacts& facts, size_t roots,
                      bool any_container);

// The destination of what lies at `relative` below a container root, or of the root itself ("" then).
//   root gs://b/dir, relative "x/y", target ./new (no directory yet) -> ./new/x/y
//   the same into an existing ./there                                -> ./there/dir/x/y
// Throws Failure(kInvalid) where an object's name would lead out of the target directory.
StorageUrl PlanDestination(const CopyRoot& root, std::string_view relative,
                           const CopyTarget& target);

// Whether a name may become a path below a directory: no "..", no empty or "." segment that would change it.
bool IsSafeRelativePath(std::string_view relative);

}  // namespace fireweed::cli
