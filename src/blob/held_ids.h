// The ids that live writers hold: sweep keeps off them, and no draft has two writers.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/guarded.h"
#include "blob/blob_store.h"

namespace fireweed {

// Any thread; does not block.
class HeldIds {
 public:
  // Lets go of its id when destroyed. May outlive the HeldIds it came from.
  class Hold {
   public:
    Hold(std::shared_ptr<Guarded<std::set<BlobId>>> ids, BlobId id)
        : ids_(std::move(ids)), id_(std::move(id)) {}
    Hold(Hold&&) = default;
    Hold& operator=(Hold&&) = delete;
    ~Hold() {
      if (!ids_) return;
      ids_->With([&](auto& ids) { ids.erase(id_); });
    }
    const BlobId& id() const { return id_; }

   private:
    std::shared_ptr<Guarded<std::set<BlobId>>> ids_;  // null when moved from
    BlobId id_;
  };

  // nullopt when someone holds it.
  std::optional<Hold> Take(const BlobId& id) {
    bool taken = ids_->With([&](auto& ids) { return ids.insert(id).second; });
    if (!taken) return std::nullopt;
    return Hold(ids_, id);
  }
  bool Has(const BlobId& id) const {
    return ids_->With([&](const auto& ids) { return ids.contains(id); });
  }

 private:
  std::shared_ptr<Guarded<std::set<BlobId>>> ids_ = std::make_shared<Guarded<std::set<BlobId>>>();
};

}  // namespace fireweed
