#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "cli/client_directory.h"
#include "cli/commands.h"
#include "cli/doctor.h"
#include "cli/env_check.h"
#include "cli/grammar.h"
#include "cli/ini_file.h"
#include "cli/output.h"

namespace fireweed::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string Contents(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(IniFile, KeepsWhatOthersSet) {
  IniFile file =
      IniFile::Parse("# note\n[core]\nproject = mine\naccount=a@b\n\n[compute]\nzone = z\n");
  file.SetDefault("core", "project", "ours");
  file.Set("core", "account", "c@d");
  file.SetDefault("proxy", "port", "80");
  file.Remove("compute", "zone");
  EXPECT_EQ(file.Text(), "[core]\nproject = mine\naccount = c@d\n\n[proxy]\nport = 80\n");
}

TEST(Output, TablesAlignAndColoursNeedATerminal) {
  Table table({"A", "LONGER"});
  table.Add({"wide cell", "x"});
  EXPECT_EQ(table.Text(), "A          LONGER\nwide cell  x\n");
  EXPECT_EQ(Paint("x", Colour::kRed, false), "x");
  EXPECT_EQ(Paint("x", Colour::kRed, true), "\x1b[31mx\x1b[0m");
}

TEST(Doctor, NamesTheCgroupLayout) {
  EXPECT_EQ(CgroupLayout("cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n"), "v2");
  EXPECT_EQ(CgroupLayout("cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n"), "v1");
  EXPECT_EQ(CgroupLayout("cgroup /c/cpu cgroup rw 0 0\nnone /c/u cgroup2 rw 0 0\n"),
            "hybrid: v1 controllers, v2 at /c/u");
  EXPECT_EQ(CgroupLayout("proc /proc proc rw 0 0\n"), "");
}

TEST(Doctor, NamesAcceleratorsAndWhatTheyLack) {
  namespace fs = std::filesystem;
  std::string root = ::testing::TempDir() + "/doctor-accelerators";
  fs::remove_all(root);
  EXPECT_EQ(ExamineAccelerators(root).health, Health::kGood);
  auto write = [&](const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(root + path).parent_path());
    std::ofstream(root + path) << text;
  };
  write("/sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n");
  write("/sys/bus/pci/devices/0000:01:00.0/class", "0x030200\n");
  EXPECT_EQ(ExamineAccelerators(root).health, Health::kPartly);
  write("/proc/driver/nvidia/gpus/0000:01:00.0/information", "Model: \t\t NVIDIA H200\nIRQ: 1\n");
  EXPECT_EQ(ExamineAccelerators(root).health, Health::kPartly) << "no device nodes";
  write("/dev/nvidia-uvm", "");
  EXPECT_EQ(ExamineAccelerators(root).health, Health::kGood);
  EXPECT_EQ(ExamineAccelerators(root).seen, "1 x NVIDIA H200");
  fs::remove_all(root);
}

TEST(Doctor, EveryFlawSaysItsCost) {
  for (const Finding& finding : Examine({.state = "/", .path = "/nowhere", .user_id = 1})) {
    EXPECT_FALSE(finding.seen.empty()) << finding.topic;
    EXPECT_EQ(finding.cost.empty(), finding.health == Health::kGood) << finding.topic;
  }
}

class ClientDirectoryTest : public testing::Test {
 protected:
  ClientDirectoryTest() {
    std::string pattern = testing::TempDir() + "/client_directory.XXXXXX";
    path_ = mkdtemp(pattern.data());
    spec_.path = path_;
    spec_.endpoint.http = "127.0.0.1:8080";
    spec_.endpoint.https = "127.0.0.1:8443";
    spec_.endpoint.default_project = "fireweed";
    spec_.endpoint.zone = "us-central1-a";
    spec_.owner = {.client_id = "id", .client_secret = "s", .refresh_token = "r", .account = "o@x"};
    spec_.proxy_secret = "hush";
    spec_.authority_pem = "-----BEGIN CERTIFICATE-----\nb3Vycw==\n-----END CERTIFICATE-----\n";
  }
  ~ClientDirectoryTest() override { std::filesystem::remove_all(path_); }

  std::string path_;
  ClientDirectorySpec spec_;
};

