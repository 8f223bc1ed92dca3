#include "storage/listing.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"
#include "catalog/memory_catalog.h"
#include "storage/glob.h"
#include "storage/object_index.h"

namespace fireweed::storage {
namespace {

struct Version {
  std::string name;
  int64_t generation;
  bool live;
};

// What a listing without pages shows, by looking at every version.
struct Naive {
  std::vector<std::pair<std::string, int64_t>> items;
  std::vector<std::string> prefixes;
};

Naive ListNaively(const std::vector<Version>& all, const ListingQuery& query) {
  Naive out;
  std::set<std::string> prefixes;
  for (const Version& v : all) {
    if (!v.live && !query.versions) continue;
    if (!v.name.starts_with(query.prefix) || v.name < query.start_offset) continue;
    if (!query.end_offset.empty() && v.name >= query.end_offset) continue;
    if (!query.match_glob.empty() && !Glob(query.match_glob).Matches(v.name)) continue;
    size_t at = query.delimiter.empty() ? std::string::npos
                                        : v.name.find(query.delimiter, query.prefix.size());
    std::string common =
        at == std::string::npos ? "" : v.name.substr(0, at + query.delimiter.size());
    if (!common.empty()) prefixes.insert(common);
    bool item = common.empty() || (query.trailing_delimiter_items && common == v.name);
    if (item) out.items.emplace_back(v.name, v.generation);
  }
  std::sort(out.items.begin(), out.items.end());
  out.prefixes.assign(prefixes.begin(), prefixes.end());
  return out;
}

class ListingTest : public testing::Test {
 protected:
  void Fill(Random& random) {
    const std::string_view pieces[] = {
        "a", "b", "/", "/", "//", "%", "%2F", "é", "\xf0\x9f\x98\x80", "z", " "};
    std::set<std::string> names;
    for (size_t i = random.Below(40); i > 0; --i) {
      std::string name;
      for (size_t k = 1 + random.Below(5); k > 0; --k)
        name += pieces[random.Below(std::size(pieces))];
      names.insert(name);
    }
    all_.clear();
    for (const std::string& name : names) {
      size_t versions = 1 + random.Below(3);
      bool deleted = random.Below(4) == 0;
      for (size_t i = 0; i < versions; ++i) {
        int64_t generation = 101 + std::ssize(all_);
        all_.push_back({name, generation, i + 1 == versions && !deleted});
      }
    }
    catalog_.Write("fill", [&](Txn& txn) {
      ObjectIndex index(txn);
      for (size_t i = 0; i < all_.size(); ++i) {
        const auto& [name, generation, live] = all_[i];
        ObjectRow row;
        row.generation = generation;
        index.PutLive("bucket", name, row, OldVersion::kArchive, Time{});
        bool last = i + 1 == all_.size() || all_[i + 1].name != name;
        if (last && !live) index.RemoveLive("bucket", name, OldVersion::kArchive, Time{});
      }
      ObjectRow row;  // of a neighbour, never to be seen
      index.PutLive("bucket-2", "a/x", row, OldVersion::kDrop, Time{});
      index.PutLive("bucke", "a", row, OldVersion::kDrop, Time{});
    });
  }

  Naive ListInPages(ListingQuery query, int page_size) {
    Naive out;
    query.max_results = page_size;
    for (int pages = 0; pages < 1000; ++pages) {
      ListingPage page =
          Query(catalog_, [&](Txn& txn) { return ObjectIndex(txn).List("bucket", query); });
      for (const ListedVersion& item : page.items)
        out.items.emplace_back(item.name, item.row.generation);
      out.prefixes.insert(out.prefixes.end(), page.prefixes.begin(), page.prefixes.end());
      EXPECT_LE(page.items.size() + page.prefixes.size(),
                static_cast<size_t>(page_size) + (query.trailing_delimiter_items ? 1 : 0));
      if (page.next_page_token.empty()) return out;
      EXPECT_NE(page.next_page_token, query.page_token);
      EXPECT_FALSE(page.items.empty() && page.prefixes.empty());
      query.page_token = page.next_page_token;
    }
    ADD_FAILURE() << "the listing does not end";
    return out;
  }

