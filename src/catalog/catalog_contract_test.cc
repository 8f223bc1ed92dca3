// What every catalog promises, whatever it stores its rows in.
#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/guarded.h"
#include "base/random.h"
#include "catalog/catalog_fixture.h"
#include "catalog/scan_bounds.h"

namespace fireweed {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class CatalogContract : public ::testing::TestWithParam<CatalogMaker> {
 protected:
  CatalogContract() : home_(GetParam().make()), catalog_(home_->catalog()) {
    catalog_.OnCommit([this](std::string_view kind, const Key& key) {
      feed_.With([&](auto& feed) { feed.push_back(std::string(kind) + ":" + key); });
    });
  }

  void Put(std::string_view key, std::string_view body, std::string_view kind = "a") {
    catalog_.Write("test put", [&](Txn& txn) { txn.PutRaw(kind, key, body, {}); });
  }
  std::string Body(std::string_view key, std::string_view kind = "a") {
    auto row = Query(catalog_, [&](Txn& txn) { return txn.FindRaw(kind, key); });
    return row ? row->body : "(none)";
  }
  std::vector<std::string> Keys(const ScanRange& range, std::string_view kind = "a") {
    std::vector<std::string> keys;
    for (RawRow& row : Query(catalog_, [&](Txn& txn) { return txn.ScanRaw(kind, range); })) {
      keys.push_back(row.key);
    }
    return keys;
  }
  std::vector<std::string> Feed() {
    return feed_.With([](auto& feed) { return feed; });
  }

  Guarded<std::vector<std::string>> feed_;
  std::unique_ptr<CatalogHome> home_;
  Catalog& catalog_;
};

Code CodeOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const Failure& failure) {
    return failure.error().code;
  }
  ADD_FAILURE() << "no Failure was thrown";
  return Code::kInternal;
}

TEST_P(CatalogContract, FindsWhatWasPutAndNothingElse) {
  Put("k", "one");
  Put("k", "two", "b");
  EXPECT_EQ(Body("k"), "one");
  EXPECT_EQ(Body("k", "b"), "two");
  EXPECT_EQ(Body("k", "c"), "(none)");
  EXPECT_EQ(Body("k/"), "(none)");
}

TEST_P(CatalogContract, KeepsAnyBytes) {
  std::string odd("\0\xff\n'\"\x80", 6);
  Put(odd, odd);
  Put("empty", "");
  Put("", "no key");
  EXPECT_EQ(Body(odd), odd);
  EXPECT_EQ(Body("empty"), "");
  EXPECT_EQ(Body(""), "no key");
  std::string large(3 << 20, 'x');
  Put("large", large);
  EXPECT_EQ(Body("large"), large);
}

TEST_P(CatalogContract, VersionsCountFromOne) {
  auto put = [&](std::optional<int64_t> if_version) {
    return Update(catalog_, "test",
                  [&](Txn& txn) { return txn.PutRaw("a", "k", "x", if_version); });
  };
  EXPECT_EQ(put({}), 1);
  EXPECT_EQ(put({}), 2);
  EXPECT_EQ(put(2), 3);
  EXPECT_EQ(CodeOf([&] { put(2); }), Code::kPrecondition);
  EXPECT_EQ(CodeOf([&] { put(0); }), Code::kExists);
  EXPECT_EQ(Query(catalog_, [](Txn& txn) { return txn.FindRaw("a", "k")->version; }), 3);
  catalog_.Write("test", [](Txn& txn) { txn.EraseRaw("a", "k"); });
  EXPECT_EQ(CodeOf([&] { put(3); }), Code::kPrecondition);
  EXPECT_EQ(put(0), 1);
}

TEST_P(CatalogContract, EraseSaysWhetherItWasThere) {
  Put("k", "x");
  auto erase = [&] {
    return Update(catalog_, "test", [](Txn& txn) { return txn.EraseRaw("a", "k"); });
  };
  EXPECT_TRUE(erase());
  EXPECT_FALSE(erase());
  EXPECT_EQ(Body("k"), "(none)");
  EXPECT_THAT(Feed(), ElementsAre("a:k", "a:k"));
}