TEST_F(ClientDirectoryTest, HoldsAccountProxyAndDefaults) {
  ClientDirectory(spec_).Prepare();
  std::string config = Contents(path_ + "/gcloud/configurations/config_default");
  for (const char* line :
       {"account = o@x", "project = fireweed", "zone = us-central1-a", "region = us-central1",
        "port = 8080", "password = hush", "polling_interval = 2"}) {
    EXPECT_NE(config.find(line), std::string::npos) << line << " in\n" << config;
  }
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open((path_ + "/gcloud/credentials.db").c_str(), &db), SQLITE_OK);
  sqlite3_stmt* row = nullptr;
  ASSERT_EQ(sqlite3_prepare_v2(db, "SELECT account_id, value FROM credentials", -1, &row, nullptr),
            SQLITE_OK);
  ASSERT_EQ(sqlite3_step(row), SQLITE_ROW);
  EXPECT_STREQ(reinterpret_cast<const char*>(sqlite3_column_text(row, 0)), "o@x");
  EXPECT_NE(std::string(reinterpret_cast<const char*>(sqlite3_column_text(row, 1)))
                .find("\"refresh_token\":\"r\""),
            std::string::npos);
  sqlite3_finalize(row);
  sqlite3_close(db);
  struct stat status;
  stat((path_ + "/adc.json").c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(ClientDirectoryTest, EveryGsutilHasACredential) {
  ClientDirectory(spec_).Prepare();
  std::string boto = Contents(path_ + "/boto");
  EXPECT_NE(boto.find("gs_external_account_authorized_user_file = " + path_ + "/gsutil.json"),
            std::string::npos)
      << boto;
  EXPECT_EQ(boto.find("gs_oauth2_refresh_token"), std::string::npos) << "conflicts with gcloud's";
  EXPECT_NE(Contents(path_ + "/gsutil.json").find("\"token_url\":\"http://127.0.0.1:8080/token\""),
            std::string::npos);
  spec_.gsutil_stands_alone = true;
  ClientDirectory(spec_).Prepare();
  boto = Contents(path_ + "/boto");
  EXPECT_NE(boto.find("gs_oauth2_refresh_token = r"), std::string::npos) << boto;
  EXPECT_EQ(boto.find("gs_external_account_authorized_user_file"), std::string::npos);
}

TEST_F(ClientDirectoryTest, PreparingAgainKeepsWhatTheUserSet) {
  ClientDirectory(spec_).Prepare();
  std::string name = path_ + "/gcloud/configurations/config_default";
  IniFile config = IniFile::Parse(Contents(name));
  config.Set("core", "project", "my-other");
  std::ofstream(name) << config.Text();
  spec_.endpoint.http = "127.0.0.1:9090";
  ClientDirectory(spec_).Prepare();
  EXPECT_NE(Contents(name).find("project = my-other"), std::string::npos);
  EXPECT_NE(Contents(name).find("port = 9090"), std::string::npos);
}

TEST_F(ClientDirectoryTest, BundlesAddToWhatWasThere) {
  std::string base = path_ + "/base.pem";
  std::ofstream(base) << "theirs";
  ClientDirectory directory(spec_);
  std::string bundle = directory.Bundle(base);
  EXPECT_EQ(Contents(bundle), "theirs\n" + spec_.authority_pem);
  EXPECT_NE(directory.Bundle(""), bundle);
}

TEST_F(ClientDirectoryTest, AGsutilOfAnotherOriginStandsAlone) {
  auto program = [&](const std::string& place, const std::string& name) {
    std::filesystem::create_directories(path_ + place);
    std::ofstream(path_ + place + name) << "#!/bin/sh\n";
    std::filesystem::permissions(path_ + place + name, std::filesystem::perms::owner_all);
  };
  program("/sdk/bin/", "gcloud");
  program("/sdk/bin/", "gsutil");
  program("/venv/bin/", "gsutil");
  std::filesystem::create_directories(path_ + "/links");
  for (const char* name : {"/gcloud", "/gsutil"}) {
    std::filesystem::create_symlink(path_ + "/sdk/bin" + name, path_ + "/links" + name);
  }
  EXPECT_FALSE(GsutilStandsAlone(path_ + "/links"));
  EXPECT_FALSE(GsutilStandsAlone(path_ + "/links:" + path_ + "/venv/bin"));
  EXPECT_TRUE(GsutilStandsAlone(path_ + "/venv/bin:" + path_ + "/links"));
  EXPECT_TRUE(GsutilStandsAlone(path_ + "/venv/bin")) << "no gcloud at all";
  program("/wrappers/", "gcloud");
  EXPECT_TRUE(GsutilStandsAlone(path_ + "/wrappers:" + path_ + "/links"));
  std::filesystem::create_directories(path_ + "/sdk/platform/gsutil");
  EXPECT_FALSE(GsutilStandsAlone(path_ + "/wrappers:" + path_ + "/links"));
}

TEST(Fingerprint, IsThatOfTheCertificate) {
  EXPECT_EQ(
      CertificateFingerprint("-----BEGIN CERTIFICATE-----\nb3Vycw==\n-----END CERTIFICATE-----\n")
          .size(),
      95u);
  EXPECT_THROW(CertificateFingerprint("nothing"), Failure);
}

// Returns the output of a command line.
std::string Said(const std::vector<std::string>& words) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(cli::Run(words, Context()), 0);
  std::fflush(stdout);
  return testing::internal::GetCapturedStdout();
}

