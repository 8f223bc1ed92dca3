// Records, events and reports, each against bytes that TensorFlow and its friends write.
#include <cmath>

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "records/event.h"
#include "records/hypertune.h"
#include "records/record_io.h"
#include "records/tensor_scalar.h"
#include "records/wire_format.h"

namespace fireweed::records {
namespace {

// tf.io.TFRecordWriter with the record "hello".
constexpr std::string_view kHello = "0500000000000000eab2043e68656c6c6fbb1f1c19";
// One event of tf.summary.scalar("accuracy", 0.75, step=3), and the version before it.
constexpr std::string_view kEventFile =
    "3e00000000000000d9d240e709000080e690beda411a0d627261696e2e4576656e743a3252240a2274656e736f72"
    "666c6f772e636f72652e7574696c2e6576656e74735f777269746572e3085fcc3200000000000000241956ec0941"
    "4abbe690beda4110032a250a230a086163637572616379420a0801120022040000403f4a0b0a090a077363616c61"
    "72737075f616";

std::vector<std::string> Split(std::string_view bytes, size_t piece) {
  RecordSplitter splitter;
  std::vector<std::string> found;
  for (size_t at = 0; at < bytes.size(); at += piece) {
    splitter.Feed(bytes.substr(at, piece));
    while (auto record = splitter.Next().value()) found.emplace_back(*record);
  }
  EXPECT_EQ(splitter.pending(), 0u);
  EXPECT_EQ(splitter.consumed(), static_cast<int64_t>(bytes.size()));
  return found;
}

TEST(RecordSplitter, FindsRecordsInPiecesOfAnySize) {
  std::string large(200'000, 'x'), bytes;
  for (std::string_view record :
       {std::string_view(""), std::string_view("a"), std::string_view(large)})
    AppendRecord(bytes, record);
  for (size_t piece : {size_t{1}, size_t{7}, size_t{4096}, bytes.size()})
    EXPECT_EQ(Split(bytes, piece), (std::vector<std::string>{"", "a", large})) << piece;
}

TEST(RecordSplitter, WritesAndReadsTheBytesOfTensorFlow) {
  std::string bytes;
  AppendRecord(bytes, "hello");
  EXPECT_EQ(HexEncode(bytes), kHello);
  std::vector<std::string> records = Split(*HexDecode(kEventFile), 5);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(ParseEvent(records[0]).value().file_version, "brain.Event:2");
  Event event = ParseEvent(records[1]).value();
  EXPECT_EQ(event.step, 3);
  EXPECT_EQ(event.scalars, (std::vector<Scalar>{{"accuracy", 0.75}}));
}

TEST(RecordSplitter, DamageIsSaidWithItsPlaceAndStays) {
  std::string bytes;
  AppendRecord(bytes, "first");
  size_t second = bytes.size();
  AppendRecord(bytes, "second");
  for (size_t broken : {second, second + 9, second + 13, bytes.size() - 1}) {
    std::string copy = bytes;
    copy[broken] = static_cast<char>(copy[broken] ^ 1);
    RecordSplitter splitter(1000);
    splitter.Feed(copy);
    EXPECT_EQ(splitter.Next().value(), "first");
    Result<std::optional<std::string_view>> next = splitter.Next();
    ASSERT_FALSE(next.ok()) << broken;
    EXPECT_NE(next.error().message.find(std::to_string(1000 + second)), std::string::npos);
    EXPECT_FALSE(splitter.Next().ok());
    EXPECT_EQ(splitter.consumed(), 1000 + static_cast<int64_t>(second));
  }
}

TEST(RecordSplitter, AClaimOfManyBytesIsRefusedBeforeTheyAreWaitedFor) {
  std::string bytes;
  AppendRecord(bytes, std::string(100, 'x'));
  RecordSplitter splitter(0, 99);
  splitter.Feed(bytes.substr(0, 12));
  EXPECT_FALSE(splitter.Next().ok());
}

TEST(WireReader, EndsAtWhatIsNoField) {
  for (std::string_view hex :
       {"00", "0b", "0a05", "0aff", "09000000", "08", "08ffffffffffffffffffff01"}) {
    std::string bytes = *HexDecode(hex);
    WireReader reader(bytes);
    EXPECT_FALSE(reader.Next()) << hex;
    EXPECT_TRUE(reader.broken()) << hex;
  }
  WireReader empty("");
  EXPECT_FALSE(empty.Next());
  EXPECT_FALSE(empty.broken());
}

std::string Tensor(uint64_t dtype, uint32_t number, std::string_view packed,
                   std::string_view shape = "") {
  WireWriter out;
  out.Integer(1, dtype).Text(2, shape);
  if (number) out.Text(number, packed);
  return out.bytes();
}

TEST(TensorScalar, ReadsEveryFormOfOneNumber) {
  using namespace std::string_literals;
  EXPECT_EQ(TensorScalar(Tensor(1, 5, "\0\0\xc0\x3f"s)), 1.5);          // float_val, packed
  EXPECT_EQ(TensorScalar(Tensor(1, 4, "\0\0\xc0\x3f"s)), 1.5);          // tensor_content
  EXPECT_EQ(TensorScalar(Tensor(2, 4, "\0\0\0\0\0\0\xf8\x3f"s)), 1.5);  // double
  EXPECT_EQ(TensorScalar(Tensor(3, 7, "\x07"s)), 7);                    // int_val
  EXPECT_EQ(TensorScalar(Tensor(9, 4, "\xff\xff\xff\xff\xff\xff\xff\xff"s)), -1);  // int64
  EXPECT_EQ(TensorScalar(Tensor(19, 4, "\0\x3e"s)), 1.5);                          // half
  EXPECT_EQ(TensorScalar(Tensor(14, 4, "\xc0\x3f"s)), 1.5);                        // bfloat16
  EXPECT_EQ(TensorScalar(Tensor(1, 0, "")), 0);  // zero is left out
  std::string one_by_one = WireWriter().Text(2, WireWriter().Integer(1, 1).bytes()).bytes();
  std::string two = WireWriter().Text(2, WireWriter().Integer(1, 2).bytes()).bytes();
  EXPECT_EQ(TensorScalar(Tensor(3, 7, "\x07"s, one_by_one)), 7);
  EXPECT_EQ(TensorScalar(Tensor(3, 7, "\x07\x08"s, two)), std::nullopt);
  EXPECT_EQ(TensorScalar(Tensor(7, 8, "text")), std::nullopt);
  EXPECT_EQ(TensorScalar(Tensor(1, 4, "\0\0"s)), std::nullopt);
}

TEST(Event, ReadsBothFormsOfScalars) {
  Event written{1573.5, 100, "", {{"loss", 0.25}, {"accuracy", 0.5}}};
  Event read = ParseEvent(EncodeEvent(written)).value();
  EXPECT_EQ(read.wall_time, 1573.5);
  EXPECT_EQ(read.step, 100);
  EXPECT_EQ(read.scalars, written.scalars);
  WireWriter value;
  value.Text(1, "epoch_accuracy").Text(8, Tensor(1, 4, std::string("\0\0\xc0\x3f", 4)));
  WireWriter image;
  image.Text(1, "picture").Text(4, "png");
  WireWriter summary;
  summary.Text(1, value.bytes()).Text(1, image.bytes());
  read = ParseEvent(WireWriter().Integer(2, 7).Text(5, summary.bytes()).bytes()).value();
  EXPECT_EQ(read.step, 7);
  EXPECT_EQ(read.scalars, (std::vector<Scalar>{{"epoch_accuracy", 1.5}}));
  EXPECT_FALSE(ParseEvent(WireWriter().Text(5, "\x0a\x50").bytes()).ok());
}

TEST(Event, FileNames) {
  EXPECT_TRUE(IsEventFile("job/1/events.out.tfevents.1573.host"));
  EXPECT_TRUE(IsEventFile("job/1/eval/events.out.tfevents.1573.host.v2"));
  EXPECT_FALSE(IsEventFile("job/tfevents/model.ckpt"));
  EXPECT_FALSE(IsEventFile("job/1/events.out.tfevents.1573.host.profile-empty"));
}

TEST(Hypertune, PassesOverWhatItCannotUse) {
  std::string text =
      R"({"accuracy": "0.5", "checkpoint_path": "", "global_step": "10", "timestamp": 1573.5, "trial": "1"})"
      "\n"
      R"({"accuracy": 0.75, "global_step": 20})"
      "\n\nno json\n"
      R"({"loss": "0.1", "global_step": "30"})"
      "\n"
      R"({"accuracy": "nan", "global_step": "40"})"
      "\n"
      R"({"accuracy": "0.9", "glob)";
  EXPECT_EQ(ReadHypertune(text, "accuracy"),
            (std::vector<Measurement>{{10, 0.5, 1573.5}, {20, 0.75, 0}}));
  EXPECT_EQ(ReadHypertune(text, "loss"), (std::vector<Measurement>{{30, 0.1, 0}}));
}

}  // namespace
}  // namespace fireweed::records
