// A BlobStore that does as another one does until it is told to fail: for tests of what stands on blobs.
#pragma once

#include <memory>
#include <optional>

#include "base/guarded.h"
#include "blob/blob_store.h"

namespace fireweed {

enum class BlobFault {
  kBefore,  // the call fails and does nothing
  kHalf,    // an Append stores half of its bytes and fails, a ReadAt gives half of what is there;
            // other calls as kBefore
  kAfter,   // the call does its work and fails all the same
};

// Any thread. Counts from 1 every call that can fail, on the store and on its writers and readers.
// `inner` outlives the store; writers and readers may outlive the wrapper.
class FaultyBlobStore final : public BlobStore {
 public:
  explicit FaultyBlobStore(BlobStore& inner);

  void FailAt(int64_t call, BlobFault fault, Error error);
  int64_t calls() const;

  Result<std::unique_ptr<BlobWriter>> Create() override;
  Result<std::unique_ptr<BlobWriter>> Resume(const BlobId& draft) override;
  Result<std::shared_ptr<BlobReader>> Open(const BlobId& id) const override;
  Result<> Drop(const BlobId& id) override;
  Result<> DropDraft(const BlobId& draft) override;
  Result<> List(const std::function<void(const BlobListing&)>& each) const override;
  std::shared_ptr<const void> PauseDrops() override { return inner_.PauseDrops(); }
  Result<> CheckRoom() const override { return inner_.CheckRoom(); }

 private:
  class Plan;
  class Writer;
  class Reader;

  BlobStore& inner_;
  std::shared_ptr<Plan> plan_;  // shared with writers and readers
};

}  // namespace fireweed
