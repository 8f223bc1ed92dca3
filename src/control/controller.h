// What for: takes objects of one record kind from what is seen to what is wanted, a step at a time.
// Who calls: the control loop, on the one control thread; never twice at once.
// May block: for catalog reads and writes only; slow calls go to an ActionPool.
// Owns: nothing that matters. Everything a step needs is in the catalog or the world, because the
//   process may end between any two lines.
// A failure: an exception is logged by the loop and the key is tried again later.
//
// The cycle is always: read, plan and write the intent in one transaction; act outside it; record
// what happened in a second one, which wakes the key again.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "catalog/catalog.h"

namespace fireweed {

class Controller {
 public:
  virtual ~Controller() = default;

  // The record kind of its objects: a commit of one of them wakes it. Unique among the loop's
  // controllers.
  virtual std::string_view kind() const = 0;

  // Takes one object a step nearer to what is wanted. Idempotent, and safe to be cut off anywhere;
  // the row may be gone. Returns when to look again if nothing wakes it sooner.
  virtual std::optional<Time> Reconcile(const Key& key) = 0;

  // Other kinds whose commits may concern its objects, and which ones: a group looks at its
  // members. Concerns runs on the control thread and may read the catalog.
  virtual std::vector<std::string_view> also_watches() const { return {}; }
  virtual std::vector<Key> Concerns(std::string_view /*kind*/, const Key& /*key*/) { return {}; }

  // What to look at when the loop starts; nullopt means every stored object of the kind.
  virtual std::optional<std::vector<Key>> start_keys() const { return std::nullopt; }
};

}  // namespace fireweed
