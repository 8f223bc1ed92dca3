// How a session passes a request on to another server of this machine, and its answer back.
#include <cstring>

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
constexpr int kLooks = 160;  // less than half a microsecond each

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
    Passage passage = co_await PassOn(way, backend, stale);
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

void HttpSession::DropHeld() {
  if (held_for_) held_for_->GivePlace();
  held_for_.reset();
  held_.reset();
}

// The connection of this client's last request where it leads to `backend`, else null.
std::unique_ptr<Transport> HttpSession::TakeHeld(const std::shared_ptr<Backend>& backend) {
  std::unique_ptr<Transport> there;
  if (held_for_ == backend) there = std::move(held_);
  DropHeld();
  return there;
}

// For the same client's next request if there is room for that, for anybody's otherwise.
void HttpSession::Keep(const std::shared_ptr<Backend>& backend, std::unique_ptr<Transport> there) {
  if (!backend->TakePlace()) return backend->KeepIdle(there->Release());
  held_for_ = backend;
  held_ = std::move(there);
}

// `fresh`: no kept connection will do. Null when nobody is there.
std::unique_ptr<Transport> HttpSession::Reach(Backend& backend, bool fresh, bool& kept) {
  UniqueFd socket;
  if (!fresh) socket = backend.TakeIdle();
  kept = static_cast<bool>(socket);
  if (!socket) {
    Result<UniqueFd> made = backend.Connect();
    if (!made.ok()) return nullptr;
    socket = std::move(*made);
  }
  return std::make_unique<Transport>(loop_, std::move(socket));
}

// Other connections of the loop wait meanwhile: sixty microseconds at most.
ReadOutcome HttpSession::LookFor(Looking& looking, Transport& there, std::span<char> room) {
  ReadOutcome outcome{ReadOutcome::Kind::kWouldBlock, 0};
  for (int left = looking.IsWorthIt() ? kLooks : 0; left > 0; --left) {
    outcome = there.TryRead(room);
    if (outcome.kind != ReadOutcome::Kind::kWouldBlock) break;
  }
  looking.Looked(outcome.kind == ReadOutcome::Kind::kBytes);
  return outcome;
}

// Leaves the answer in response_ when it is done.
Task<HttpSession::Passage> HttpSession::ReceiveFrom(Forwarding& way, Backend& backend,
                                                    Transport& there, Passage early_end,
                                                    bool& reusable) {
  BackendAnswer answer;
  std::function<void(std::string_view)> take = [&](std::string_view piece) {
    answer.body.append(piece);
  };
  ResponseParser parser(take, false);
  if (heard_.size() < kReadPiece) heard_.resize(kReadPiece);
  size_t have = 0;
  bool heard = false;
  while (!parser.done()) {
    if (have == heard_.size()) heard_.resize(heard_.size() * 2);
    std::span<char> room(heard_.data() + have, heard_.size() - have);
    ReadOutcome outcome{ReadOutcome::Kind::kWouldBlock, 0};
    if (way.IsAlone()) outcome = LookFor(backend.looking(), there, room);
    brisk_ = outcome.kind == ReadOutcome::Kind::kBytes;
    if (outcome.kind == ReadOutcome::Kind::kWouldBlock) {
      Tick deadline = loop_.After(way.answer_limit);
      outcome = co_await there.Read(room, deadline);
    }
    if (outcome.kind != ReadOutcome::Kind::kBytes) {
      co_return there.timed_out() ? Passage::kTooLate : heard ? Passage::kBroken : early_end;
    }
    heard = true;
    have += outcome.bytes;
    try {
      size_t taken = parser.Feed({heard_.data(), have});
      have -= taken;
      std::memmove(heard_.data(), heard_.data() + taken, have);
    } catch (const Failure&) {
      co_return Passage::kBroken;
    }
  }
  reusable = parser.keep_alive() && have == 0 && !there.cancelled();
  answer.status = parser.status();
  answer.headers = parser.headers();
  response_ = Guarded([&] { return way.Finish(std::move(answer)); });
  co_return Passage::kDone;
}

// One try.
Task<HttpSession::Passage> HttpSession::PassOn(Forwarding& way,
                                               const std::shared_ptr<Backend>& backend,
                                               bool fresh) {
  std::unique_ptr<Transport> there = TakeHeld(backend);
  bool kept = there != nullptr && !fresh;
  if (!kept) there = Reach(*backend, fresh, kept);
  if (!there) co_return Passage::kUnreachable;
  const Passage early_end = kept ? Passage::kStale : Passage::kBroken;
  passing_ = there.get();
  bool sent = co_await SendOn(way, *there);
  bool reusable = false;
  Passage passage = early_end;
  if (sent) passage = co_await ReceiveFrom(way, *backend, *there, early_end, reusable);
  passing_ = nullptr;
  if (reusable) Keep(backend, std::move(there));
  co_return passage;
}

}  // namespace fireweed::net