TEST(Run, ExitStatusTellsWhatHappened) {
  Context context;
  context.environment["FIREWEED_STATE"] = testing::TempDir() + "/no-daemon-here";
  EXPECT_EQ(cli::Run({"version"}, context), 0);
  EXPECT_EQ(cli::Run({"--version"}, context), 0);
  EXPECT_EQ(cli::Run({"--help"}, context), 0);
  EXPECT_EQ(cli::Run({"status"}, context), 1);
  EXPECT_EQ(cli::Run({"env"}, context), 1);
  EXPECT_EQ(cli::Run({"env", "--unset"}, context), 0);
  EXPECT_EQ(cli::Run({"completion", "bash"}, context), 0);
  EXPECT_EQ(cli::Run({"beta", "compute", "instances", "list", "--help"}, context), 0);
  EXPECT_EQ(cli::Run({"beta"}, context), 2);
  EXPECT_EQ(cli::Run({"compute", "beta"}, context), 2);
  EXPECT_EQ(cli::Run({"source", "repos", "clone"}, context), 2);
}

TEST(Run, NamesTheWordThatIsNoCommand) {
  auto refusal = [](const std::vector<std::string>& words) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(cli::Run(words, Context()), 2);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_THAT(refusal({"nonsense"}), HasSubstr("fireweed: unknown command 'nonsense'\n"));
  EXPECT_THAT(refusal({"compute", "instances", "lst"}),
              HasSubstr("fireweed compute instances: unknown command 'lst'\nDid you mean 'list'?"));
  EXPECT_THAT(refusal({"compute", "instances", "list", "--zne=a"}),
              HasSubstr("Did you mean '--zone'?"));
  EXPECT_THAT(refusal({"compute", "instances", "create"}),
              AllOf(HasSubstr("missing argument NAMES"),
                    HasSubstr("instances create NAMES... [FLAGS]"), HasSubstr("Example")));
}

TEST(Run, SuggestsOnlyWhatIsClose) {
  EXPECT_EQ(ClosestWord("instnaces", {"images", "instances", "disks"}), "instances");
  EXPECT_EQ(ClosestWord("ls", {"list", "delete"}), "");
  EXPECT_EQ(ClosestWord("nonsense", {"up", "down"}), "");
}

TEST(Run, HelpListsDailyCommandsFirst) {
  std::string help = Said({"--help"});
  EXPECT_LT(help.find("\n  up "), help.find("\n  storage "));
  EXPECT_LT(help.find("\n  storage "), help.find("\n  completion "));
  EXPECT_EQ(help.find("Subcommands:"), std::string::npos) << "every command has its group";
}

TEST(Completion, KnowsEveryNameAndNothingHidden) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    std::string script = Said({"completion", shell});
    for (const char* known : {" ai-platform ml-engine ", "/ai-platform/jobs/submit/training",
                              "/ml-engine/jobs/submit/training"}) {
      EXPECT_NE(script.find(known), std::string::npos) << known << " for " << shell;
    }
    for (const char* hidden : {" forward ", "/forward"}) {
      EXPECT_EQ(script.find(hidden), std::string::npos) << hidden << " for " << shell;
    }
  }
}

TEST(Man, KnowsEveryNameAndNothingHidden) {
  std::string overview = Said({"man"}), page = Said({"man", "ai-platform"});
  EXPECT_NE(overview.find("ai\\-platform, ml\\-engine"), std::string::npos);
  EXPECT_EQ(overview.find("forward"), std::string::npos);
  EXPECT_NE(page.find("fireweed ml\\-engine"), std::string::npos);
  EXPECT_EQ(Said({"man", "ml-engine"}), page);
  EXPECT_EQ(cli::Run({"man", "forward"}, Context()), 1);

  std::string pattern = testing::TempDir() + "/man.XXXXXX";
  std::filesystem::path directory = mkdtemp(pattern.data());
  Said({"man", "--all", directory.string()});
  EXPECT_EQ(Contents(directory / "fireweed-ai-platform.1"), page);
  EXPECT_NE(Contents(directory / "fireweed-ml-engine.1").find("fireweed\\-ai\\-platform (1)"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(directory / "fireweed-forward.1"));
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace fireweed::cli
