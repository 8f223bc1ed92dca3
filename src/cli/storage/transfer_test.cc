// The pieces of transfers that need no daemon: the pool, retries, trackers, progress, signing, policies, usage.
#include <atomic>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <stdlib.h>

#include "base/checksum.h"
#include "cli/storage/listing.h"
#include "cli/storage/local_bytes.h"
#include "cli/storage/object_settings.h"
#include "cli/storage/policy_edit.h"
#include "cli/storage/progress.h"
#include "cli/storage/signed_url.h"
#include "cli/storage/transfer_pool.h"
#include "cli/storage/upload_tracker.h"

namespace fireweed::cli {
namespace {

namespace fs = std::filesystem;

class LocalTest : public testing::Test {
 protected:
  LocalTest() {
    std::string path = testing::TempDir() + "/fireweed-cli-XXXXXX";
    if (mkdtemp(path.data()) == nullptr) Abort("no temporary directory");
    root_ = path;
  }
  ~LocalTest() override { fs::remove_all(root_); }

  std::string Write(const std::string& name, const std::string& text) {
    fs::path path = root_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path;
  }
  std::string Walked() {
    std::string names;
    WalkDirectory(
        root_,
        [&](const LocalFile& file) {
          names += file.relative + " ";
          return true;
        },
        [&](const std::string& path) { names += "!" + fs::path(path).filename().string() + " "; });
    return names;
  }
  std::string Expanded(const std::string& pattern) {
    std::string names;
    for (const std::string& path : ExpandLocal((root_ / pattern).string()))
      names += fs::path(path).lexically_relative(root_).string() + " ";
    return names;
  }

