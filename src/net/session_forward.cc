// How a session passes a request on to another server of this machine, and its answer back.
#include <algorithm>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "net/forward.h"
#include "net/http_session.h"
#include "net/response_parser.h"

namespace fireweed::net {
namespace {

constexpr size_t kJoined = 32 << 10;  // bodies up to this are copied behind their head
constexpr size_t kReadPiece = 16 << 10;
// Servers that were there and could not be reached, or closed a kept connection, before one gives up.
constexpr int kMostTries = 8;

}  // namespace

// Null when the pool has to answer, or to say why it cannot.
std::shared_ptr<Forwarding> HttpSession::FindForward() {
  try {
    return listener_.dispatcher->TryForward(request_);
  } catch (const Failure&) {
    return nullptr;
  }
}

Task<bool> HttpSession::ServeForward(std::shared_ptr<Forwarding> way) {
  bool wanted = co_await Forward(*way);
  way.reset();  // the request is over for whoever counts them, whatever becomes of the client
  if (!wanted) co_return false;
  bool sent = co_await SendResponse();
  co_return sent;
}

void HttpSession::RefuseForward(Forwarding& way, const Error& error) {
  response_ = Guarded([&]() -> Response { throw Failure(way.Fail(error)); });
}

Task<bool> HttpSession::Forward(Forwarding& way) {
  bool stale = false;  // a kept connection was closed by the server: all of them may be
  for (int tries = 0; tries < kMostTries; ++tries) {
    std::shared_ptr<Backend> backend;
    bool refused = true;
    response_ = Guarded([&] {
      backend = way.Next();
      refused = false;
      return Response();
    });
    if (refused) co_return true;
    if (!backend) {
      bool given_up = false;
      bool wanted = co_await AwaitBackend(way, given_up);
      if (!wanted) co_return false;
      if (given_up) co_return true;
      continue;
    }
    UniqueFd kept;
    if (!stale) kept = backend->TakeIdle();
    Passage passage = co_await PassOn(way, *backend, std::move(kept));
    stale = passage == Passage::kStale;
    if (stopping_) co_return false;
    if (passage == Passage::kDone) co_return true;
    if (passage == Passage::kUnreachable) way.Unreachable(backend);
    if (passage == Passage::kBroken) {
      Error broken{Code::kUnavailable, "", "the server broke off before it had answered"};
      RefuseForward(way, broken);
      co_return true;
    }
    if (passage == Passage::kTooLate) {
      Error late{Code::kUnavailable, "", "the server did not answer in time"};
      RefuseForward(way, late);
      co_return true;
    }
  }
  Error nobody{Code::kUnavailable, "", "no server could be reached"};
  RefuseForward(way, nobody);
  co_return true;
}

// Waits until somebody may be there. `given_up`: nobody came in time, and response_ says so.
Task<bool> HttpSession::AwaitBackend(Forwarding& way, bool& given_up) {
  std::shared_ptr<Deferred> news = std::make_shared<Deferred>();
  news->timeout_ms = way.wait_limit.count();
  news->on_timeout = [&way, &given_up]() -> Response {
    given_up = true;
    throw Failure(way.Fail({Code::kUnavailable, "", "no server was ready in time"}));
  };
  way.Await([news] { news->Complete(Response()); });
  bool wanted = co_await AwaitDeferred(news);
  co_return wanted;
}

Task<bool> HttpSession::SendOn(Forwarding& way, Transport& there) {
  const auto stall = server_.limits.body_timeout;
  std::string_view body = request_.body;
  passed_.clear();
  way.AppendHead(passed_);
  passed_ += "Content-Length: ";
  passed_ += std::to_string(body.size());
  passed_ += "\r\n\r\n";
  bool joined = body.size() <= kJoined;
  if (joined) passed_ += body;
  Flush flush = joined ? Flush::kNow : Flush::kMoreComes;
  bool sent = co_await there.Write(passed_, stall, flush);
  if (sent && !joined) sent = co_await there.Write(body, stall);
  co_return sent;
}

// One try. Leaves the answer in response_ when it is done.
Task<HttpSession::Passage> HttpSession::PassOn(Forwarding& way, Backend& backend, UniqueFd kept) {
  const Passage early_end = kept ? Passage::kStale : Passage::kBroken;
  if (!kept) {
    Result<UniqueFd> fresh = backend.Connect();
    if (!fresh.ok()) co_return Passage::kUnreachable;
    kept = std::move(*fresh);
  }
  Transport there(loop_, std::move(kept));
  passing_ = &there;
  bool sent = co_await SendOn(way, there);
  BackendAnswer answer;
  std::function<void(std::string_view)> take = [&](std::string_view piece) {
    answer.body.append(piece);
  };
  ResponseParser parser(take, false);
  passed_.resize(kReadPiece);
  size_t have = 0;
  bool heard = false;
  Passage passage = sent ? Passage::kDone : early_end;
  while (passage == Passage::kDone && !parser.done()) {
    if (have == passed_.size()) passed_.resize(passed_.size() * 2);
    std::span<char> room(passed_.data() + have, passed_.size() - have);
    Tick deadline = loop_.After(way.answer_limit);
    ReadOutcome outcome = co_await there.Read(room, deadline);
    if (outcome.kind != ReadOutcome::Kind::kBytes) {
      passage = there.timed_out() ? Passage::kTooLate : heard ? Passage::kBroken : early_end;
      break;
    }
    heard = true;
    have += outcome.bytes;
    try {
      size_t taken = parser.Feed({passed_.data(), have});
      passed_.erase(0, taken);
      passed_.resize(std::max(passed_.size(), kReadPiece));
      have -= taken;
    } catch (const Failure&) {
      passage = Passage::kBroken;
    }
  }
  passing_ = nullptr;
  if (passage != Passage::kDone) co_return passage;
  if (parser.keep_alive() && have == 0 && !there.cancelled()) backend.KeepIdle(there.Release());
  answer.status = parser.status();
  answer.headers = parser.headers();
  response_ = Guarded([&] { return way.Finish(std::move(answer)); });
  co_return Passage::kDone;
}

}  // namespace fireweed::net
