#include "logs/log_frame.h"

#include <gtest/gtest.h>

#include "describe/json_codec.h"
#include "logs/segment_name.h"

namespace fireweed::logs {
namespace {

using api::logging::LogEntry;
using api::logging::Severity;

LogEntry Full() {
  LogEntry entry;
  entry.logName = "projects/p/logs/ml";
  entry.resource = {"ml_job", {{"job_id", "j1"}}};
  entry.timestamp = Time(Duration(1'700'000'000'123'456'789));
  entry.receiveTimestamp = Time(Duration(1'700'000'001'000'000'000));
  entry.severity = Severity::kWarning;
  entry.insertId = "abc";
  entry.labels = {{"k", "v"}};
  entry.jsonPayload.text = R"({"message":"hello","n":3})";
  entry.trace = "t";
  entry.traceSampled = false;
  entry.httpRequest.text = R"({"status":200})";
  return entry;
}

TEST(LogFrameTest, ALineComesBackAsItWas) {
  std::string bytes;
  AppendContextFrame(bytes, 7, ContextJson(Full()));
  size_t context_size = bytes.size();
  AppendLineFrame(bytes, 7, Full());

  auto context = ReadFrame(bytes);
  ASSERT_TRUE(context);
  ASSERT_EQ(context->kind, FrameView::Kind::kContext);
  EXPECT_EQ(context->size, context_size);
  auto [id, shared] = ReadContext(context->payload);
  EXPECT_EQ(id, 7u);

  auto line = ReadFrame(std::string_view(bytes).substr(context->size));
  ASSERT_TRUE(line);
  EXPECT_EQ(LineContext(line->payload), 7u);
  EXPECT_EQ(LineTime(line->payload), 1'700'000'000'123'456'789);
  EXPECT_EQ(EncodeJson(ReadLine(line->payload, shared)), EncodeJson(Full()));
}

TEST(LogFrameTest, EveryCutAndEveryFlippedByteIsSeen) {
  std::string bytes;
  AppendLineFrame(bytes, 1, Full());
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(ReadFrame(std::string_view(bytes).substr(0, size))) << size;
  }
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string bad = bytes;
    bad[at] = static_cast<char>(bad[at] ^ 0x40);
    EXPECT_FALSE(ReadFrame(bad)) << at;
  }
}

TEST(SegmentNameTest, SaysWhatIsInIt) {
  SegmentName live{.tag = "a,b/../c", .number = 12};
  EXPECT_EQ(live.FileName(), "a%2Cb%2F..%2Fc,000012.live");
  EXPECT_EQ(SegmentName::Parse(live.FileName()), live);
  SegmentName complete{
      .tag = "", .number = 1, .live = false, .min_time = -5, .max_time = 9, .size = 77};
  EXPECT_EQ(complete.FileName(), ",000001,-5,9,77.log");
  EXPECT_EQ(SegmentName::Parse(complete.FileName()), complete);
  for (const char* bad :
       {"", "x", "a,b.live", "a,1,2.log", "a,1,2,3,x.log", "%zz,1.live", "a.log"}) {
    EXPECT_FALSE(SegmentName::Parse(bad)) << bad;
  }
}

}  // namespace
}  // namespace fireweed::logs
