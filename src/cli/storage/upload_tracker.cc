#include "cli/storage/upload_tracker.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/error.h"
#include "describe/json_tree.h"

namespace fireweed::cli {
namespace {

std::string Identity(const LocalFacts& file) {
  return fmt::format("{} {}.{} {}", file.size, file.mtime, file.mtime_nanos, file.inode);
}

}  // namespace

std::string UploadTracker::FileOf(const std::string& path, const StorageUrl& to) const {
  std::error_code error;
  std::string whole = std::filesystem::absolute(path, error);
  std::string key = fmt::format("{}\n{}\n{}", daemon_, whole, to.Text());
  return directory_ + "/" + HexEncode(Hash(Digest::kSha256, key)).substr(0, 40) + ".upload";
}

std::optional<std::string> UploadTracker::Find(const std::string& path, const LocalFacts& file,
                                               const StorageUrl& to) const {
  if (directory_.empty()) return std::nullopt;
  std::ifstream in(FileOf(path, to));
  std::stringstream text;
  text << in.rdbuf();
  try {
    JsonTree kept = JsonTree::Parse(text.str());
    std::string session = kept.TextOf("session");
    if (kept.TextOf("file") != Identity(file) || session.empty()) return std::nullopt;
    return session;
  } catch (const Failure&) {
    return std::nullopt;
  }
}

void UploadTracker::Keep(const std::string& path, const LocalFacts& file, const StorageUrl& to,
                         const std::string& session) const {
  if (directory_.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(directory_, error);
  // The address is a secret: whoever has it may go on with the upload.
  std::filesystem::permissions(directory_, std::filesystem::perms::owner_all, error);
  JsonTree kept = JsonTree::Object();
  kept["file"] = JsonTree::Text(Identity(file));
  kept["session"] = JsonTree::Text(session);
  kept["to"] = JsonTree::Text(to.Text());
  std::string name = FileOf(path, to), fresh = fmt::format("{}.{}", name, getpid());
  std::ofstream(fresh) << kept.Compact();
  std::filesystem::rename(fresh, name, error);
}

void UploadTracker::Forget(const std::string& path, const StorageUrl& to) const {
  std::error_code error;
  if (!directory_.empty()) std::filesystem::remove(FileOf(path, to), error);
}

}  // namespace fireweed::cli