TEST_P(CatalogContract, ScansInByteOrder) {
  for (const char* key :
       {"b", "a", "ab", "a/1", "a/2", "a/10", "\xc3\xa4", "Z", "\xff", "\xff\xff"}) {
    Put(key, key);
  }
  Put("zz", "other kind", "b");
  Put("aa", "kind before", "A");
  EXPECT_THAT(Keys({}), ElementsAre("Z", "a", "a/1", "a/10", "a/2", "ab", "b", "\xc3\xa4", "\xff",
                                    "\xff\xff"));
  EXPECT_THAT(Keys({.backwards = true}), ElementsAre("\xff\xff", "\xff", "\xc3\xa4", "b", "ab",
                                                     "a/2", "a/10", "a/1", "a", "Z"));
  EXPECT_THAT(Keys({.prefix = "a/"}), ElementsAre("a/1", "a/10", "a/2"));
  EXPECT_THAT(Keys({.prefix = "\xff"}), ElementsAre("\xff", "\xff\xff"));
  EXPECT_THAT(Keys({.prefix = "a/1", .backwards = true}), ElementsAre("a/10", "a/1"));
  EXPECT_THAT(Keys({}, "nobody"), IsEmpty());
}

TEST_P(CatalogContract, ScanBoundsAndLimits) {
  for (const char* key : {"a", "b", "b\x01", "c", "d", "e"}) Put(key, key);
  EXPECT_THAT(Keys({.from = "b", .until = "d"}), ElementsAre("b", "b\x01", "c"));
  EXPECT_THAT(Keys({.after = "b", .until = "d"}), ElementsAre("b\x01", "c"));
  EXPECT_THAT(Keys({.from = "bb"}), ElementsAre("c", "d", "e"));
  EXPECT_THAT(Keys({.limit = 2}), ElementsAre("a", "b"));
  EXPECT_THAT(Keys({.until = "d", .limit = 2, .backwards = true}), ElementsAre("c", "b\x01"));
  EXPECT_THAT(Keys({.after = "c", .limit = 9, .backwards = true}), ElementsAre("e", "d"));
  EXPECT_THAT(Keys({.prefix = "b", .after = "b"}), ElementsAre("b\x01"));
  EXPECT_THAT(Keys({.prefix = "b", .from = "a", .until = "z"}), ElementsAre("b", "b\x01"));
  EXPECT_THAT(Keys({.from = "d", .until = "b"}), IsEmpty());
  EXPECT_THAT(Keys({.after = "e"}), IsEmpty());
  EXPECT_THAT(Keys({.limit = 0}), IsEmpty());
  EXPECT_THAT(Keys({.limit = -1}), IsEmpty());
}

