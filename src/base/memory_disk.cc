#include "base/memory_disk.h"

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"

namespace fireweed {
namespace {

constexpr int64_t kNever = INT64_MAX;

Error Refusal(int error_number, std::string_view verb, const std::string& path) {
  return ErrnoError(error_number, fmt::format("{} {}", verb, path));
}

}  // namespace

struct MemoryDisk::State {
  mutable std::mutex mu;
  // All guarded by mu.
  DiskImage image;
  int64_t calls = 0;
  int64_t stop_at = kNever;
  bool stopped = false;
  int64_t fail_at = kNever;
  Error failure;
  int64_t capacity = kNever;
  std::function<void(const Moment&)> watcher;

  // Why no call can go on, if so.
  std::optional<Error> Stopped() const {
    if (!stopped) return std::nullopt;
    return Error{Code::kInternal, "", "the disk is gone"};
  }
  // Counts a change. An error means that it must not be made.
  std::optional<Error> Begin(std::string_view verb, const std::string& path);
  int64_t Room() const {
    return capacity == kNever ? kNever : std::max<int64_t>(0, capacity - image.TotalBytes());
  }
};

class MemoryDisk::Now final : public Moment {
 public:
  Now(const State& state, std::string what) : state_(state), what_(std::move(what)) {}
  int64_t call() const override { return state_.calls; }
  const std::string& what() const override { return what_; }
  std::unique_ptr<MemoryDisk> AfterCrash(Loss loss, uint64_t seed) const override {
    SeededRandom lots(seed);
    return std::unique_ptr<MemoryDisk>(new MemoryDisk(state_.image.AfterCrash(loss, lots)));
  }

 private:
  const State& state_;
  std::string what_;
};

std::optional<Error> MemoryDisk::State::Begin(std::string_view verb, const std::string& path) {
  if (std::optional<Error> gone = Stopped()) return gone;
  ++calls;
  if (watcher) watcher(Now(*this, fmt::format("{} {}", verb, path)));
  if (calls >= stop_at) stopped = true;
  if (calls == fail_at) return failure;
  return Stopped();
}

class MemoryDisk::OpenFile final : public File {
 public:
  OpenFile(std::shared_ptr<State> state, std::shared_ptr<FileImage> file, std::string path,
           OpenMode mode)
      : state_(std::move(state)), file_(std::move(file)), path_(std::move(path)), mode_(mode) {}

  Result<size_t> ReadAt(int64_t offset, std::span<std::byte> out) const override {
    std::lock_guard lock(state_->mu);
    if (std::optional<Error> gone = state_->Stopped()) return *gone;
    if (offset < 0) return Refusal(EINVAL, "read", path_);
    std::span<const std::byte> content = AsBytes(file_->seen());
    size_t begin = std::min(static_cast<size_t>(offset), content.size());
    size_t count = std::min(out.size(), content.size() - begin);
    std::copy_n(content.begin() + static_cast<std::ptrdiff_t>(begin), count, out.begin());
    return count;
  }

  Result<> WriteAt(int64_t offset, std::span<const std::byte> bytes) override {
    std::lock_guard lock(state_->mu);
    if (mode_ == OpenMode::kRead) return Refusal(EBADF, "write", path_);
    if (offset < 0) return Refusal(EINVAL, "write", path_);
    if (std::optional<Error> no = state_->Begin("write", path_)) return *no;
    int64_t size = static_cast<int64_t>(file_->seen().size());
    int64_t end = offset + static_cast<int64_t>(bytes.size());
    int64_t lacking = std::max<int64_t>(0, end - size) - state_->Room();
    if (lacking <= 0) {
      file_->Write(offset, AsText(bytes));
      return Done{};
    }
    int64_t fits = std::max<int64_t>(0, static_cast<int64_t>(bytes.size()) - lacking);
    if (fits > 0) file_->Write(offset, AsText(bytes.first(static_cast<size_t>(fits))));
    return Refusal(ENOSPC, "write", path_);
  }

  Result<> Truncate(int64_t size) override {
    std::lock_guard lock(state_->mu);
    if (mode_ == OpenMode::kRead || size < 0) return Refusal(EINVAL, "truncate", path_);
    if (std::optional<Error> no = state_->Begin("truncate", path_)) return *no;
    file_->Truncate(size);
    return Done{};
  }

  Result<> Sync() override {
    std::lock_guard lock(state_->mu);
    if (std::optional<Error> no = state_->Begin("sync", path_)) {
      if (!state_->stopped) file_->FailSync();
      return *no;
    }
    file_->Sync();
    return Done{};
  }

  Result<int64_t> Size() const override {
    std::lock_guard lock(state_->mu);
    if (std::optional<Error> gone = state_->Stopped()) return *gone;
    return static_cast<int64_t>(file_->seen().size());
  }

