#include "machine/image/disk_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/unique_fd.h"
#include "machine/kept/state_file.h"

namespace fireweed {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPart = ".part";
constexpr int kCheckedDepth = 12;  // of a tree that is removed; packages lie less deep

Result<> SyncDirectory(const std::string& path) {
  UniqueFd directory(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory || fsync(directory.get()) != 0) return ErrnoError(errno, path);
  return Done{};
}

std::vector<std::string> NamesIn(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(directory, failed)) {
    names.push_back(entry.path().filename());
  }
  return names;
}

bool IsEmptyOrAbsent(const std::string& directory) { return NamesIn(directory).empty(); }

std::string_view WithoutPart(std::string_view name) {
  if (name.ends_with(kPart)) name.remove_suffix(kPart.size());
  return name;
}

// RemoveTree that asks before each file; below `depth` levels, before each directory. Follows no link.
void RemoveUnless(const std::atomic<bool>& stop, const fs::path& path, int depth,
                  std::error_code& failed) {
  if (stop) return;
  std::error_code unknown;
  if (depth == 0 || !fs::is_directory(fs::symlink_status(path, unknown))) {
    fs::remove_all(path, failed);
    return;
  }
  for (const std::string& name : NamesIn(path)) {
    RemoveUnless(stop, path / name, depth - 1, failed);
    if (failed || stop) return;
  }
  fs::remove(path, failed);
}

}  // namespace

Result<> DiskStore::MakeDisk(const std::string& disk) {
  std::string directory = DiskDirectory(disk);
  if (Result<> made = MakeStateDirectory(directory + "/upper", 0755); !made.ok()) return made;
  return MakeStateDirectory(directory + "/work", 0700);
}

bool DiskStore::HasLayer(const std::string& layer) const {
  struct stat there {};
  return stat(LayerDirectory(layer).c_str(), &there) == 0;
}

Result<LayerCopy> DiskStore::MakeLayer(const std::string& disk, const std::string& layer) {
  std::string upper = DiskDirectory(disk) + "/upper";
  if (IsEmptyOrAbsent(upper)) return LayerCopy{};
  LayerCopy copied{.files = 1};
  Result<> made = FillLayer(layer, [&](const std::string& directory) -> Result<> {
    if (rmdir(directory.c_str()) != 0) return ErrnoError(errno, directory);
    Result<LayerCopy> copy = CopyLayer(upper, directory, stopping_);
    if (!copy.ok()) return copy.error();
    copied = *copy;
    return Done{};
  });
  if (!made.ok()) return made.error();
  return copied;
}

Result<> DiskStore::FillLayer(const std::string& layer,
                              const std::function<Result<>(const std::string&)>& fill) {
  if (HasLayer(layer)) return Done{};
  std::string parent = root_ + "/layers", part = LayerDirectory(layer) + std::string(kPart);
  if (Result<> removed = RemoveTree(part); !removed.ok()) return removed;
  if (Result<> ready = MakeStateDirectory(part, 0755); !ready.ok()) return ready;
  if (Result<> filled = fill(part); !filled.ok()) {
    if (!stopping_) (void)RemoveTree(part);
    return filled;
  }
  UniqueFd directory(open(part.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory || syncfs(directory.get()) != 0) return ErrnoError(errno, part);
  if (rename(part.c_str(), LayerDirectory(layer).c_str()) != 0) return ErrnoError(errno, layer);
  return SyncDirectory(parent);
}

DiskStore::Hold::Hold(DiskStore& store, std::string disk) : store_(store), disk_(std::move(disk)) {
  std::lock_guard lock(store_.mu_);
  store_.held_.insert(disk_);
}

DiskStore::Hold::~Hold() {
  {
    std::lock_guard lock(store_.mu_);
    store_.held_.erase(store_.held_.find(disk_));
  }
  store_.freed_.notify_all();
}

void DiskStore::AwaitFree(const std::string& disk) {
  std::unique_lock lock(mu_);
  freed_.wait(lock, [&] { return !held_.contains(disk); });
}

Result<int> DiskStore::Sweep(const std::function<Names()>& known) {
  std::vector<std::string> disks = NamesIn(root_ + "/disks"), layers = NamesIn(root_ + "/layers");
  if (disks.empty() && layers.empty()) return 0;
  const Names keep = known();
  int removed = 0;
  auto remove = [&](const std::string& path) -> Result<> {
    std::error_code failed;
    RemoveUnless(stopping_, path, kCheckedDepth, failed);
    if (failed) return ErrnoError(failed.value(), path);
    if (!stopping_) ++removed;
    return Done{};
  };
  for (const std::string& name : disks) {
    if (keep.disks.contains(name)) continue;
    if (Result<> gone = remove(DiskDirectory(name)); !gone.ok()) return gone.error();
  }
  for (const std::string& name : layers) {
    if (keep.layers.contains(std::string(WithoutPart(name)))) continue;
    if (Result<> gone = remove(LayerDirectory(name)); !gone.ok()) return gone.error();
  }
  return removed;
}

}  // namespace fireweed