TEST_P(CatalogContract, PagesThroughWithAfter) {
  catalog_.Write("test fill", [](Txn& txn) {
    for (int i = 0; i < 257; ++i) txn.PutRaw("a", std::to_string(1000 + i), "x", {});
  });
  ScanRange range{.limit = 10};
  std::vector<std::string> seen;
  while (true) {
    std::vector<std::string> page = Keys(range);
    if (page.empty()) break;
    seen.insert(seen.end(), page.begin(), page.end());
    range.after = page.back();
  }
  EXPECT_EQ(seen.size(), 257u);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

TEST_P(CatalogContract, ForEachVisitsEveryRowHoweverManyThereAre) {
  constexpr int kRows = 2500;  // more than two pages of the usual size
  catalog_.Write("test fill", [](Txn& txn) {
    for (int i = 0; i < kRows; ++i) txn.PutRaw("a", std::to_string(10000 + i), "x", {});
    txn.PutRaw("b", "10000", "another kind", {});
  });
  for (ScanRange range : {ScanRange{}, ScanRange{.limit = 10}, ScanRange{.limit = kRows},
                          ScanRange{.limit = 7, .backwards = true}}) {
    std::vector<std::string> once, committed;
    auto into = [](std::vector<std::string>& keys) {
      return [&keys](RawRow& row) {
        keys.push_back(std::move(row.key));  // a visitor may consume its row
        return true;
      };
    };
    catalog_.Read([&](Txn& txn) {
      once.clear();
      EXPECT_TRUE(txn.ForEachRaw("a", range, into(once)));
    });
    EXPECT_TRUE(ForEachRaw(catalog_, "a", range, into(committed)));
    EXPECT_EQ(once.size(), static_cast<size_t>(kRows));
    EXPECT_EQ(once, committed);
    if (range.backwards) std::ranges::reverse(once);
    EXPECT_TRUE(std::ranges::is_sorted(once, std::ranges::less_equal()));
  }
}

TEST_P(CatalogContract, ForEachKeepsToItsRangeAndStops) {
  for (const char* key : {"a/1", "a/2", "a/3", "b/1"}) Put(key, key);
  auto keys = [&](const ScanRange& range, size_t wanted) {
    std::vector<std::string> seen;
    bool whole = ForEachRaw(catalog_, "a", range, [&](const RawRow& row) {
      seen.push_back(row.key);
      return seen.size() < wanted;
    });
    EXPECT_EQ(whole, seen.size() < wanted);
    return seen;
  };
  EXPECT_THAT(keys({.prefix = "a/", .limit = 1}, 9), ElementsAre("a/1", "a/2", "a/3"));
  EXPECT_THAT(keys({.after = "a/1", .until = "b", .limit = 1}, 9), ElementsAre("a/2", "a/3"));
  EXPECT_THAT(keys({.limit = 3}, 2), ElementsAre("a/1", "a/2"));
  EXPECT_THAT(keys({.limit = 2}, 2), ElementsAre("a/1", "a/2"));
  EXPECT_THAT(keys({.limit = 0}, 9), IsEmpty());
  EXPECT_THAT(keys({.prefix = "c"}, 9), IsEmpty());
}

TEST_P(CatalogContract, ForEachMayEraseAndChangeWhatItVisits) {
  for (int i = 0; i < 7; ++i) Put(std::to_string(i), "x");
  catalog_.Write("test", [](Txn& txn) {
    txn.ForEachRaw("a", {.limit = 2}, [&](const RawRow& row) {
      bool odd = (row.key[0] - '0') % 2 == 1;
      odd ? (void)txn.EraseRaw("a", row.key) : (void)txn.PutRaw("a", row.key, "y", row.version);
      return true;
    });
  });
  EXPECT_THAT(Keys({}), ElementsAre("0", "2", "4", "6"));
  EXPECT_EQ(Body("6"), "y");
}

TEST_P(CatalogContract, ReadsItsOwnWrites) {
  Put("gone", "x");
  catalog_.Write("test", [](Txn& txn) {
    txn.PutRaw("a", "k", "one", 0);
    EXPECT_EQ(txn.FindRaw("a", "k")->body, "one");
    EXPECT_EQ(txn.PutRaw("a", "k", "two", 1), 2);
    EXPECT_TRUE(txn.EraseRaw("a", "gone"));
    EXPECT_FALSE(txn.FindRaw("a", "gone"));
    auto rows = txn.ScanRaw("a", {});
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].body, "two");
  });
  EXPECT_EQ(Body("k"), "two");
  EXPECT_THAT(Feed(), ElementsAre("a:gone", "a:k", "a:gone"));
}

TEST_P(CatalogContract, ABodyThatThrowsLeavesNothing) {
  Put("k", "before");
  Put("old", "old");
  auto body = [](Txn& txn) {
    txn.PutRaw("a", "k", "after", {});
    txn.PutRaw("a", "new", "x", {});
    txn.EraseRaw("a", "old");
    txn.PutRaw("a", "old", "again", {});
    throw std::runtime_error("no");
  };
  EXPECT_THROW(catalog_.Write("test", body), std::runtime_error);
  EXPECT_EQ(Body("k"), "before");
  EXPECT_EQ(Body("old"), "old");
  EXPECT_EQ(Body("new"), "(none)");
  EXPECT_EQ(Query(catalog_, [](Txn& txn) { return txn.FindRaw("a", "k")->version; }), 1);
  EXPECT_THAT(Feed(), ElementsAre("a:k", "a:old"));
}

TEST_P(CatalogContract, AReadCannotWrite) {
  Put("k", "x");
  EXPECT_EQ(CodeOf([&] { catalog_.Read([](Txn& t) { t.PutRaw("a", "k", "y", {}); }); }),
            Code::kInternal);
  EXPECT_EQ(CodeOf([&] { catalog_.Read([](Txn& t) { t.EraseRaw("a", "k"); }); }), Code::kInternal);
  EXPECT_EQ(Body("k"), "x");
  EXPECT_THROW(catalog_.Read([](Txn&) { throw std::runtime_error("no"); }), std::runtime_error);
  EXPECT_EQ(Body("k"), "x");
}

