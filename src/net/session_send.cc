// How a session sends responses: small ones as one buffer and one write, files by sendfile, streams
// piece by piece.
#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "net/content_coding.h"
#include "net/http_session.h"

namespace fireweed::net {
namespace {

constexpr size_t kOneWrite = 32 << 10;  // bodies up to this are copied behind their head

std::string_view StatusName(int status) {
  switch (status) {
    case 405: return "FAILED_PRECONDITION";
    case 408: return "DEADLINE_EXCEEDED";
    case 413:
    case 431: return "OUT_OF_RANGE";
    case 500: return "INTERNAL";
    case 503: return "UNAVAILABLE";
    default: return "INVALID_ARGUMENT";
  }
}

const std::string* TextBody(const Response& response) {
  if (auto* text = std::get_if<std::string>(&response.body)) return text;
  auto* shared = std::get_if<std::shared_ptr<const std::string>>(&response.body);
  return shared != nullptr ? shared->get() : nullptr;
}

}  // namespace

Response ProtocolError(int status, std::string_view message) {
  Response response;
  response.status = status;
  response.close = true;
  response.Add("Content-Type", "application/json; charset=UTF-8");
  std::string text(message);
  response.body = "{\"error\":{\"code\":" + std::to_string(status) + ",\"message\":\"" + text +
                  "\",\"status\":\"" + std::string(StatusName(status)) +
                  "\",\"errors\":[{\"message\":\"" + text +
                  "\",\"domain\":\"global\",\"reason\":\"badRequest\"}]}}\n";
  return response;
}

std::string_view HttpSession::HttpDate() {
  Time now = server_.clock.Now();
  int64_t second = ToSeconds(now);
  if (second != date_second_) {
    date_second_ = second;
    date_ = FormatHttpDate(now);
  }
  return date_;
}

// Decides how response_ goes out, and whether the connection goes on after it.
HeadContext HttpSession::PlanHead() {
  HeadContext head;
  head.framing = PlanFraming(response_, head_request_, http11_);
  if (response_.close || draining_ || stopping_ || !body_done_) keep_alive_ = false;
  if (head.framing.kind == BodyFraming::Kind::kUntilClose) keep_alive_ = false;
  head.keep_alive = keep_alive_;
  head.http11 = http11_;
  head.date = HttpDate();
  head.request_id = request_.id;
  return head;
}

// The whole response in out_, when it is small and ready; else out_ is empty.
bool HttpSession::FormatSmall() {
  out_.clear();
  const std::string* body = TextBody(response_);
  if (body == nullptr || body->size() > kOneWrite) return false;
  if (takes_gzip_ && !head_request_ && IsWorthCompressing(response_)) return false;
  HeadContext head = PlanHead();
  AppendHead(out_, response_, head);
  if (!head_request_ && head.framing.kind != BodyFraming::Kind::kNone) out_.append(*body);
  return true;
}

Task<bool> HttpSession::SendResponse() {
  HeadContext head = PlanHead();
  out_.clear();
  AppendHead(out_, response_, head);
  bool sent = false;
  if (head_request_ || head.framing.kind == BodyFraming::Kind::kNone) {
    sent = co_await SendText(std::string_view());
  } else if (const std::string* body = TextBody(response_)) {
    sent = co_await SendText(*body);
  } else if (auto* slice = std::get_if<FileSlice>(&response_.body)) {
    sent = co_await SendSlice(*slice);
  } else if (auto* source = std::get_if<std::unique_ptr<ByteSource>>(&response_.body);
             source && *source) {
    sent = co_await SendSource(**source, head.framing);
  } else {
    sent = co_await SendText(std::string_view());
  }
  co_return sent&& keep_alive_;
}

Task<bool> HttpSession::SendText(std::string_view body) {
  const auto stall = server_.limits.body_timeout;
  bool joined = body.size() <= kOneWrite;
  if (joined) out_.append(body);
  Flush flush = joined ? Flush::kNow : Flush::kMoreComes;
  bool sent = co_await transport_.Write(out_, stall, flush);
  if (sent && !joined) sent = co_await transport_.Write(body, stall);
  co_return sent;
}

// Reads a file without a descriptor, or for TLS, like any other source.
class SliceSource final : public ByteSource {
 public:
  explicit SliceSource(const FileSlice& slice) : slice_(slice) {}
  Result<size_t> Read(std::span<std::byte> out) override {
    size_t most =
        static_cast<size_t>(std::min<int64_t>(slice_.length, static_cast<int64_t>(out.size())));
    Result<size_t> count = slice_.file->ReadAt(slice_.offset, out.first(most));
    if (count) {
      slice_.offset += static_cast<int64_t>(*count);
      slice_.length -= static_cast<int64_t>(*count);
    }
    return count;
  }

