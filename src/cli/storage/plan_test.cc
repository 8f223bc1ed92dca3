// Names, wildcards, where copies go, and what rsync does: each case a line.
#include <gtest/gtest.h>

#include "base/error.h"
#include "cli/storage/copy_plan.h"
#include "cli/storage/sync_plan.h"
#include "cli/storage/wildcard.h"

namespace fireweed::cli {
namespace {

TEST(StorageUrl, IsTakenApart) {
  struct {
    const char *text, *bucket, *name, *shown, *base;
  } const cases[] = {
      {"gs://b", "b", "", "gs://b/", "b"},
      {"gs://b/", "b", "", "gs://b/", "b"},
      {"gs://b/a/c.txt", "b", "a/c.txt", "gs://b/a/c.txt", "c.txt"},
      {"gs://b/a/", "b", "a/", "gs://b/a/", "a"},
      {"gs://b/a#12", "b", "a", "gs://b/a#12", "a"},
      {"gs://b/a#x", "b", "a#x", "gs://b/a#x", "a#x"},
      {"gs://b//x", "b", "/x", "gs://b//x", "x"},
      {"file://d/e", "", "d/e", "file://d/e", "e"},
      {"d/e/", "", "d/e/", "file://d/e/", "e"},
      {"..", "", "..", "file://..", ".."},
      {"-", "", "", "-", ""},
  };
  for (const auto& one : cases) {
    StorageUrl url = StorageUrl::Parse(one.text);
    EXPECT_EQ(url.bucket, one.bucket) << one.text;
    EXPECT_EQ(url.name, one.name) << one.text;
    EXPECT_EQ(url.Text(), one.shown) << one.text;
    EXPECT_EQ(url.Base(), one.base) << one.text;
  }
  EXPECT_EQ(StorageUrl::Parse("gs://b/a#12").generation, 12);
  for (const char* text : {"gs://", "gs:///x", "s3://b/o", "http://x/y", ""})
    EXPECT_THROW(StorageUrl::Parse(text), Failure) << text;
}

TEST(Wildcard, Matches) {
  struct {
    const char *pattern, *text;
    bool want;
  } const cases[] = {
      {"a*", "abc", true},
      {"a*", "a/c", false},
      {"a**", "a/c", true},
      {"**/c", "a/b/c", true},
      {"**", "", true},
      {"*", "", true},
      {"a?c", "abc", true},
      {"a?c", "a/c", false},
      {"a?c", "aéc", true},
      {"[a-c]x", "bx", true},
      {"[a-c]x", "dx", false},
      {"[!a-c]x", "dx", true},
      {"[é-ü]", "ö", true},
      {"x[", "x[", true},
      {"[]]", "]", true},
      {"a/*/c", "a/b/c", true},
      {"a/*/c", "a/b/d/c", false},
      {"a/**/c", "a/b/d/c", true},
      {"*.txt", "a.txt.gz", false},
      {"*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaa", false},
      {"abc", "abc", true},
      {"abc", "abd", false},
  };
  for (const auto& one : cases)
    EXPECT_EQ(MatchesWildcard(one.pattern, one.text), one.want) << one.pattern << " " << one.text;
  EXPECT_EQ(LiteralPrefix("a/b*c"), "a/b");
  EXPECT_EQ(LiteralPrefix("a[b"), "a[b");
  EXPECT_FALSE(HasWildcard("a]b["));
  EXPECT_TRUE(HasWildcard("a[b]"));
}

TEST(CopyPlan, Destinations) {
  struct {
    const char* from;
    bool container;
    const char *relative, *to;
    TargetFacts facts;
    size_t roots;
    const char* want;  // empty: refused
  } const cases[] = {
      {"f.txt", false, "", "gs://b", {}, 1, "gs://b/f.txt"},
      {"d/f.txt", false, "", "gs://b/x/", {}, 1, "gs://b/x/f.txt"},
      {"f.txt", false, "", "gs://b/x", {}, 1, "gs://b/x"},
      {"f.txt", false, "", "gs://b/x", {.is_directory = true}, 1, "gs://b/x/f.txt"},
      {"f.txt", false, "", "gs://b/x", {}, 2, "gs://b/x/f.txt"},
      {"dir", true, "a/f", "gs://b", {}, 1, "gs://b/dir/a/f"},
      {"dir", true, "a/f", "gs://b/x", {}, 1, "gs://b/x/a/f"},
      {"dir", true, "a/f", "gs://b/x", {.is_directory = true}, 1, "gs://b/x/dir/a/f"},
      {"dir/", true, "a/f", "gs://b/x/", {}, 1, "gs://b/x/dir/a/f"},
      {"gs://b/d/o", false, "", ".", {.is_directory = true}, 1, "file://./o"},
      {"gs://b/d/o", false, "", "new", {}, 1, "file://new"},
      {"gs://b/d/o", false, "", "new/", {}, 1, "file://new/o"},
      {"gs://b/d/", true, "x/y", "new", {}, 1, "file://new/x/y"},
      {"gs://b/d/", true, "x/y", "there", {.is_directory = true}, 1, "file://there/d/x/y"},
      {"gs://b", true, "x/y", "there", {.is_directory = true}, 1, "file://there/b/x/y"},
      {"gs://b", true, "x/y", "new", {}, 1, "file://new/x/y"},
      {"gs://b/o#7", false, "", "gs://c", {}, 1, "gs://c/o"},
      {"gs://b/d", true, "x", "gs://c/e/", {}, 1, "gs://c/e/d/x"},
      {"gs://b/o", false, "", "-", {}, 1, "-"},
      {"-", false, "", "gs://b/o", {}, 1, "gs://b/o"},
      {"-", false, "", "gs://b", {}, 1, ""},
      {"gs://b/d", true, "x", "-", {}, 1, ""},
      {"gs://b/o", false, "", "-", {}, 2, ""},
      {"gs://b/d", true, "x", "file", {.is_file = true}, 1, ""},
      {"gs://b/o", false, "", "nodir", {}, 2, ""},
      // Names that would leave the directory, or that no path can keep.
      {"gs://b/d", true, "../../etc/x", "there", {.is_directory = true}, 1, ""},
      {"gs://b/d", true, "a/../x", "new", {}, 1, ""},
      {"gs://b/d", true, "a//x", "new", {}, 1, ""},
      {"gs://b", true, "/x", "new", {}, 1, ""},
      {"gs://b/..", false, "", "there", {.is_directory = true}, 1, ""},
      {"gs://b/d", true, "a/", "new", {}, 1, "file://new/a/"},
      {"gs://b/d", true, "../x", "gs://c", {}, 1, "gs://c/d/../x"},
  };
  for (const auto& one : cases) {
    CopyRoot root{StorageUrl::Parse(one.from), one.container};
    std::string got;
    try {
      CopyTarget target =
          PlanTarget(StorageUrl::Parse(one.to), one.facts, one.roots, one.container);
      got = PlanDestination(root, one.relative, target).Text();
    } catch (const Failure&) {
    }
    EXPECT_EQ(got, one.want) << one.from << " " << one.relative << " -> " << one.to;
  }
}

SyncEntry Entry(std::string name, int64_t size, std::optional<int64_t> mtime, std::string sum) {
  return {std::move(name), size, mtime, [sum] { return sum; }};
}

std::string Plan(const std::vector<SyncEntry>& from, const std::vector<SyncEntry>& to,
                 SyncRules rules = {}) {
  std::string text;
  for (const SyncAction& action : PlanSync(from, to, rules))
    text += (action.kind == SyncAction::Kind::kCopy ? "+" : "-") + action.name + " ";
  return text;
}

TEST(SyncPlan, CopiesWhatDiffers) {
  std::vector<SyncEntry> from = {Entry("a", 1, 10, "x"), Entry("b", 2, 10, "y")};
  EXPECT_EQ(Plan(from, {}), "+a +b ");
  EXPECT_EQ(Plan(from, from), "");
  EXPECT_EQ(Plan({}, from), "");
  EXPECT_EQ(Plan({}, from, {.delete_extra = true}), "-a -b ");
  EXPECT_EQ(Plan(from, {Entry("a", 1, 10, "x"), Entry("a1", 1, 10, "x")}, {.delete_extra = true}),
            "+b -a1 ");
  EXPECT_EQ(Plan({Entry("a", 1, 10, "x")}, {Entry("a", 2, 10, "x")}), "+a ");
  // Same size, other time: the bytes decide.
  EXPECT_EQ(Plan({Entry("a", 1, 10, "x")}, {Entry("a", 1, 11, "x")}), "");
  EXPECT_EQ(Plan({Entry("a", 1, 10, "x")}, {Entry("a", 1, 11, "y")}), "+a ");
  EXPECT_EQ(Plan({Entry("a", 1, {}, "x")}, {Entry("a", 1, 11, "y")}), "+a ");
  // Same size and time are trusted unless -c.
  EXPECT_EQ(Plan({Entry("a", 1, 10, "x")}, {Entry("a", 1, 10, "y")}), "");
  EXPECT_EQ(Plan({Entry("a", 1, 10, "x")}, {Entry("a", 1, 10, "y")}, {.compare_checksums = true}),
            "+a ");
  EXPECT_EQ(Plan({Entry("a", 1, 10, "x")}, {Entry("a", 2, 11, "y")}, {.skip_newer = true}), "");
  EXPECT_EQ(Plan({Entry("a", 1, 12, "x")}, {Entry("a", 2, 11, "y")}, {.skip_newer = true}), "+a ");
  EXPECT_EQ(Plan({Entry("a", 1, 12, "x")}, {Entry("a", 2, 11, "y")}, {.skip_existing = true}), "");
}

TEST(SyncPlan, ReadsFilesOnlyWhereItMust) {
  bool read = false;
  SyncEntry from{"a", 1, 10, [&] {
                   read = true;
                   return std::string("x");
                 }};
  Plan({from}, {Entry("a", 1, 10, "x")});
  Plan({from}, {Entry("a", 2, 10, "x")});
  EXPECT_FALSE(read);
}

}  // namespace
}  // namespace fireweed::cli
