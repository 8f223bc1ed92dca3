// What for: faults on demand, before the router: replies that break off, uploads that end with 503,
//   transfers that stall. A request asks for one itself (x-goog-emulator-instructions) or names a
//   test that has some ready (x-retry-test-id); every other request passes untouched.
// Threads: as a Dispatcher's. A stall blocks its pool thread; the destructor ends all of them.
// Owns: nothing but the stalls; borrows router and tests.
// A failure: what was ordered. An unknown test is Failure(kNotFound).
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>

#include "net/router.h"
#include "storage/fault.h"
#include "storage/retry_tests.h"

namespace fireweed::storage {

// Waits that end early when the daemon does.
class Stalls {
 public:
  ~Stalls() { End(); }
  // Blocks for so long, or until End.
  void Wait(std::chrono::seconds length);
  void End();

 private:
  std::mutex mu_;
  std::condition_variable changed_;
  bool ended_ = false;  // guarded by mu_
};

// A fault that a request is to meet.
struct FaultOrder {
  Fault fault;
  std::function<void()> met;  // called when it has struck
  Stalls* stalls = nullptr;
};

class FaultyDispatcher final : public net::Dispatcher {
 public:
  FaultyDispatcher(net::Router& router, RetryTests& tests) : router_(router), tests_(tests) {}

  std::optional<net::Response> TryInline(const net::Request& request) override;
  net::BodyPlan PlanBody(const net::Request& request) override { return router_.PlanBody(request); }
  net::Answer Handle(const net::Request& request) override;
  std::unique_ptr<net::BodySink> OpenBody(const net::Request& request) override;
  std::unique_ptr<net::BodySink> TryOpenInline(const net::Request& request) override;
  net::Response RenderError(const net::Request& request, const Error& error) override {
    return router_.RenderError(request, error);
  }
  // Nothing stalls any more: the server can end.
  void EndStalls() { stalls_.End(); }

 private:
  std::optional<FaultOrder> OrderOf(const net::Request& request, const std::string& method);

  net::Router& router_;
  RetryTests& tests_;
  Stalls stalls_;
};

}  // namespace fireweed::storage
