#include "logs/log_store.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "base/memory_disk.h"
#include "base/random.h"

namespace fireweed::logs {
namespace {

using api::logging::LogEntry;

LogEntry Line(int64_t time, std::string text, std::string job = "") {
  LogEntry entry;
  entry.logName = "projects/p/logs/l";
  entry.resource.type = "global";
  if (!job.empty()) entry.resource = {"ml_job", {{"job_id", std::move(job)}}};
  entry.timestamp = entry.receiveTimestamp = Time(Duration(time));
  entry.insertId = "i" + text;
  entry.textPayload = std::move(text);
  return entry;
}

class LogStoreTest : public testing::Test {
 protected:
  LogStoreTest() {
    disk_.MakeDirectories("state").value();
    disk_.SyncDirectory(".").value();
  }

  static std::vector<std::string> Texts(LogStore& store, const char* filter = "",
                                        TimeOrder order = TimeOrder::kOldestFirst,
                                        size_t limit = 1000) {
    EntryFilter parsed(filter);
    std::vector<std::string> texts;
    LogQuery query{.projects = {"p"}, .filter = parsed, .order = order, .limit = limit};
    while (true) {
      LogPage page = store.Read(query);
      for (const LogEntry& entry : page.entries) texts.push_back(entry.textPayload);
      if (!page.more) return texts;
      // A place survives its way to a client and back.
      query.after = LogPlace::Parse(page.last->Token());
    }
  }

