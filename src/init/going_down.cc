#include "init/going_down.h"

#include <signal.h>

namespace fireweed {
namespace {

volatile sig_atomic_t term_caught = 0;

void NoteTerm(int) { term_caught = 1; }

}  // namespace

void CatchTerm() {
  struct sigaction action {};
  action.sa_handler = NoteTerm;
  // A write to the console must not lose its line.
  action.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &action, nullptr);
}

bool TermCaught() { return term_caught != 0; }

}  // namespace fireweed