// Many writers at once, some of which throw: every one is told its own fate, nothing is lost or
// half done.
TEST_P(CatalogContract, ConcurrentWritersEachKeepTheirOwnFate) {
  constexpr int kThreads = 8, kRounds = 40;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      Lane lane = t % 2 == 0 ? Lane::kControl : Lane::kBulk;
      for (int i = 0; i < kRounds; ++i) {
        std::string mine = std::to_string(t) + "/" + std::to_string(i);
        bool fails = i % 3 == 1;
        auto body = [&](Txn& txn) {
          auto total = txn.FindRaw("sum", "total");
          txn.PutRaw("sum", "total", std::to_string(total ? std::stoi(total->body) + 1 : 1), {});
          txn.PutRaw("a", mine, "x", 0);
          if (fails) throw std::runtime_error(mine);
        };
        try {
          catalog_.Write("test", body, lane);
          EXPECT_FALSE(fails);
        } catch (const std::runtime_error& error) {
          EXPECT_TRUE(fails);
          EXPECT_EQ(error.what(), mine);
        }
        EXPECT_EQ(Body(mine), fails ? "(none)" : "x");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  int kept = kThreads * (kRounds - kRounds / 3);
  EXPECT_EQ(Body("total", "sum"), std::to_string(kept));
  EXPECT_EQ(Keys({}).size(), static_cast<size_t>(kept));
  EXPECT_EQ(Feed().size(), static_cast<size_t>(2 * kept));
}

TEST_P(CatalogContract, TheFeedComesInCommitOrderAndBeforeTheAnswer) {
  constexpr int kThreads = 6, kRounds = 30;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kRounds; ++i) {
        std::string key;
        catalog_.Write("test", [&](Txn& txn) {
          auto last = txn.FindRaw("n", "last");
          int64_t next = (last ? last->version : 0) + 1;
          txn.PutRaw("n", "last", "", {});
          key = std::to_string(100000 + next);
          txn.PutRaw("a", key, std::to_string(t), 0);
        });
        std::vector<std::string> feed = Feed();
        EXPECT_NE(std::find(feed.begin(), feed.end(), "a:" + key), feed.end());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<std::string> order;
  for (const std::string& item : Feed()) {
    if (item.starts_with("a:")) order.push_back(item);
  }
  EXPECT_EQ(order.size(), static_cast<size_t>(kThreads * kRounds));
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

// Whoever begins to listen while others write hears of everything acknowledged afterwards.
TEST_P(CatalogContract, ALaterWriteTellsWhenItIsDurableAndFed) {
  struct Outcome {
    std::string failure;
    std::vector<std::string> feed;
  };
  Guarded<std::map<std::string, Outcome>> told;
  for (const char* key : {"fine", "bad", "more"}) {
    catalog_.WriteLater(
        "test later",
        [key = std::string(key)](Txn& txn) {
          txn.PutRaw("a", key, "body", {});
          if (key == "bad") throw Failure(Code::kInvalid, "not this one");
        },
        [&, key = std::string(key)](std::exception_ptr failure) {
          Outcome outcome{"", Feed()};
          try {
            if (failure) std::rethrow_exception(failure);
          } catch (const Failure& thrown) {
            outcome.failure = thrown.error().message;
          }
          told.With([&](auto& all) { all[key] = outcome; });
        },
        Lane::kBulk);
  }
  Put("after", "them");  // control goes first: so one more of the same lane
  catalog_.Write(
      "test last", [](Txn& txn) { txn.PutRaw("a", "last", "", {}); }, Lane::kBulk);
  told.With([&](auto& all) {
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all["bad"].failure, "not this one");
    EXPECT_EQ(all["fine"].failure, "");
    EXPECT_THAT(all["fine"].feed, ::testing::Contains("a:fine"));
    EXPECT_THAT(all["more"].feed, ::testing::Contains("a:more"));
  });
  EXPECT_EQ(Body("fine"), "body");
  EXPECT_EQ(Body("bad"), "(none)");
}

TEST_P(CatalogContract, ASinkMayComeLate) {
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    for (int i = 0; !stop; ++i) Put("busy" + std::to_string(i % 10), "x");
  });
  for (int i = 0; i < 20; ++i) {
    auto heard = std::make_shared<Guarded<std::set<std::string>>>();
    catalog_.OnCommit([heard](std::string_view, const Key& key) {
      heard->With([&](auto& keys) { keys.insert(key); });
    });
    std::string key = "late" + std::to_string(i);
    Put(key, "x");
    EXPECT_TRUE(heard->With([&](auto& keys) { return keys.contains(key); }));
  }
  stop = true;
  writer.join();
}

// Two rows that are always changed together are never seen apart.
TEST_P(CatalogContract, AReadSeesOneMoment) {
  Put("left", "0");
  Put("right", "0");
  std::atomic<bool> stop = false;
  std::thread reader([&] {
    while (!stop) {
      catalog_.Read([](Txn& txn) {
        std::string left = txn.FindRaw("a", "left")->body;
        EXPECT_EQ(txn.FindRaw("a", "right")->body, left);
        EXPECT_EQ(txn.ScanRaw("a", {})[0].body, left);
      });
    }
  });
  for (int i = 1; i <= 200; ++i) {
    catalog_.Write("test", [&](Txn& txn) {
      txn.PutRaw("a", "left", std::to_string(i), {});
      txn.PutRaw("a", "right", std::to_string(i), {});
    });
    EXPECT_EQ(Body("left"), std::to_string(i));
  }
  stop = true;
  reader.join();
}

