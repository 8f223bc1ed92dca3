#include "machine/image/image_archive.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/process.h"
#include "machine/image/layer_check.h"
#include "machine/image/root_archive.h"
#include "machine/testing/test_host.h"

namespace fireweed {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr const char* kName = "base-0123456789abcdef";

class ImageArchiveTest : public ::testing::Test {
 protected:
  ImageArchiveTest() {
    for (int i = 0; i < 8; ++i)
      Write(image_ / "usr/lib" / std::to_string(i), std::string(3000, 'a' + i));
    Write(image_ / "etc/motd", "hello");
    Write(image_ / "dev/null", "left out");
    fs::create_symlink("/run", image_ / "usr/run");
    chmod((image_ / "etc/motd").c_str(), 0640);
    Write(image_.string() + ".binds",
          "/nowhere/index /opt/index\n/ /host\n/gone /usr/lib/google-cloud-sdk\n");
  }
  void Write(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  Result<ExportedImage> Export(const std::string& to) {
    return ExportImage(image_, to, nullptr, 5000);
  }
  Result<ImportedImage> Import(const std::string& from, const std::string& digest = "") {
    return ImportImage(from, {.images_directory = shelf_, .digest = digest, .cloud_sdk = "/etc"},
                       [this](int done, int) { layers_.push_back(done); });
  }
  // A tar of `tree` as a blob; the name of the blob.
  std::string Blob(const fs::path& layout, const fs::path& tree) {
    Result<ProgramOutcome> tar =
        RunProgram({.argv = {"tar", "--create", "--directory=" + tree.string(), "."}},
                   std::chrono::minutes(1));
    std::string hex = HexEncode(Hash(Digest::kSha256, tar->output));
    Write(layout / "blobs/sha256" / hex, tar->output);
    return hex;
  }

  TemporaryDirectory directory_;
  const fs::path image_ = fs::path(directory_.path()) / "images" / kName;
  const std::string shelf_ = directory_.path() + "/shelf", file_ = directory_.path() + "/image.tar";
  std::vector<int> layers_;
};

TEST_F(ImageArchiveTest, AnImageArrivesAsItWasByFileAndByDirectory) {
  ExportedImage by_file = Export(file_).value();
  EXPECT_GT(by_file.layers, 3);
  EXPECT_FALSE(fs::exists(file_ + ".part"));
  std::string layout = directory_.path() + "/layout/";
  EXPECT_EQ(Export(layout)->digest, by_file.digest) << "the same image has the same digest";
  for (const std::string& from : {file_, layout}) {
    fs::remove_all(shelf_);
    ImportedImage imported = Import(from, by_file.digest).value();
    EXPECT_EQ(imported.path, shelf_ + "/" + kName);
    EXPECT_EQ(ReadFileText(imported.path + "/usr/lib/5"), std::string(3000, 'f'));
    EXPECT_EQ(fs::read_symlink(imported.path + "/usr/run"), "/run");
    EXPECT_FALSE(fs::exists(imported.path + "/dev/null"));
    struct stat motd {};
    ASSERT_EQ(stat((imported.path + "/etc/motd").c_str(), &motd), 0);
    EXPECT_EQ(motd.st_mode & 07777, 0640u);
    EXPECT_EQ(ReadFileText(imported.path + ".binds"), "/ /host\n/etc /usr/lib/google-cloud-sdk\n");
    EXPECT_EQ(imported.missing, std::vector<std::string>{"/nowhere/index"});
    EXPECT_TRUE(fs::is_directory(imported.path + ".users"));
    EXPECT_EQ(fs::read_symlink(shelf_ + "/imported"), kName);
    for (const auto& entry : fs::directory_iterator(shelf_)) {
      EXPECT_FALSE(entry.path().filename().string().starts_with(".importing")) << entry.path();
    }
  }
}

TEST_F(ImageArchiveTest, AnInterruptedImportResumesAtItsLayer) {
  std::string layout = directory_.path() + "/layout/", hidden = directory_.path() + "/hidden";
  ExportedImage exported = Export(layout).value();
  // The third layer is missing at first.
  std::string manifest = ReadFileText(layout + "blobs/sha256/" + exported.digest.substr(7));
  size_t at = manifest.find("\"layers\"");
  for (int i = 0; i < 3; ++i) at = manifest.find("sha256:", at + 1);
  std::string blob = layout + "blobs/sha256/" + manifest.substr(at + 7, 64);
  fs::rename(blob, hidden);
  EXPECT_EQ(Import(layout).error().code, Code::kInvalid);
  EXPECT_FALSE(fs::exists(shelf_ + "/" + kName));
  fs::rename(hidden, blob);
  layers_.clear();
  ASSERT_TRUE(Import(layout).ok());
  EXPECT_EQ(layers_.front(), 2) << "two layers were there already";
  EXPECT_EQ(ReadFileText(shelf_ + "/" + kName + "/usr/lib/0"), std::string(3000, 'a'));
}

TEST_F(ImageArchiveTest, AnInterruptedExportReusesItsLayers) {
  int made = 0;
  EXPECT_THROW((void)ExportImage(
                   image_, file_,
                   [&](int done, int) {
                     if ((made = done) == 2) throw std::runtime_error("killed");
                   },
                   5000),
               std::runtime_error);
  std::set<std::string> before;
  for (const auto& blob : fs::directory_iterator(file_ + ".part/blobs/sha256"))
    before.insert(blob.path().filename());
  ASSERT_EQ(before.size(), 2u);
  struct stat first {
  }, again{};
  std::string blob = file_ + ".part/blobs/sha256/" + *before.begin();
  ASSERT_EQ(stat(blob.c_str(), &first), 0);
  ASSERT_TRUE(ExportImage(
                  image_, file_,
                  [&](int done, int) {
                    if (done == 2) {
                      EXPECT_EQ(stat(blob.c_str(), &again), 0);
                    }
                  },
                  5000)
                  .ok());
  EXPECT_EQ(first.st_ino, again.st_ino) << "the layer was not written a second time";
}

TEST_F(ImageArchiveTest, DamagedAndForeignArchivesAreRefused) {
  std::string layout = directory_.path() + "/layout/";
  ASSERT_TRUE(Export(layout).ok());
  EXPECT_THAT(Import(layout, "sha256:00").error().message, HasSubstr("not sha256:00"));
  EXPECT_EQ(Import(directory_.path() + "/none").error().code, Code::kNotFound);
  Write(directory_.path() + "/text", std::string(2000, 'x'));
  EXPECT_THAT(Import(directory_.path() + "/text").error().message,
              HasSubstr("not an exported base image"));
  EXPECT_THAT(Import(shelf_).error().message, HasSubstr("not an OCI image layout"));
  for (const auto& blob : fs::directory_iterator(layout + "blobs/sha256")) {
    if (ReadFileText(blob.path()).starts_with('{')) continue;  // manifest and configuration
    std::ofstream(blob.path(), std::ios::app) << "x";
  }
  EXPECT_THAT(Import(layout).error().message, HasSubstr("damaged"));
  EXPECT_FALSE(fs::exists(shelf_ + "/" + kName));
}

TEST_F(ImageArchiveTest, NamesOfHostileArchivesAreRefused) {
  std::string layout = directory_.path() + "/layout";
  Write(layout + "/oci-layout", "{}");
  std::string layer = Blob(layout, image_);
  for (const char* name : {"", "../../etc", "base-0123456789abcdeg", "base-0123456789abcdef/.."}) {
    std::string manifest = std::string(R"({"layers":[{"digest":"sha256:)") + layer +
                           R"("}],"annotations":{"org.fireweed.base-image.name":")" + name + "\"}}";
    std::string hex = HexEncode(Hash(Digest::kSha256, manifest));
    Write(layout + "/blobs/sha256/" + hex, manifest);
    Write(layout + "/index.json", R"({"manifests":[{"digest":"sha256:)" + hex + "\"}]}");
    EXPECT_THAT(Import(layout).error().message, HasSubstr("not a base image")) << name;
  }
}

