// A BlobStore in memory: the twin for tests of what stands on blobs. Nothing survives the process; what
// was not synced is not part of a resumed draft, as after a crash.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/guarded.h"
#include "base/ids.h"
#include "blob/blob_store.h"
#include "blob/held_ids.h"

namespace fireweed {

// Any thread. Readers may outlive it, writers may not. `ids` outlives it.
class MemoryBlobStore final : public BlobStore {
 public:
  explicit MemoryBlobStore(IdSource& ids) : ids_(ids) {}

  Result<std::unique_ptr<BlobWriter>> Create() override;
  Result<std::unique_ptr<BlobWriter>> Resume(const BlobId& draft) override;
  Result<std::shared_ptr<BlobReader>> Open(const BlobId& id) const override;
  Result<> Drop(const BlobId& id) override;
  Result<> DropDraft(const BlobId& draft) override;
  Result<> List(const std::function<void(const BlobListing&)>& each) const override;

 private:
  class Writer;
  struct Content {
    std::map<BlobId, std::string> drafts;  // what was synced of each
    std::map<BlobId, std::shared_ptr<const std::string>> blobs;
  };

  IdSource& ids_;
  // Locked inside.
  HeldIds held_;
  Guarded<Content> content_;
};

}  // namespace fireweed
