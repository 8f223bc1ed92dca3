#include "catalog/sqlite_file_locks.h"

#include <gtest/gtest.h>

namespace fireweed {
namespace {

using Locks = SqliteFileLocks;

TEST(FileLocks, ManyReadOneReservesAndExclusiveIsAlone) {
  Locks locks;
  Locks::Holder a, b, c;
  EXPECT_TRUE(locks.Raise(a, Locks::kShared));
  EXPECT_TRUE(locks.Raise(b, Locks::kShared));
  EXPECT_FALSE(locks.AnyoneReserved());
  EXPECT_TRUE(locks.Raise(a, Locks::kReserved));
  EXPECT_TRUE(locks.AnyoneReserved());
  EXPECT_FALSE(locks.Raise(b, Locks::kReserved));
  EXPECT_FALSE(locks.Raise(a, Locks::kExclusive));
  EXPECT_EQ(a.level, Locks::kPending);
  EXPECT_FALSE(locks.Raise(c, Locks::kShared)) << "a pending one keeps new readers out";
  locks.Lower(b, Locks::kNone);
  EXPECT_TRUE(locks.Raise(a, Locks::kExclusive));
  EXPECT_FALSE(locks.Raise(c, Locks::kShared));
  locks.Lower(a, Locks::kShared);
  EXPECT_TRUE(locks.Raise(c, Locks::kShared));
  EXPECT_TRUE(locks.Raise(c, Locks::kReserved));
}

TEST(FileLocks, TwoThatWantExclusiveDoNotBothGetIt) {
  Locks locks;
  Locks::Holder a, b;
  locks.Raise(a, Locks::kShared);
  locks.Raise(b, Locks::kShared);
  EXPECT_FALSE(locks.Raise(a, Locks::kExclusive));
  EXPECT_FALSE(locks.Raise(b, Locks::kExclusive));
  EXPECT_EQ(b.level, Locks::kShared);
  locks.Lower(b, Locks::kNone);
  EXPECT_TRUE(locks.Raise(a, Locks::kExclusive));
}

TEST(FileLocks, LogSlotsAreSharedOrExclusive) {
  Locks locks;
  Locks::Holder a, b;
  EXPECT_TRUE(locks.LockSlots(a, 3, 1, false));
  EXPECT_TRUE(locks.LockSlots(b, 3, 1, false));
  EXPECT_FALSE(locks.LockSlots(b, 3, 1, true));
  EXPECT_FALSE(locks.LockSlots(b, 0, 8, true)) << "all or none";
  EXPECT_TRUE(locks.LockSlots(a, 0, 3, true));
  EXPECT_FALSE(locks.LockSlots(b, 2, 1, false));
  locks.UnlockSlots(a, 0, Locks::kLogSlots);
  EXPECT_TRUE(locks.LockSlots(b, 0, 8, true)) << "one's own shared lock is not in the way";
  EXPECT_FALSE(locks.LockSlots(a, 7, 1, false));
}

TEST(FileLocks, RegionsStayWhereTheyAreAndBeginAsZero) {
  Locks locks;
  EXPECT_EQ(locks.Region(0, 64, false), nullptr);
  auto* first = static_cast<volatile char*>(locks.Region(1, 64, true));
  EXPECT_EQ(first[63], 0);
  first[63] = 7;
  for (int i = 2; i < 50; ++i) locks.Region(i, 64, true);
  EXPECT_EQ(locks.Region(1, 64, false), first);
  EXPECT_NE(locks.Region(0, 64, false), nullptr);
}

}  // namespace
}  // namespace fireweed
