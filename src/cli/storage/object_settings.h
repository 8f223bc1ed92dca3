// What a command says about the objects it writes: types, metadata, conditions. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/storage_client.h"

namespace fireweed::cli {

class Command;

struct ObjectSettings {
  std::optional<std::string> content_type, cache_control, content_encoding, content_disposition,
      content_language, storage_class;
  std::vector<std::string> custom_metadata;  // KEY=VALUE
  std::string predefined_acl;                // "publicRead", or as gsutil writes it: "public-read"
  std::optional<int64_t> if_generation_match, if_metageneration_match;

  void AddTo(Command& command);
  // As the API writes it.
  std::string PredefinedAcl() const;
  // Whether anything but conditions and access is set.
  bool ChangesMetadata() const;
  // Puts what is set into an Object resource. Throws Failure(kInvalid) for metadata that is no KEY=VALUE.
  void Apply(JsonTree& object) const;
  // For a new object; `path` tells the type where none is set, `mtime` is kept in the metadata as gsutil does.
  UploadSpec Spec(const std::string& bucket, const std::string& name, std::string_view path,
                  std::optional<int64_t> mtime) const;
};

// The metadata key in which gsutil and gcloud keep a file's time.
inline constexpr std::string_view kMtimeKey = "goog-reserved-file-mtime";
std::optional<int64_t> MtimeOf(const api::storage::Object& object);

// "text/csv" for "a/b.csv"; "application/octet-stream" for what is not known.
std::string_view ContentTypeOf(std::string_view path);

}  // namespace fireweed::cli
