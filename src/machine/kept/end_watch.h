// Tells when processes end that are not our children: the keepers of machines.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <thread>

#include "base/guarded.h"
#include "base/unique_fd.h"

namespace fireweed {

// Any thread. Owns one thread, joined by the destructor.
class EndWatch {
 public:
  EndWatch();
  ~EndWatch();
  EndWatch(const EndWatch&) = delete;
  EndWatch& operator=(const EndWatch&) = delete;

  // Called with a name when its process has ended, on this object's thread. Set before the first Add.
  void OnEnd(std::function<void(const std::string& name)> sink);
  // Watches a process; one that has ended already is told at once.
  void Add(const std::string& name, int pid);

 private:
  struct State {
    std::map<int, std::pair<std::string, UniqueFd>> watched;  // by pidfd
    std::function<void(const std::string& name)> sink;
  };
  void Run();
  void Tell(int pidfd);

  UniqueFd epoll_;
  UniqueFd quit_;
  Guarded<State> state_;
  std::thread thread_;  // last: starts when the rest is there
};

}  // namespace fireweed
