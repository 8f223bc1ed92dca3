#include "catalog/sqlite_file_locks.h"

namespace fireweed {

bool SqliteFileLocks::Raise(Holder& holder, Level level) {
  std::lock_guard lock(mu_);
  if (holder.level >= level) return true;
  if (level == kShared) {
    if (pending_ != nullptr) return false;
    ++readers_;
  } else if (level == kReserved) {
    if (reserved_ != nullptr) return false;
    reserved_ = &holder;
  } else {
    // Straight from shared to exclusive, without reserved, is how a hot journal is rolled back.
    if (pending_ != nullptr && pending_ != &holder) return false;
    if (reserved_ != nullptr && reserved_ != &holder) return false;
    pending_ = &holder;
    if (level == kExclusive && readers_ > 1) {
      holder.level = kPending;
      return false;
    }
  }
  holder.level = level;
  return true;
}

void SqliteFileLocks::Lower(Holder& holder, Level level) {
  std::lock_guard lock(mu_);
  if (holder.level <= level) return;
  if (reserved_ == &holder) reserved_ = nullptr;
  if (pending_ == &holder) pending_ = nullptr;
  if (level == kNone) --readers_;
  holder.level = level;
}

bool SqliteFileLocks::AnyoneReserved() const {
  std::lock_guard lock(mu_);
  return reserved_ != nullptr || pending_ != nullptr;
}

bool SqliteFileLocks::LockSlots(Holder& holder, int first, int count, bool exclusive) {
  std::lock_guard lock(mu_);
  for (int slot = first; slot < first + count; ++slot) {
    bool mine = (holder.shared_slots >> slot & 1) != 0;
    int others = slot_readers_[slot] - (mine ? 1 : 0);
    if (slot_owner_[slot] != nullptr && slot_owner_[slot] != &holder) return false;
    if (exclusive && others > 0) return false;
  }
  for (int slot = first; slot < first + count; ++slot) {
    unsigned bit = 1u << slot;
    if (exclusive) {
      slot_owner_[slot] = &holder;
      holder.exclusive_slots |= bit;
    } else if ((holder.shared_slots & bit) == 0) {
      ++slot_readers_[slot];
      holder.shared_slots |= bit;
    }
  }
  return true;
}

void SqliteFileLocks::UnlockSlots(Holder& holder, int first, int count) {
  std::lock_guard lock(mu_);
  for (int slot = first; slot < first + count; ++slot) {
    unsigned bit = 1u << slot;
    if ((holder.exclusive_slots & bit) != 0) slot_owner_[slot] = nullptr;
    if ((holder.shared_slots & bit) != 0) --slot_readers_[slot];
    holder.exclusive_slots &= ~bit;
    holder.shared_slots &= ~bit;
  }
}

volatile void* SqliteFileLocks::Region(int index, int size, bool make) {
  std::lock_guard lock(mu_);
  if (index >= std::ssize(regions_)) {
    if (!make) return nullptr;
    while (index >= std::ssize(regions_)) {
      regions_.push_back(std::make_unique<std::byte[]>(static_cast<size_t>(size)));
    }
  }
  return regions_[static_cast<size_t>(index)].get();
}

void SqliteFileLocks::Barrier() {
  // Taking the lock orders memory for every thread that takes it as well.
  std::lock_guard lock(mu_);
}

}  // namespace fireweed
