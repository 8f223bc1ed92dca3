// shutdown, poweroff, halt and reboot as people type them: links to fireweed-init that ask process 1.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fireweed {

struct AppletRequest {
  enum class Action { kOff, kReboot, kCancel, kShowUsage, kWrong };
  Action action = Action::kOff;
  bool force = false;     // at once, without asking process 1 to stop anything
  int delay_minutes = 0;  // `shutdown` alone means a minute from now
  std::string complaint;  // for kWrong
};

// `name` is the applet's base name, `arguments` what followed it. Pure.
AppletRequest ParseApplet(std::string_view name, const std::vector<std::string_view>& arguments);

// Whom an applet asks.
struct AppletPlace {
  int init = 1;  // the number of fireweed-init
  bool whole_machine =
      true;  // false: a plain process of the host, which must never reach the host itself
};

// Runs it and returns the exit code: 0 asked, 1 refused.
int RunApplet(std::string_view name, const std::vector<std::string_view>& arguments,
              const AppletPlace& place);

// For plain processes, `sudo` is whoever runs it: the command behind sudo's own options and settings. Empty when there
// is none. Pure.
std::vector<std::string_view> SudoCommand(const std::vector<std::string_view>& arguments);
int RunSudo(const std::vector<std::string_view>& arguments);

}  // namespace fireweed
