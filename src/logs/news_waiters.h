// Readers who wait for entries that are yet to come. No thread waits for them: each is answered by whoever appends.
// Any thread; does not block.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "net/http_message.h"

namespace fireweed::logs {

class NewsWaiters {
 public:
  // What a reader waits for.
  struct Wish {
    std::vector<std::string> projects;
    std::optional<std::string> job;  // nullopt: any entry of the projects
  };
  // `again` is the answer that makes the reader ask again; given when something came in, or the time is up.
  void Add(Wish wish, std::shared_ptr<net::Deferred> waiter, std::function<net::Response()> again);
  // Entries of this job were written; an empty one: entries of none.
  void Tell(const std::string& project, const std::string& job);

 private:
  struct Waiter {
    Wish wish;
    std::shared_ptr<net::Deferred> deferred;
    std::function<net::Response()> again;
  };
  std::mutex mu_;
  std::vector<Waiter> waiters_;  // guarded by mu_
};

}  // namespace fireweed::logs
