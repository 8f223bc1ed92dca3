// Startup and shutdown scripts: read from the metadata server at every boot and run as root, in a process of their
// own so that process 1 never waits for anything but signals.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "init/http_get.h"

namespace fireweed {

struct ScriptSettings {
  HttpServer metadata;
  std::string directory;                 // where scripts are put to be run
  std::vector<std::string> environment;  // "NAME=value"
};

// How to run a script that lies in `file`: its own first line where that is "#!", else bash (`shell`). Pure.
std::vector<std::string> ScriptCommand(std::string_view contents, const std::string& file,
                                       const std::string& shell);

// Where a script's URL is fetched from, and whether the machine's own token goes along: gs:// and the storage
// host's addresses. Empty for what is no URL. Pure.
struct ScriptSource {
  std::string url;
  bool with_token = false;
};
ScriptSource ParseScriptUrl(std::string_view url);

// The token in the metadata server's JSON reply; empty when there is none. Pure.
std::string TokenOf(std::string_view json);

// Runs `which` ("startup" or "shutdown") scripts: waits for the metadata server, then NAME-script and
// NAME-script-url, the instance's or else the project's. Returns when the scripts have ended and, for startup scripts,
// everything that they started has closed its output. SIGTERM does not end it: the last lines are copied.
// The largest exit code of startup scripts becomes the guest attribute fireweed/startup-exit, where there are any.
int RunScripts(std::string_view which, const ScriptSettings& settings);

}  // namespace fireweed
