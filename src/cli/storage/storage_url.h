// gs://bucket/object#generation, a path of this machine, or "-" for standard input and output. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fireweed::cli {

struct StorageUrl {
  enum class Kind { kLocal, kRemote, kStream };
  Kind kind = Kind::kLocal;
  std::string bucket;
  std::string name;  // object name, or path
  std::optional<int64_t> generation;

  // Throws Failure(kInvalid) for gs:// without a bucket and for other schemes.
  static StorageUrl Parse(std::string_view text);
  static StorageUrl Remote(std::string bucket, std::string name);
  static StorageUrl Local(std::string path);

  bool remote() const { return kind == Kind::kRemote; }
  bool local() const { return kind == Kind::kLocal; }
  bool stream() const { return kind == Kind::kStream; }
  bool IsBucket() const { return remote() && name.empty(); }
  // "gs://b/o#1", "file://p", "-".
  std::string Text() const;
  // The last word of the name; of a bucket, the bucket's.
  std::string Base() const;
  // This place with `relative` below it.
  StorageUrl Under(std::string_view relative) const;

  friend bool operator==(const StorageUrl&, const StorageUrl&) = default;
};

}  // namespace fireweed::cli