  MemoryDisk disk_;
};

using Strings = std::vector<std::string>;

TEST_F(LogStoreTest, ReadsInTheOrderOfTimeWhateverTheOrderOfArrival) {
  LogStore store(disk_, "state/logs");
  store.Append("p", {Line(30, "c"), Line(10, "a", "job"), Line(40, "d")}, Durability::kSynced);
  store.Append("p", {Line(20, "b", "job"), Line(30, "c2")}, Durability::kWritten);
  store.Append("q", {Line(5, "other project")}, Durability::kSynced);
  Strings sorted{"a", "b", "c", "c2", "d"};
  for (size_t limit : {1u, 2u, 3u, 1000u}) {
    EXPECT_EQ(Texts(store, "", TimeOrder::kOldestFirst, limit), sorted) << limit;
    EXPECT_EQ(Texts(store, "", TimeOrder::kNewestFirst, limit),
              Strings(sorted.rbegin(), sorted.rend()))
        << limit;
  }
  EXPECT_EQ(Texts(store, "resource.labels.job_id=job"), (Strings{"a", "b"}));
}

TEST_F(LogStoreTest, ShowsAnEntryThatWasSentTwiceOnce) {
  LogStore store(disk_, "state/logs");
  for (int i = 0; i < 2; ++i) {
    store.Append("p", {Line(1, "a"), Line(1, "b"), Line(2, "c")}, Durability::kSynced);
  }
  // Also where the second one is on another page.
  for (size_t limit : {1u, 2u, 3u, 1000u}) {
    EXPECT_EQ(Texts(store, "", TimeOrder::kOldestFirst, limit), (Strings{"a", "b", "c"})) << limit;
    EXPECT_EQ(Texts(store, "", TimeOrder::kNewestFirst, limit), (Strings{"c", "b", "a"})) << limit;
  }
}

TEST_F(LogStoreTest, GoesOnAfterARestartAndCutsATornTail) {
  {
    LogStore store(disk_, "state/logs");
    store.Append("p", {Line(1, "a")}, Durability::kSynced);
  }
  std::string path = "state/logs/p/" + disk_.List("state/logs/p").value().at(0);
  auto file = disk_.Open(path, OpenMode::kReadWrite).value();
  std::string torn = "torn frame";
  file->WriteAt(file->Size().value(), std::as_bytes(std::span(torn))).value();
  LogStore store(disk_, "state/logs");
  EXPECT_EQ(Texts(store), Strings{"a"});
  store.Append("p", {Line(2, "b")}, Durability::kSynced);
  EXPECT_EQ(Texts(store), (Strings{"a", "b"}));
}

TEST_F(LogStoreTest, FillsManySegmentsAndForgetsTheOldOnes) {
  LogStore store(disk_, "state/logs");
  std::string long_text(64 << 10, 'x');
  int64_t time = 0;
  for (int i = 0; i < 200; ++i) {
    store.Append("p", {Line(++time, long_text + std::to_string(i))}, Durability::kWritten);
  }
  EXPECT_GT(disk_.List("state/logs/p").value().size(), 2u);
  EXPECT_EQ(Texts(store, "", TimeOrder::kNewestFirst, 7).size(), 200u);
  EXPECT_EQ(store.Expire(Time(Duration(0)), INT64_MAX), 0);
  int removed = store.Expire(Time(Duration(100)), INT64_MAX);
  EXPECT_GT(removed, 0);
  Strings left = Texts(store);
  EXPECT_GE(left.size(), 100u);
  EXPECT_LT(left.size(), 200u);
  EXPECT_GT(store.Expire(Time(Duration(0)), 5 << 20), 0);
  EXPECT_EQ(Texts(store).back(), long_text + "199");
}

TEST_F(LogStoreTest, ASealedJobIsStillThereAndTakesMore) {
  LogStore store(disk_, "state/logs");
  store.Append("p", {Line(1, "a", "j")}, Durability::kWritten);
  store.SealJob("p", "j");
  store.Append("p", {Line(2, "b", "j")}, Durability::kWritten);
  EXPECT_EQ(Texts(store), (Strings{"a", "b"}));
}

TEST_F(LogStoreTest, AFullDiskRefusesAndLosesNothing) {
  LogStore store(disk_, "state/logs");
  store.Append("p", {Line(1, "a")}, Durability::kSynced);
  disk_.SetCapacity(2000);
  std::string long_text(4000, 'x');
  EXPECT_THROW(store.Append("p", {Line(2, long_text)}, Durability::kSynced), Failure);
  EXPECT_EQ(Texts(store), Strings{"a"});
  disk_.SetCapacity(1 << 20);
  store.Append("p", {Line(3, "c")}, Durability::kSynced);
  EXPECT_EQ(Texts(store), (Strings{"a", "c"}));
}

TEST_F(LogStoreTest, WhatWasAcknowledgedSurvivesAPowerCutAtEveryCall) {
  std::vector<std::string> acknowledged;
  int64_t checked = 0;
  std::string long_text(300 << 10, 'y');  // a segment or two
  disk_.Watch([&](const MemoryDisk::Moment& moment) {
    for (Loss loss : {Loss::kUnsynced, Loss::kTorn, Loss::kNothing}) {
      auto after = moment.AfterCrash(loss);
      LogStore store(*after, "state/logs");
      Strings there = Texts(store);
      ASSERT_GE(there.size(), acknowledged.size()) << moment.what();
      there.resize(acknowledged.size());
      ASSERT_EQ(there, acknowledged) << moment.what();
      ++checked;
    }
  });
  LogStore store(disk_, "state/logs");
  for (int i = 0; i < 18; ++i) {
    std::string text = std::to_string(i) + long_text;
    store.Append("p", {Line(i, text)}, Durability::kSynced);
    acknowledged.push_back(text);
  }
  EXPECT_GT(checked, 60);
}

TEST_F(LogStoreTest, WhoOnlyWritesWaitsForNoDisk) {
  LogStore store(disk_, "state/logs");
  std::string long_text(64 << 10, 'x');
  store.Append("p", {Line(0, long_text, "j")}, Durability::kWritten);
  int syncs = 0;
  disk_.Watch(
      [&](const MemoryDisk::Moment& moment) { syncs += moment.what().starts_with("sync"); });
  LogEntry pattern = Line(0, "", "j");
  for (int i = 1; i < 200; ++i) {  // three segments
    std::string id = std::to_string(i);
    LogLine line{Time(Duration(i)), Time(Duration(i)), {}, id, id + long_text, {}};
    store.AppendLines("p", pattern, std::span(&line, 1), Durability::kWritten);
  }
  store.SealJob("p", "j");
  EXPECT_EQ(syncs, 0);
  disk_.Watch(nullptr);
  EXPECT_EQ(Texts(store).size(), 200u);

  // Until it is asked for: then all of it is.
  store.SyncJob("p", "j");
  auto after = disk_.AfterCrash(Loss::kUnsynced);
  LogStore again(*after, "state/logs");
  EXPECT_EQ(Texts(again), Texts(store));
}

TEST_F(LogStoreTest, FindsSeveralSegmentsThatWereNotCompleted) {
  std::string long_text(64 << 10, 'x');
  Strings wanted;
  {
    LogStore store(disk_, "state/logs");
    for (int i = 0; i < 200; ++i) {
      wanted.push_back(std::to_string(1000 + i) + long_text);
      store.Append("p", {Line(i, wanted.back())}, Durability::kWritten);
    }
  }
  // As a power cut leaves them that has taken the new names.
  for (const std::string& name : disk_.List("state/logs/p").value()) {
    if (!name.ends_with(".log")) continue;
    std::string number = name.substr(0, name.find(',', 1));
    disk_.Rename("state/logs/p/" + name, "state/logs/p/" + number + ".live").value();
  }
  LogStore store(disk_, "state/logs");
  EXPECT_EQ(Texts(store), wanted);
  store.Append("p", {Line(300, "more")}, Durability::kSynced);
  wanted.push_back("more");
  EXPECT_EQ(Texts(store), wanted);
}

TEST_F(LogStoreTest, ManyAppendersAndAReaderAtOnce) {
  LogStore store(disk_, "state/logs");
  std::atomic<bool> done = false;
  std::thread reader([&] {
    size_t seen = 0;
    while (!done) {
      size_t now = Texts(store).size();
      EXPECT_GE(now, seen);
      seen = now;
    }
  });
  std::vector<std::thread> appenders;
  for (int t = 0; t < 4; ++t) {
    appenders.emplace_back([&store, t] {
      for (int i = 0; i < 100; ++i) {
        store.Append("p", {Line(i, std::to_string(t) + "-" + std::to_string(i))},
                     i % 2 ? Durability::kSynced : Durability::kWritten);
      }
    });
  }
  for (std::thread& thread : appenders) thread.join();
  done = true;
  reader.join();
  EXPECT_EQ(Texts(store).size(), 400u);
}

}  // namespace
}  // namespace fireweed::logs
