#include "base/disk_image.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace fireweed {
namespace {

constexpr size_t kSectorBytes = 512;  // what a drive writes whole or not at all

bool IsRoot(const std::string& path) { return path == "." || path == "/"; }

void WriteInto(std::string& content, size_t offset, std::string_view bytes) {
  if (content.size() < offset + bytes.size()) content.resize(offset + bytes.size());
  std::copy(bytes.begin(), bytes.end(), content.begin() + static_cast<std::ptrdiff_t>(offset));
}

// Makes one copy of each file, so that two names of one file stay so.
class FileCopies {
 public:
  explicit FileCopies(std::function<FileImage(const FileImage&)> copy) : copy_(std::move(copy)) {}
  std::shared_ptr<FileImage> Of(const std::shared_ptr<FileImage>& file) {
    if (!file) return nullptr;  // a directory
    std::shared_ptr<FileImage>& made = made_[file.get()];
    if (!made) made = std::make_shared<FileImage>(copy_(*file));
    return made;
  }

 private:
  std::function<FileImage(const FileImage&)> copy_;
  std::map<const FileImage*, std::shared_ptr<FileImage>> made_;
};

}  // namespace

void FileImage::Write(int64_t offset, std::string_view bytes) {
  unsynced_.push_back({Change::kWrite, offset, std::string(bytes)});
  Apply(unsynced_.back(), seen_);
}

void FileImage::Truncate(int64_t size) {
  unsynced_.push_back({Change::kTruncate, size, ""});
  Apply(unsynced_.back(), seen_);
}

void FileImage::Sync() {
  for (const Change& change : unsynced_) Apply(change, kept_);
  unsynced_.clear();
}

FileImage FileImage::AfterCrash(Loss loss, Random& lots) const {
  if (loss == Loss::kNothing) return *this;
  std::string content = kept_;
  if (loss == Loss::kTorn) {
    for (const Change& change : unsynced_) ApplyTorn(change, content, lots);
  }
  return FileImage(std::move(content));
}

void FileImage::Apply(const Change& change, std::string& content) {
  if (change.kind == Change::kTruncate) {
    content.resize(static_cast<size_t>(change.offset));
  } else {
    WriteInto(content, static_cast<size_t>(change.offset), change.bytes);
  }
}

void FileImage::ApplyTorn(const Change& change, std::string& content, Random& lots) {
  enum { kLost, kWhole, kSectors };
  uint64_t fate = lots.Below(3);
  if (fate == kLost) return;
  if (fate == kWhole || change.kind == Change::kTruncate) return Apply(change, content);
  std::string_view bytes = change.bytes;
  for (size_t offset = static_cast<size_t>(change.offset); !bytes.empty();) {
    size_t length = std::min(kSectorBytes - offset % kSectorBytes, bytes.size());
    if (lots.Below(2) == 0) WriteInto(content, offset, bytes.substr(0, length));
    offset += length;
    bytes.remove_prefix(length);
  }
}

const DiskImage::Entry* DiskImage::Find(const std::string& path) const {
  static const Entry kRoot;
  if (IsRoot(path)) return &kRoot;
  auto it = seen_.find(path);
  return it == seen_.end() ? nullptr : &it->second;
}

void DiskImage::Add(const std::string& path, Entry entry) {
  unsynced_.push_back({"", path, entry});
  seen_[path] = std::move(entry);
}

void DiskImage::Rename(const std::string& from, const std::string& to) {
  if (from == to) return;
  Entry entry = seen_.at(from);
  unsynced_.push_back({from, to, entry});
  seen_.erase(from);
  seen_[to] = std::move(entry);
}

void DiskImage::Remove(const std::string& path) {
  unsynced_.push_back({path, "", seen_.at(path)});
  seen_.erase(path);
}

void DiskImage::Sync(const std::string& directory) {
  auto is_here = [&](const std::string& path) {
    return !path.empty() && ParentPath(path) == directory;
  };
  std::vector<Change> left;
  for (Change& change : unsynced_) {
    bool from_here = is_here(change.from);
    if (!from_here && !is_here(change.to)) {
      left.push_back(std::move(change));
      continue;
    }
    if (from_here) kept_.erase(change.from);
    if (!change.to.empty()) {
      kept_[change.to] = change.entry;
      // An older removal of this name is history: what came back stays.
      std::erase_if(
          left, [&](const Change& older) { return older.to.empty() && older.from == change.to; });
    }
    if (!from_here && !change.from.empty()) left.push_back({change.from, "", change.entry});
  }
  unsynced_ = std::move(left);
}

std::vector<std::string> DiskImage::List(const std::string& directory) const {
  std::vector<std::string> names;
  std::string prefix = directory == "." ? "" : directory == "/" ? "/" : directory + "/";
  for (auto it = seen_.lower_bound(prefix); it != seen_.end(); ++it) {
    if (it->first.compare(0, prefix.size(), prefix) != 0) break;
    if (ParentPath(it->first) == directory) names.push_back(it->first.substr(prefix.size()));
  }
  return names;
}

int64_t DiskImage::TotalBytes() const {
  int64_t total = 0;
  for (const auto& [path, entry] : seen_) {
    if (entry.file) total += static_cast<int64_t>(entry.file->seen().size());
  }
  return total;
}

DiskImage::Names DiskImage::NamesAfterCrash(Loss loss, Random& lots) const {
  Names names = kept_;
  if (loss == Loss::kUnsynced) return names;
  enum { kLost, kNewNameOnly, kWhole };
  for (const Change& change : unsynced_) {
    uint64_t fate = lots.Below(3);
    if (fate == kLost) continue;
    if (!change.to.empty()) names[change.to] = change.entry;
    if (!change.from.empty() && fate == kWhole) names.erase(change.from);
  }
  return names;
}

DiskImage DiskImage::AfterCrash(Loss loss, Random& lots) const {
  if (loss == Loss::kNothing) return Copy();
  DiskImage after;
  FileCopies copies([&](const FileImage& file) { return file.AfterCrash(loss, lots); });
  // Parents sort before what is in them, so a lost directory takes its contents along.
  for (const auto& [path, entry] : NamesAfterCrash(loss, lots)) {
    std::string parent = ParentPath(path);
    if (!IsRoot(parent) && !after.kept_.contains(parent)) continue;
    after.kept_[path] = {copies.Of(entry.file)};
  }
  after.seen_ = after.kept_;
  return after;
}

DiskImage DiskImage::Copy() const {
  DiskImage copy = *this;
  FileCopies copies([](const FileImage& file) { return file; });
  for (Names* names : {&copy.seen_, &copy.kept_}) {
    for (auto& [path, entry] : *names) entry.file = copies.Of(entry.file);
  }
  for (Change& change : copy.unsynced_) change.entry.file = copies.Of(change.entry.file);
  return copy;
}

std::string NormalPath(const std::string& path) {
  std::string normal;
  for (char c : path) {
    if (c != '/' || !normal.ends_with('/')) normal += c;
    if (normal == "./") normal.clear();
  }
  if (normal.size() > 1 && normal.ends_with('/')) normal.pop_back();
  return normal.empty() ? "." : normal;
}

std::string ParentPath(const std::string& normal) {
  size_t slash = normal.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : normal.substr(0, slash);
}

}  // namespace fireweed