 private:
  std::shared_ptr<State> state_;
  std::shared_ptr<FileImage> file_;  // guarded by state_->mu
  std::string path_;
  OpenMode mode_;
};

MemoryDisk::MemoryDisk() : MemoryDisk(DiskImage()) {}
MemoryDisk::MemoryDisk(DiskImage image) : state_(std::make_shared<State>()) {
  state_->image = std::move(image);
}
MemoryDisk::~MemoryDisk() = default;

int64_t MemoryDisk::calls() const {
  std::lock_guard lock(state_->mu);
  return state_->calls;
}

void MemoryDisk::StopAt(int64_t call) {
  std::lock_guard lock(state_->mu);
  state_->stop_at = call;
}

void MemoryDisk::FailAt(int64_t call, Error error) {
  std::lock_guard lock(state_->mu);
  state_->fail_at = call;
  state_->failure = std::move(error);
}

void MemoryDisk::SetCapacity(int64_t bytes) {
  std::lock_guard lock(state_->mu);
  state_->capacity = bytes;
}

void MemoryDisk::Watch(std::function<void(const Moment&)> watcher) {
  std::lock_guard lock(state_->mu);
  state_->watcher = std::move(watcher);
}

std::unique_ptr<MemoryDisk> MemoryDisk::AfterCrash(Loss loss, uint64_t seed) const {
  std::lock_guard lock(state_->mu);
  return Now(*state_, "").AfterCrash(loss, seed);
}

Result<std::unique_ptr<File>> MemoryDisk::Open(const std::string& raw_path, OpenMode mode) {
  std::string path = NormalPath(raw_path);
  std::lock_guard lock(state_->mu);
  if (std::optional<Error> gone = state_->Stopped()) return *gone;
  const DiskImage::Entry* entry = state_->image.Find(path);
  if (entry && !entry->file) return Refusal(EISDIR, "open", path);
  if (entry && mode == OpenMode::kCreateNew) return Refusal(EEXIST, "open", path);
  std::shared_ptr<FileImage> file = entry ? entry->file : nullptr;
  if (!file) {
    if (mode == OpenMode::kRead || mode == OpenMode::kReadWrite) {
      return Refusal(ENOENT, "open", path);
    }
    const DiskImage::Entry* parent = state_->image.Find(ParentPath(path));
    if (!parent || parent->file) return Refusal(parent ? ENOTDIR : ENOENT, "open", path);
    if (std::optional<Error> no = state_->Begin("create", path)) return *no;
    file = std::make_shared<FileImage>();
    state_->image.Add(path, {file});
  }
  return std::unique_ptr<File>(new OpenFile(state_, std::move(file), path, mode));
}

Result<> MemoryDisk::Rename(const std::string& raw_from, const std::string& raw_to) {
  std::string from = NormalPath(raw_from), to = NormalPath(raw_to);
  std::lock_guard lock(state_->mu);
  if (std::optional<Error> gone = state_->Stopped()) return *gone;
  const DiskImage::Entry* source = state_->image.Find(from);
  const DiskImage::Entry* target = state_->image.Find(to);
  const DiskImage::Entry* parent = state_->image.Find(ParentPath(to));
  if (!source || !parent) return Refusal(ENOENT, "rename", from);
  if (!source->file || (target && !target->file)) return Refusal(EISDIR, "rename", from);
  if (parent->file) return Refusal(ENOTDIR, "rename", from);
  if (std::optional<Error> no = state_->Begin("rename", from)) return *no;
  state_->image.Rename(from, to);
  return Done{};
}

Result<> MemoryDisk::Remove(const std::string& raw_path) {
  std::string path = NormalPath(raw_path);
  std::lock_guard lock(state_->mu);
  if (std::optional<Error> gone = state_->Stopped()) return *gone;
  const DiskImage::Entry* entry = state_->image.Find(path);
  if (!entry) return Refusal(ENOENT, "remove", path);
  if (!entry->file) return Refusal(EISDIR, "remove", path);
  if (std::optional<Error> no = state_->Begin("remove", path)) return *no;
  state_->image.Remove(path);
  return Done{};
}

Result<> MemoryDisk::MakeDirectories(const std::string& raw_path) {
  std::string path = NormalPath(raw_path);
  std::lock_guard lock(state_->mu);
  if (std::optional<Error> gone = state_->Stopped()) return *gone;
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    std::string part = path.substr(0, end);
    const DiskImage::Entry* entry = state_->image.Find(part);
    if (entry && entry->file) return Refusal(ENOTDIR, "make", part);
    if (!entry) {
      if (std::optional<Error> no = state_->Begin("make", part)) return *no;
      state_->image.Add(part, {});
    }
    if (end == std::string::npos) return Done{};
  }
}

Result<> MemoryDisk::SyncDirectory(const std::string& raw_path) {
  std::string path = NormalPath(raw_path);
  std::lock_guard lock(state_->mu);
  if (std::optional<Error> gone = state_->Stopped()) return *gone;
  const DiskImage::Entry* entry = state_->image.Find(path);
  if (!entry || entry->file) return Refusal(entry ? ENOTDIR : ENOENT, "sync directory", path);
  if (std::optional<Error> no = state_->Begin("sync directory", path)) return *no;
  state_->image.Sync(path);
  return Done{};
}

Result<std::vector<std::string>> MemoryDisk::List(const std::string& raw_directory) {
  std::string directory = NormalPath(raw_directory);
  std::lock_guard lock(state_->mu);
  if (std::optional<Error> gone = state_->Stopped()) return *gone;
  const DiskImage::Entry* entry = state_->image.Find(directory);
  if (!entry || entry->file) return Refusal(entry ? ENOTDIR : ENOENT, "list", directory);
  return state_->image.List(directory);
}

Result<bool> MemoryDisk::Exists(const std::string& path) {
  std::lock_guard lock(state_->mu);
  if (std::optional<Error> gone = state_->Stopped()) return *gone;
  return state_->image.Find(NormalPath(path)) != nullptr;
}

Result<int64_t> MemoryDisk::FreeBytes(const std::string& path) {
  std::lock_guard lock(state_->mu);
  if (std::optional<Error> gone = state_->Stopped()) return *gone;
  if (!state_->image.Find(NormalPath(path))) return Refusal(ENOENT, "statvfs", path);
  return state_->Room();
}

}  // namespace fireweed
