// How a session takes a request's body: piece by piece, never more than one buffer ahead of who
// consumes it.
#include <algorithm>
#include <cstring>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/bytes.h"
#include "net/http_session.h"

namespace fireweed::net {
namespace {

constexpr size_t kSmallBody = 16 << 10;

}  // namespace

// Reads into body_in_ behind body_have_, at most `room` bytes: waits for the first, then takes what
// is there.
Task<HttpSession::Piece> HttpSession::FillBodyBuffer(size_t room) {
  size_t from_tail = std::min(room, end_ - tail_);
  std::memcpy(body_in_.data() + body_have_, in_.data() + tail_, from_tail);
  tail_ += from_tail;
  body_have_ += from_tail;
  room -= from_tail;
  if (room == 0) co_return Piece::kMore;
  if (from_tail == 0) {
    std::span<char> space(body_in_.data() + body_have_, room);
    // A small body is sent right behind its head, and often there already.
    ReadOutcome outcome{ReadOutcome::Kind::kWouldBlock, 0};
    if (room <= kSmallBody) outcome = transport_.TryRead(space);
    if (outcome.kind == ReadOutcome::Kind::kWouldBlock) {
      Tick deadline = loop_.After(server_.limits.body_timeout);
      outcome = co_await transport_.Read(space, deadline);
    }
    if (outcome.kind != ReadOutcome::Kind::kBytes) {
      co_return transport_.timed_out() ? Piece::kTooLate : Piece::kGone;
    }
    body_have_ += outcome.bytes;
    room -= outcome.bytes;
  }
  while (room > 0) {
    std::span<char> space(body_in_.data() + body_have_, room);
    ReadOutcome outcome = transport_.TryRead(space);
    if (outcome.kind != ReadOutcome::Kind::kBytes)
      break;  // an end or failure shows at the next wait
    body_have_ += outcome.bytes;
    room -= outcome.bytes;
  }
  co_return Piece::kMore;
}

// The next part of the body as piece_; kLast when it is the end (piece_ may be empty then).
Task<HttpSession::Piece> HttpSession::NextPiece() {
  piece_ = {};
  if (body_done_) co_return Piece::kLast;
  size_t buffer = static_cast<size_t>(server_.limits.stream_buffer_bytes);
  if (!chunked_ && body_left_ <= static_cast<int64_t>(kSmallBody)) {
    buffer = static_cast<size_t>(body_left_);
  }
  if (body_in_.size() < buffer) body_in_.resize(buffer);
  if (chunked_) {
    Piece piece = co_await NextChunkedPiece();
    co_return piece;
  }
  size_t room = static_cast<size_t>(std::min<int64_t>(body_left_, static_cast<int64_t>(buffer)));
  Piece piece = co_await FillBodyBuffer(room);
  if (piece != Piece::kMore) co_return piece;
  piece_ = std::string_view(body_in_.data(), body_have_);
  body_left_ -= static_cast<int64_t>(body_have_);
  body_have_ = 0;
  body_done_ = body_left_ == 0;
  co_return body_done_ ? Piece::kLast : Piece::kMore;
}

Task<HttpSession::Piece> HttpSession::NextChunkedPiece() {
  decoded_.clear();
  while (true) {
    bool stuck = body_have_ == body_in_.size();
    if (stuck) co_return Piece::kMalformed;  // a chunk header that does not end
    Piece piece = co_await FillBodyBuffer(body_in_.size() - body_have_);
    if (piece != Piece::kMore) co_return piece;
    RequestParser::ChunkStep step = parser_.DecodeChunks({body_in_.data(), body_have_}, decoded_);
    if (step.failed) co_return Piece::kMalformed;
    body_have_ -= step.consumed;
    std::memmove(body_in_.data(), body_in_.data() + step.consumed, body_have_);
    piece_ = decoded_;
    body_done_ = step.done;
    if (step.done) co_return Piece::kLast;
    if (!decoded_.empty()) co_return Piece::kMore;
  }
}

Task<bool> HttpSession::SayContinue() {
  if (!expects_continue_ || body_done_) co_return true;
  expects_continue_ = false;
  std::string_view text = "HTTP/1.1 100 Continue\r\n\r\n";
  bool written = co_await transport_.Write(text, server_.limits.body_timeout);
  co_return written;
}

Task<bool> HttpSession::RefusePiece(Piece piece) {
  if (piece == Piece::kTooLate) co_await Refuse(408, "the request's body did not arrive in time");
  if (piece == Piece::kMalformed) co_await Refuse(400, "bad chunked body");
  co_return false;
}

// True when request_.body is the whole body. False: the client left, or was told what is wrong.
Task<bool> HttpSession::ReadWhole(int64_t max_bytes) {
  Error too_large{Code::kTooLarge, "", "the request's body is too large"};
  if (body_left_ > max_bytes) {
    co_await SendError(too_large);
    co_return false;
  }
  bool on = co_await SayContinue();
  if (!on) co_return false;
  if (!chunked_ && body_left_ <= static_cast<int64_t>(end_ - tail_)) {
    size_t size = static_cast<size_t>(body_left_);  // it came with its head, and stays there
    request_.body = std::string_view(in_.data() + tail_, size);
    tail_ += size;
    body_left_ = 0;
    body_done_ = true;
    co_return true;
  }
  Piece piece = Piece::kMore;
  while (piece == Piece::kMore) {
    piece = co_await NextPiece();
    if (piece != Piece::kMore && piece != Piece::kLast) {
      co_await RefusePiece(piece);
      co_return false;
    }
    whole_.append(piece_);
    if (static_cast<int64_t>(whole_.size()) > max_bytes) {
      body_done_ = false;
      co_await SendError(too_large);
      co_return false;
    }
  }
  request_.body = whole_;
  co_return true;
}

// Null when the pool has to open it, or to say why it cannot.
std::unique_ptr<BodySink> HttpSession::OpenSmallInline() {
  try {
    return listener_.dispatcher->TryOpenInline(request_);
  } catch (const Failure&) {
    return nullptr;
  }
}

// Small uploads take one hop to the pool, or none: opening, writing and finishing in one go.
Task<bool> HttpSession::StreamBody() {
  std::unique_ptr<BodySink> sink;
  std::shared_ptr<Deferred> deferred;
  Piece piece = Piece::kMore;
  bool settled = false;  // response_ is the answer
  std::function<void()> take = [&] {
    settled = true;
    response_ = Guarded([&] {
      if (!sink) sink = listener_.dispatcher->OpenBody(request_);
      if (!piece_.empty()) sink->Write(AsBytes(piece_));
      settled = piece == Piece::kLast;
      Answer answer = settled ? sink->FinishLater() : Response();
      if (auto* response = std::get_if<Response>(&answer)) return std::move(*response);
      deferred = std::get<std::shared_ptr<Deferred>>(answer);
      return Response();
    });
    if (!settled) return;
    sink.reset();
    if (!deferred) CompressIfAsked();
  };
  piece_ = {};
  if (expects_continue_ && !body_done_) co_await OnPool(take);
  if (!settled) {
    bool on = co_await SayContinue();
    if (!on) piece = Piece::kGone;
  }
  while (!settled && (piece == Piece::kMore)) {
    bool first = !sink;
    piece = co_await NextPiece();
    if (piece == Piece::kLast && first) sink = OpenSmallInline();
    if (piece == Piece::kLast && first && sink) {
      take();
    } else if (piece == Piece::kMore || piece == Piece::kLast) {
      co_await OnPool(take);
    }
  }
  if (deferred) {
    bool answered = co_await AwaitDeferred(deferred);
    if (!answered) co_return false;
  }
  bool sent = false;
  if (settled) {
    sent = co_await SendResponse();
  } else {
    std::function<void()> drop = [&] { sink.reset(); };
    co_await OnPool(drop);
    sent = co_await RefusePiece(piece);
  }
  co_return sent;
}

}  // namespace fireweed::net
