#include "machine/kept/end_watch.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

namespace fireweed {

EndWatch::EndWatch() : epoll_(epoll_create1(EPOLL_CLOEXEC)), quit_(eventfd(0, EFD_CLOEXEC)) {
  epoll_event event{.events = EPOLLIN, .data = {.fd = quit_.get()}};
  epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, quit_.get(), &event);
  thread_ = std::thread([this] { Run(); });
}

EndWatch::~EndWatch() {
  eventfd_write(quit_.get(), 1);
  thread_.join();
}

void EndWatch::OnEnd(std::function<void(const std::string& name)> sink) {
  state_.With([&](State& state) { state.sink = std::move(sink); });
}

void EndWatch::Add(const std::string& name, int pid) {
  UniqueFd pidfd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!pidfd) {
    auto sink = state_.With([](State& state) { return state.sink; });
    if (sink) sink(name);
    return;
  }
  int fd = pidfd.get();
  state_.With([&](State& state) { state.watched[fd] = {name, std::move(pidfd)}; });
  epoll_event event{.events = EPOLLIN | EPOLLONESHOT, .data = {.fd = fd}};
  epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event);
}

void EndWatch::Run() {
  while (true) {
    epoll_event event{};
    if (epoll_wait(epoll_.get(), &event, 1, -1) < 1) continue;
    if (event.data.fd == quit_.get()) return;
    Tell(event.data.fd);
  }
}

void EndWatch::Tell(int pidfd) {
  std::string name;
  std::function<void(const std::string&)> sink;
  state_.With([&](State& state) {
    auto found = state.watched.find(pidfd);
    if (found == state.watched.end()) return;
    name = std::move(found->second.first);
    state.watched.erase(found);
    sink = state.sink;
  });
  if (sink) sink(name);
}

}  // namespace fireweed
