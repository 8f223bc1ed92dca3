#include "net/http_session.h"

#include <algorithm>
#include <cstring>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/bytes.h"
#include "net/content_coding.h"
#include "net/upgrade.h"

namespace fireweed::net {
namespace {

constexpr size_t kFirstBuffer = 4 << 10;  // most heads fit
constexpr size_t kKeptBuffer = 64 << 10;  // larger buffers are given back between requests
constexpr std::chrono::milliseconds kLinger{2'000};
constexpr int64_t kLingerBytes = 4 << 20;

}  // namespace

HttpSession::HttpSession(IoLoop& loop, UniqueFd socket, const ListenerConfig& listener,
                         ServerContext& server)
    : loop_(loop),
      listener_(listener),
      server_(server),
      transport_(loop, std::move(socket)),
      pool_done_(loop),
      news_(loop),
      in_(kFirstBuffer) {
  transport_.bytes_in = &server.traffic.bytes_in;
  transport_.bytes_out = &server.traffic.bytes_out;
  request_.origin = &listener.origin;
  request_.peer_address = transport_.peer_address();
}

void HttpSession::Stop() {
  stopping_ = true;
  transport_.Cancel();
  if (upstream_ != nullptr) upstream_->Cancel();
  if (upgrade_ != nullptr) upgrade_->Stop();
  if (passing_ != nullptr) passing_->Cancel();
  news_.Signal();
}

void HttpSession::Drain() {
  draining_ = true;
  if (idle_) transport_.Cancel();
  if (upstream_ != nullptr || upgrade_ != nullptr) Stop();
  news_.Signal();
}

Task<bool> HttpSession::StartTls(std::string name) {
  SslPtr ssl = listener_.certificates->NewServer(name);
  if (!ssl) co_return false;
  std::string early(in_.data() + begin_, end_ - begin_);
  begin_ = end_ = tail_ = searched_ = 0;
  Tick deadline = loop_.After(server_.limits.header_timeout);
  bool done = co_await transport_.Handshake(std::move(ssl), std::move(early), deadline);
  request_.tls = done;
  if (!done) {
    server_.log.Debug("tls handshake failed",
                      {{"peer", transport_.peer_address()}, {"why", transport_.tls_failure()}});
  }
  co_return done;
}

Task<void> HttpSession::Run() {
  if (listener_.tls) {
    std::string no_name;
    bool secure = co_await StartTls(no_name);
    if (!secure) co_return;
  }
  bool going = true;
  while (going && !stopping_) {
    if (!HeadIsThere()) {
      bool ready = co_await ReadHead();
      if (!ready) break;
    }
    std::optional<Error> refusal = TakeHead();
    if (refusal) {
      std::string message = refusal->message;
      int status = refusal->code == Code::kTooLarge       ? 431
                   : refusal->code == Code::kPrecondition ? 417
                                                          : 400;
      co_await Refuse(status, message);
      break;
    }
    if (!has_body() && AnswerInline()) {
      sent_ = FormatSmall() ? transport_.TryWrite(out_) : 0;
      if (sent_ > 0 && sent_ == out_.size()) {
        going = keep_alive_;
      } else {
        going = co_await SendFormatted();
      }
    } else {
      going = co_await ServeSlowly();
    }
    if (going) FinishRequest();
  }
  co_await Linger();
  response_ = Response();  // may hold a handler's objects, which must not outlive the listener
  DropHeld();
}

// Closing a socket with unread bytes in it sends a reset, which can overtake our last response. So
// our direction is ended first, and what the client still sends is thrown away for a while.
Task<void> HttpSession::Linger() {
  if (transport_.cancelled()) co_return;
  transport_.ShutdownSend();
  if (body_done_) co_return;
  Tick deadline = loop_.After(kLinger);
  std::vector<char> scrap(16 << 10);
  int64_t thrown_away = 0;
  while (thrown_away < kLingerBytes) {
    ReadOutcome outcome = co_await transport_.Read(scrap, deadline);
    if (outcome.kind != ReadOutcome::Kind::kBytes) break;
    thrown_away += static_cast<int64_t>(outcome.bytes);
  }
}

Response HttpSession::Guarded(const std::function<Response()>& body) {
  Error error{Code::kInternal, "", "internal error"};
  try {
    return body();
  } catch (const Failure& failure) {
    error = failure.error();
  } catch (const std::exception& failure) {
    server_.log.Error(
        "handler failed",
        {{"request", request_.id}, {"path", request_.path}, {"what", failure.what()}});
  }
  try {
    return listener_.dispatcher->RenderError(request_, error);
  } catch (const std::exception& failure) {
    server_.log.Error("error not rendered", {{"request", request_.id}, {"what", failure.what()}});
    return ProtocolError(500, "internal error");
  }
}

// Leaves the answer in response_.
bool HttpSession::AnswerInline() {
  if (request_.method == "CONNECT" || (absolute_ && listener_.connect != nullptr)) return false;
  bool here = true;
  response_ = Guarded([&] {
    std::optional<Response> answer = listener_.dispatcher->TryInline(request_);
    here = answer.has_value();
    return here ? std::move(*answer) : Response();
  });
  if (here) server_.traffic.inline_requests.fetch_add(1, std::memory_order_relaxed);
  return here;
}

// What the inline path could not finish by itself: a full socket, a file, a stream, a body to
// compress.
Task<bool> HttpSession::SendFormatted() {
  if (out_.empty()) {
    bool wanted = takes_gzip_ && !head_request_ && IsWorthCompressing(response_);
    if (wanted) {
      std::function<void()> work = [this] { CompressIfAsked(); };
      co_await OnPool(work);
    }
    bool sent = co_await SendResponse();
    co_return sent;
  }
  std::string_view rest = std::string_view(out_).substr(sent_);
  bool written = co_await transport_.Write(rest, server_.limits.body_timeout);
  co_return written&& keep_alive_;
}

Task<bool> HttpSession::ServeSlowly() {
  bool on = false;
  if (request_.method == "CONNECT") {
    on = co_await ServeConnect();
  } else if (absolute_ && listener_.connect != nullptr) {
    on = co_await ServeAbsolute();
  } else {
    on = co_await Dispatch();
  }
  co_return on;
}

Task<bool> HttpSession::Dispatch() {
  BodyPlan plan;
  bool refused = false;
  response_ = Guarded([&] {
    refused = true;
    plan = listener_.dispatcher->PlanBody(request_);
    refused = false;
    return Response();
  });
  bool on = false;
  if (refused) {
    on = co_await SendResponse();
  } else if (std::holds_alternative<TakeStream>(plan)) {
    on = co_await StreamBody();
  } else {
    int64_t most = std::get<TakeWhole>(plan).max_bytes;
    bool whole = !has_body();
    if (!whole) whole = co_await ReadWhole(most);
    if (whole) on = co_await HandleWhole();
  }
  co_return on;
}

Task<bool> HttpSession::HandleWhole() {
  loop_.Rest();
  bool sent = false;
  std::shared_ptr<Forwarding> way;
  if (!request_.body.empty()) way = FindForward();
  if (way) {
    sent = co_await ServeForward(way);
    co_return sent;
  }
  if (!request_.body.empty() && AnswerInline()) {
    sent = co_await SendResponse();
    co_return sent;
  }
  std::shared_ptr<Deferred> deferred;
  std::function<void()> work = [this, &deferred, &way] {
    response_ = Guarded([&] {
      Answer answer = listener_.dispatcher->Handle(request_);
      if (auto* response = std::get_if<Response>(&answer)) return std::move(*response);
      if (auto* later = std::get_if<std::shared_ptr<Deferred>>(&answer)) deferred = *later;
      if (auto* other = std::get_if<std::shared_ptr<Forwarding>>(&answer)) way = *other;
      return Response();
    });
    if (!deferred && !way) CompressIfAsked();
  };
  co_await OnPool(work);
  std::shared_ptr<Upgrade> upgrade;
  if (way) upgrade = way->AsUpgrade();
  if (upgrade) {
    way.reset();
    sent = co_await ServeUpgrade(upgrade);
    co_return sent;
  }
  if (way) {
    sent = co_await ServeForward(way);
    co_return sent;
  }
  if (deferred) {
    bool answered = co_await AwaitDeferred(deferred);
    if (!answered) co_return false;
  }
  sent = co_await SendResponse();
  co_return sent;
}

void HttpSession::CompressIfAsked() {
  if (!takes_gzip_ || head_request_ || !IsWorthCompressing(response_)) return;
  response_ = Guarded([this] {
    Compress(response_);
    return std::move(response_);
  });
}

Task<void> HttpSession::OnPool(std::function<void()> work) {
  // The pool's thread must not be the last to hold the session: it would be destroyed off its loop.
  std::function<void()> job = [self = shared_from_this(), work = std::move(work)]() mutable {
    work();
    IoLoop& loop = self->loop_;
    loop.Post([self = std::move(self)] { self->pool_done_.Signal(); });
  };
  server_.pool.Post(std::move(job));
  co_await pool_done_.Wait();
}

void HttpSession::FinishRequest() {
  response_ = Response();
  request_.body = {};
  whole_.clear();
  decoded_.clear();
  begin_ = tail_;
  size_t left_over = body_have_ + ahead_.size();
  if (begin_ == end_) begin_ = end_ = 0;
  if (left_over > 0) {
    if (in_.size() - end_ < left_over) in_.resize(end_ + left_over);
    std::copy_n(body_in_.data(), body_have_, in_.data() + end_);
    std::copy_n(ahead_.data(), ahead_.size(), in_.data() + end_ + body_have_);
    end_ += left_over;
  }
  body_have_ = 0;
  ahead_.clear();
  if (whole_.capacity() > kKeptBuffer) whole_ = std::string();
  if (out_.capacity() > kKeptBuffer) out_ = std::string();
  if (!body_in_.empty()) body_in_ = std::vector<char>();
  if (decoded_.capacity() > 0) decoded_ = std::string();
}

}  // namespace fireweed::net
