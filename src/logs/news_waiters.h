// Readers who wait for entries that are yet to come. No thread waits for them: each is answered by whoever appends.
// Any thread; does not block.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "net/http_message.h"

namespace fireweed::logs {

class NewsWaiters {
 public:
  // `again` is the answer that makes the reader ask again; given when something came in, or the time is up.
  void Add(std::vector<std::string> projects, std::shared_ptr<net::Deferred> waiter,
           std::function<net::Response()> again);
  void Tell(const std::string& project);

 private:
  struct Waiter {
    std::vector<std::string> projects;
    std::shared_ptr<net::Deferred> deferred;
    std::function<net::Response()> again;
  };
  std::mutex mu_;
  std::vector<Waiter> waiters_;  // guarded by mu_
};

}  // namespace fireweed::logs
