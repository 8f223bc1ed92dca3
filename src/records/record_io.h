// TFRecord framing, the container of TensorFlow's data sets and of TensorBoard's event files: length, masked
// CRC-32C of the length, bytes, masked CRC-32C of the bytes.
// Threads: plain values; one thread at a time. Nothing blocks: whoever has the bytes feeds them in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace fireweed::records {

// Frames one record onto `out`.
void AppendRecord(std::string& out, std::string_view record);

// Takes a stream apart as it comes in, in pieces of any size.
class RecordSplitter {
 public:
  static constexpr size_t kLargestRecord = 256 << 20;

  // `offset`: where in the file the first byte fed stands, for messages and consumed().
  explicit RecordSplitter(int64_t offset = 0, size_t largest = kLargestRecord)
      : consumed_(offset), largest_(largest) {}

  void Feed(std::string_view bytes);
  // The next whole record, good until the next call; nullopt while there is none. A damaged record is kInvalid
  // with its offset, and so is every later answer: nothing after it can be found again.
  Result<std::optional<std::string_view>> Next();

  // End of the last record handed out: where reading can be taken up again.
  int64_t consumed() const { return consumed_; }
  // Bytes fed that belong to no whole record yet. At the end of a file: it was cut short.
  size_t pending() const { return buffer_.size() - at_; }

 private:
  Error Damaged(std::string_view what);

  std::string buffer_;
  size_t at_ = 0;  // of buffer_, what has been handed out
  int64_t consumed_;
  const size_t largest_;
  std::optional<Error> damage_;
};

}  // namespace fireweed::records