 private:
  FileSlice slice_;
};

Task<bool> HttpSession::SendSlice(const FileSlice& slice) {
  int file = slice.file ? slice.file->fd() : -1;
  bool sent = false;
  if (slice.length == 0) {
    sent = co_await SendText(std::string_view());
  } else if (!slice.file) {
    server_.log.Error("response without its file", {{"request", request_.id}});
  } else if (transport_.tls() || file < 0) {
    SliceSource source(slice);
    BodyFraming framing{BodyFraming::Kind::kLength, slice.length};
    sent = co_await SendSource(source, framing);
  } else {
    const auto stall = server_.limits.body_timeout;
    sent = co_await transport_.Write(out_, stall, Flush::kMoreComes);
    if (sent) sent = co_await transport_.SendFile(file, slice.offset, slice.length, stall);
  }
  co_return sent;
}

// A piece of a body with room for a chunk's size before it and its line end behind it.
class ChunkBuffer {
 public:
  explicit ChunkBuffer(size_t capacity) : bytes_(kBefore + capacity + 2) {}

  std::span<std::byte> Room(size_t most) {
    return std::as_writable_bytes(std::span(bytes_.data() + kBefore, most));
  }
  std::string_view Plain(size_t count) const { return {bytes_.data() + kBefore, count}; }
  std::string_view Chunk(size_t count) {
    if (count == 0) return "0\r\n\r\n";
    std::array<char, 16> digits;
    char* last = std::to_chars(digits.data(), digits.data() + digits.size(), count, 16).ptr;
    size_t size = static_cast<size_t>(last - digits.data());
    char* begin = bytes_.data() + kBefore - 2 - size;
    std::copy_n(digits.data(), size, begin);
    std::copy_n("\r\n", 2, begin + size);
    std::copy_n("\r\n", 2, bytes_.data() + kBefore + count);
    return {begin, size + 2 + count + 2};
  }

 private:
  static constexpr size_t kBefore = 18;  // sixteen hex digits and CRLF
  std::vector<char> bytes_;
};

// One read on the pool. False when the source failed.
Task<bool> HttpSession::ReadSource(ByteSource& source, std::span<std::byte> into, size_t& count) {
  Result<size_t> outcome = size_t{0};
  std::function<void()> read = [&] {
    try {
      outcome = source.Read(into);
    } catch (const Failure& failure) {
      outcome = failure.error();
    } catch (const std::exception& failure) {
      outcome = Error{Code::kInternal, "", failure.what()};
    }
  };
  co_await OnPool(read);
  if (outcome) {
    count = *outcome;
    co_return true;
  }
  server_.log.Warning("response broken off",
                      {{"request", request_.id}, {"why", outcome.error().message}});
  co_return false;
}

Task<bool> HttpSession::SendSource(ByteSource& source, BodyFraming framing) {
  const auto stall = server_.limits.body_timeout;
  const bool chunks = framing.kind == BodyFraming::Kind::kChunked;
  const bool counted = framing.kind == BodyFraming::Kind::kLength;
  const int64_t capacity = server_.limits.stream_buffer_bytes;
  ChunkBuffer buffer(static_cast<size_t>(capacity));
  bool sent = co_await transport_.Write(out_, stall, Flush::kMoreComes);
  int64_t left = framing.length;
  bool done = counted && left == 0;
  while (sent && !done) {
    std::span<std::byte> room = buffer.Room(counted ? std::min(left, capacity) : capacity);
    size_t count = 0;
    bool read = co_await ReadSource(source, room, count);
    if (!read || (counted && count == 0)) {
      transport_.Cancel();  // no orderly end: the client must see that something is missing
      co_return false;
    }
    left -= static_cast<int64_t>(count);
    done = counted ? left == 0 : count == 0;
    std::string_view text = chunks ? buffer.Chunk(count) : buffer.Plain(count);
    sent = co_await transport_.Write(text, stall);
  }
  co_return sent;
}

Task<bool> HttpSession::Refuse(int status, std::string_view message) {
  server_.traffic.refused.fetch_add(1, std::memory_order_relaxed);
  response_ = ProtocolError(status, message);
  keep_alive_ = false;
  co_await SendResponse();
  co_return false;
}

Task<bool> HttpSession::SendError(const Error& error) {
  response_ = Guarded([&]() -> Response { throw Failure(error); });
  bool on = co_await SendResponse();
  co_return on;
}

}  // namespace fireweed::net
