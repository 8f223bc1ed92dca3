// Writes compact JSON text piece by piece: the encoder, and replies that no struct describes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fireweed {

class JsonWriter {
 public:
  JsonWriter& BeginObject();
  JsonWriter& EndObject();
  JsonWriter& BeginArray();
  JsonWriter& EndArray();
  JsonWriter& Key(std::string_view name);
  JsonWriter& String(std::string_view text);
  JsonWriter& Int(int64_t value);
  JsonWriter& Double(
      double value);  // not-a-number and infinities become strings, as Google's APIs do
  JsonWriter& Bool(bool value);
  JsonWriter& Null();
  JsonWriter& Raw(std::string_view json);  // REQUIRES: valid JSON

  // For short key-value pairs.
  JsonWriter& Field(std::string_view name, std::string_view value) {
    return Key(name).String(value);
  }
  JsonWriter& Field(std::string_view name, const char* value) { return Key(name).String(value); }
  JsonWriter& Field(std::string_view name, int64_t value) { return Key(name).Int(value); }
  JsonWriter& Field(std::string_view name, int value) { return Key(name).Int(value); }
  JsonWriter& Field(std::string_view name, bool value) { return Key(name).Bool(value); }

  // Undoes everything written since `mark`: an object that turned out empty.
  size_t Mark() const { return out_.size(); }
  void Rewind(size_t mark, bool comma);
  bool NeedsComma() const { return comma_; }

  const std::string& text() const { return out_; }
  std::string Take() { return std::move(out_); }

 private:
  void Separate();
  std::string out_;
  bool comma_ = false;  // the next element at this level needs a comma first
};

// Appends `text` with quotes and escapes; bytes that are not UTF-8 become U+FFFD.
void AppendJsonString(std::string& out, std::string_view text);

}  // namespace fireweed