// GNU tar follows links that an earlier layer has made.
TEST_F(ImageArchiveTest, ALayerDoesNotWriteThroughTheLinksOfAnother) {
  fs::path victim = fs::path(directory_.path()) / "victim",
           root = fs::path(directory_.path()) / "root";
  Write(victim / "secret", "secret");
  fs::create_directories(root);
  fs::path lower = fs::path(directory_.path()) / "lower",
           upper = fs::path(directory_.path()) / "upper";
  fs::create_directories(lower);
  fs::create_symlink(victim, lower / "out");
  fs::create_symlink("etc", lower / "inside");
  Write(lower / "etc/a", "a");
  ASSERT_TRUE(
      AddOciLayer((fs::path(directory_.path()) / "blobs/sha256" / Blob(directory_.path(), lower)),
                  root)
          .ok());
  Write(upper / "inside/b", "b");
  fs::path fine = fs::path(directory_.path()) / "blobs/sha256" / Blob(directory_.path(), upper);
  EXPECT_TRUE(AddOciLayer(fine, root).ok()) << "a link within the image is followed or replaced";
  fs::remove_all(upper);
  Write(upper / "out/planted", "x");
  fs::path bad = fs::path(directory_.path()) / "blobs/sha256" / Blob(directory_.path(), upper);
  Result<> added = AddOciLayer(bad, root);
  ASSERT_FALSE(added.ok());
  EXPECT_THAT(added.error().message, HasSubstr("link out of the image"));
  EXPECT_FALSE(fs::exists(victim / "planted"));
}

TEST(LayerCheck, ReadsWhatTarPrints) {
  std::vector<LayerEntry> entries =
      ParseLayerListing(
          "-rw-r--r-- 0/0   5 2026-01-01 00:00 \"./a \\\"b\\\"\\303\\244\"\n"
          "hrw-r--r-- 0/0   0 2026-01-01 00:00 \"c\" link to \"d -> e\"\n"
          "crw-r--r-- 0/0 1,3 2026-01-01 00:00 \"dev/null\"\n")
          .value();
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].name, "./a \"b\"\303\244");
  EXPECT_EQ(entries[0].size, 5);
  EXPECT_EQ(entries[1].target, "d -> e");
  EXPECT_FALSE(ParseLayerListing("garbage\n").ok());
}

TEST(LayerCheck, RefusesNamesThatLeaveTheTree) {
  TemporaryDirectory root;
  std::string path = fs::canonical(root.path());
  EXPECT_TRUE(CheckLayer({{'-', "./etc/passwd", "", 1}, {'h', "a", "etc/b", 0}}, path).ok());
  for (const LayerEntry& bad :
       {LayerEntry{'-', "/etc/passwd", "", 0}, LayerEntry{'-', "a/../../b", "", 0},
        LayerEntry{'h', "a", "/etc/shadow", 0}, LayerEntry{'h', "a", "../x", 0}}) {
    EXPECT_EQ(CheckLayer({bad}, path).error().code, Code::kInvalid) << bad.name;
  }
  EXPECT_EQ(CheckLayer({{'-', "huge", "", int64_t{1} << 60}}, path).error().code, Code::kExhausted);
}

}  // namespace
}  // namespace fireweed
