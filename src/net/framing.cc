#include "net/framing.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"

namespace fireweed::net {
namespace {

constexpr size_t kMaxLengthDigits = 18;  // fits an int64_t

struct Framing {
  std::optional<std::string_view> length;
  bool chunked = false;
  bool identity = false;
};

bool IsLength(std::string_view value) {
  return !value.empty() && value.size() <= kMaxLengthDigits &&
         std::all_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; });
}

void Rename(std::string_view name, std::string_view other) {
  // The view points into the block that MendFraming was given to write to.
  std::memcpy(const_cast<char*>(name.data()), other.data(), name.size());
}

std::optional<std::string_view> TakeLength(Framing& framing, std::string_view name,
                                           std::string_view value) {
  if (!IsLength(value)) return "bad Content-Length";
  if (!framing.length) {
    framing.length = value;
    return std::nullopt;
  }
  if (*framing.length != value) return "two different Content-Lengths";
  Rename(name, kDroppedLength);
  return std::nullopt;
}

std::optional<std::string_view> TakeCoding(Framing& framing, std::string_view name,
                                           std::string_view value) {
  if (framing.chunked || framing.identity) return "more than one Transfer-Encoding";
  if (EqualIgnoreCase(value, "chunked")) {
    framing.chunked = true;
  } else if (EqualIgnoreCase(value, "identity")) {
    framing.identity = true;
    Rename(name, kDroppedCoding);
  } else {
    return "unsupported Transfer-Encoding";
  }
  return std::nullopt;
}

std::optional<std::string_view> TakeLine(Framing& framing, std::string_view line) {
  if (line.front() == ' ' || line.front() == '\t') return "folded header line";
  size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return "header line without a name";
  std::string_view name = line.substr(0, colon);
  if (name.back() == ' ' || name.back() == '\t') return "space before a header's colon";
  if (name.size() == kDroppedLength.size() && EqualIgnoreCase(name, "content-length")) {
    return TakeLength(framing, name, Trim(line.substr(colon + 1)));
  }
  if (name.size() == kDroppedCoding.size() && EqualIgnoreCase(name, "transfer-encoding")) {
    return TakeCoding(framing, name, Trim(line.substr(colon + 1)));
  }
  return std::nullopt;
}

// The next line without its CRLF; nullopt at a line end that is none of ours.
std::optional<std::string_view> NextLine(std::string_view& rest) {
  size_t end = rest.find('\n');
  if (end == std::string_view::npos || end == 0 || rest[end - 1] != '\r') return std::nullopt;
  std::string_view line = rest.substr(0, end - 1);
  rest.remove_prefix(end + 1);
  if (line.find('\r') != std::string_view::npos || line.find('\0') != std::string_view::npos) {
    return std::nullopt;
  }
  return line;
}

void DropLengths(std::string_view rest) {
  while (!rest.empty()) {
    std::optional<std::string_view> line = NextLine(rest);
    if (!line || line->empty()) return;
    std::string_view name = line->substr(0, line->find(':'));
    if (EqualIgnoreCase(name, "content-length")) Rename(name, kDroppedLength);
  }
}

}  // namespace

std::optional<std::string_view> MendFraming(std::span<char> head) {
  std::string_view rest(head.data(), head.size());
  std::optional<std::string_view> start = NextLine(rest);
  if (!start) return "bad line end";
  std::string_view fields = rest;
  Framing framing;
  while (true) {
    std::optional<std::string_view> line = NextLine(rest);
    if (!line) return "bad line end";
    if (line->empty()) break;
    std::optional<std::string_view> refusal = TakeLine(framing, *line);
    if (refusal) return refusal;
  }
  if (!rest.empty()) return "bytes after the header block";
  if (!framing.chunked) return std::nullopt;
  if (start->ends_with("HTTP/1.0")) return "Transfer-Encoding in HTTP/1.0";
  if (framing.length) DropLengths(fields);
  return std::nullopt;
}

std::string MendChunkHeader(std::string_view bytes) {
  size_t first = bytes.starts_with("\r\n") ? 2 : 0;
  size_t end = std::min(bytes.size(), bytes.find_first_not_of("0123456789abcdefABCDEF", first));
  std::string_view size = bytes.substr(first, end - first);
  bool last = size.find_first_not_of('0') == std::string_view::npos;  // nobody sends it for these
  if (last || !bytes.substr(end).starts_with(";\r\n")) return "";
  return std::string(bytes.substr(0, first)) + "0" + std::string(size) + "\r\n";
}

std::optional<size_t> FindHeadEnd(std::string_view bytes, size_t from) {
  for (size_t at = bytes.find('\n', from); at != std::string_view::npos;
       at = bytes.find('\n', at + 1)) {
    size_t next = at + 1;
    if (next < bytes.size() && bytes[next] == '\n') return next + 1;
    if (next + 1 < bytes.size() && bytes[next] == '\r' && bytes[next + 1] == '\n') return next + 2;
  }
  return std::nullopt;
}

}  // namespace fireweed::net
