#include "blob/directory_syncer.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/memory_disk.h"

namespace fireweed {
namespace {

// Counts directory syncs on their way in and out; everything else is out of reach.
class CountingDisk final : public Disk {
 public:
  Result<std::unique_ptr<File>> Open(const std::string&, OpenMode) override { return kNo; }
  Result<> Rename(const std::string&, const std::string&) override { return kNo; }
  Result<> Remove(const std::string&) override { return kNo; }
  Result<> MakeDirectories(const std::string&) override { return kNo; }
  Result<std::vector<std::string>> List(const std::string&) override { return kNo; }
  Result<bool> Exists(const std::string&) override { return kNo; }
  Result<int64_t> FreeBytes(const std::string&) override { return kNo; }
  Result<> SyncDirectory(const std::string& path) override {
    int64_t number = ++started;
    EXPECT_EQ(number, finished + 1) << "one at a time";
    for (int i = 0; i < 50; ++i) std::this_thread::yield();
    ++finished;
    if (path == "bad") return Error{Code::kInternal, "", std::to_string(number)};
    return Done{};
  }

  std::atomic<int64_t> started{0};
  std::atomic<int64_t> finished{0};

 private:
  const Error kNo{Code::kInternal, "", "not here"};
};

// Calls Sync from many threads; every one must be served by a sync that began after it asked.
int64_t Hammer(DirectorySyncer& syncer, CountingDisk& disk) {
  constexpr int kThreads = 6, kCalls = 20;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kCalls; ++i) {
        int64_t before = disk.started;
        syncer.Sync("dir").value();
        EXPECT_GT(disk.finished, before);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return kThreads * kCalls;
}

TEST(DirectorySyncer, ServesEveryoneAndSharesSyncs) {
  CountingDisk disk;
  DirectorySyncer syncer(disk);
  // Sharing needs threads that meet; that they never do is not to be expected, so wait until they did.
  int64_t calls = 0;
  do {
    calls += Hammer(syncer, disk);
    EXPECT_LE(disk.started, calls);
  } while (disk.started == calls);
}

TEST(DirectorySyncer, AloneItSyncsEachTime) {
  CountingDisk disk;
  DirectorySyncer syncer(disk);
  for (int i = 1; i <= 3; ++i) {
    syncer.Sync("dir").value();
    EXPECT_EQ(disk.started, i);
  }
}

TEST(DirectorySyncer, AFailureIsToldToThoseItServed) {
  CountingDisk disk;
  DirectorySyncer syncer(disk);
  EXPECT_EQ(syncer.Sync("bad").error().message, "1");
  EXPECT_EQ(syncer.Sync("bad").error().message, "2");
  EXPECT_TRUE(syncer.Sync("dir").ok());
}

}  // namespace
}  // namespace fireweed
