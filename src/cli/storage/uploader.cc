#include "cli/storage/uploader.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/unique_fd.h"
#include "cli/storage/local_bytes.h"

namespace fireweed::cli {
namespace {

namespace storage = api::storage;

// Larger files go up resumably; a stream's pieces have this size, a multiple of what the protocol asks for.
constexpr int64_t kPiece = 8 << 20;

// A part of a file, summed and counted while it is sent.
class FileSource final : public net::ByteSource {
 public:
  FileSource(int fd, int64_t offset, int64_t end, uint32_t crc, Progress& progress)
      : fd_(fd), start_(offset), offset_(offset), end_(end), crc_(crc), progress_(progress) {}

  Result<size_t> Read(std::span<std::byte> out) override {
    size_t want =
        static_cast<size_t>(std::min<int64_t>(static_cast<int64_t>(out.size()), end_ - offset_));
    if (want == 0) return size_t{0};
    Result<size_t> got = ReadAt(fd_, offset_, out.first(want));
    if (!got.ok()) return got;
    if (*got == 0) return Error{Code::kInvalid, "", "the file became shorter while it was sent"};
    crc_ = Crc32c(out.first(*got), crc_);
    offset_ += static_cast<int64_t>(*got);
    progress_.Add(static_cast<int64_t>(*got));
    return got;
  }
  std::optional<int64_t> size() const override { return end_ - start_; }
  uint32_t crc() const { return crc_; }
  int64_t sent() const { return offset_ - start_; }

 private:
  const int fd_;
  const int64_t start_;
  int64_t offset_;
  const int64_t end_;
  uint32_t crc_;
  Progress& progress_;
};

class TextSource final : public net::ByteSource {
 public:
  explicit TextSource(std::string_view text) : text_(text), size_(text.size()) {}
  Result<size_t> Read(std::span<std::byte> out) override {
    size_t count = std::min(out.size(), text_.size());
    std::memcpy(out.data(), text_.data(), count);
    text_.remove_prefix(count);
    return count;
  }
  std::optional<int64_t> size() const override { return static_cast<int64_t>(size_); }

