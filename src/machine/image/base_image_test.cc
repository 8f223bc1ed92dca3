#include "machine/image/base_image.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fireweed {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

// A stand-in for the script, in a directory of its own.
class BaseImageTest : public testing::Test {
 protected:
  BaseImageTest() {
    std::string name = testing::TempDir() + "base_image_XXXXXX";
    directory_ = mkdtemp(name.data());
  }
  ~BaseImageTest() override { fs::remove_all(directory_); }

  BaseImageSettings Script(const std::string& body) {
    fs::path script = directory_ / "packaging/image/build_base_image";
    fs::create_directories(script.parent_path());
    std::ofstream(script) << "#!/bin/sh\n" << body;
    chmod(script.c_str(), 0755);
    return {.script = script, .images_directory = directory_, .cloud_sdk = "none"};
  }

  fs::path directory_;
};

TEST_F(BaseImageTest, TellsProgressAndBinds) {
  BaseImageSettings settings = Script(
      "echo 'step 1/2 first thing'; echo noise; echo 'step 2/2 second'; printf 'image %s' "
      "\"$2/base-1\"\n"
      "echo '/opt/index /opt/index\n/sdk /usr/lib/google-cloud-sdk' >$2/base-1.binds\n");
  std::vector<std::string> seen;
  BaseImage image =
      BuildBaseImage(settings, [&](const ImageProgress& p) {
        seen.push_back(std::to_string(p.step) + " of " + std::to_string(p.steps) + ": " + p.text);
      }).value();
  EXPECT_EQ(image.root, (directory_ / "base-1").string());
  EXPECT_THAT(seen, ElementsAre("1 of 2: first thing", "2 of 2: second"));
  ASSERT_EQ(image.binds.size(), 2u);
  EXPECT_EQ(image.binds[0].outside, "/opt/index");
  EXPECT_EQ(image.binds[1].outside, "/sdk");
  EXPECT_EQ(image.binds[1].inside, "/usr/lib/google-cloud-sdk");
}

// The script itself: an image's name follows from what goes in, and finding one does not ask apt, which is slow.
TEST_F(BaseImageTest, RealScriptFindsAnImageByWhatWentIn) {
  auto real = FindImageScript(fs::read_symlink("/proc/self/exe").parent_path());
  ASSERT_TRUE(real.has_value());
  fs::path stub = directory_ / "stubs/apt-get", asked = directory_ / "asked";
  fs::create_directories(stub.parent_path());
  std::ofstream(stub) << "#!/bin/sh\ntouch " << asked << "\n";
  chmod(stub.c_str(), 0755);
  BaseImageSettings settings =
      Script("export PATH=" + stub.parent_path().string() + ":$PATH\nout=$(" + *real +
             " \"$@\"); code=$?\necho \"$out\" >$2/said\necho \"$out\"\nexit $code\n");
  settings.pip_constraints = directory_ / "constraints";
  auto missing = [&](const char* constraints) {
    std::ofstream(settings.pip_constraints) << constraints;
    EXPECT_FALSE(FindBaseImage(settings).value().has_value());
    std::string word, path;
    std::ifstream(directory_ / "said") >> word >> path;
    EXPECT_EQ(word, "missing");
    return path;
  };
  std::string one = missing("numpy<2\n"), other = missing("numpy<3\n");
  EXPECT_NE(one, other);
  fs::create_directories(other);
  std::ofstream(other + ".binds") << "";
  EXPECT_EQ(FindBaseImage(settings).value().value().root, other);
  EXPECT_FALSE(fs::exists(asked));
  // Another recipe, without an image of its own: the imported one is used.
  std::string third = missing("numpy<4\n");
  fs::create_directories(directory_ / "base-0123456789abcdef");
  std::ofstream(directory_ / "base-0123456789abcdef.binds") << "";
  fs::create_symlink("base-0123456789abcdef", directory_ / "imported");
  EXPECT_EQ(FindBaseImage(settings).value().value().root, directory_ / "base-0123456789abcdef");
  fs::create_directories(third);
  std::ofstream(third + ".binds") << "";
  EXPECT_EQ(FindBaseImage(settings).value().value().root, third) << "this host's own goes first";
}

TEST_F(BaseImageTest, MissingIsNoError) {
  BaseImageSettings settings =
      Script("for a in \"$@\"; do [ $a = --print ] && exit 3; done; exit 9\n");
  EXPECT_EQ(FindBaseImage(settings).value().has_value(), false);
}

TEST_F(BaseImageTest, FailureCarriesTheLastWords) {
  // More than a pipe holds on each stream: neither may block the other.
  BaseImageSettings settings = Script(
      "head -c 300000 /dev/zero | tr '\\0' x >&2; head -c 300000 /dev/zero; echo >&2\n"
      "echo 'error: no mirror' >&2; exit 1\n");
  Result<BaseImage> image = BuildBaseImage(settings, nullptr);
  ASSERT_FALSE(image.ok());
  EXPECT_EQ(image.error().code, Code::kUnavailable);
  EXPECT_THAT(image.error().message, HasSubstr("no mirror"));
}

TEST_F(BaseImageTest, ReadyImageWithoutItsBindsIsAnError) {
  BaseImageSettings settings = Script("echo image $2/base-2\n");
  EXPECT_FALSE(FindBaseImage(settings).ok());
}

TEST_F(BaseImageTest, NoScriptIsNotFound) {
  Result<BaseImage> image = BuildBaseImage({.script = directory_ / "nowhere"}, nullptr);
  ASSERT_FALSE(image.ok());
  EXPECT_EQ(image.error().code, Code::kNotFound);
  // Programs that were copied without their tree.
  EXPECT_THAT(BuildBaseImage({}, nullptr).error().message, HasSubstr("build_base_image"));
}

TEST_F(BaseImageTest, ScriptIsFoundFromTheBuildTree) {
  std::string script = Script("").script;
  fs::create_directories(directory_ / "build/release/bin");
  EXPECT_EQ(FindImageScript(directory_ / "build/release/bin"), script);
  EXPECT_EQ(FindImageScript("/"), std::nullopt);
}

TEST_F(BaseImageTest, InstalledScriptIsFoundBesideTheProgram) {
  fs::create_directories(directory_ / "usr/share/fireweed/image");
  fs::create_directories(directory_ / "usr/bin");
  fs::path script = directory_ / "usr/share/fireweed/image/build_base_image";
  std::ofstream(script) << "";
  EXPECT_EQ(FindImageScript(directory_ / "usr/bin"), script.string());
}

TEST(ParseImageProgress, TakesOnlyWholeLines) {
  EXPECT_EQ(ParseImageProgress("step 3/7 a b")->text, "a b");
  for (const char* bad :
       {"", "step", "step x/7 a", "step 3", "step 3/", "step 3/7", "steps 3/7 a"}) {
    EXPECT_EQ(ParseImageProgress(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace fireweed
