#include "net/http_session.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/bytes.h"
#include "net/content_coding.h"
#include "net/framing.h"
#include "net/request_target.h"

namespace fireweed::net {
namespace {

constexpr size_t kFirstBuffer = 4 << 10;  // most heads fit
constexpr size_t kKeptBuffer = 64 << 10;  // larger buffers are given back between requests
constexpr std::chrono::milliseconds kLinger{2'000};
constexpr int64_t kLingerBytes = 4 << 20;

bool IsTokenCharacter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool IsOverridable(std::string_view method) {
  for (std::string_view known : {"GET", "PUT", "PATCH", "DELETE", "POST", "HEAD"}) {
    if (method == known) return true;
  }
  return false;
}

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
  news_.Signal();
}

void HttpSession::Drain() {
  draining_ = true;
  if (idle_) transport_.Cancel();
  if (upstream_ != nullptr) Stop();
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

bool HttpSession::HeadIsThere() {
  // A client may send an empty line between requests.
  while (end_ - begin_ >= 2 && in_[begin_] == '\r' && in_[begin_ + 1] == '\n') begin_ += 2;
  std::string_view bytes(in_.data() + begin_, end_ - begin_);
  std::optional<size_t> size = FindHeadEnd(bytes, searched_);
  searched_ = bytes.size() < 3 ? 0 : bytes.size() - 3;
  if (!size) return false;
  head_size_ = *size;
  searched_ = 0;
  return true;
}

// True when a head is there. False: the client left, or was told what is wrong.
Task<bool> HttpSession::ReadHead() {
  std::memmove(in_.data(), in_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  const HttpLimits& limits = server_.limits;
  body_done_ = false;  // for Linger: whatever comes now is not understood yet
  Tick head_deadline = end_ > 0 || first_ ? loop_.After(limits.header_timeout) : kNever;
  first_ = false;
  while (true) {
    if (end_ > 0 && !IsTokenCharacter(in_[0]) && in_[0] != '\r') {
      co_await Refuse(400, "this is not HTTP");
      co_return false;
    }
    if (end_ >= static_cast<size_t>(limits.max_header_bytes)) {
      co_await Refuse(431, "the request's header is too large");
      co_return false;
    }
    if (end_ == in_.size()) in_.resize(in_.size() * 2);
    idle_ = end_ == 0;
    if (idle_ && draining_) break;
    Tick deadline = head_deadline == kNever ? loop_.After(limits.idle_timeout) : head_deadline;
    std::span<char> room = std::span(in_).subspan(end_);
    ReadOutcome outcome = co_await transport_.Read(room, deadline);
    bool was_idle = std::exchange(idle_, false);
    if (outcome.kind == ReadOutcome::Kind::kBytes) {
      end_ += outcome.bytes;
      if (HeadIsThere()) co_return true;
      if (head_deadline == kNever) head_deadline = loop_.After(limits.header_timeout);
      continue;
    }
    if (transport_.timed_out() && !was_idle)
      co_await Refuse(408, "the request did not arrive in time");
    break;
  }
  co_return false;
}

std::optional<Error> HttpSession::TakeHead() {
  body_done_ = false;
  keep_alive_ = false;
  head_request_ = false;
  if (head_size_ > static_cast<size_t>(server_.limits.max_header_bytes)) {
    return Error{Code::kTooLarge, "", "the request's header is too large"};
  }
  tail_ = begin_ + head_size_;
  std::span<char> head(in_.data() + begin_, head_size_);
  std::optional<std::string_view> refusal = MendFraming(head);
  if (!refusal) refusal = parser_.ParseHead({head.data(), head.size()}, request_);
  if (refusal) return Error{Code::kInvalid, "", std::string(*refusal)};
  http11_ = parser_.http11();
  keep_alive_ = parser_.keep_alive();
  chunked_ = parser_.chunked();
  body_left_ = chunked_ ? 0 : parser_.content_length();
  body_done_ = !has_body();
  head_request_ = request_.method == "HEAD";
  server_.traffic.requests.fetch_add(1, std::memory_order_relaxed);
  NameRequest();
  std::optional<Error> bad = TakeKnownHeaders();
  return bad ? bad : TakeTarget();
}

void HttpSession::NameRequest() {
  static constexpr char kDigits[] = "0123456789abcdef";
  uint64_t number = static_cast<uint64_t>(server_.id_prefix) << 32 |
                    server_.last_id.fetch_add(1, std::memory_order_relaxed);
  for (char& digit : id_) {
    digit = kDigits[number >> 60];
    number <<= 4;
  }
  request_.id = std::string_view(id_.data(), id_.size());
}

std::optional<Error> HttpSession::TakeKnownHeaders() {
  expects_continue_ = false;
  takes_gzip_ = false;
  int hosts = 0;
  std::string_view authority;
  for (const RequestHeader& header : request_.headers) {
    switch (header.name.size()) {
      case 4:
        if (EqualIgnoreCase(header.name, "host")) {
          ++hosts;
          authority = header.value;
        }
        break;
      case 6:
        if (EqualIgnoreCase(header.name, "expect")) {
          if (!EqualIgnoreCase(header.value, "100-continue")) {
            return Error{Code::kPrecondition, "", "unknown expectation"};
          }
          expects_continue_ = http11_;
        }
        break;
      case 15:
        if (EqualIgnoreCase(header.name, "accept-encoding"))
          takes_gzip_ = AcceptsGzip(header.value);
        break;
      case 22:
        if (request_.method == "POST" && EqualIgnoreCase(header.name, "x-http-method-override")) {
          if (!IsOverridable(header.value)) return Error{Code::kInvalid, "", "bad method override"};
          request_.method = header.value;
        }
        break;
      default: break;
    }
  }
  if (hosts > 1 || (hosts == 0 && http11_))
    return Error{Code::kInvalid, "", "exactly one Host header is needed"};
  if (!authority.empty() && !ParseAuthority(authority))
    return Error{Code::kInvalid, "", "bad Host header"};
  TakeHost(authority);
  return std::nullopt;
}

void HttpSession::TakeHost(std::string_view authority) {
  request_.authority = authority;
  std::optional<Authority> parsed = ParseAuthority(authority);
  std::string_view host = parsed ? parsed->host : std::string_view(connect_name_);
  if (host.empty()) host = transport_.server_name();
  host_.assign(host);
  for (char& c : host_) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  request_.host = host_;
}

std::optional<Error> HttpSession::TakeTarget() {
  request_.body = {};
  request_.proxy_principal = connect_principal_;
  absolute_ = false;
  if (request_.method == "CONNECT") {
    request_.path = request_.query = {};
    return std::nullopt;
  }
  std::optional<RequestTarget> target = ParseTarget(request_.target);
  if (!target) return Error{Code::kInvalid, "", "bad request target"};
  request_.path = target->path;
  request_.query = target->query;
  if (target->authority.empty()) return std::nullopt;
  absolute_ = true;
  TakeHost(target->authority);
  size_t before = target->authority.data() + target->authority.size() - request_.target.data();
  request_.target.remove_prefix(before);
  if (!request_.target.starts_with('/')) request_.target = "/";
  return std::nullopt;
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
  bool sent = false;
  if (!whole_.empty() && AnswerInline()) {
    sent = co_await SendResponse();
    co_return sent;
  }
  std::shared_ptr<Deferred> deferred;
  std::function<void()> work = [this, &deferred] {
    response_ = Guarded([&] {
      Answer answer = listener_.dispatcher->Handle(request_);
      if (auto* response = std::get_if<Response>(&answer)) return std::move(*response);
      deferred = std::get<std::shared_ptr<Deferred>>(answer);
      return Response();
    });
    if (!deferred) CompressIfAsked();
  };
  co_await OnPool(work);
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
  std::shared_ptr<HttpSession> self = shared_from_this();
  std::function<void()> job = [self, work = std::move(work)] {
    work();
    self->loop_.Post([self] { self->pool_done_.Signal(); });
  };
  server_.pool.Post(std::move(job));
  co_await pool_done_.Wait();
}

namespace {

// Between whoever completes a deferred answer, on any thread and maybe after the server is gone,
// and the session.
struct Mailbox {
  std::mutex mu;
  std::shared_ptr<HttpSession> session;  // guarded by mu; null once the session stopped waiting
  std::optional<Response> response;      // guarded by mu
};

}  // namespace

// True when response_ holds an answer; false when there is nobody to give it to.
Task<bool> HttpSession::AwaitDeferred(std::shared_ptr<Deferred> deferred) {
  std::shared_ptr<Mailbox> mailbox = std::make_shared<Mailbox>();
  mailbox->session = shared_from_this();
  deferred->OnComplete([mailbox](Response response) {
    std::lock_guard lock(mailbox->mu);
    if (!mailbox->session) return;
    mailbox->response = std::move(response);
    mailbox->session->loop_.Post([session = mailbox->session] { session->news_.Signal(); });
  });
  WatchClient();
  std::chrono::milliseconds limit(deferred->timeout_ms);
  bool news = true;
  bool answered = false;
  while (news && !answered && !client_left_ && !stopping_ && !draining_) {
    if (limit.count() > 0) {
      news = co_await news_.WaitFor(limit);
    } else {
      co_await news_.Wait();
    }
    std::lock_guard lock(mailbox->mu);
    answered = mailbox->response.has_value();
  }
  deferred->Abandon();
  transport_.StopWatching();
  {
    std::lock_guard lock(mailbox->mu);
    mailbox->session.reset();
    answered = mailbox->response.has_value();
    if (answered) response_ = std::move(*mailbox->response);
  }
  if (client_left_ || stopping_) co_return false;
  if (answered) co_return true;
  std::function<void()> work = [this, &deferred] {
    response_ = Guarded([&] {
      if (deferred->on_timeout) return deferred->on_timeout();
      throw Failure(Code::kUnavailable, "nothing happened in time");
    });
  };
  co_await OnPool(work);
  co_return true;
}

// Learns while no one reads whether the client goes away. What it sends meanwhile is kept for the
// next request.
void HttpSession::WatchClient() {
  client_left_ = false;
  if (end_ - tail_ > kFirstBuffer) return;
  std::weak_ptr<HttpSession> weak = weak_from_this();
  transport_.WatchReadable([weak] {
    std::shared_ptr<HttpSession> self = weak.lock();
    if (self) self->OnReadableWhileWaiting();
  });
}

void HttpSession::OnReadableWhileWaiting() {
  std::array<char, kFirstBuffer> bytes;
  ReadOutcome outcome = transport_.TryRead(bytes);
  if (outcome.kind == ReadOutcome::Kind::kBytes) {
    ahead_.append(bytes.data(), outcome.bytes);
  } else if (outcome.kind != ReadOutcome::Kind::kWouldBlock) {
    client_left_ = true;
    news_.Signal();
  }
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
    std::memcpy(in_.data() + end_, body_in_.data(), body_have_);
    std::memcpy(in_.data() + end_ + body_have_, ahead_.data(), ahead_.size());
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