TEST_P(CatalogContract, AFailureInsideABodyCanBeHandledThere) {
  Put("k", "x");
  catalog_.Write("test", [](Txn& txn) {
    EXPECT_THROW(txn.PutRaw("a", "k", "y", 0), Failure);
    txn.PutRaw("a", "other", "z", {});
  });
  EXPECT_EQ(Body("k"), "x");
  EXPECT_EQ(Body("other"), "z");
}

// Anything at random, compared with a plain map: puts, erases, scans either way, bodies that throw.
TEST_P(CatalogContract, DoesWhatAMapWouldDo) {
  using Model = std::map<std::string, std::pair<int64_t, std::string>>;
  SeededRandom random(20261115);
  auto word = [&] {
    std::string text;
    for (uint64_t n = random.Below(4); n > 0; --n) text += "ab/\xff"[random.Below(4)];
    return text;
  };
  auto maybe = [&]() { return random.Below(3) == 0 ? std::optional(word()) : std::nullopt; };
  auto scan = [&](Txn& txn, const Model& model) {
    ScanRange range{word(),
                    maybe(),
                    maybe(),
                    maybe(),
                    static_cast<int>(random.Below(12)),
                    random.Below(2) == 0};
    std::vector<std::string> expected, got;
    for (const auto& [key, row] : model) {
      bool in = key.starts_with(range.prefix) && (!range.from || key >= *range.from) &&
                (!range.after || key > *range.after) && (!range.until || key < *range.until);
      if (in) expected.push_back(key + "=" + row.second + "#" + std::to_string(row.first));
    }
    if (range.backwards) std::reverse(expected.begin(), expected.end());
    if (std::ssize(expected) > range.limit) expected.resize(static_cast<size_t>(range.limit));
    for (const RawRow& row : txn.ScanRaw("a", range)) {
      got.push_back(row.key + "=" + row.body + "#" + std::to_string(row.version));
    }
    ASSERT_EQ(got, expected);
  };
  Model model;
  for (int round = 0; round < 150; ++round) {
    Model after = model;
    bool fails = random.Below(5) == 0;
    auto body = [&](Txn& txn) {
      after = model;  // a body may run more than once
      for (int step = 0; step < 6; ++step) {
        std::string key = word(), value = word();
        switch (random.Below(4)) {
          case 0: EXPECT_EQ(txn.EraseRaw("a", key), after.erase(key) == 1); break;
          case 1: scan(txn, after); break;
          default: {
            auto& row = after[key];
            row = {row.first + 1, value};
            EXPECT_EQ(txn.PutRaw("a", key, value, row.first - 1), row.first);
          }
        }
      }
      if (fails) throw std::runtime_error("no");
    };
    if (fails) {
      EXPECT_THROW(catalog_.Write("random", body), std::runtime_error);
    } else {
      catalog_.Write("random", body);
      model = after;
    }
    catalog_.Read([&](Txn& txn) { scan(txn, model); });
  }
}

using CatalogContractDeathTest = CatalogContract;

TEST_P(CatalogContractDeathTest, NoCallsFromBodiesOrSinks) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(catalog_.Write("outer", [&](Txn&) { Put("k", "x"); }), "from a transaction body");
  EXPECT_DEATH(catalog_.Write("outer", [&](Txn&) { Body("k"); }), "from a transaction body");
}

INSTANTIATE_TEST_SUITE_P(Catalogs, CatalogContract, ::testing::ValuesIn(CatalogMakers()),
                         [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(Catalogs, CatalogContractDeathTest, ::testing::ValuesIn(CatalogMakers()),
                         [](const auto& info) { return info.param.name; });

TEST(PrefixEnd, IsTheNextKeyAfterAllWithThePrefix) {
  EXPECT_EQ(PrefixEnd("a/"), "a0");
  EXPECT_EQ(PrefixEnd("a\xff"), "b");
  EXPECT_EQ(PrefixEnd("\xff\xff"), std::nullopt);
  EXPECT_EQ(PrefixEnd(""), std::nullopt);
}

}  // namespace
}  // namespace fireweed
