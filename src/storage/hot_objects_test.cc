// Reads from memory: what is answered without the pool, and that it is never behind a write.
#include "storage/hot_objects.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "storage/storage_fixture.h"

namespace fireweed::storage {
namespace {

class Hot : public StorageFixture, public testing::Test {
 protected:
  Hot() { Send("POST", "/storage/v1/b?project=p-hot-1", R"({"name":"hot-bucket"})"); }
  HotObjects::Entry Peek(std::string_view name) {
    return service->store().PeekHot("hot-bucket", name);
  }
};

TEST_F(Hot, TheSecondReadIsFromMemory) {
  Upload("hot-bucket", "a/b", "text");
  EXPECT_FALSE(Peek("a/b"));
  EXPECT_EQ(Read("hot-bucket", "a/b"), "text");
  ASSERT_TRUE(Peek("a/b"));
  EXPECT_EQ(*Peek("a/b")->object().bytes->in_memory(), "text");
  EXPECT_EQ(Read("hot-bucket", "a/b"), "text");
  Reply cold = Send("GET", "/storage/v1/b/hot-bucket/o/a%2Fb?alt=media&prettyPrint=false");
  Reply hot = Send("GET", "/storage/v1/b/hot-bucket/o/a%2Fb?alt=media");
  for (const net::ResponseHeader& header : cold.headers) {
    EXPECT_EQ(hot.Header(header.name), header.value) << header.name;
  }
  EXPECT_EQ(hot.headers.size(), cold.headers.size());
  Reply part =
      Send("GET", "/storage/v1/b/hot-bucket/o/a%2Fb?alt=media", "", {{"Range", "bytes=1-2"}});
  EXPECT_EQ(part.status, 206);
  EXPECT_EQ(part.body, "ex");
}

TEST_F(Hot, LargeObjectsKeepTheirFileOpen) {
  std::string large(100'000, 'x');
  Upload("hot-bucket", "large", large);
  EXPECT_EQ(Read("hot-bucket", "large"), large);
  ASSERT_TRUE(Peek("large"));
  EXPECT_FALSE(Peek("large")->object().bytes->in_memory());
  EXPECT_EQ(Read("hot-bucket", "large"), large);
}

TEST_F(Hot, EveryChangeIsSeenAtOnce) {
  const std::string object = "/storage/v1/b/hot-bucket/o/a";
  Upload("hot-bucket", "a", "one");
  EXPECT_EQ(Read("hot-bucket", "a"), "one");
  Upload("hot-bucket", "a", "two");
  EXPECT_EQ(Read("hot-bucket", "a"), "two");
  EXPECT_EQ(Send("PATCH", object, R"({"contentType":"x/y"})").status, 200);
  EXPECT_EQ(Send("GET", object + "?alt=media").Header("Content-Type"), "x/y");
  Upload("hot-bucket", "b", "of b");
  EXPECT_EQ(Send("POST", "/storage/v1/b/hot-bucket/o/b/copyTo/b/hot-bucket/o/a").status, 200);
  EXPECT_EQ(Read("hot-bucket", "a"), "of b");
  EXPECT_EQ(Send("DELETE", object).status, 204);
  EXPECT_EQ(Send("GET", object + "?alt=media").status, 404);
}

TEST_F(Hot, ARefusalIsNotPassedBy) {
  Upload("hot-bucket", "a", "text");
  EXPECT_EQ(Read("hot-bucket", "a"), "text");
  // Else the object's own list would let its owner in.
  Send("PATCH", "/storage/v1/b/hot-bucket",
       R"({"iamConfiguration":{"uniformBucketLevelAccess":{"enabled":true}}})");
  access.refused = "storage.objects.get buckets/hot-bucket";
  EXPECT_EQ(Read("hot-bucket", "a"), "status 403");
}

TEST_F(Hot, WhatWeighsTooMuchGoesLastUsedLast) {
  HotObjects few(catalog, 16 * 4096);  // of each shard a few objects
  Upload("hot-bucket", "a", "text");
  auto object = std::make_shared<const HotObject>(
      service->store().Open({"hot-bucket", "a", std::nullopt}, {}));
  for (int i = 0; i < 1000; ++i) {
    std::string name = std::to_string(i);
    few.Keep("hot-bucket", name, object, few.Turn("hot-bucket", name));
    ASSERT_TRUE(few.Peek("hot-bucket", name)) << "the newest one stays";
  }
  int kept = 0;
  for (int i = 0; i < 1000; ++i) kept += few.Peek("hot-bucket", std::to_string(i)) ? 1 : 0;
  EXPECT_GT(kept, 16);
  EXPECT_LE(kept, 16 * 4);
}

TEST_F(Hot, AFillFromBeforeACommitIsNotKept) {
  Upload("hot-bucket", "a", "one");
  HotObjects cache(catalog, 1 << 20);
  uint64_t turn = cache.Turn("hot-bucket", "a");
  auto old = std::make_shared<const HotObject>(
      service->store().Open({"hot-bucket", "a", std::nullopt}, {}));
  Upload("hot-bucket", "a", "two");
  cache.Keep("hot-bucket", "a", old, turn);
  EXPECT_FALSE(cache.Peek("hot-bucket", "a"));
}

// A reader that starts after a write was acknowledged sees it, or something newer.
TEST_F(Hot, NoReaderIsBehindAnAcknowledgedWrite) {
  constexpr int kWrites = 300;
  ObjectStore& store = service->store();
  std::atomic<int64_t> acknowledged{0};
  std::atomic<bool> done{false};
  Upload("hot-bucket", "a", "0");
  auto read = [&] {
    while (!done) {
      int64_t least = acknowledged;
      HotObjects::Entry hot = store.PeekHot("hot-bucket", "a");
      std::string text =
          hot ? *hot->object().bytes->in_memory()
              : *store.Open({"hot-bucket", "a", std::nullopt}, {}).bytes->in_memory();
      EXPECT_GE(std::stoll(text), least);
    }
  };
  std::thread first(read), second(read);
  for (int i = 1; i <= kWrites; ++i) {
    NewObject object{"hot-bucket", "a", {}, {}, std::to_string(i)};
    object.row.size = std::ssize(*object.small_bytes);
    object.row.crc32c = Crc32c(AsBytes(*object.small_bytes));
    store.Insert(object);
    acknowledged = i;
  }
  done = true;
  first.join();
  second.join();
}

}  // namespace
}  // namespace fireweed::storage
