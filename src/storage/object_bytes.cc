#include "storage/object_bytes.h"

#include <algorithm>

#include <fmt/format.h>

#include "blob/bytes_reader.h"
#include "storage/small_blobs.h"

namespace fireweed::storage {
namespace {

Result<std::shared_ptr<const std::string>> SmallBytes(Txn& txn, const BlobId& id) {
  std::optional<Row<SmallBlob>> row = txn.Find<SmallBlob>(id);
  if (!row) return Error{Code::kInternal, "", fmt::format("small blob {} is missing", id)};
  return std::make_shared<const std::string>(std::move(row->value.bytes));
}

}  // namespace

class ObjectBytes::Source final : public net::ByteSource {
 public:
  Source(std::vector<Part> parts, int64_t size, const ByteRange& range)
      : at_(range.first), left_(range.length) {
    bytes_.parts_ = std::move(parts);
    bytes_.size_ = size;
    length_ = range.length;
  }
  Result<size_t> Read(std::span<std::byte> out) override {
    if (left_ == 0) return size_t{0};
    size_t most = static_cast<size_t>(std::min<int64_t>(left_, static_cast<int64_t>(out.size())));
    Result<size_t> got = bytes_.ReadAt(at_, out.subspan(0, most));
    if (!got.ok()) return got;
    if (*got == 0) return Error{Code::kInternal, "", "an object is shorter than its row says"};
    at_ += static_cast<int64_t>(*got);
    left_ -= static_cast<int64_t>(*got);
    return got;
  }
  std::optional<int64_t> size() const override { return length_; }

 private:
  ObjectBytes bytes_;
  int64_t at_, left_, length_ = 0;
};

Result<ObjectBytes::Part> ObjectBytes::OpenPart(Txn& txn, const BlobStore& blobs,
                                                const ObjectPart& part) {
  Part opened{0, nullptr, nullptr};
  if (IsSmallBlob(part.blob)) {
    Result<std::shared_ptr<const std::string>> small = SmallBytes(txn, part.blob);
    if (!small.ok()) return small.error();
    opened.small = *small;
    opened.reader = std::make_shared<BytesReader>(*small);
  } else {
    Result<std::shared_ptr<BlobReader>> reader = blobs.Open(part.blob);
    if (!reader.ok()) return reader.error();
    opened.reader = *reader;
  }
  if (opened.reader->size() == part.size) return opened;
  return Error{Code::kInternal, "", "a blob has not the size that its row says"};
}

Result<std::shared_ptr<const ObjectBytes>> ObjectBytes::Open(Txn& txn, const BlobStore& blobs,
                                                             const ObjectRow& row) {
  auto bytes = std::make_shared<ObjectBytes>();
  for (const ObjectPart& part : row.parts) {
    if (part.size == 0) continue;
    Result<Part> opened = OpenPart(txn, blobs, part);
    if (!opened.ok()) return opened.error();
    opened->first = bytes->size_;
    bytes->parts_.push_back(*std::move(opened));
    bytes->size_ += part.size;
  }
  return std::shared_ptr<const ObjectBytes>(std::move(bytes));
}

std::shared_ptr<const std::string> ObjectBytes::in_memory() const {
  return parts_.size() == 1 ? parts_[0].small : nullptr;
}

const ObjectBytes::Part& ObjectBytes::PartAt(int64_t offset) const {
  auto after = std::upper_bound(parts_.begin(), parts_.end(), offset,
                                [](int64_t at, const Part& part) { return at < part.first; });
  return *(after - 1);
}

Result<size_t> ObjectBytes::ReadAt(int64_t offset, std::span<std::byte> out) const {
  if (offset < 0 || offset >= size_) return size_t{0};
  const Part& part = PartAt(offset);
  return part.reader->ReadAt(offset - part.first, out);
}

void ObjectBytes::SendAs(net::Response& response, const ByteRange& range) const {
  if (range.length == 0) {
    response.body = std::string();
    return;
  }
  const Part& part = PartAt(range.first);
  int64_t within = range.first - part.first;
  if (part.small && within + range.length <= part.reader->size()) {
    bool whole = range.length == part.reader->size();
    if (whole) {
      response.body = part.small;
    } else {
      response.body =
          part.small->substr(static_cast<size_t>(within), static_cast<size_t>(range.length));
    }
    return;
  }
  std::shared_ptr<const File> file = part.reader->file();
  if (file && within + range.length <= part.reader->size()) {
    response.body = net::FileSlice{std::move(file), within, range.length};
  } else {
    response.body = std::make_unique<Source>(parts_, size_, range);
  }
}

}  // namespace fireweed::storage
