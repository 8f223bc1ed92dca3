#include "blob/file_blob_store.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "blob/draft_mark.h"
#include "blob/running_sums.h"

namespace fireweed {
namespace {

constexpr std::string_view kMarkSuffix = ".mark";
constexpr size_t kShardDigits = 2;
constexpr int64_t kRoomCheckBytes = 1 << 20;  // free space is asked for once per so many bytes
// Others write to the same disk: a look spends no more than this share of what is to spare.
constexpr int64_t kRoomShare = 16;
constexpr int64_t kMaxLooksSaved = 64;
constexpr size_t kReadBytes = 1 << 20;

class FileBlobReader final : public BlobReader {
 public:
  FileBlobReader(std::shared_ptr<const File> file, int64_t size)
      : file_(std::move(file)), size_(size) {}
  int64_t size() const override { return size_; }
  Result<size_t> ReadAt(int64_t offset, std::span<std::byte> out) const override {
    return file_->ReadAt(offset, out);
  }
  std::shared_ptr<const File> file() const override { return file_; }

 private:
  std::shared_ptr<const File> file_;
  int64_t size_;
};

// Sums of the first `size` bytes of a file; kInternal when it is shorter.
Result<RunningSums> SumsOf(const File& file, int64_t size) {
  RunningSums sums;
  std::vector<std::byte> buffer(static_cast<size_t>(std::min<int64_t>(size, kReadBytes)));
  while (sums.size() < size) {
    size_t want = static_cast<size_t>(std::min<int64_t>(size - sums.size(), kReadBytes));
    Result<size_t> got = file.ReadAt(sums.size(), std::span(buffer).first(want));
    if (!got) return got.error();
    if (*got == 0) return Error{Code::kInternal, "", "a draft is shorter than its mark"};
    sums.Add(std::span(buffer).first(*got));
  }
  return sums;
}

}  // namespace

class FileBlobStore::Writer final : public BlobWriter {
 public:
  Writer(FileBlobStore& store, HeldIds::Hold hold, std::unique_ptr<File> file)
      : store_(store), hold_(std::move(hold)), file_(std::move(file)) {}

  // Takes up the durable part of a draft and makes its mark durable once more: a process that was
  // killed may have left one that is only in the page cache.
  Result<> Load();

  const BlobId& id() const override { return hold_.id(); }
  int64_t size() const override { return sums_.size(); }
  BlobInfo Sums() const override { return sums_.For(id()); }
  Result<> Append(std::span<const std::byte> bytes) override {
    return Once([&] { return DoAppend(bytes); });
  }
  Result<int64_t> Sync() override {
    Result<> done = Once([&] { return DoSync(); });
    if (!done) return done.error();
    return size();
  }
  Result<BlobInfo> Commit() override {
    Result<> done = Once([&] { return DoCommit(); });
    if (!done) return done.error();
    failure_ = Error{Code::kPrecondition, "", "the blob is committed"};
    return Sums();
  }

 private:
  // After a failure nobody knows what the file holds: every later step fails in the same way.
  template <class Step>
  Result<> Once(const Step& step) {
    if (failure_) return *failure_;
    Result<> done = step();
    if (!done) failure_ = done.error();
    return done;
  }
  Result<> DoAppend(std::span<const std::byte> bytes);
  Result<> DoSync();
  Result<> DoCommit();
  Result<> WriteMark();

