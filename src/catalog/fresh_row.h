// A row as it is now, for controllers. The commit feed wakes them and drops cached rows in no particular order: one that
// was woken by a commit and then read a RowCache could still meet the row from before it, and nothing would wake it again.
// May block for a catalog read. A failure: throws what Catalog::Read throws.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "catalog/catalog.h"

namespace fireweed {

// Null: there is no such row.
template <class T>
std::shared_ptr<const Row<T>> FreshRow(const Catalog& catalog, const Key& key) {
  std::optional<Row<T>> row = Query(catalog, [&](Txn& txn) { return txn.Find<T>(key); });
  return row ? std::make_shared<const Row<T>>(*std::move(row)) : nullptr;
}

}  // namespace fireweed
