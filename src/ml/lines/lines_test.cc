// From the bytes of a console to entries in the log store.
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/disk.h"
#include "base/log.h"
#include "catalog/memory_catalog.h"
#include "compute/records.h"
#include "init/console_marks.h"
#include "ml/lines/console_collector.h"
#include "ml/lines/line_entry.h"

namespace fireweed::ml {
namespace {

using api::logging::LogEntry;
using api::logging::Severity;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string Piece(char stream, int64_t time, std::string_view text) {
  return FormatMark({stream, time, text.size()}).append(text);
}

std::vector<std::string> Texts(const std::vector<ConsoleLine>& lines) {
  std::vector<std::string> texts;
  for (const ConsoleLine& line : lines) texts.push_back((line.error ? "E " : "O ") + line.text);
  return texts;
}

TEST(ConsoleParser, TellsStreamsAndForeignWordsApart) {
  std::string console = "boot\n" + Piece('O', 100, "a\nb") + "kernel says\n" +
                        Piece('E', 200, "oops\r\n") + "\x1e stray" + Piece('O', 300, "c\n\nd\n");
  ConsoleParser parser(0);
  std::vector<ConsoleLine> lines = parser.Add(console);
  EXPECT_THAT(Texts(lines), ElementsAre("O a", "E oops", "O bc", "O ", "O d"));
  EXPECT_EQ(lines[0].time.time_since_epoch().count(), 100);
  EXPECT_EQ(lines[2].time.time_since_epoch().count(), 102);  // where it began
  EXPECT_EQ(lines[4].time.time_since_epoch().count(), 303);
  EXPECT_EQ(console.substr(static_cast<size_t>(lines[4].offset), 2), "d\n");
  EXPECT_EQ(parser.safe_offset(), std::ssize(console));
}

TEST(ConsoleParser, IsTheSameHoweverTheBytesCome) {
  std::string console = Piece('O', 1, "one\ntw") + Piece('E', 20, "err\n") + Piece('O', 40, "o\n") +
                        "x" + Piece('O', 60, "three\nfo");
  for (size_t cut = 0; cut <= console.size(); ++cut) {
    ConsoleParser parser(0);
    std::vector<ConsoleLine> lines = parser.Add(console.substr(0, cut));
    // As after a restart: from where it was safe.
    ConsoleParser second(parser.safe_offset());
    std::vector<ConsoleLine> rest =
        second.Add(console.substr(static_cast<size_t>(parser.safe_offset())));
    std::map<int64_t, std::string> all;
    for (const auto* part : {&lines, &rest}) {
      for (const ConsoleLine& line : *part) all[line.offset] = line.text;
    }
    std::vector<std::string> texts;
    for (const auto& [offset, text] : all) texts.push_back(text);
    EXPECT_THAT(texts, ElementsAre("one", "two", "err", "three")) << cut;
    EXPECT_THAT(Texts(second.Finish()), ElementsAre("O fo"));
  }
}

TEST(LineEntry, KnowsWhatFrameworksSay) {
  struct Case {
    const char* text;
    bool error;
    Severity severity;
    bool structured;
  };
  for (const Case& c : std::vector<Case>{
           {"hello", false, Severity::kInfo, false},
           {"Traceback (most recent call last):", true, Severity::kError, false},
           {"INFO:tensorflow:loss = 0.3, step = 100", true, Severity::kInfo, false},
           {"WARNING:root:look out", true, Severity::kWarning, false},
           {"CRITICAL:a.b:gone", true, Severity::kCritical, false},
           {"ERROR: no logger's name", true, Severity::kError, false},
           {"WARNINGS: 3", false, Severity::kInfo, false},
           {"2026-11-15 07:00:00.123456: I tensorflow/core/x.cc:12] ok", true, Severity::kInfo,
            false},
           {"W1115 07:00:00.123456  12 file.cc:3] hm", true, Severity::kWarning, false},
           {R"({"severity": "WARNING", "message": "m"})", false, Severity::kWarning, true},
           {R"({"levelname": "error", "message": "m", "a": [1, {}]})", false, Severity::kError,
            true},
           {R"({"message": "m"})", true, Severity::kError, true},
           {R"({"loss": 0.3})", false, Severity::kInfo, false},
           {R"({broken})", false, Severity::kInfo, false},
           {"", false, Severity::kInfo, false},
       }) {
    logs::LogLine line;
    FillPayload(line, c.text, c.error ? Severity::kError : Severity::kInfo);
    EXPECT_EQ(line.severity, c.severity) << c.text;
    EXPECT_EQ(!line.jsonPayload.text.empty(), c.structured) << c.text;
    EXPECT_EQ(line.textPayload, c.structured ? "" : c.text);
  }
}

TEST(LineBudget, FillsWithTheTimeOfTheLines) {
  LineBudget budget({.lines_per_second = 1000, .burst_lines = 10, .most_bytes = 10'000});
  Time now{std::chrono::seconds(5)};
  for (int i = 0; i < 15; ++i) budget.Take(now, 1);
  EXPECT_EQ(budget.TakeDropped(), 5);
  EXPECT_TRUE(budget.Take(now + std::chrono::milliseconds(1), 1));
  EXPECT_FALSE(budget.Take(now + std::chrono::microseconds(1900), 1));
  EXPECT_TRUE(budget.Take(now + std::chrono::microseconds(2000), 1));
  EXPECT_FALSE(budget.Take(now + std::chrono::seconds(9), 20'000));  // more than it may ever say
}

TEST(LineBudget, EmptyLinesFillADiskToo) {
  LineLimits limits{.lines_per_second = 1000, .burst_lines = 1000, .most_bytes = 10'000};
  Time now{std::chrono::seconds(5)};
  auto kept = [&](int64_t taken) {
    LineBudget budget(limits, taken);
    int count = 0;
    while (budget.Take(now, 0)) ++count;
    return count;
  };
  EXPECT_EQ(kept(0), 10'000 / LineBudget::kPerLine);
  EXPECT_EQ(kept(9'000), 1'000 / LineBudget::kPerLine) << "a restart begins no new budget";
}

class Collector : public ::testing::Test {
 protected:
  Collector() : directory_(::testing::TempDir() + "collector-" + std::to_string(getpid())) {
    std::filesystem::create_directories(directory_ + "/consoles");
    std::filesystem::create_directories(directory_ + "/state");
    store_.emplace(*disk_, directory_ + "/state/logs");
    Restart();
  }
  ~Collector() override {
    collector_.reset();
    std::filesystem::remove_all(directory_);
  }

  void Restart() {
    collector_.reset();
    collector_ = std::make_unique<ConsoleCollector>(
        CollectorParts{catalog_, *store_, clock_, log_, directory_ + "/consoles", limits_});
    collector_->OnDrained([this](const std::string&, const std::string&) {
      std::lock_guard lock(mu_);
      changed_.notify_all();
    });
  }
  void Put(int64_t id, compute::MachineSeen seen, compute::InstanceRecord record = {}) {
    record.project = "p";
    record.zone = "z";
    record.resource.id = id;
    record.resource.name = "vm" + std::to_string(id);
    record.resource.labels = {{kJobLabel, "j"}, {kTaskLabel, "worker-replica-0"}};
    record.workload = compute::Workload{.argv = {"true"}, .log_marks = true};
    record.seen = seen;
    catalog_.Write("test", [&](Txn& txn) { txn.Put(record.key(), record); });
  }
  void Print(int64_t id, std::string_view text, char stream = 'O') {
    std::ofstream file(directory_ + "/consoles/i-" + std::to_string(id) + ".log",
                       std::ios::app | std::ios::binary);
    file << Piece(stream, next_time_, text);
    next_time_ += static_cast<int64_t>(text.size());
  }
  void AwaitDrained() {
    std::unique_lock lock(mu_);
    while (!collector_->Drained("p", "j")) {
      changed_.wait_for(lock, std::chrono::seconds(1));
    }
  }
  std::vector<LogEntry> Read() {
    EntryFilterHolder filter;
    return store_->Read({.projects = {"p"}, .filter = filter.filter, .limit = 1'000'000}).entries;
  }
  std::vector<std::string> Lines() {
    std::vector<std::string> lines;
    for (const LogEntry& entry : Read()) lines.push_back(entry.textPayload);
    return lines;
  }
  struct EntryFilterHolder {
    logs::EntryFilter filter{""};
  };

  const std::string directory_;
  std::unique_ptr<Disk> disk_ = MakeRealDisk();
  SystemClock clock_;
  NullLogger log_;
  MemoryCatalog catalog_;
  LineLimits limits_;
  std::optional<logs::LogStore> store_;
  std::mutex mu_;
  std::condition_variable changed_;
  std::unique_ptr<ConsoleCollector> collector_;
  int64_t next_time_ = 1'763'190'000'000'000'000;
};

TEST_F(Collector, AJobIsDrainedWhenAllItPrintedIsStored) {
  EXPECT_TRUE(collector_->Drained("p", "j"));
  Put(1, compute::MachineSeen::kRunning);
  EXPECT_FALSE(collector_->Drained("p", "j"));
  Print(1, "hello\n");
  Print(1, "WARNING:root:half");
  Put(1, compute::MachineSeen::kStopped);
  AwaitDrained();
  std::vector<LogEntry> entries = Read();
  ASSERT_THAT(entries, SizeIs(2));
  EXPECT_EQ(entries[0].textPayload, "hello");
  EXPECT_EQ(entries[0].resource.type, "ml_job");
  EXPECT_EQ(entries[0].resource.labels["task_name"], "worker-replica-0");
  EXPECT_EQ(entries[0].resource.labels["job_id"], "j");
  EXPECT_EQ(entries[1].severity, Severity::kWarning);
}

TEST_F(Collector, AMachineThatNeverBootedHoldsNothingUp) {
  Put(1, compute::MachineSeen::kNothing);
  EXPECT_FALSE(collector_->Drained("p", "j"));
  compute::InstanceRecord stopped;
  stopped.want = compute::InstanceWant::kStopped;
  stopped.resource.status = api::compute::InstanceStatus::kTerminated;
  Put(1, compute::MachineSeen::kNothing, stopped);
  AwaitDrained();
  EXPECT_THAT(Read(), SizeIs(0));
}

TEST_F(Collector, FurtherLinesOfAMessageHaveItsSeverity) {
  Put(1, compute::MachineSeen::kRunning);
  Print(1, "WARNING:tensorflow:old\nuse the new one\nTraceback (most recent call last):\n  line\n",
        'E');
  next_time_ += 5'000'000;
  Print(1, "INFO:root:fine\n", 'E');
  next_time_ += 5'000'000;
  Print(1, "unexpected\n", 'E');
  Put(1, compute::MachineSeen::kStopped);
  AwaitDrained();
  std::vector<Severity> severities;
  for (const LogEntry& entry : Read()) severities.push_back(entry.severity);
  EXPECT_THAT(severities, ElementsAre(Severity::kWarning, Severity::kWarning, Severity::kError,
                                      Severity::kError, Severity::kInfo, Severity::kError));
}

TEST_F(Collector, LinesAfterAMessageHaveTheirOwnSeverity) {
  Put(1, compute::MachineSeen::kRunning);
  Print(1, R"({"severity":"CRITICAL","message":"one bad thing"})"
           "\nepoch 0\n");
  Print(1, "WARNING:root:hm\n");
  Print(1, R"({"message":"step"})"
           "\nepoch 1\n");
  Print(1, "WARNING:root:again\n");
  for (int i = 0; i < 3; ++i) {
    next_time_ += 600'000;
    Print(1, "epoch\n");
  }
  Put(1, compute::MachineSeen::kStopped);
  AwaitDrained();
  std::vector<Severity> severities;
  for (const LogEntry& entry : Read()) severities.push_back(entry.severity);
  EXPECT_THAT(severities, ElementsAre(Severity::kCritical, Severity::kInfo, Severity::kWarning,
                                      Severity::kInfo, Severity::kInfo, Severity::kWarning,
                                      Severity::kWarning, Severity::kInfo, Severity::kInfo));
}

TEST_F(Collector, NothingIsLostOrDoubledByARestart) {
  std::vector<std::string> wanted;
  Put(1, compute::MachineSeen::kRunning);
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 4000; ++i) {
      wanted.push_back("line " + std::to_string(round) + " " + std::string(40, 'x') +
                       std::to_string(i));
      Print(1, wanted.back() + "\n");
    }
    Restart();  // somewhere in the middle of it
  }
  Put(1, compute::MachineSeen::kStopped);
  AwaitDrained();
  EXPECT_EQ(Lines(), wanted);
  // A long console is not read from its start again: how far it was read is noted now and then.
  auto noted = [&] {
    auto row = Query(catalog_, [](Txn& txn) { return txn.Find<ConsoleRecord>("i-1"); });
    return row && row->value.offset > 0;
  };
  std::unique_lock lock(mu_);
  for (int i = 0; i < 60 && !noted(); ++i) changed_.wait_for(lock, std::chrono::seconds(1));
  EXPECT_TRUE(noted());
}

TEST_F(Collector, ARemovedInstanceIsForgotten) {
  Put(1, compute::MachineSeen::kRunning);
  Print(1, "a\n");
  Put(1, compute::MachineSeen::kStopped);
  AwaitDrained();
  catalog_.Write("test", [](Txn& txn) { txn.Erase<compute::InstanceRecord>("p/z/vm1"); });
  AwaitDrained();
  EXPECT_THAT(Lines(), ElementsAre("a"));
}

TEST_F(Collector, AChattyReplicaIsCutAndCounted) {
  limits_ = {.lines_per_second = 1000, .burst_lines = 100};
  Restart();
  Put(1, compute::MachineSeen::kRunning);
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "x\n";
  Print(1, text);
  Put(1, compute::MachineSeen::kStopped);
  AwaitDrained();
  std::vector<std::string> lines = Lines();
  ASSERT_THAT(lines, SizeIs(101));
  EXPECT_THAT(lines.back(), HasSubstr("900 lines were dropped"));
}

TEST_F(Collector, OutputThatWasGivenBackIsSaidToBeLost) {
  constexpr int64_t kHole = 1 << 20;
  Put(1, compute::MachineSeen::kRunning);
  {
    std::ofstream file(directory_ + "/consoles/i-1.log", std::ios::binary);
    file.seekp(kHole);
    file << "torn rest of a piece\n" << Piece('O', next_time_, "after\n");
  }
  Put(1, compute::MachineSeen::kStopped);
  AwaitDrained();
  std::vector<std::string> lines = Lines();
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_THAT(lines.front(), HasSubstr(std::to_string(kHole) + " bytes of output were lost"));
  EXPECT_EQ(lines.back(), "after");
}

TEST_F(Collector, TheServicesOwnLineIsThereOnce) {
  JobLog log(*store_, clock_);
  LineSource service{"p", "j", "service", "2"};
  Time when{std::chrono::seconds(1'763'190'000)};
  for (int i = 0; i < 3; ++i) log.Write(service, Severity::kInfo, "Job is queued.", when);
  log.Write(service, Severity::kInfo, "Job is running.", when);
  std::vector<LogEntry> entries = Read();
  ASSERT_THAT(entries, SizeIs(2));
  EXPECT_EQ(entries[0].labels["ml.googleapis.com/trial_id"], "2");
  log.Seal("p", "j");
  EXPECT_THAT(Read(), SizeIs(2));
}

}  // namespace
}  // namespace fireweed::ml
