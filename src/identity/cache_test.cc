// The two tables behind hot requests, and that neither is ever behind the catalog.
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "base/sim_clock.h"
#include "catalog/memory_catalog.h"
#include "identity/access.h"
#include "identity/caller_cache.h"
#include "identity/decision_cache.h"
#include "identity/policies.h"
#include "identity/tokens.h"

namespace fireweed::identity {
namespace {

constexpr HashKey kKey{1, 2};

std::shared_ptr<const net::Caller> Ann() {
  return std::make_shared<const net::Caller>(net::Caller{"user:ann@x", "ann@x", "", {}});
}

TEST(KeyedHash, TellsPiecesAndKeysApart) {
  auto tag = [](HashKey key, std::string_view a, std::string_view b) {
    return KeyedHash(key).Add(a).Add(b).Finish();
  };
  EXPECT_EQ(tag(kKey, "ab", "c"), tag(kKey, "ab", "c"));
  EXPECT_FALSE(tag(kKey, "ab", "c") == tag(kKey, "a", "bc"));
  EXPECT_FALSE(tag(kKey, "", "abc") == tag(kKey, "abc", ""));
  EXPECT_FALSE(tag(kKey, "12345678", "") == tag(kKey, "", "12345678"));
  EXPECT_FALSE(tag(kKey, std::string_view("a\0", 2), "") == tag(kKey, "a", ""));
  EXPECT_FALSE(tag(kKey, "ab", "c") == tag({1, 3}, "ab", "c"));
}

TEST(CallerCache, ForgetsWhatWasDroppedExpiredOrPushedOut) {
  CallerCache cache(kKey, 64);
  Time now = FromMicros(1000), later = FromMicros(2000);
  Tag128 tag = cache.TagOf("token");
  cache.Keep(tag, "row", Ann(), later, cache.Turn());
  EXPECT_NE(cache.Find(tag, now), nullptr);
  EXPECT_NE(cache.Find(tag, later), nullptr);
  EXPECT_EQ(cache.Find(tag, later + Duration(1)), nullptr);
  EXPECT_EQ(cache.Find(cache.TagOf("tokem"), now), nullptr);
  cache.DropRow("another");
  EXPECT_NE(cache.Find(tag, now), nullptr);
  cache.DropRow("row");
  EXPECT_EQ(cache.Find(tag, now), nullptr);

  for (int i = 0; i < 1000; ++i) {
    std::string name = std::to_string(i);
    cache.Keep(cache.TagOf(name), name, Ann(), later, cache.Turn());
  }
  int kept = 0;
  for (int i = 0; i < 1000; ++i) kept += cache.Find(cache.TagOf(std::to_string(i)), now) != nullptr;
  EXPECT_LE(kept, 80);
  EXPECT_GE(kept, 32);
  cache.Clear();
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(cache.Find(cache.TagOf(std::to_string(i)), now), nullptr);
}

TEST(CallerCache, AFillThatBeganBeforeADropIsNotKept) {
  CallerCache cache(kKey, 64);
  Tag128 tag = cache.TagOf("token");
  uint64_t turn = cache.Turn();  // the row is read here
  cache.DropRow("row");          // and changed before the fill arrives
  cache.Keep(tag, "row", Ann(), FromMicros(2000), turn);
  EXPECT_EQ(cache.Find(tag, FromMicros(1)), nullptr);
}

TEST(DecisionCache, AnAnswerLastsForItsTurnAndItsQuestion) {
  DecisionCache cache(kKey);
  net::Caller ann = *Ann();
  auto tag = [&](std::string_view permission, std::string_view resource) {
    return cache.TagOf(cache.Turn(), ann, permission, resource);
  };
  EXPECT_EQ(cache.Find(tag("p", "r")), std::nullopt);
  cache.Keep(tag("p", "r"), true);
  cache.Keep(tag("q", "r"), false);
  EXPECT_EQ(cache.Find(tag("p", "r")), true);
  EXPECT_EQ(cache.Find(tag("q", "r")), false);
  EXPECT_EQ(cache.Find(tag("p", "rr")), std::nullopt);
  ann.scopes = {"s"};
  EXPECT_EQ(cache.Find(tag("p", "r")), std::nullopt);
  ann.scopes.clear();
  cache.BeginTurn();
  EXPECT_EQ(cache.Find(tag("p", "r")), std::nullopt);
}

// A writer opens and closes a bucket and revokes tokens; readers ask all the while. Once the writer has been told
// that a change is stored, no answer from before it may be given.
TEST(Access, IsNeverBehindAnAcknowledgedChange) {
  SimClock clock;
  SeededRandom random(3);
  MemoryCatalog catalog;
  Access access(catalog, clock, random);
  Tokens tokens(catalog, clock, random);
  tokens.EnsureOwner("");
  catalog.Write("test", [](Txn& txn) { CreatePolicy(txn, "buckets/b", kRootResource); });
  const net::Caller ann{"user:ann@x", "ann@x", "", {}};
  std::atomic<bool> stop{false};
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      while (!stop) {
        access.May(ann, "storage.objects.get", "buckets/b");
        access.MayInline(ann, "storage.objects.get", "buckets/b");
      }
    });
  }
  for (int i = 0; i < 300; ++i) {
    bool open = i % 2 == 0;
    catalog.Write("test", [&](Txn& txn) {
      api::Policy policy;
      if (open) policy.bindings = {{"roles/storage.objectViewer", {"user:ann@x"}, {}}};
      SetPolicy(txn, "buckets/b", policy);
    });
    EXPECT_EQ(access.May(ann, "storage.objects.get", "buckets/b"), open);
    std::optional<bool> inline_answer = access.MayInline(ann, "storage.objects.get", "buckets/b");
    EXPECT_TRUE(!inline_answer || *inline_answer == open);
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
}

TEST(Access, ARevokedTokenNeverComesBackThroughARace) {
  SimClock clock;
  SeededRandom random(4);
  MemoryCatalog catalog;
  Access access(catalog, clock, random);
  Tokens tokens(catalog, clock, random);
  tokens.EnsureOwner("");
  for (int i = 0; i < 100; ++i) {
    std::string token = tokens.MintForUser(kOwnerEmail, {}, kUsualLifetime).token;
    std::atomic<bool> revoked{false};
    std::thread reader([&] {
      while (!revoked) {
        try {
          access.IdentifyToken(token);
        } catch (const Failure&) {
        }
      }
    });
    tokens.Revoke(token);
    EXPECT_THROW(access.IdentifyToken(token), Failure);
    revoked = true;
    reader.join();
    EXPECT_THROW(access.IdentifyToken(token), Failure);
  }
}

}  // namespace
}  // namespace fireweed::identity
