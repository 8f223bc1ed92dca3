#include "init/descendants.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include <gtest/gtest.h>

namespace fireweed {
namespace {

constexpr int kGenerations = 3;
constexpr unsigned kGenerousSeconds = 60;

// Each generation in a session of its own; the last one says that all are there.
void Descend(int generations, int ready, void (*on_term)(int)) {
  if (generations == 0 || fork() != 0) return;
  setsid();
  signal(SIGTERM, on_term);
  Descend(generations - 1, ready, on_term);
  if (generations == 1 && write(ready, "x", 1) != 1) _exit(1);
  while (true) pause();
}

// The exit code of `work` in a process that is the reaper of a line of descendants.
int AboveDescendants(void (*on_term)(int), int (*work)()) {
  pid_t reaper = fork();
  if (reaper == 0) {
    alarm(kGenerousSeconds);
    int ends[2];
    char ready;
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 || pipe(ends) != 0) _exit(101);
    Descend(kGenerations, ends[1], on_term);
    if (read(ends[0], &ready, 1) != 1) _exit(102);
    _exit(work());
  }
  int status = 0;
  waitpid(reaper, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(Descendants, ASignalReachesEveryGeneration) {
  EXPECT_EQ(AboveDescendants(SIG_DFL,
                             [] {
                               SignalDescendants(SIGTERM);
                               int reaped = 0, status = 0;
                               while (waitpid(-1, &status, 0) > 0) {
                                 reaped += WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM;
                               }
                               return reaped;
                             }),
            kGenerations);
}

TEST(Descendants, WhatDoesNotHeedASignalIsKilledToTheLast) {
  EXPECT_EQ(AboveDescendants(SIG_IGN,
                             [] {
                               SignalDescendants(SIGTERM);
                               KillDescendants();
                               bool none = waitpid(-1, nullptr, 0) < 0 && errno == ECHILD;
                               return none && ChildrenOf(getpid()).empty() ? 0 : 1;
                             }),
            0);
}

}  // namespace
}  // namespace fireweed
