#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/grammar.h"

namespace fireweed::cli {
namespace {

// "up" -> "--http --https ...": the words that may follow each command, from the command tree itself.
void Collect(const Command& app, const std::string& path, std::string& out) {
  std::vector<std::string> words;
  for (const Command* child : app.commands()) {
    words.push_back(child->name());
    Collect(*child, path.empty() ? child->name() : path + " " + child->name(), out);
  }
  for (const Flag& flag : app.flags()) {
    for (const std::string& name : flag.long_names()) words.push_back("--" + name);
  }
  out += fmt::format("    '{}') words='{}' ;;\n", path, fmt::join(words, " "));
}

constexpr std::string_view kBash = R"(_fireweed() {{
  local path='' word words=''
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$word" in -*) ;; *) path="${{path:+$path }}$word" ;; esac
  done
  case "$path" in
{}  esac
  COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _fireweed fireweed
)";

constexpr std::string_view kFish = R"(function __fireweed_words
  set -l path (string join ' ' (string match -v -- '-*' (commandline -opc)[2..]))
  bash -c 'path="$1"; words=""; case "$path" in
{}  esac; printf "%s\n" $words' _ "$path"
end
complete -c fireweed -f -a '(__fireweed_words)'
)";

}  // namespace

void AddCompletionCommand(Command& app, Settings&) {
  auto shell = std::make_shared<std::string>("bash");
  Command* command =
      app.AddCommand("completion", "Print a completion script: source <(fireweed completion bash)");
  command->AddOption("shell", *shell, "bash, zsh or fish")
      ->OneOf({"bash", "zsh", "fish"})
      ->ShowDefault();
  command->OnRun([shell, &app] {
    std::string cases;
    Collect(app, "", cases);
    if (*shell == "fish") {
      fmt::print(fmt::runtime(kFish), cases);
      return;
    }
    if (*shell == "zsh") fmt::print("autoload -U +X bashcompinit && bashcompinit\n");
    fmt::print(fmt::runtime(kBash), cases);
  });
}

}  // namespace fireweed::cli