  FileBlobStore& store_;
  HeldIds::Hold hold_;
  std::unique_ptr<File> file_;
  RunningSums sums_;
  std::optional<DraftMarkFile> marks_;  // from the first Sync on
  bool named_ = false;                  // the names of draft and mark are durable
  int64_t room_checked_at_ = 0;
  std::optional<Error> failure_;
};

Result<> FileBlobStore::Writer::Load() {
  Result<bool> marked = store_.disk_.Exists(store_.MarkPath(id()));
  if (!marked) return marked.error();
  if (!*marked) return file_->Truncate(0);
  Result<DraftMarkFile> marks = DraftMarkFile::Open(store_.disk_, store_.MarkPath(id()));
  if (!marks) return marks.error();
  marks_ = std::move(*marks);
  DraftMark mark = marks_->newest().value_or(DraftMark{});
  Result<RunningSums> sums = SumsOf(*file_, mark.size);
  if (!sums) return sums.error();
  if (sums->crc32c() != mark.crc32c) {
    return Error{Code::kInternal, "", fmt::format("draft {} does not match its mark", id())};
  }
  sums_ = std::move(*sums);
  room_checked_at_ = size();
  Result<> cut = file_->Truncate(mark.size);
  if (!cut) return cut;
  return WriteMark();
}

Result<> FileBlobStore::Writer::DoAppend(std::span<const std::byte> bytes) {
  int64_t end = size() + static_cast<int64_t>(bytes.size());
  if (end - room_checked_at_ >= kRoomCheckBytes) {
    Result<> room = store_.CheckRoom();
    if (!room) return room;
    room_checked_at_ = end;
  }
  Result<> wrote = file_->WriteAt(size(), bytes);
  if (wrote) sums_.Add(bytes);
  return wrote;
}

Result<> FileBlobStore::Writer::DoSync() {
  if (marks_ && marks_->newest() == DraftMark{size(), sums_.crc32c()}) return Done{};
  Result<> synced = file_->Sync();
  if (!synced) return synced;
  return WriteMark();
}

Result<> FileBlobStore::Writer::WriteMark() {
  if (!marks_) {
    Result<DraftMarkFile> marks = DraftMarkFile::Open(store_.disk_, store_.MarkPath(id()));
    if (!marks) return marks.error();
    marks_ = std::move(*marks);
  }
  Result<> wrote = marks_->Write({size(), sums_.crc32c()});
  if (!wrote || named_) return wrote;
  Result<> named = store_.syncer_.Sync(store_.drafts_);
  named_ = named.ok();
  return named;
}

Result<> FileBlobStore::Writer::DoCommit() {
  Result<> synced = file_->Sync();
  if (!synced) return synced;
  Result<> shard = store_.PrepareShard(id());
  if (!shard) return shard;
  Result<> renamed = store_.disk_.Rename(store_.DraftPath(id()), store_.BlobPath(id()));
  if (!renamed) return renamed;
  Result<> named = store_.syncer_.Sync(store_.ShardPath(id()));
  if (!named) {
    // It is a draft again, or else, should this fail as well, a blob that nobody knows of.
    (void)store_.disk_.Rename(store_.BlobPath(id()), store_.DraftPath(id()));
    return named;
  }
  // A mark that stays behind is cleared at the next start.
  if (marks_) (void)store_.disk_.Remove(store_.MarkPath(id()));
  return Done{};
}

FileBlobStore::FileBlobStore(Disk& disk, std::string root, IdSource& ids, FileBlobOptions options)
    : disk_(disk),
      ids_(ids),
      root_(std::move(root)),
      drafts_(root_ + "/drafts"),
      blobs_(root_ + "/blobs"),
      options_(options),
      syncer_(disk) {}

Result<std::unique_ptr<FileBlobStore>> FileBlobStore::Open(Disk& disk, std::string root,
                                                           IdSource& ids, FileBlobOptions options) {
  std::unique_ptr<FileBlobStore> store(new FileBlobStore(disk, std::move(root), ids, options));
  Result<> prepared = store->Prepare();
  if (!prepared) return prepared.error();
  return store;
}

Result<> FileBlobStore::Prepare() {
  for (const std::string& directory : {drafts_, blobs_}) {
    Result<> made = disk_.MakeDirectories(directory);
    if (!made) return made;
  }
  std::string parent = std::filesystem::path(root_).parent_path().string();
  for (const std::string& directory : {root_, parent.empty() ? std::string(".") : parent}) {
    Result<> synced = disk_.SyncDirectory(directory);
    if (!synced) return synced;
  }
  return ClearLeftovers();
}

// A crash may leave a committed blob under its draft's name as well, and a mark without its draft.
Result<> FileBlobStore::ClearLeftovers() {
  Result<std::vector<std::string>> names = disk_.List(drafts_);
  if (!names) return names.error();
  for (const std::string& name : *names) {
    bool is_mark = name.ends_with(kMarkSuffix);
    BlobId id = is_mark ? name.substr(0, name.size() - kMarkSuffix.size()) : name;
    if (!TimeOfWord(id)) continue;
    Result<bool> committed = disk_.Exists(BlobPath(id));
    if (!committed) return committed.error();
    bool stray = is_mark && !std::binary_search(names->begin(), names->end(), id);
    if (!*committed && !stray) continue;
    Result<> removed = disk_.Remove(drafts_ + "/" + name);
    if (!removed) return removed;
  }
  return Done{};
}

Result<std::unique_ptr<BlobWriter>> FileBlobStore::Create() {
  Result<> room = CheckRoom();
  if (!room) return room.error();
  BlobId id = ids_.NextWord();
  // Held before it can be listed.
  std::optional<HeldIds::Hold> hold = held_.Take(id);
  if (!hold) return Error{Code::kInternal, "", "an id came twice"};
  Result<std::unique_ptr<File>> file = disk_.Open(DraftPath(id), OpenMode::kCreateNew);
  if (!file) return file.error();
  return std::unique_ptr<BlobWriter>(new Writer(*this, std::move(*hold), std::move(*file)));
}

Result<std::unique_ptr<BlobWriter>> FileBlobStore::Resume(const BlobId& draft) {
  if (!TimeOfWord(draft)) return Error{Code::kNotFound, "", "no such draft"};
  std::optional<HeldIds::Hold> hold = held_.Take(draft);
  if (!hold) return Error{Code::kUnavailable, "", "the draft is being written"};
  Result<bool> committed = disk_.Exists(BlobPath(draft));
  if (!committed) return committed.error();
  if (*committed) {
    // A process that was killed may not have come to this.
    Result<> shard = PrepareShard(draft);
    if (!shard) return shard.error();
    Result<> named = syncer_.Sync(ShardPath(draft));
    if (!named) return named.error();
    return Error{Code::kExists, "", "the draft is committed"};
  }
  Result<std::unique_ptr<File>> file = disk_.Open(DraftPath(draft), OpenMode::kReadWrite);
  if (!file) return file.error();
  auto writer = std::make_unique<Writer>(*this, std::move(*hold), std::move(*file));
  Result<> loaded = writer->Load();
  if (!loaded) return loaded.error();
  return std::unique_ptr<BlobWriter>(std::move(writer));
}

Result<std::shared_ptr<BlobReader>> FileBlobStore::Open(const BlobId& id) const {
  if (!TimeOfWord(id)) return Error{Code::kNotFound, "", "no such blob"};
  Result<std::unique_ptr<File>> opened = disk_.Open(BlobPath(id), OpenMode::kRead);
  if (!opened) return opened.error();
  std::shared_ptr<const File> file = std::move(*opened);
  Result<int64_t> size = file->Size();
  if (!size) return size.error();
  return std::shared_ptr<BlobReader>(new FileBlobReader(std::move(file), *size));
}

Result<> FileBlobStore::Drop(const BlobId& id) {
  if (!TimeOfWord(id)) return Done{};
  bool paused = put_off_.With([&](PutOff& put_off) {
    if (put_off.pauses > 0) put_off.blobs.push_back(id);
    return put_off.pauses > 0;
  });
  return paused ? Result<>(Done{}) : DropNow(id);
}

Result<> FileBlobStore::DropNow(const BlobId& id) {
  return RemoveAll({BlobPath(id), DraftPath(id), MarkPath(id)});
}

std::shared_ptr<const void> FileBlobStore::PauseDrops() {
  put_off_.With([](PutOff& put_off) { ++put_off.pauses; });
  return {this, [this](const void*) { EndPause(); }};
}

void FileBlobStore::EndPause() {
  std::vector<BlobId> due = put_off_.With([](PutOff& put_off) {
    return --put_off.pauses > 0 ? std::vector<BlobId>() : std::exchange(put_off.blobs, {});
  });
  // What cannot be dropped now is swept later.
  for (const BlobId& id : due) (void)DropNow(id);
}

Result<> FileBlobStore::DropDraft(const BlobId& draft) {
  if (!TimeOfWord(draft)) return Done{};
  std::optional<HeldIds::Hold> hold = held_.Take(draft);
  if (!hold) return Error{Code::kUnavailable, "", "the draft is being written"};
  return RemoveAll({DraftPath(draft), MarkPath(draft)});
}

Result<> FileBlobStore::RemoveAll(std::initializer_list<std::string> paths) {
  for (const std::string& path : paths) {
    Result<> removed = disk_.Remove(path);
    if (!removed && removed.error().code != Code::kNotFound) return removed;
  }
  return Done{};
}

Result<> FileBlobStore::List(const std::function<void(const BlobListing&)>& each) const {
  Result<std::vector<std::string>> shards = disk_.List(blobs_);
  if (!shards) return shards.error();
  for (const std::string& shard : *shards) {
    if (shard.size() != kShardDigits) continue;  // a stranger's file
    Result<> listed = ListDirectory(blobs_ + "/" + shard, false, each);
    if (!listed) return listed;
  }
  return ListDirectory(drafts_, true, each);
}

Result<> FileBlobStore::ListDirectory(const std::string& directory, bool drafts,
                                      const std::function<void(const BlobListing&)>& each) const {
  Result<std::vector<std::string>> names = disk_.List(directory);
  if (!names) return names.error();
  for (const std::string& name : *names) {
    std::optional<Time> created = TimeOfWord(name);
    if (!created) continue;  // a mark, or a stranger's file
    // Asked after the name was seen: whoever is not holding it now either never will or has committed
    // the row that refers to it.
    each({name, drafts, held_.Has(name), *created});
  }
  return Done{};
}

Result<> FileBlobStore::PrepareShard(const BlobId& id) {
  std::string shard = ShardPath(id);
  if (durable_shards_.With([&](auto& shards) { return shards.contains(shard); })) return Done{};
  Result<> made = disk_.MakeDirectories(shard);
  if (!made) return made;
  Result<> synced = syncer_.Sync(blobs_);
  if (!synced) return synced;
  durable_shards_.With([&](auto& shards) { shards.insert(shard); });
  return Done{};
}

// Asked with every small object: one look is good for some more answers, as long as there is plenty of room.
Result<> FileBlobStore::CheckRoom() const {
  if (looks_saved_.fetch_sub(1, std::memory_order_relaxed) > 0) return Done{};
  Result<int64_t> room = disk_.FreeBytes(root_);
  if (!room) return room.error();
  int64_t spare = *room - options_.reserve_bytes;
  looks_saved_ = std::clamp<int64_t>(spare / kRoomCheckBytes / kRoomShare, 0, kMaxLooksSaved);
  if (spare >= 0) return Done{};
  refused_.fetch_add(1, std::memory_order_relaxed);
  if (options_.on_full) options_.on_full(*room);
  return Error{Code::kExhausted, "quotaExceeded",
               fmt::format("the disk is full: {} bytes free, {} are kept in reserve", *room,
                           options_.reserve_bytes)};
}

std::string FileBlobStore::MarkPath(const BlobId& id) const {
  return DraftPath(id) + std::string(kMarkSuffix);
}

// The two digits that change every 17 seconds: uploads of one moment share a directory and so its
// sync, and in the long run the 256 directories fill evenly.
std::string FileBlobStore::ShardPath(const BlobId& id) const {
  return blobs_ + "/" + id.substr(8, kShardDigits);
}

}  // namespace fireweed