 private:
  std::string_view text_;
  const size_t size_;
};

}  // namespace

// Where an upload of a large file stands: survives broken connections.
struct Uploader::LargeUpload {
  int fd;
  const std::string& path;
  const LocalFacts& facts;
  const StorageUrl& to;
  const UploadSpec& spec;
  std::string session;     // empty: none yet
  bool fresh = false;      // the session is new: nothing to ask
  int64_t counted = 0;     // bytes told to the progress
  int64_t persisted = -1;  // as the server last said
  uint32_t crc = 0;        // of the whole file once done
  storage::Object object;  // once done
};

void Uploader::Verify(const storage::Object& object, uint32_t crc) {
  if (object.crc32c.empty() || object.crc32c == Crc32cToBase64(crc)) return;
  storage::DeleteObject bad;
  bad.bucket = object.bucket;
  bad.object = object.name;
  bad.generation = object.generation;
  client_.rest().Call(storage::kDeleteObject, bad);
  throw Failure(
      Code::kPrecondition,
      fmt::format("gs://{}/{}: the checksum of what arrived is not that of what was sent; "
                  "it was removed again",
                  object.bucket, object.name));
}

// One try to send the rest. True when the object is there.
bool Uploader::Advance(LargeUpload& upload) {
  const int64_t total = upload.facts.size;
  UploadState state;
  if (upload.session.empty()) {
    upload.session = client_.StartUpload(upload.spec);
    tracker_.Keep(upload.path, upload.facts, upload.to, upload.session);
  } else if (!upload.fresh) {
    try {
      state = client_.AskUpload(upload.session, total);
    } catch (const Failure& failure) {
      Code code = failure.error().code;
      if (code != Code::kNotFound && code != Code::kGone) throw;
      upload.session.clear();  // it has expired: from the start
      throw Failure(Code::kUnavailable, "the upload has expired");
    }
  }
  upload.fresh = false;
  if (state.done) {
    upload.object = state.object;
    upload.crc = CrcOfFile(upload.fd, total);
    progress_.Add(total - upload.counted);
    return true;
  }
  progress_.Add(state.persisted - upload.counted);
  upload.counted = upload.persisted = state.persisted;
  FileSource source(upload.fd, state.persisted, total, CrcOfFile(upload.fd, state.persisted),
                    progress_);
  try {
    UploadState after = client_.ContinueUpload(upload.session, state.persisted,
                                               total - state.persisted, total, &source);
    upload.counted += source.sent();
    upload.crc = source.crc();
    upload.object = after.object;
    return after.done;
  } catch (const Failure&) {
    upload.counted += source.sent();
    throw;
  }
}

storage::Object Uploader::SendLarge(int fd, const std::string& path, const LocalFacts& facts,
                                    const StorageUrl& to, const UploadSpec& spec) {
  LargeUpload upload{fd, path, facts, to, spec};
  upload.session = tracker_.Find(path, facts, to).value_or("");
  Retry retry(stop_);
  int64_t before = -1;
  try {
    retry.Run([&] {
      bool done = Advance(upload);
      if (upload.persisted > before) retry.Moved();
      before = upload.persisted;
      if (!done) throw Failure(Code::kUnavailable, "the server took a part of the upload only");
    });
  } catch (const Failure& failure) {
    if (!IsTransient(failure.error())) tracker_.Forget(path, to);
    throw;
  }
  tracker_.Forget(path, to);
  Verify(upload.object, upload.crc);
  return upload.object;
}

storage::Object Uploader::UploadFile(const std::string& path, const StorageUrl& to,
                                     const ObjectSettings& settings, bool keep_mtime) {
  UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) throw Failure(ErrnoError(errno, "read " + path));
  LocalFacts facts = LookAt(path);
  std::optional<int64_t> mtime;
  if (keep_mtime) mtime = facts.mtime;
  UploadSpec spec = settings.Spec(to.bucket, to.name, path, mtime);
  if (facts.size > kPiece) return SendLarge(file.get(), path, facts, to, spec);
  std::string bytes(static_cast<size_t>(kPiece) + 1, '\0');
  bytes.resize(ReadFully(file.get(), std::as_writable_bytes(std::span(bytes))));
  if (static_cast<int64_t>(bytes.size()) > kPiece) {
    throw Failure(Code::kInvalid, fmt::format("{} grew while it was read", path));
  }
  // The server compares it with what arrives.
  spec.metadata["crc32c"] = JsonTree::Text(Crc32cToBase64(Crc32c(AsBytes(bytes))));
  Retry retry(stop_);
  storage::Object object = retry.Run([&] { return client_.Upload(spec, bytes); });
  progress_.Add(static_cast<int64_t>(bytes.size()));
  return object;
}

storage::Object Uploader::UploadStream(int fd, const StorageUrl& to,
                                       const ObjectSettings& settings) {
  UploadSpec spec = settings.Spec(to.bucket, to.name, to.name, std::nullopt);
  Retry retry(stop_);
  std::string session = retry.Run([&] { return client_.StartUpload(spec); });
  std::string piece(static_cast<size_t>(kPiece), '\0');
  int64_t offset = 0;
  uint32_t crc = 0;
  while (true) {
    size_t count = ReadFully(fd, std::as_writable_bytes(std::span(piece)));
    bool last = count < piece.size();
    std::string_view bytes = std::string_view(piece).substr(0, count);
    crc = Crc32c(AsBytes(bytes), crc);
    const int64_t end = offset + static_cast<int64_t>(count);
    std::optional<int64_t> total;
    if (last) total = end;
    bool ask = false;
    int64_t from = offset;
    UploadState state = retry.Run([&] {
      if (ask) {
        UploadState seen = client_.AskUpload(session, total);
        if (seen.done || seen.persisted >= end) return seen;
        from = std::max(seen.persisted, offset);
      }
      ask = true;
      TextSource source(bytes.substr(static_cast<size_t>(from - offset)));
      UploadState next = client_.ContinueUpload(session, from, end - from, total, &source);
      if (!next.done && next.persisted < end)
        throw Failure(Code::kUnavailable, "the server took a part of the upload only");
      return next;
    });
    progress_.Add(static_cast<int64_t>(count));
    retry.Moved();
    offset = end;
    if (!last) continue;
    if (!state.done) throw Failure(Code::kInternal, "the server did not end the upload");
    Verify(state.object, crc);
    return state.object;
  }
}

}  // namespace fireweed::cli
