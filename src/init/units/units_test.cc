#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "init/units/supervisor.h"
#include "init/units/systemctl.h"
#include "init/units/unit_file.h"
#include "init/units/unit_store.h"

namespace fireweed {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(UnitFile, ReadsSectionsListsAndContinuedLines) {
  UnitFile file;
  file.Add(
      "# a comment\n[Unit]\nAfter=a.service b.service\nAfter=c.service\n[Service]\n"
      "Environment=A=1 \"B=two words\"\nExecStart=/bin/x \\\n  --flag\\\n\n; another\nno sense\n"
      "RemainAfterExit=yes\n");
  EXPECT_THAT(file.Words("Unit.After"), ElementsAre("a.service", "b.service", "c.service"));
  EXPECT_THAT(file.Words("Service.Environment"), ElementsAre("A=1", "B=two words"));
  EXPECT_THAT(SplitWords(file.Value("Service.ExecStart")), ElementsAre("/bin/x", "--flag"));
  EXPECT_TRUE(file.Flag("Service.RemainAfterExit"));
  EXPECT_EQ(file.Value("Service.Type", "simple"), "simple");
  file.Add("[Service]\nExecStart=\nExecStart=/bin/y\n");
  EXPECT_THAT(file.Values("Service.ExecStart"), ElementsAre("/bin/y"));
}

TEST(UnitFile, ReadsCommands) {
  UnitCommand command = *ParseUnitCommand("-@/usr/sbin/d daemon 'one word' \"it's\" a\\ b");
  EXPECT_EQ(command.program, "/usr/sbin/d");
  EXPECT_FALSE(command.failure_counts);
  EXPECT_THAT(command.words, ElementsAre("daemon", "one word", "it's", "a b"));
  EXPECT_TRUE(ParseUnitCommand("+/bin/x")->as_root);
  EXPECT_FALSE(ParseUnitCommand("-"));
  EXPECT_THAT(
      ExpandVariables({"$A", "${A}", "x${B}y", "$$A", "$NONE", "$1x-"}, {"A=one two", "B=b"}),
      ElementsAre("one", "two", "one two", "xby", "$A", "$1x-"));
  EXPECT_EQ(ExpandSpecifiers("%i of %p, %n 100%% %H", "db@main.service", "t1"),
            "main of db, db@main.service 100% t1");
}

TEST(UnitFile, ReadsTimesAndEnvironmentFiles) {
  EXPECT_EQ(ParseTimeSpan("5"), 5000);
  EXPECT_EQ(ParseTimeSpan("2min 30s"), 150'000);
  EXPECT_EQ(ParseTimeSpan("500ms"), 500);
  EXPECT_EQ(ParseTimeSpan("infinity"), -1);
  EXPECT_FALSE(ParseTimeSpan("soon"));
  EXPECT_THAT(ParseEnvironmentFile("# x\nA=1\nB=\"two words\"\n\nbroken\n"),
              ElementsAre("A=1", "B=two words"));
}

class UnitStoreTest : public ::testing::Test {
 protected:
  UnitStoreTest() {
    std::string pattern = fs::temp_directory_path() / "fireweed-units-XXXXXX";
    root_ = mkdtemp(pattern.data());
  }
  ~UnitStoreTest() override { fs::remove_all(root_); }
  void Write(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }
  std::string root_;
};

TEST_F(UnitStoreTest, EnablesByLinksAndStartsThoseAtBoot) {
  Write("/lib/systemd/system/web.service",
        "[Unit]\nWants=db.service\nAfter=db.service network.target\n[Service]\nExecStart=/x\n"
        "[Install]\nWantedBy=multi-user.target\n");
  Write("/lib/systemd/system/db.service", "[Unit]\nBefore=log.service\n[Service]\nExecStart=/y\n");
  Write("/lib/systemd/system/log.service",
        "[Service]\nExecStart=/z\n[Install]\nWantedBy=multi-user.target\nAlias=syslog.service\n");
  Write("/etc/systemd/system/web.service.d/more.conf", "[Service]\nUser=ann\n");
  Write("/lib/systemd/system/at@.service", "[Service]\nExecStart=/at %i\n");
  Write("/etc/init.d/old", "#!/bin/sh\n");
  chmod((root_ + "/etc/init.d/old").c_str(), 0755);
  UnitStore store(root_);
  Unit web = store.Load("web");
  EXPECT_EQ(web.name, "web.service");
  EXPECT_EQ(web.file.Value("Service.User"), "ann");
  EXPECT_EQ(store.EnabledState(web), "disabled");
  EXPECT_EQ(store.EnabledState(store.Load("db")), "static");
  EXPECT_EQ(store.EnabledState(store.Load("none")), "");
  EXPECT_EQ(store.Load("at@one").file.Value("Service.ExecStart"), "/at %i");
  EXPECT_EQ(store.Load("old").file.Value("Service.ExecStart"), "/etc/init.d/old start");
  EXPECT_THAT(store.BootUnits(), IsEmpty());
  EXPECT_EQ(store.Enable(web).size(), 1u);
  EXPECT_EQ(store.Enable(web).size(), 0u);
  EXPECT_EQ(store.Enable(store.Load("log")).size(), 2u);
  EXPECT_EQ(store.Load("syslog").name, "log.service");
  EXPECT_EQ(store.EnabledState(web), "enabled");
  EXPECT_THAT(store.BootUnits(), ElementsAre("log.service", "web.service"));
  std::vector<UnitStore::Planned> plan = store.PlanStart(store.BootUnits());
  ASSERT_EQ(plan.size(), 3u);
  EXPECT_THAT(plan[0].after, IsEmpty());                  // db
  EXPECT_THAT(plan[1].after, ElementsAre("db.service"));  // log
  EXPECT_THAT(plan[2].after, ElementsAre("db.service"));  // web
  EXPECT_EQ(store.Disable(web).size(), 1u);
  EXPECT_TRUE(store.Mask("log", true) && store.Load("log").masked);
  EXPECT_TRUE(store.Mask("log", false) && !store.Load("log").masked);
}

TEST(Supervisor, RestartsByPolicy) {
  constexpr int kFailed = 1 << 8, kKilled = 9, kTerminated = 15;
  EXPECT_TRUE(RestartsAfter("always", 0));
  EXPECT_TRUE(RestartsAfter("on-failure", kFailed));
  EXPECT_TRUE(RestartsAfter("on-failure", kKilled));
  EXPECT_FALSE(RestartsAfter("on-failure", kTerminated));
  EXPECT_FALSE(RestartsAfter("on-abnormal", kFailed));
  EXPECT_TRUE(RestartsAfter("on-success", 0));
  EXPECT_FALSE(RestartsAfter("no", kFailed));
}

TEST(Systemctl, ReadsItsArguments) {
  SystemctlRequest request = ParseSystemctl({"--quiet", "--system", "enable", "--now", "--", "a"});
  EXPECT_EQ(request.verb, "enable");
  EXPECT_TRUE(request.quiet && request.now);
  EXPECT_THAT(request.units, ElementsAre("a"));
  request = ParseSystemctl({"show", "-p", "LoadState,SubState", "--value", "nginx"});
  EXPECT_THAT(request.properties, ElementsAre("LoadState", "SubState"));
  EXPECT_EQ(ParseSystemctl({}).verb, "list-units");
  EXPECT_NE(ParseSystemctl({"--user", "start", "x"}).problem, "");
}

}  // namespace
}  // namespace fireweed
