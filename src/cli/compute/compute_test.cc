// Flags to bodies, names to places, and edits with fingerprints: each case a line.
#include <set>

#include <gtest/gtest.h>

#include "base/error.h"
#include "cli/compute/argument_lists.h"
#include "cli/compute/compute_commands.h"
#include "cli/compute/instance_options.h"
#include "cli/compute/metadata_edit.h"
#include "cli/compute/nouns.h"
#include "cli/format/printer.h"
#include "cli/grammar.h"

namespace fireweed::cli {
namespace {

using Words = std::vector<std::string>;

TEST(ArgumentLists, AreSplitAsGcloudDoes) {
  EXPECT_EQ(SplitList("a,b"), (Words{"a", "b"}));
  EXPECT_EQ(SplitList("^;^a,b;c"), (Words{"a,b", "c"}));
  EXPECT_EQ(SplitList("^--^a=1,2--b=3"), (Words{"a=1,2", "b=3"}));
  EXPECT_EQ(SplitList(""), Words{});
  EXPECT_EQ(SplitList("^x"), (Words{"^x"}));
  EXPECT_EQ(SplitPairs({"a=1,b=x=y", "c="}, "--f"), (Pairs{{"a", "1"}, {"b", "x=y"}, {"c", ""}}));
  EXPECT_THROW(SplitPairs({"a"}, "--f"), Failure);
  EXPECT_THROW(SplitPairs({"=a"}, "--f"), Failure);
  EXPECT_EQ(SplitRecord("name=d,boot")["boot"], "true");
  EXPECT_EQ(ParseGigabytes("10", "--f"), 10);
  EXPECT_EQ(ParseGigabytes("10GB", "--f"), 10);
  EXPECT_EQ(ParseGigabytes("2TB", "--f"), 2048);
  EXPECT_EQ(ParseDuration("1h30m", "--f"), 5400);
  EXPECT_EQ(ParseDuration("90", "--f"), 90);
  for (const char* text : {"", "x", "10XB", "-1", "0", "99999999999999999999"})
    EXPECT_THROW(ParseGigabytes(text, "--f"), Failure) << text;
  for (const char* text : {"", "x", "5w", "h"})
    EXPECT_THROW(ParseDuration(text, "--f"), Failure) << text;
}

TEST(Places, RegionAndLastWord) {
  EXPECT_EQ(RegionOf("us-central1-a"), "us-central1");
  EXPECT_EQ(LastWord("https://x/zones/z"), "z");
  EXPECT_EQ(LastWord("z"), "z");
}

TEST(Scopes, ShortNames) {
  EXPECT_EQ(ScopeUrl("cloud-platform"), "https://www.googleapis.com/auth/cloud-platform");
  EXPECT_EQ(ScopeUrl("storage-rw"), "https://www.googleapis.com/auth/devstorage.read_write");
  EXPECT_EQ(ScopeUrl("https://x"), "https://x");
}

TEST(MetadataEdit, KeepsTheFingerprintAndTheRest) {
  JsonTree instance = JsonTree::Parse(
      R"({"metadata":{"fingerprint":"f","items":[{"key":"a","value":"1"},{"key":"b","value":"2"}]},
          "labels":{"x":"1","y":"2"},"labelFingerprint":"g","tags":{"fingerprint":"h","items":["t","u"]}})");
  auto body = [&](std::string_view word, const ListEdit& edit) {
    for (const FieldEdit& field : InstanceEdits()) {
      if (field.word == word) return field.Body(instance, edit).Compact();
    }
    return std::string("no such edit");
  };
  EXPECT_EQ(body("add-metadata", {{"b=3,c=4"}, {}, {}, false}),
            R"({"fingerprint":"f","items":[{"key":"a","value":"1"},{"key":"b","value":"3"},)"
            R"({"key":"c","value":"4"}]})");
  EXPECT_EQ(body("remove-metadata", {{}, {}, {"a"}, false}),
            R"({"fingerprint":"f","items":[{"key":"b","value":"2"}]})");
  EXPECT_EQ(body("remove-metadata", {{}, {}, {}, true}), R"({"fingerprint":"f","items":[]})");
  EXPECT_EQ(body("add-labels", {{"x=9"}, {}, {}, false}),
            R"({"labels":{"x":"9","y":"2"},"labelFingerprint":"g"})");
  EXPECT_EQ(body("remove-labels", {{}, {}, {"x"}, false}),
            R"({"labels":{"y":"2"},"labelFingerprint":"g"})");
  EXPECT_EQ(body("add-tags", {{}, {}, {"u,v"}, false}),
            R"({"fingerprint":"h","items":["t","u","v"]})");
  EXPECT_EQ(body("remove-tags", {{}, {}, {"t"}, false}), R"({"fingerprint":"h","items":["u"]})");
}

// Every command line in the table parses, and every table of a noun is a format that exists.
TEST(Nouns, MakeCommandsAndTables) {
  Settings settings;
  Command root;
  AddNounCommands(root, settings);
  AddInstanceCommands(root, settings);
  AddShellCommands(root, settings);
  AddGroupCommands(root, settings);
  AddImageCommands(root, settings);
  AddProjectCommands(root, settings);
  std::set<std::string_view> collections;
  for (const Noun& noun : Nouns()) {
    Command& group = GroupOf(root, noun.words);
    EXPECT_NE(group.Find("list"), nullptr) << noun.words;
    EXPECT_EQ(group.Find("delete") != nullptr, noun.removable) << noun.words;
    std::string table(noun.table.empty() ? kInstanceTable : noun.table);
    EXPECT_FALSE(Render({JsonTree::Object()}, Projection::Parse(table), Shape::kList).empty());
    EXPECT_TRUE(collections.insert(noun.collection).second) << noun.collection;
  }
}

TEST(Nouns, InstanceTableShowsAddresses) {
  JsonTree instance = JsonTree::Parse(
      R"({"name":"a","zone":"x/zones/z","machineType":"y/n1","status":"RUNNING",
          "scheduling":{"preemptible":true},
          "networkInterfaces":[{"networkIP":"10.0.0.2","accessConfigs":[{"natIP":"10.0.0.2"}]}]})");
  EXPECT_EQ(Render({instance}, Projection::Parse(kInstanceTable), Shape::kList),
            "NAME  ZONE  MACHINE_TYPE  PREEMPTIBLE  INTERNAL_IP  EXTERNAL_IP  STATUS\n"
            "a     z     n1            true         10.0.0.2     10.0.0.2     RUNNING\n");
}

TEST(Nouns, FirewallRulesAreShaped) {
  for (const Noun& noun : Nouns()) {
    if (noun.collection != "firewalls") continue;
    JsonTree body = JsonTree::Parse(R"({"allow":["tcp:22","icmp"],"action":"DENY"})");
    noun.shape(body);
    EXPECT_EQ(body.Compact(),
              R"({"denied":[{"IPProtocol":"tcp","ports":["22"]},{"IPProtocol":"icmp"}]})");
    return;
  }
  FAIL() << "no firewall rules";
}

}  // namespace
}  // namespace fireweed::cli
