// The catalog's twin in memory: same order, versions, isolation and feed, nothing on disk. For
// tests and simulations. Bodies run one after another on the thread that calls Write, each of them
// twice, the first time in vain; reads run beside each other.
#pragma once

#include <atomic>
#include <shared_mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "catalog/catalog.h"

namespace fireweed {

class MemoryCatalog final : public Catalog {
 public:
  void Write(std::string_view why, const std::function<void(Txn&)>& body,
             Lane lane = Lane::kControl) override;
  void Read(const std::function<void(Txn&)>& body) const override;
  void OnCommit(Sink sink) override;

 private:
  struct Stored {
    int64_t version = 0;
    std::string body;
  };
  using Address = std::pair<std::string, Key>;  // kind, key
  using Table = std::map<Address, Stored, std::less<>>;
  class MemoryTxn;

  void RefuseWhileWriting(std::string_view call) const;

  mutable std::shared_mutex mu_;
  Table table_;                            // guarded by mu_
  std::vector<Sink> sinks_;                // guarded by mu_
  std::atomic<std::thread::id> writer_{};  // whose body or sink is running
};

}  // namespace fireweed
