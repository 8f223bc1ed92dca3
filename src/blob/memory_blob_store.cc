#include "blob/memory_blob_store.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "blob/bytes_reader.h"
#include "blob/running_sums.h"

namespace fireweed {
class MemoryBlobStore::Writer final : public BlobWriter {
 public:
  Writer(MemoryBlobStore& store, HeldIds::Hold hold, std::string bytes)
      : store_(store), hold_(std::move(hold)), bytes_(std::move(bytes)) {
    sums_.Add(AsBytes(bytes_));
  }
  const BlobId& id() const override { return hold_.id(); }
  int64_t size() const override { return sums_.size(); }
  BlobInfo Sums() const override { return sums_.For(id()); }

  Result<> Append(std::span<const std::byte> bytes) override {
    if (failure_) return *failure_;
    bytes_ += AsText(bytes);
    sums_.Add(bytes);
    return Done{};
  }

  Result<int64_t> Sync() override {
    if (failure_) return *failure_;
    store_.content_.With([&](Content& content) {
      auto draft = content.drafts.find(id());
      if (draft != content.drafts.end()) draft->second = bytes_;
    });
    return size();
  }

  Result<BlobInfo> Commit() override {
    if (failure_) return *failure_;
    auto blob = std::make_shared<const std::string>(std::move(bytes_));
    bool there = store_.content_.With([&](Content& content) {
      if (content.drafts.erase(id()) == 0) return false;
      content.blobs[id()] = std::move(blob);
      return true;
    });
    failure_ = there ? Error{Code::kPrecondition, "", "the blob is committed"}
                     : Error{Code::kNotFound, "", "the draft was dropped"};
    if (!there) return *failure_;
    return Sums();
  }

 private:
  MemoryBlobStore& store_;
  HeldIds::Hold hold_;
  std::string bytes_;
  RunningSums sums_;
  std::optional<Error> failure_;
};

Result<std::unique_ptr<BlobWriter>> MemoryBlobStore::Create() {
  BlobId id = ids_.NextWord();
  std::optional<HeldIds::Hold> hold = held_.Take(id);
  if (!hold) return Error{Code::kInternal, "", "an id came twice"};
  content_.With([&](Content& content) { content.drafts[id]; });
  return std::unique_ptr<BlobWriter>(new Writer(*this, std::move(*hold), ""));
}

Result<std::unique_ptr<BlobWriter>> MemoryBlobStore::Resume(const BlobId& draft) {
  std::optional<HeldIds::Hold> hold = held_.Take(draft);
  if (!hold) return Error{Code::kUnavailable, "", "the draft is being written"};
  return content_.With([&](Content& content) -> Result<std::unique_ptr<BlobWriter>> {
    if (content.blobs.contains(draft)) {
      return Error{Code::kExists, "", "the draft is committed"};
    }
    auto found = content.drafts.find(draft);
    if (found == content.drafts.end()) return Error{Code::kNotFound, "", "no such draft"};
    return std::unique_ptr<BlobWriter>(new Writer(*this, std::move(*hold), found->second));
  });
}

Result<std::shared_ptr<BlobReader>> MemoryBlobStore::Open(const BlobId& id) const {
  return content_.With([&](const Content& content) -> Result<std::shared_ptr<BlobReader>> {
    auto found = content.blobs.find(id);
    if (found == content.blobs.end()) return Error{Code::kNotFound, "", "no such blob"};
    return std::shared_ptr<BlobReader>(new BytesReader(found->second));
  });
}

Result<> MemoryBlobStore::Drop(const BlobId& id) {
  content_.With([&](Content& content) {
    content.drafts.erase(id);
    content.blobs.erase(id);
  });
  return Done{};
}

Result<> MemoryBlobStore::DropDraft(const BlobId& draft) {
  std::optional<HeldIds::Hold> hold = held_.Take(draft);
  if (!hold) return Error{Code::kUnavailable, "", "the draft is being written"};
  content_.With([&](Content& content) { content.drafts.erase(draft); });
  return Done{};
}

Result<> MemoryBlobStore::List(const std::function<void(const BlobListing&)>& each) const {
  std::vector<std::pair<BlobId, bool>> ids;
  content_.With([&](const Content& content) {
    for (const auto& [id, bytes] : content.blobs) ids.emplace_back(id, false);
    for (const auto& [id, bytes] : content.drafts) ids.emplace_back(id, true);
  });
  for (const auto& [id, draft] : ids) {
    each({id, draft, held_.Has(id), TimeOfWord(id).value_or(Time{})});
  }
  return Done{};
}

}  // namespace fireweed