  fs::path root_;
};

TEST_F(LocalTest, WalksAndExpands) {
  Write("a.txt", "1");
  Write("b/c.txt", "22");
  Write("b/d/e.csv", "333");
  Write(".hidden", "x");
  fs::create_symlink(root_ / "a.txt", root_ / "link");
  fs::create_directory_symlink(root_, root_ / "loop");
  fs::create_symlink(root_ / "nowhere", root_ / "dangling");
  EXPECT_EQ(Walked(), ".hidden a.txt b/c.txt b/d/e.csv !dangling link !loop ");
  EXPECT_EQ(Expanded("*.txt"), "a.txt ");
  EXPECT_EQ(Expanded("*"), "a.txt b link loop ");
  EXPECT_EQ(Expanded("?/*.txt"), "b/c.txt ");
  EXPECT_EQ(Expanded("b/**"), "b/c.txt b/d/e.csv ");
  EXPECT_EQ(Expanded("**.csv"), "b/d/e.csv ");
  EXPECT_EQ(Expanded("none*"), "");
  EXPECT_EQ(Expanded(".h*"), ".hidden ");
  EXPECT_EQ(CrcTextOfFile(root_ / "a.txt"),
            Crc32cToBase64(Crc32c(std::as_bytes(std::span("1", 1)))));
}

TEST_F(LocalTest, TrackerForgetsChangedFiles) {
  std::string path = Write("big", "12345");
  UploadTracker tracker((root_ / "kept").string(), "d1");
  StorageUrl to = StorageUrl::Remote("b", "o");
  EXPECT_FALSE(tracker.Find(path, LookAt(path), to));
  tracker.Keep(path, LookAt(path), to, "/upload/x?upload_id=1");
  EXPECT_EQ(tracker.Find(path, LookAt(path), to), "/upload/x?upload_id=1");
  EXPECT_FALSE(tracker.Find(path, LookAt(path), StorageUrl::Remote("b", "other")));
  EXPECT_FALSE(UploadTracker((root_ / "kept").string(), "d2").Find(path, LookAt(path), to));
  EXPECT_EQ(fs::status(root_ / "kept").permissions() & fs::perms::others_all, fs::perms::none);
  Write("big", "123456");
  EXPECT_FALSE(tracker.Find(path, LookAt(path), to));
  tracker.Forget(path, to);
  EXPECT_TRUE(fs::is_empty(root_ / "kept"));
}

TEST(TransferPool, RunsEverythingAndCountsFailures) {
  StopSignal stop;
  std::atomic<int> ran = 0;
  int told = 0;
  TransferPool pool({4, true, [&](const Error&) { ++told; }}, stop);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(pool.Add([&ran, i] {
      ++ran;
      if (i % 100 == 0) throw Failure(Code::kDenied, "no");
    }));
  }
  EXPECT_EQ(pool.Finish(), 10);
  EXPECT_EQ(ran, 1000);
  EXPECT_EQ(told, 10);
  EXPECT_FALSE(stop.stopped());
}

TEST(TransferPool, StopsAtTheFirstFailure) {
  StopSignal stop;
  std::atomic<int> ran = 0;
  int told = 0;
  TransferPool pool({2, false, [&](const Error&) { ++told; }}, stop);
  bool accepted = true;
  for (int i = 0; accepted && i < 1000000; ++i) {
    accepted = pool.Add([&ran] {
      ++ran;
      throw Failure(Code::kDenied, "no");
    });
  }
  EXPECT_FALSE(accepted);
  EXPECT_GE(pool.Finish(), 1);
  EXPECT_LE(ran, 20);
  EXPECT_EQ(told, 1);
  EXPECT_TRUE(stop.stopped());
}

TEST(Retry, GivesUpAndDoesNotRepeatWhatCannotWork) {
  StopSignal stop;
  int tries = 0;
  EXPECT_EQ(Retry(stop).Run([&] {
    if (++tries < 3) throw Failure(Code::kUnavailable, "later");
    return 7;
  }),
            7);
  EXPECT_EQ(tries, 3);
  tries = 0;
  EXPECT_THROW(Retry(stop).Run([&] {
    ++tries;
    throw Failure(Code::kNotFound, "never");
  }),
               Failure);
  EXPECT_EQ(tries, 1);
  stop.Stop();
  tries = 0;
  EXPECT_THROW(Retry(stop).Run([&] {
    ++tries;
    throw Failure(Code::kUnavailable, "later");
  }),
               Failure);
  EXPECT_EQ(tries, 1);
}

TEST(Progress, Line) {
  EXPECT_EQ(ProgressLine({1, 2, 512, 1024, 0.1, false}),
            "[##########----------]  50% 1/2+ files, 512 B/1 KiB");
  EXPECT_EQ(ProgressLine({1, 2, 1 << 20, 4 << 20, 2, true}),
            "[#####---------------]  25% 1/2 files, 1 MiB/4 MiB, 512 KiB/s, 6 s left");
  EXPECT_EQ(ProgressLine({0, 0, 0, 0, 0, false}),
            "[--------------------]   0% 0/0+ files, 0 B/0 B");
}

TEST(SignedUrl, SignsWhatV4Asks) {
  SignedUrlRequest request;
  request.bucket = "b";
  request.object = "a dir/é.txt";
  request.account = "x@p.iam.gserviceaccount.com";
  request.now = *ParseTime("2026-11-15T07:08:09Z");
  request.seconds = 600;
  SignedUrl url(request);
  EXPECT_TRUE(url.string_to_sign().starts_with(
      "GOOG4-RSA-SHA256\n20261115T070809Z\n20261115/auto/storage/goog4_request\n"));
  EXPECT_EQ(url.WithSignature("\x01\xff"),
            "https://storage.googleapis.com/b/a%20dir/%C3%A9.txt?X-Goog-Algorithm=GOOG4-RSA-SHA256&"
            "X-Goog-Credential=x%40p.iam.gserviceaccount.com%2F20261115%2Fauto%2Fstorage%2F"
            "goog4_request&X-Goog-Date=20261115T070809Z&X-Goog-Expires=600&X-Goog-SignedHeaders="
            "host&X-Goog-Signature=01ff");
  EXPECT_EQ(ParseSeconds("90"), 90);
  EXPECT_EQ(ParseSeconds("2h"), 7200);
  for (const char* text : {"", "x", "5w", "-1", "0", "9999999999d"})
    EXPECT_THROW(ParseSeconds(text), Failure) << text;
  request.seconds = 8 * 24 * 3600;
  EXPECT_THROW(SignedUrl{request}, Failure);
}

TEST(PolicyEdit, ChangesOneBinding) {
  JsonTree policy = JsonTree::Parse(
      R"({"bindings":[{"role":"r","members":["a","b"]},{"role":"r","members":["a"],"condition":{}}]})");
  PolicyEdit{false, "r", "a"}.Apply(policy);
  PolicyEdit{true, "r", "c"}.Apply(policy);
  PolicyEdit{true, "r", "c"}.Apply(policy);
  PolicyEdit{true, "s", "d"}.Apply(policy);
  EXPECT_EQ(policy.Compact(), R"({"bindings":[{"role":"r","members":["b","c"]},)"
                              R"({"role":"r","members":["a"],"condition":{}},)"
                              R"({"role":"s","members":["d"]}]})");
  EXPECT_THROW((PolicyEdit{false, "r", "nobody"}.Apply(policy)), Failure);
  JsonTree empty = JsonTree::Object();
  PolicyEdit{true, "s", "d"}.Apply(empty);
  EXPECT_EQ(empty.Compact(), R"({"bindings":[{"role":"s","members":["d"]}]})");
}

RemoteEntry Sized(const std::string& name, int64_t size) {
  RemoteEntry entry{StorageUrl::Remote("b", name), false, {}};
  entry.object.size = size;
  return entry;
}

TEST(DiskUsage, SumsByDirectory) {
  DiskUsage usage("gs://b/");
  for (const auto& [name, size] : std::vector<std::pair<std::string, int64_t>>{
           {"a", 1}, {"d/x", 2}, {"d/e/y", 4}, {"d.txt", 8}})
    usage.Add(Sized(name, size));
  EXPECT_EQ(usage.Text(false, false),
            "1            gs://b/a\n8            gs://b/d.txt\n4            gs://b/d/e/y\n"
            "4            gs://b/d/e/\n2            gs://b/d/x\n6            gs://b/d/\n"
            "15           gs://b/\n");
  EXPECT_EQ(usage.Text(true, true), "15 B         gs://b/\n");
}

TEST(ObjectSettings, TypesByName) {
  EXPECT_EQ(ContentTypeOf("a/b.CSV"), "text/csv");
  EXPECT_EQ(ContentTypeOf("a.b/c"), "application/octet-stream");
  EXPECT_EQ(ContentTypeOf(".json"), "application/octet-stream");
  ObjectSettings settings;
  settings.custom_metadata = {"k=v=w"};
  EXPECT_EQ(
      settings.Spec("b", "n", "x.txt", 12).metadata.Compact(),
      R"({"contentType":"text/plain","metadata":{"goog-reserved-file-mtime":"12","k":"v=w"}})");
  settings.custom_metadata = {"=v"};
  EXPECT_THROW(settings.Spec("b", "n", "x", {}), Failure);
}

TEST(ObjectSettings, PredefinedListsInEitherSpelling) {
  for (auto [word, sent] :
       {std::pair{"publicRead", "publicRead"}, std::pair{"public-read", "publicRead"},
        std::pair{"bucket-owner-full-control", "bucketOwnerFullControl"},
        std::pair{"private", "private"}, std::pair{"", ""}}) {
    ObjectSettings settings;
    settings.predefined_acl = word;
    EXPECT_EQ(settings.Spec("b", "n", "x", {}).predefined_acl, sent);
  }
}

}  // namespace
}  // namespace fireweed::cli
