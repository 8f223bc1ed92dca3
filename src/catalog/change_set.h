// The rows that one transaction changed, each once, in the order of their first change: what the
// feed reports.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/catalog.h"

namespace fireweed {

class ChangeSet {
 public:
  // False when the row is known already.
  bool Add(std::string_view kind, std::string_view key) {
    auto [it, added] = known_.emplace(kind, key);
    if (added) order_.push_back(&*it);
    return added;
  }
  bool empty() const { return order_.empty(); }

  void Feed(const std::vector<Catalog::Sink>& sinks) const {
    for (const auto* address : order_) {
      for (const Catalog::Sink& sink : sinks) sink(address->first, address->second);
    }
  }

 private:
  using Address = std::pair<std::string, Key>;
  std::set<Address> known_;
  std::vector<const Address*> order_;  // into known_, whose nodes stay where they are
};

}  // namespace fireweed
