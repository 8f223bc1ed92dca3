#include "storage/multipart.h"

#include <algorithm>
#include <iterator>

#include "base/bytes.h"
#include "base/error.h"

namespace fireweed::storage {
namespace {

constexpr size_t kMaxHeaderBytes =
    16 << 10;  // of one part, or before the first; clients send a few lines

constexpr const char* kNoBase64 = "A part is not the base64 that its headers say.";

[[noreturn]] void Refuse(const char* what) { throw Failure(Code::kInvalid, "badContent", what); }

}  // namespace

std::optional<std::string> BoundaryOf(std::string_view content_type) {
  while (true) {
    size_t semicolon = content_type.find(';');
    if (semicolon == std::string_view::npos) return std::nullopt;
    content_type.remove_prefix(semicolon + 1);
    std::string_view parameter = Trim(content_type);
    constexpr std::string_view kName = "boundary=";
    if (parameter.size() < kName.size() ||
        !EqualIgnoreCase(parameter.substr(0, kName.size()), kName)) {
      continue;
    }
    parameter.remove_prefix(kName.size());
    std::string_view value = parameter;
    char quote = parameter.empty() ? '\0' : parameter[0];
    if (quote == '"' || quote == '\'') {
      size_t end = parameter.find(quote, 1);
      if (end == std::string_view::npos) return std::nullopt;
      value = parameter.substr(1, end - 1);
    } else {
      value = Trim(parameter.substr(0, parameter.find(';')));
    }
    if (value.empty()) return std::nullopt;
    return std::string(value);
  }
}

void MultipartReader::Feed(std::span<const std::byte> bytes) {
  if (state_ == State::kEnd) return;
  pending_.append(AsText(bytes));
  while (state_ != State::kEnd && Step()) {
  }
}

bool MultipartReader::Step() {
  switch (state_) {
    case State::kPreamble: return StepPreamble();
    case State::kDelimiter: return StepDelimiter();
    case State::kHeaders: return StepHeaders();
    case State::kBody: return StepBody();
    case State::kEnd: return false;
  }
  return false;
}

// Whole lines until one begins with the mark.
bool MultipartReader::StepPreamble() {
  if (pending_.size() >= mark_.size() && pending_.starts_with(mark_)) {
    pending_.erase(0, mark_.size());
    state_ = State::kDelimiter;
    return true;
  }
  size_t line = pending_.find('\n');
  if (line == std::string::npos) {
    if (pending_.size() > kMaxHeaderBytes) Refuse("The multipart body has no delimiter.");
    return false;
  }
  pending_.erase(0, line + 1);
  return true;
}

// Behind a mark: "--" ends the body, a line end begins a part.
bool MultipartReader::StepDelimiter() {
  if (pending_.starts_with("--")) {
    if (eol_.empty()) Refuse("The multipart body has no parts.");
    pending_.clear();
    state_ = State::kEnd;
    return true;
  }
  size_t line = pending_.find('\n');
  if (line == std::string::npos) {
    if (pending_.size() > kMaxHeaderBytes) Refuse("A delimiter line is too long.");
    return false;
  }
  bool crlf = line > 0 && pending_[line - 1] == '\r';
  std::string_view padding = std::string_view(pending_).substr(0, line - (crlf ? 1 : 0));
  if (!Trim(padding).empty()) Refuse("A delimiter line has more than the delimiter.");
  if (eol_.empty()) eol_ = crlf ? "\r\n" : "\n";
  pending_.erase(0, line + 1);
  headers_.clear();
  state_ = State::kHeaders;
  return true;
}

bool MultipartReader::StepHeaders() {
  size_t line = pending_.find('\n');
  if (line == std::string::npos) {
    if (pending_.size() > kMaxHeaderBytes) Refuse("The headers of a part are too long.");
    return false;
  }
  size_t end = line > 0 && pending_[line - 1] == '\r' ? line - 1 : line;
  if (end > 0) {
    headers_.append(pending_, 0, end).append("\n");
    if (headers_.size() > kMaxHeaderBytes) Refuse("The headers of a part are too long.");
    pending_.erase(0, line + 1);
    return true;
  }
  pending_.erase(0, line + 1);
  events_.OnPart(headers_);
  // The delimiter of an empty part follows at once: its line end is the one that closed the
  // headers.
  pending_.insert(0, eol_);
  lead_ = eol_.size();
  state_ = State::kBody;
  return true;
}

bool MultipartReader::StepBody() {
  std::string delimiter = eol_ + mark_;
  size_t found = pending_.find(delimiter);
  // Without one, the last bytes may be the beginning of one.
  size_t upto = found != std::string::npos            ? found
                : pending_.size() >= delimiter.size() ? pending_.size() - delimiter.size() + 1
                                                      : 0;
  if (upto > lead_) {
    std::string_view bytes = std::string_view(pending_).substr(lead_, upto - lead_);
    events_.OnBytes(AsBytes(bytes));
  }
  if (found != std::string::npos) {
    pending_.erase(0, found + delimiter.size());
    lead_ = 0;
    state_ = State::kDelimiter;
    return true;
  }
  if (upto >= lead_) {
    pending_.erase(0, upto);
    lead_ = 0;
  }
  return false;
}

std::string Base64Reader::Feed(std::string_view text) {
  std::copy_if(text.begin(), text.end(), std::back_inserter(pending_),
               [](char c) { return c != '\r' && c != '\n' && c != ' ' && c != '\t'; });
  if (padded_ && !pending_.empty()) Refuse(kNoBase64);
  std::string rest = pending_.substr(pending_.size() / 4 * 4);
  pending_.resize(pending_.size() - rest.size());
  std::optional<std::string> bytes = Base64Decode(pending_);
  padded_ = padded_ || pending_.ends_with('=');
  if (!bytes || (padded_ && !rest.empty())) Refuse(kNoBase64);
  pending_ = std::move(rest);
  return *std::move(bytes);
}

std::string Base64Reader::Finish() {
  std::optional<std::string> bytes = Base64Decode(pending_);
  if (!bytes) Refuse(kNoBase64);
  return *std::move(bytes);
}

std::string_view PartHeader(std::string_view headers, std::string_view name) {
  while (!headers.empty()) {
    size_t end = headers.find('\n');
    std::string_view line = headers.substr(0, end);
    headers = end == std::string_view::npos ? std::string_view() : headers.substr(end + 1);
    size_t colon = line.find(':');
    if (colon != std::string_view::npos && EqualIgnoreCase(Trim(line.substr(0, colon)), name)) {
      return Trim(line.substr(colon + 1));
    }
  }
  return {};
}

}  // namespace fireweed::storage
