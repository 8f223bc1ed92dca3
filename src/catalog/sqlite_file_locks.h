// The locks on one database file and its write-ahead log among the connections of one process, by
// SQLite's rules, and the log's shared memory. One per file, shared by its open handles; any
// thread; never waits.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace fireweed {

class SqliteFileLocks {
 public:
  // In SQLite's order: none, shared, reserved, pending, exclusive.
  enum Level { kNone, kShared, kReserved, kPending, kExclusive };
  static constexpr int kLogSlots = 8;

  // What one open handle holds; changed only by the functions here.
  struct Holder {
    Level level = kNone;
    unsigned shared_slots = 0, exclusive_slots = 0;  // bit i: slot i of the log
  };

  // False: another handle is in the way. A refused kExclusive may leave the holder pending, which
  // keeps new readers out until it gives up or gets through.
  bool Raise(Holder& holder, Level level);
  void Lower(Holder& holder, Level level);
  bool AnyoneReserved() const;

  bool LockSlots(Holder& holder, int first, int count, bool exclusive);
  void UnlockSlots(Holder& holder, int first, int count);
  // The `index`th piece of the log's shared memory; null when it does not exist and is not to be
  // made.
  volatile void* Region(int index, int size, bool make);
  void Barrier();

 private:
  mutable std::mutex mu_;
  // All guarded by mu_.
  int readers_ = 0;  // handles at kShared or above
  const Holder* reserved_ = nullptr;
  const Holder* pending_ = nullptr;  // pending or exclusive
  std::array<int, kLogSlots> slot_readers_{};
  std::array<const Holder*, kLogSlots> slot_owner_{};
  std::vector<std::unique_ptr<std::byte[]>> regions_;
};

}  // namespace fireweed
