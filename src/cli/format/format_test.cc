// The --format and --filter languages, each case a line.
#include <gtest/gtest.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "cli/format/resource_filter.h"
#include "cli/format/resource_output.h"

namespace fireweed::cli {
namespace {

JsonTree Web() {
  return JsonTree::Parse(R"({
    "name": "web-1", "id": "42", "status": "RUNNING", "sizeGb": 10, "preemptible": true,
    "zone": "https://www.googleapis.com/compute/v1/projects/p/zones/us-central1-a",
    "creationTimestamp": "2026-11-15T07:08:09.123Z",
    "tags": {"items": ["http", "https"], "fingerprint": "x"}, "labels": {"env": "test", "tier": "a b"},
    "metadata": {"items": [{"key": "startup-script", "value": "#! /bin/sh\necho hi\n"}]},
    "disks": [{"source": "a/b/boot", "boot": true}, {"source": "a/b/data", "boot": false}]})");
}
JsonTree Db() {
  return JsonTree::Parse(R"({"name": "db-1", "status": "TERMINATED", "sizeGb": 9, "zone": "z/b"})");
}

struct Case {
  std::string format, want;
};

TEST(Format, OneResource) {
  const Case cases[] = {
      {"value(name)", "web-1\n"},
      {"value(name,zone.basename(),sizeGb)", "web-1\tus-central1-a\t10\n"},
      {"get(disks[0].source)", "a/b/boot\n"},
      {"value(disks[-1].source.basename())", "data\n"},
      {"value(disks[7].source,none.at.all,name)", "\t\tweb-1\n"},
      {"value(disks[].source)", "a/b/boot;a/b/data\n"},
      {"value(disks.source.list())", "a/b/boot,a/b/data\n"},
      {"value[delimiter=' '](tags.items)", "http https\n"},
      {"value(tags.items.list(separator='+'))", "http+https\n"},
      {"value(tags.items.len(),name.len(),labels.len())", "2\t5\t2\n"},
      {"value(labels)", "env=test;tier=a b\n"},
      {"value(labels.env,labels.tier)", "test\ta b\n"},
      {"value(metadata.items.startup-script)", "#! /bin/sh\necho hi\n\n"},
      {"value(zone.scope(),zone.scope(projects),zone.segment(-2))",
       "us-central1-a\tp/zones/us-central1-a\tzones\n"},
      {"value(creationTimestamp.date('%Y-%m-%d'))", "2026-11-15\n"},
      {"value(creationTimestamp.date(tz=UTC))", "2026-11-15T07:08:09\n"},
      {"value(creationTimestamp.date('%Y', tz=UTC))", "2026\n"},
      {"value(tags.items.list(show=values))", "http,https\n"},
      {"value(preemptible.yesno(yes='true', no=''),none.yesno(no='-'))", "true\t-\n"},
      {"value(name.upper(),status.lower(),none.undefined('?'))", "WEB-1\trunning\t?\n"},
      {"value(disks[0].extract(source,boot).join('/'))", "a/b/boot/true\n"},
      {"csv(name,labels)", "name,labels\nweb-1,env=test;tier=a b\n"},
      {"csv[no-heading](name,tags.items.list())", "web-1,\"http,https\"\n"},
      {"csv[separator='|'](name:label=N,disks[0].boot)", "N|disks[0]_boot\nweb-1|true\n"},
      {"table(name,zone.basename():label=WHERE,sizeGb:align=right)",
       "NAME   WHERE          SIZE_GB\nweb-1  us-central1-a       10\n"},
      {"table[no-heading](name)", "web-1\n"},
      {"table[box](name)", "+-------+\n| NAME  |\n+-------+\n| web-1 |\n+-------+\n"},
      {"list(name,status)", " - web-1 RUNNING\n"},
      {"none", ""},
      {"json(name,tags.items)",
       "{\n  \"name\": \"web-1\",\n  \"tags\": {\n    \"items\": [\n      \"http\",\n      "
       "\"https\"\n    "
       "]\n  }\n}\n"},
      {"yaml(name,id,sizeGb,preemptible)",
       "id: '42'\nname: web-1\npreemptible: true\nsizeGb: 10\n"},
      {"yaml(disks)",
       "disks:\n- boot: true\n  source: a/b/boot\n- boot: false\n  source: a/b/data\n"},
      {"yaml(metadata)",
       "metadata:\n  items:\n  - key: startup-script\n    value: |\n      #! /bin/sh\n      echo "
       "hi\n"},
      {"text(name,tags.items)",
       "---\nname:          web-1\ntags.items[0]: http\ntags.items[1]: https\n"},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(Render({Web()}, Projection::Parse(one.format), Shape::kOne), one.want) << one.format;
  }
}

TEST(Format, LocalTimes) {
  time_t seconds = ToSeconds(*ParseTime("2026-11-15T07:08:09Z"));
  struct tm here;
  localtime_r(&seconds, &here);
  char text[40];
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S\n", &here);
  EXPECT_EQ(
      Render({Web()}, Projection::Parse("value(creationTimestamp.date(tz=LOCAL))"), Shape::kOne),
      text);
}

TEST(Format, Lists) {
  const Case cases[] = {
      {"value(name:sort=1)", "db-1\nweb-1\n"},
      {"value(name:sort=1:reverse)", "web-1\ndb-1\n"},
      {"json(name)",
       "[\n  {\n    \"name\": \"web-1\"\n  },\n  {\n    \"name\": \"db-1\"\n  }\n]\n"},
      {"yaml(name)", "---\nname: web-1\n---\nname: db-1\n"},
      {"table(name,sizeGb)", "NAME   SIZE_GB\nweb-1  10\ndb-1   9\n"},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(Render({Web(), Db()}, Projection::Parse(one.format), Shape::kList), one.want)
        << one.format;
  }
  EXPECT_EQ(Render({}, Projection::Parse("table(name)"), Shape::kList), "");
  EXPECT_EQ(Render({}, Projection::Parse("json"), Shape::kList), "[]\n");
}

TEST(Format, SaysWhatIsWrong) {
  for (const char* text :
       {"value(", "value(name", "nonsense", "value", "table(a b)", "value(a.b(",
        "value(name.nosuch())", "value([0)", "json]", "value('a)", "table[box(a)"}) {
    EXPECT_THROW(Render({Web()}, Projection::Parse(text), Shape::kOne), Failure) << text;
  }
}

TEST(Yaml, QuotesWhatWouldBeSomethingElse) {
  for (const auto& [text, want] : std::vector<std::pair<std::string, std::string>>{
           {"plain text", "plain text"},
           {"", "''"},
           {"true", "'true'"},
           {"12", "'12'"},
           {"1e3", "'1e3'"},
           {"it's: so", "'it''s: so'"},
           {"- x", "'- x'"},
           {"a #b", "'a #b'"},
           {" x", "' x'"},
           {"2026-11-15T07:08:09.123Z", "'2026-11-15T07:08:09.123Z'"},
           {"tab\there", "\"tab\\there\""}}) {
    JsonTree tree;
    tree["k"] = JsonTree::Text(text);
    EXPECT_EQ(Render({tree}, Projection::Parse("yaml"), Shape::kOne), "k: " + want + "\n");
  }
}

TEST(Filter, Terms) {
  struct {
    const char* text;
    bool web, db;
  } const cases[] = {
      {"", true, true},
      {"name=web-1", true, false},
      {"name=WEB-1", true, false},
      {"name=web", false, false},
      {"name:web", true, false},
      {"name:we", false, false},
      {"name:w*", true, false},
      {"name:(db-* none)", false, true},
      {"name=(web-1,db-1)", true, true},
      {"name!=web-1", false, true},
      {"name~^d", false, true},
      {"name!~^d", true, false},
      {"name~'(web|db)-[0-9]'", true, true},
      {"sizeGb>9", true, false},
      {"sizeGb>=9 AND sizeGb<10", false, true},
      {"status=RUNNING name:web*", true, false},
      {"status=RUNNING OR sizeGb=9", true, true},
      {"NOT status=RUNNING", false, true},
      {"-status=RUNNING", false, true},
      {"-(status=RUNNING OR name=x)", false, true},
      {"(name=web-1 OR name=db-1) AND status=TERMINATED", false, true},
      {"labels.env=test", true, false},
      {"labels.env:*", true, false},
      {"labels.none:*", false, false},
      {"tags.items=https", true, false},
      {"tags.items:(ssh http)", true, false},
      {"zone=us-central1-a", true, false},
      {"zone:us-central1-a", true, false},
      {"zone.basename=b", false, false},
      {"disks.source~data$", true, false},
      {"preemptible=true", true, false},
      {"web-1", true, false},
      {"WEB", true, false},
      {"db-1 OR web-1", true, true},
      {"-web", false, true},
      {"nowhere", false, false},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(ResourceFilter(one.text).Matches(Web()), one.web) << one.text;
    EXPECT_EQ(ResourceFilter(one.text).Matches(Db()), one.db) << one.text;
  }
  for (const char* text :
       {"name OR", "name=", "=x", "(name=x", "name=x)", "name~[", "name=(", "AND"})
    EXPECT_THROW(ResourceFilter{text}, Failure) << text;
  EXPECT_THROW(ResourceFilter(std::string(1000, '(')), Failure);
}

TEST(Output, FiltersSortsAndCuts) {
  OutputOptions options;
  options.sort_by = "~sizeGb";
  EXPECT_EQ(options.Text({Db(), Web()}, "value(name)", Shape::kList, false), "web-1\ndb-1\n");
  options.sort_by = "name";
  options.limit = 1;
  EXPECT_EQ(options.Text({Web(), Db()}, "value(name)", Shape::kList, false), "db-1\n");
  options.limit = 0;
  options.filter = "name=web-1";
  options.format = "table";
  EXPECT_EQ(options.Text({Web(), Db()}, "table(name)", Shape::kList, false), "NAME\nweb-1\n");
  // Headings stand for what their columns show.
  options.filter = "WHERE=us-central1-a AND web-1";
  options.format = "value(STATUS,WHERE.upper())";
  EXPECT_EQ(options.Text({Web(), Db()}, "table(name,zone.basename():label=WHERE,status)",
                         Shape::kList, false),
            "RUNNING\tUS-CENTRAL1-A\n");
}

}  // namespace
}  // namespace fireweed::cli
