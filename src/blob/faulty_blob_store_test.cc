#include "blob/faulty_blob_store.h"

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/sim_clock.h"
#include "blob/memory_blob_store.h"

namespace fireweed {
namespace {

class FaultyBlobStoreTest : public testing::Test {
 protected:
  // Call 1 creates, 2 appends, 3 syncs, 4 commits, 5 opens, 6 reads, 7 drops.
  Result<> Run() {
    auto writer = store_.Create();
    if (!writer) return writer.error();
    writer_ = std::move(*writer);
    if (auto done = writer_->Append(AsBytes("0123456789")); !done) return done;
    if (auto done = writer_->Sync(); !done) return done.error();
    if (auto done = writer_->Commit(); !done) return done.error();
    auto reader = store_.Open(writer_->id());
    if (!reader) return reader.error();
    text_.assign(10, '?');
    auto got = (*reader)->ReadAt(0, std::as_writable_bytes(std::span(text_)));
    if (!got) return got.error();
    text_.resize(*got);
    return store_.Drop(writer_->id());
  }

  SimClock clock_;
  SeededRandom random_{7};
  IdSource ids_{clock_, random_};
  MemoryBlobStore inner_{ids_};
  FaultyBlobStore store_{inner_};
  std::unique_ptr<BlobWriter> writer_;
  std::string text_;
  const Error error_{Code::kExhausted, "", "injected"};
};

TEST_F(FaultyBlobStoreTest, EveryCallCanFail) {
  Run().value();
  const int64_t calls = store_.calls();
  EXPECT_EQ(calls, 7);
  for (int64_t call = 1; call <= calls; ++call) {
    store_.FailAt(store_.calls() + call, BlobFault::kBefore, error_);
    EXPECT_EQ(Run().error(), error_) << call;
    EXPECT_TRUE(Run().ok()) << "a fault happens once";
  }
}

TEST_F(FaultyBlobStoreTest, AWriterThatFailedStaysSo) {
  store_.FailAt(2, BlobFault::kBefore, error_);
  EXPECT_FALSE(Run().ok());
  EXPECT_EQ(writer_->Append(AsBytes("x")).error(), error_);
  EXPECT_EQ(writer_->Sync().error(), error_);
  EXPECT_EQ(writer_->Commit().error(), error_);
}

TEST_F(FaultyBlobStoreTest, HalfOfAnAppendOrRead) {
  store_.FailAt(2, BlobFault::kHalf, error_);
  EXPECT_EQ(Run().error(), error_);
  EXPECT_EQ(writer_->size(), 5);
  store_.FailAt(store_.calls() + 6, BlobFault::kHalf, error_);
  Run().value();
  EXPECT_EQ(text_, "01234");
}

TEST_F(FaultyBlobStoreTest, ACommitMayHaveWorkedThoughItFailed) {
  store_.FailAt(4, BlobFault::kAfter, error_);
  EXPECT_EQ(Run().error(), error_);
  EXPECT_EQ(inner_.Open(writer_->id()).value()->size(), 10);
}

}  // namespace
}  // namespace fireweed
