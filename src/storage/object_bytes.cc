#include "storage/object_bytes.h"

#include <algorithm>

namespace fireweed::storage {

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

Result<std::shared_ptr<const ObjectBytes>> ObjectBytes::Open(const BlobStore& blobs,
                                                             const ObjectRow& row) {
  auto bytes = std::make_shared<ObjectBytes>();
  for (const ObjectPart& part : row.parts) {
    if (part.size == 0) continue;
    Result<std::shared_ptr<BlobReader>> reader = blobs.Open(part.blob);
    if (!reader.ok()) return reader.error();
    if ((*reader)->size() != part.size) {
      return Error{Code::kInternal, "", "a blob has not the size that its row says"};
    }
    bytes->parts_.push_back({bytes->size_, *reader});
    bytes->size_ += part.size;
  }
  return std::shared_ptr<const ObjectBytes>(std::move(bytes));
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
  std::shared_ptr<const File> file = part.reader->file();
  if (file && within + range.length <= part.reader->size()) {
    response.body = net::FileSlice{std::move(file), within, range.length};
  } else {
    response.body = std::make_unique<Source>(parts_, size_, range);
  }
}

}  // namespace fireweed::storage
