// How a session reads a request's head and turns it into a Request.
#include <algorithm>
#include <cstring>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/bytes.h"
#include "net/content_coding.h"
#include "net/framing.h"
#include "net/http_session.h"
#include "net/request_target.h"

namespace fireweed::net {
namespace {

// What a client takes to read an answer and to write the next request, in looks of the loop.
constexpr int kSoon = 500;

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
    bool brisk = idle_ && std::exchange(brisk_, false);
    bool awake = brisk && next_.IsWorthIt() && loop_.StayAwake(kSoon);
    ReadOutcome outcome = co_await transport_.Read(room, deadline);
    if (brisk) next_.Looked(awake && loop_.awake());  // and so it stays: a body may follow
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
    if (header.name.size() == 4 && EqualIgnoreCase(header.name, "host")) {
      ++hosts;
      authority = header.value;
    } else if (std::optional<Error> bad = TakeKnownHeader(header)) {
      return bad;
    }
  }
  if (hosts > 1 || (hosts == 0 && http11_)) {
    return Error{Code::kInvalid, "", "exactly one Host header is needed"};
  }
  if (!authority.empty() && !ParseAuthority(authority)) {
    return Error{Code::kInvalid, "", "bad Host header"};
  }
  TakeHost(authority);
  return std::nullopt;
}

// The length tells most headers apart, and costs nothing.
std::optional<Error> HttpSession::TakeKnownHeader(const RequestHeader& header) {
  switch (header.name.size()) {
    case 6:
      if (!EqualIgnoreCase(header.name, "expect")) break;
      if (!EqualIgnoreCase(header.value, "100-continue")) {
        return Error{Code::kPrecondition, "", "unknown expectation"};
      }
      expects_continue_ = http11_;
      break;
    case 15:
      if (EqualIgnoreCase(header.name, "accept-encoding")) takes_gzip_ = AcceptsGzip(header.value);
      break;
    case 22:
      if (request_.method != "POST" || !EqualIgnoreCase(header.name, "x-http-method-override")) {
        break;
      }
      if (!IsOverridable(header.value)) return Error{Code::kInvalid, "", "bad method override"};
      request_.method = header.value;
      break;
    default: break;
  }
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

}  // namespace fireweed::net