  MemoryCatalog catalog_;
  std::vector<Version> all_;
};

TEST_F(ListingTest, AgreesWithANaiveModel) {
  const std::string_view words[] = {"", "", "a", "a/", "/", "b", "%", "a//", "é", "z"};
  const std::string_view globs[] = {"", "", "", "*", "a*", "**/b*", "{a,b}/**", "?"};
  uint64_t first = static_cast<uint64_t>(GTEST_FLAG_GET(random_seed)) + 1;
  for (uint64_t seed = first; seed < first + 60; ++seed) {
    SeededRandom random(seed);
    catalog_.Write("clear", [&](Txn& txn) {
      for (std::string_view kind : {"object", "object_archived"}) {
        for (const RawRow& row : txn.ScanRaw(kind, {.limit = 10000})) txn.EraseRaw(kind, row.key);
      }
    });
    Fill(random);
    for (int round = 0; round < 20; ++round) {
      ListingQuery query;
      query.prefix = words[random.Below(std::size(words))];
      query.delimiter = words[random.Below(std::size(words))];
      query.start_offset = words[random.Below(std::size(words))];
      query.end_offset = words[random.Below(std::size(words))];
      query.match_glob = globs[random.Below(std::size(globs))];
      query.versions = random.Below(2);
      query.trailing_delimiter_items = random.Below(3) == 0;
      Naive expected = ListNaively(all_, query);
      for (int page_size : {1, 2, 3, 1000}) {
        Naive got = ListInPages(query, page_size);
        ASSERT_EQ(got.items, expected.items) << "seed " << seed << " round " << round;
        ASSERT_EQ(got.prefixes, expected.prefixes) << "seed " << seed << " round " << round;
      }
    }
  }
}

TEST_F(ListingTest, ADelimiterSeeksOverWhatLiesBelow) {
  class Counting final : public NameSource {
   public:
    std::vector<FoundVersion> Scan(const ListingPoint& from, std::string_view prefix,
                                   int limit) override {
      std::vector<FoundVersion> out;
      for (auto it = names.lower_bound(from.name);
           it != names.end() && static_cast<int>(out.size()) < limit; ++it) {
        if (from.after_generation >= 0 && *it == from.name) continue;
        if (it->starts_with(prefix)) out.push_back({*it, 0, ""});
      }
      read += out.size();
      return out;
    }
    std::set<std::string> names;
    size_t read = 0;
  } source;
  for (int d = 0; d < 10; ++d) {
    for (int i = 0; i < 1000; ++i)
      source.names.insert("d" + std::to_string(d) + "/" + std::to_string(i));
  }
  ListingQuery query;
  query.delimiter = "/";
  ListingPage page = MakeListing(source, query);
  EXPECT_EQ(page.prefixes.size(), 10u);
  EXPECT_LT(source.read, 400u);
}

TEST_F(ListingTest, RefusesForeignTokens) {
  for (const char* token : {"x", "!!!", "AAAA", "/////w==", "Ag"}) {
    ListingQuery query;
    query.page_token = token;
    EXPECT_THROW(Query(catalog_, [&](Txn& txn) { return ObjectIndex(txn).List("b", query); }),
                 Failure)
        << token;
  }
}

TEST(Glob, KnowsItsSigns) {
  struct Case {
    const char *pattern, *name;
    bool matches;
  };
  for (const Case& c : std::initializer_list<Case>{{"*.txt", "a.txt", true},
                                                   {"*.txt", "d/a.txt", false},
                                                   {"**.txt", "d/a.txt", true},
                                                   {"**/a.txt", "d/e/a.txt", true},
                                                   {"d/*/f", "d/e/f", true},
                                                   {"d/*/f", "d/e/e/f", false},
                                                   {"?", "é", true},
                                                   {"?", "/", false},
                                                   {"[a-c]x", "bx", true},
                                                   {"[!a-c]x", "bx", false},
                                                   {"[!a-c]x", "dx", true},
                                                   {"{a,b{c,d}}e", "bde", true},
                                                   {"{a,b}", "c", false},
                                                   {"a\\*", "a*", true},
                                                   {"a\\*", "ab", false},
                                                   {"**", "", true},
                                                   {"*a*b*c", "xxaxxbxxc", true},
                                                   {"*a*b*c", "xxaxxcxxb", false},
                                                   {"a/**/b", "a/x/y/b", true},
                                                   {"**a*/c", "xa/ba/c", true}}) {
    EXPECT_EQ(Glob(c.pattern).Matches(c.name), c.matches) << c.pattern << " " << c.name;
  }
  EXPECT_THROW(Glob("{a"), Failure);
  EXPECT_THROW(Glob("[a"), Failure);
}

}  // namespace
}  // namespace fireweed::storage
