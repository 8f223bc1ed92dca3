// The command line. Reads the environment once and hands it on.
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/commands.h"

extern char** environ;

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  fireweed::cli::Context context;
  for (char** entry = environ; *entry; ++entry) {
    std::string_view text(*entry);
    size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    context.environment[std::string(text.substr(0, equals))] = text.substr(equals + 1);
  }
  std::error_code error;
  context.program_directory = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  const char* home = std::getenv("HOME");
  context.home = home ? home : "/";
  context.user_id = geteuid();
  context.terminal = isatty(STDOUT_FILENO) && !std::getenv("NO_COLOR");
  std::vector<std::string> words(argv + 1, argv + argc);
  // `datalab create NAME` as the guides say it: a link of that name to this program.
  if (argc > 0 && std::filesystem::path(argv[0]).filename() == "datalab")
    words.insert(words.begin(), "datalab");
  return fireweed::cli::Run(words, context);
}
