// The few rules of protocol buffers' wire format that event files need, without the library: fields in, fields
// out. Views point into the bytes handed in. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fireweed::records {

enum class WireType { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

struct WireField {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  uint64_t bits = 0;       // of numbers
  std::string_view bytes;  // of kBytes

  double AsDouble() const;  // of kFixed64
  float AsFloat() const;    // of kFixed32
};

// Fields one after another. Groups, which nothing has used for a decade, count as broken.
class WireReader {
 public:
  explicit WireReader(std::string_view message) : rest_(message) {}
  // nullopt at the end, and at the first thing that is no field.
  std::optional<WireField> Next();
  bool broken() const { return broken_; }

  // Values of a packed field.
  std::optional<uint64_t> Varint();
  std::optional<uint64_t> Fixed(size_t bytes);

 private:
  std::nullopt_t Broken();

  std::string_view rest_;
  bool broken_ = false;
};

class WireWriter {
 public:
  WireWriter& Integer(uint32_t number, uint64_t value);
  WireWriter& Double(uint32_t number, double value);
  WireWriter& Float(uint32_t number, float value);
  WireWriter& Text(uint32_t number, std::string_view bytes);
  const std::string& bytes() const { return bytes_; }

 private:
  void Varint(uint64_t value);
  void Fixed(uint64_t value, size_t size);

  std::string bytes_;
};

}  // namespace fireweed::records
