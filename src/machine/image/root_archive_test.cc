#include "machine/image/root_archive.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/checksum.h"
#include "base/process.h"
#include "machine/image/oci_layout.h"
#include "machine/testing/test_host.h"

namespace fireweed {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class RootArchiveTest : public ::testing::Test {
 protected:
  RootArchiveTest() { fs::create_directories(into_); }

  void Write(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  fs::path Tree(const std::string& name) { return fs::path(directory_.path()) / name; }
  std::string Tar(const std::string& tree, const std::string& option = "--gzip") {
    Result<ProgramOutcome> made =
        RunProgram({.argv = {"tar", "--create", option, "--directory=" + Tree(tree).string(), "."}},
                   std::chrono::minutes(1));
    EXPECT_TRUE(made.ok() && made->ok());
    return made.ok() ? made->output : "";
  }
  Result<ContainerConfig> Unpack(const std::string& archive) {
    size_t at = 0;
    return UnpackRoot(
        [&](std::span<std::byte> out) -> Result<size_t> {
          size_t size = std::min(out.size(), archive.size() - at);
          memcpy(out.data(), archive.data() + at, size);
          at += size;
          return size;
        },
        into_);
  }
  std::string AddBlob(const fs::path& layout, const std::string& bytes) {
    std::string hex;
    for (unsigned char c : Hash(Digest::kSha256, bytes)) {
      constexpr const char* kDigits = "0123456789abcdef";
      hex += kDigits[c >> 4];
      hex += kDigits[c & 15];
    }
    Write(layout / "blobs/sha256" / hex, bytes);
    return "sha256:" + hex;
  }

  TemporaryDirectory directory_;
  const std::string into_ = directory_.path() + "/into";
};

TEST_F(RootArchiveTest, ARootTreePackedOrNot) {
  Write(Tree("root") / "etc/motd", "hello");
  Write(Tree("root") / "usr/bin/tool", "#!");
  Write(Tree("root") / "dev/fake", "left out");
  ASSERT_EQ(chmod((Tree("root") / "usr/bin/tool").c_str(), 0751), 0);
  for (const char* option : {"--gzip", "--format=pax"}) {
    fs::remove_all(into_);
    fs::create_directories(into_);
    Result<ContainerConfig> done = Unpack(Tar("root", option));
    ASSERT_TRUE(done.ok()) << done.error().message;
    EXPECT_EQ(*done, ContainerConfig{});
    EXPECT_EQ(ReadFileText(into_ + "/etc/motd"), "hello");
    struct stat tool {};
    ASSERT_EQ(stat((into_ + "/usr/bin/tool").c_str(), &tool), 0);
    EXPECT_EQ(tool.st_mode & 07777, 0751u);
    EXPECT_FALSE(fs::exists(into_ + "/dev/fake"));
  }
}

TEST_F(RootArchiveTest, WhatIsNoRootIsRefusedWithTheReason) {
  Write(Tree("raw") / "disk.raw", "blocks");
  EXPECT_THAT(Unpack(Tar("raw")).error().message, HasSubstr("raw disk"));
  fs::remove_all(into_);
  fs::create_directories(into_);
  Write(Tree("docs") / "readme", "no root");
  EXPECT_THAT(Unpack(Tar("docs")).error().message, HasSubstr("no root file system"));
  EXPECT_EQ(Unpack("").error().code, Code::kInvalid);
  EXPECT_THAT(Unpack(std::string(100'000, 'x')).error().message, HasSubstr("cannot be unpacked"));
  std::string cut = Tar("docs");
  EXPECT_EQ(Unpack(cut.substr(0, cut.size() / 2)).error().code, Code::kInvalid);
}

TEST_F(RootArchiveTest, AnOciLayoutIsLaidTogether) {
  Write(Tree("lower") / "etc/motd", "lower");
  Write(Tree("lower") / "etc/gone", "x");
  Write(Tree("lower") / "opt/old/file", "x");
  Write(Tree("lower") / "bin/sh", "x");
  Write(Tree("upper") / "etc/motd", "upper");
  Write(Tree("upper") / "etc/.wh.gone", "");
  Write(Tree("upper") / "opt/old/.wh..wh..opq", "");
  Write(Tree("upper") / "opt/old/new", "x");
  fs::path layout = Tree("layout");
  std::string first = AddBlob(layout, Tar("lower")), second = AddBlob(layout, Tar("upper"));
  // As docker save writes it: what is not said is null.
  std::string config =
      AddBlob(layout, R"({"architecture":"amd64","os":"linux","config":{)"
                      R"("Entrypoint":["/trainer/run","-v"],"Cmd":null,)"
                      R"("Env":["PATH=/bin","MODE=fast=1"],"WorkingDir":"/trainer",)"
                      R"("Labels":null,"ExposedPorts":{"80/tcp":{}}}})");
  std::string manifest = AddBlob(layout, R"({"schemaVersion":2,"config":{"digest":")" + config +
                                             R"("},"layers":[{"digest":")" + first +
                                             R"("},{"digest":")" + second + R"("}]})");
  Write(layout / "oci-layout", R"({"imageLayoutVersion":"1.0.0"})");
  Write(layout / "index.json",
        R"({"schemaVersion":2,"manifests":[{"digest":")" + manifest + R"("}]})");
  Result<ContainerConfig> done = Unpack(Tar("layout", "--format=pax"));
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(*done, (ContainerConfig{.entrypoint = {"/trainer/run", "-v"},
                                    .command = {},
                                    .environment = {"PATH=/bin", "MODE=fast=1"},
                                    .directory = "/trainer"}));
  EXPECT_EQ(ReadFileText(into_ + "/etc/motd"), "upper");
  EXPECT_FALSE(fs::exists(into_ + "/etc/gone"));
  EXPECT_FALSE(fs::exists(into_ + "/opt/old/file"));
  EXPECT_TRUE(fs::exists(into_ + "/opt/old/new"));
  for (const char* name : {"blobs", "index.json", "oci-layout", ".fireweed-root", "etc/.wh.gone"}) {
    EXPECT_FALSE(fs::exists(into_ + "/" + name)) << name;
  }
}

TEST_F(RootArchiveTest, DigestsDoNotLeadOutOfTheLayout) {
  fs::path layout = Tree("layout");
  Write(layout / "oci-layout", "{}");
  for (const char* digest : {"sha256:../../../etc/passwd", "md5:00", "sha256:zz"}) {
    Write(layout / "index.json", std::string(R"({"manifests":[{"digest":")") + digest + "\"}]}");
    EXPECT_EQ(ReadOciLayout(layout).error().code, Code::kInvalid) << digest;
  }
}

}  // namespace
}  // namespace fireweed
