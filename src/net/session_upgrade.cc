// How a session leaves HTTP: the 101 answer, then whatever the Upgrade does with the connection.
#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "net/http_session.h"
#include "net/upgrade.h"

namespace fireweed::net {
namespace {

class UpgradeForwarding final : public Forwarding {
 public:
  explicit UpgradeForwarding(std::shared_ptr<Upgrade> upgrade) : upgrade_(std::move(upgrade)) {}
  std::shared_ptr<Upgrade> AsUpgrade() override { return upgrade_; }
  std::shared_ptr<Backend> Next() override {
    throw Failure(Code::kInvalid, "this address takes WebSocket connections only");
  }
  void Await(std::function<void()> then) override { then(); }
  void Unreachable(const std::shared_ptr<Backend>&) override {}
  void AppendHead(std::string&) const override {}
  Response Finish(BackendAnswer) override { return Response(); }

 private:
  const std::shared_ptr<Upgrade> upgrade_;
};

}  // namespace

Answer UpgradeAnswer(std::shared_ptr<Upgrade> upgrade) {
  return std::make_shared<UpgradeForwarding>(std::move(upgrade));
}

Task<bool> HttpSession::ServeUpgrade(std::shared_ptr<Upgrade> upgrade) {
  bool on = false;
  if (!http11_ || head_request_ || !request_.body.empty()) {
    on = co_await Refuse(400, "an upgrade needs HTTP/1.1 and no body");
    co_return on;
  }
  out_ = "HTTP/1.1 101 Switching Protocols\r\n" + upgrade->HeadLines() + "\r\n";
  on = co_await transport_.Write(out_, server_.limits.body_timeout);
  if (!on || stopping_ || draining_) co_return false;
  std::string early(in_.data() + tail_, end_ - tail_);
  upgrade_ = upgrade.get();
  co_await upgrade->Run(loop_, transport_, std::move(early));
  upgrade_ = nullptr;
  body_done_ = true;  // nothing to linger for
  co_return false;
}

}  // namespace fireweed::net
