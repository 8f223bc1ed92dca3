#include "init/applet.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

#include "init/program.h"
#include "init/protocol.h"

namespace fireweed {
namespace {

using Action = AppletRequest::Action;

constexpr int kLongestDelayMinutes = 7 * 24 * 60;

AppletRequest Wrong(std::string complaint) {
  return {.action = Action::kWrong, .complaint = std::move(complaint)};
}

// "now", "+0", "+5" or a bare number of minutes.
std::optional<int> ParseMinutes(std::string_view text) {
  if (text == "now") return 0;
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || text.size() > 5) return std::nullopt;
  int minutes = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    minutes = minutes * 10 + (c - '0');
  }
  return minutes <= kLongestDelayMinutes ? std::optional(minutes) : std::nullopt;
}

// One letter of an option group such as "-hP"; false when it means nothing here.
bool TakeLetter(char letter, bool is_shutdown, AppletRequest& request) {
  switch (letter) {
    case 'r': request.action = Action::kReboot; return is_shutdown;
    case 'c': request.action = Action::kCancel; return is_shutdown;
    case 'h':
    case 'P':
    case 'H':
    case 'p':
      if (request.action != Action::kReboot || !is_shutdown) request.action = Action::kOff;
      return true;
    case 'f': request.force = !is_shutdown; return true;
    // Not to write records, not to tell users, not to sync: nothing to leave out here.
    case 'k':
    case 'n':
    case 'd':
    case 'w':
    case 'i': return true;
    default: return false;
  }
}

bool TakeWord(std::string_view word, AppletRequest& request) {
  if (word == "--poweroff" || word == "--halt") {
    request.action = Action::kOff;
  } else if (word == "--reboot") {
    request.action = Action::kReboot;
  } else if (word == "--force") {
    request.force = true;
  } else if (word == "--help") {
    request.action = Action::kShowUsage;
  } else {
    return word == "--no-wall" || word == "--no-wtmp" || word == "--no-sync";
  }
  return true;
}

int Usage(std::string_view name) {
  std::printf("%.*s [-h|-P|-H|-r|-c|-f] [now|+MINUTES] [MESSAGE...]\n",
              static_cast<int>(name.size()), name.data());
  return 0;
}

}  // namespace

AppletRequest ParseApplet(std::string_view name, const std::vector<std::string_view>& arguments) {
  bool is_shutdown = name == "shutdown";
  AppletRequest request;
  if (name == "reboot") request.action = Action::kReboot;
  if (is_shutdown) request.delay_minutes = 1;
  bool have_time = false;
  for (std::string_view argument : arguments) {
    if (argument.starts_with("--")) {
      if (!TakeWord(argument, request)) return Wrong("unknown option " + std::string(argument));
    } else if (argument.starts_with('-') && argument.size() > 1) {
      for (char letter : argument.substr(1)) {
        if (!TakeLetter(letter, is_shutdown, request)) {
          return Wrong("unknown option " + std::string(argument));
        }
      }
    } else if (is_shutdown && !have_time && request.action != Action::kCancel) {
      std::optional<int> minutes = ParseMinutes(argument);
      if (!minutes) return Wrong("cannot read the time '" + std::string(argument) + "'");
      request.delay_minutes = *minutes;
      have_time = true;
    }  // the rest is a message to users, of whom there are none
  }
  return request;
}

int RunApplet(std::string_view name, const std::vector<std::string_view>& arguments,
              const AppletPlace& place) {
  AppletRequest request = ParseApplet(name, arguments);
  std::string shown(name);
  if (request.action == Action::kShowUsage) return Usage(name);
  if (request.action == Action::kWrong) {
    std::fprintf(stderr, "%s: %s\n", shown.c_str(), request.complaint.c_str());
    return 1;
  }
  if (geteuid() != 0 && place.whole_machine) {
    std::fprintf(stderr, "%s: must be root\n", shown.c_str());
    return 1;
  }
  // Checked before anything that would hit a host, should this not be a machine.
  if (place.whole_machine && !IsOwnProgram(place.init)) {
    std::fprintf(stderr, "%s: process 1 is not fireweed-init\n", shown.c_str());
    return 1;
  }
  bool reboots = request.action == Action::kReboot;
  bool cancels = request.action == Action::kCancel, forced = request.force && !cancels;
  int signal = cancels ? CancelSignal() : reboots ? RebootSignal() : OffSignal();
  sigval value{.sival_int = request.delay_minutes};
  if (forced) {
    sync();
    signal = KillSignal();
    value.sival_int = reboots ? kForcedReboot : kForcedOff;
  }
  if (sigqueue(place.init, signal, value) != 0) {
    std::fprintf(stderr, "%s: %s\n", shown.c_str(), std::strerror(errno));
    return 1;
  }
  return 0;
}

std::vector<std::string_view> SudoCommand(const std::vector<std::string_view>& arguments) {
  constexpr std::string_view kWithValue = "ugpCrtTDhR";
  size_t at = 0;
  while (at < arguments.size()) {
    std::string_view word = arguments[at];
    if (word == "--") {
      ++at;
      break;
    }
    bool setting = word.find('=') != word.npos && word.find('/') > word.find('=');
    bool option = word.size() > 1 && word.front() == '-';
    if (!option && !setting) break;
    bool takes_next = option && word.size() == 2 && kWithValue.find(word[1]) != kWithValue.npos;
    at += takes_next ? 2 : 1;
  }
  if (at >= arguments.size()) return {};
  return {arguments.begin() + static_cast<std::ptrdiff_t>(at), arguments.end()};
}

int RunSudo(const std::vector<std::string_view>& arguments) {
  std::vector<std::string_view> words = SudoCommand(arguments);
  if (words.empty()) {
    std::fprintf(stderr, "usage: sudo COMMAND...\n");
    return 1;
  }
  std::vector<std::string> command(words.begin(), words.end());
  int code = Become(command);
  std::fprintf(stderr, "sudo: %s: command not found\n", command[0].c_str());
  return code;
}

}  // namespace fireweed
