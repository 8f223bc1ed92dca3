// Concurrent writers with preconditions against a linear model: whatever the threads do, what they
// were told must be one history in which every condition held.
#include <map>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include "storage/storage_fixture.h"

namespace fireweed::storage {
namespace {

// A change that was acknowledged: it took the object from one generation to another; 0 is "absent".
struct Change {
  std::string from, to;
};

class LinearTest : public testing::Test, protected StorageFixture {
 protected:
  LinearTest() { Send("POST", "/storage/v1/b?project=my-project", R"({"name":"pets"})"); }

  std::string Generation() {
    Reply stat = Send("GET", "/storage/v1/b/pets/o/o?fields=generation");
    return stat.status == 200 ? stat.Field("generation") : "0";
  }

  // One attempt to replace or delete what is there, as `seen`; nothing when somebody was quicker.
  std::optional<Change> Attempt(Random& random, const std::string& seen) {
    std::string condition = "ifGenerationMatch=" + seen;
    Reply reply;
    bool deletes = false;
    switch (random.Below(4)) {
      case 0:
        reply =
            Send("POST", "/upload/storage/v1/b/pets/o?uploadType=media&name=o&" + condition, "x");
        break;
      case 1: {
        Reply start =
            Send("POST", "/upload/storage/v1/b/pets/o?uploadType=resumable&name=o&" + condition);
        std::string where = start.Header("Location");
        reply = Send("PUT", where.substr(where.find("/upload")), "y");
        break;
      }
      case 2:
        reply = Send("POST", "/storage/v1/b/pets/o/part/copyTo/b/pets/o/o?" + condition);
        break;
      default: deletes = true; reply = Send("DELETE", "/storage/v1/b/pets/o/o?" + condition);
    }
    if (reply.status == 200) return Change{seen, reply.Field("generation")};
    if (reply.status == 204) return Change{seen, "0"};
    bool refused = reply.status == 412 || (deletes && reply.status == 404);
    EXPECT_TRUE(refused) << reply.status << " " << reply.body;
    return std::nullopt;
  }
};

TEST_F(LinearTest, EveryConditionHeldInOneHistory) {
  constexpr int kThreads = 4, kAttempts = 150;
  Upload("pets", "part", "bytes");
  std::mutex mu;
  std::vector<Change> changes;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      SeededRandom own(static_cast<uint64_t>(GTEST_FLAG_GET(random_seed) + t + 1));
      for (int i = 0; i < kAttempts; ++i) {
        std::optional<Change> change = Attempt(own, Generation());
        if (!change) continue;
        std::lock_guard lock(mu);
        changes.push_back(*std::move(change));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_FALSE(changes.empty());
  // Each generation was made once and left at most once, so the changes are one path; "absent" is
  // left as often as it was reached, or once more.
  std::map<std::string, int> made, left;
  for (const Change& change : changes) {
    ++left[change.from];
    ++made[change.to];
  }
  std::string last = Generation();
  for (const auto& [generation, times] : made) {
    if (generation == "0") continue;
    EXPECT_EQ(times, 1) << generation;
    EXPECT_EQ(left[generation], generation == last ? 0 : 1) << generation;
  }
  for (const auto& [generation, times] : left) {
    if (generation == "0" || times == 0) continue;
    EXPECT_EQ(made[generation], 1) << generation;
  }
  EXPECT_EQ(left["0"] - made["0"], last == "0" ? 0 : 1);
  // What the last small upload replaced goes with the next change.
  Upload("pets", "spare", "z");
  EXPECT_EQ(Send("DELETE", "/storage/v1/b/pets/o/spare").status, 204);
  bool own_bytes = last != "0" && Read("pets", "o") != "bytes";
  EXPECT_EQ(BlobCount(), own_bytes ? 2 : 1) << "nothing was left behind";
}

}  // namespace
}  // namespace fireweed::storage
