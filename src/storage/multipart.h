// multipart/related bodies as they stream by: a metadata part, then the bytes of the object.
// Pure; one thread at a time.
//
// gsutil sends bare line feeds, other clients CRLF; the first delimiter line tells which. A
// carriage return before a bare line feed belongs to the file.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fireweed::storage {

// The boundary of a Content-Type header, without the quotes of either kind; nothing when there is
// none.
std::optional<std::string> BoundaryOf(std::string_view content_type);

class MultipartReader {
 public:
  // Called in order: Part with its headers ("content-type: text/plain\n..."), its bytes piece by
  // piece, the next.
  class Events {
   public:
    virtual ~Events() = default;
    virtual void OnPart(std::string_view headers) = 0;
    virtual void OnBytes(std::span<const std::byte> bytes) = 0;
  };

  MultipartReader(std::string_view boundary, Events& events)
      : mark_("--" + std::string(boundary)), events_(events) {}

  // Throws Failure(kInvalid) on a body that is none, or whose headers are too long.
  void Feed(std::span<const std::byte> bytes);
  // True once the closing delimiter was seen; what follows it is ignored.
  bool complete() const { return state_ == State::kEnd; }

 private:
  enum class State { kPreamble, kDelimiter, kHeaders, kBody, kEnd };

  bool Step();  // false when it needs more bytes
  bool StepPreamble();
  bool StepDelimiter();
  bool StepHeaders();
  bool StepBody();

  const std::string mark_;  // "--" and the boundary
  Events& events_;
  State state_ = State::kPreamble;
  std::string eol_;      // "\n" or "\r\n", once known
  std::string headers_;  // of the part that begins
  size_t lead_ = 0;      // so many bytes at the front of pending_ are a line end, not the part's
  std::string
      pending_;  // read but not yet understood; at most a line or a delimiter beyond what was fed
};

// A part in base64 ("Content-Transfer-Encoding: base64"), with line ends in it or not.
class Base64Reader {
 public:
  // The bytes that are whole now. Throws Failure(kInvalid) on what is no base64.
  std::string Feed(std::string_view text);
  // Those that are left, at the end of the part. Throws as Feed does.
  std::string Finish();

 private:
  std::string pending_;  // less than a group of four
  bool padded_ = false;  // nothing may follow
};

// The value of a header in OnPart's text, case-insensitive; empty when absent.
std::string_view PartHeader(std::string_view headers, std::string_view name);

}  // namespace fireweed::storage
