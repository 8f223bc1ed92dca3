// fireweed completion: scripts for three shells, all written from one table that the command tree gives.
#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/grammar.h"

namespace fireweed::cli {
namespace {

// What may follow a command: the commands below it and its options.
struct Place {
  std::string path;  // "/storage/buckets"; "/" is fireweed itself
  std::vector<std::string> words;
};

void Collect(const Command& app, const std::string& path, std::vector<Place>& out) {
  Place place{path.empty() ? "/" : path, {}};
  for (const Command* child : app.commands()) {
    for (const std::string& name : child->names()) {
      place.words.push_back(name);
      Collect(*child, path + "/" + name, out);
    }
  }
  for (const Flag& flag : app.flags()) {
    for (const std::string& name : flag.long_names()) place.words.push_back("--" + name);
  }
  out.push_back(std::move(place));
}

// _fireweed_words PATH prints what may follow, a word a line, and fails where there is no such command. For bash and zsh.
std::string WordsFunction(const std::vector<Place>& places) {
  std::string out = "_fireweed_words() {\n  case \"$1\" in\n";
  for (const Place& place : places) {
    out += fmt::format("    {}) printf '%s\\n' {} ;;\n", place.path, fmt::join(place.words, " "));
  }
  return out + "    *) return 1 ;;\n  esac\n}\n";
}

std::string FishWordsFunction(const std::vector<Place>& places) {
  std::string out = "function __fireweed_words\n  switch \"$argv[1]\"\n";
  for (const Place& place : places) {
    out += fmt::format("    case {}\n      printf '%s\\n' {}\n", place.path,
                       fmt::join(place.words, " "));
  }
  return out + "    case '*'\n      return 1\n  end\nend\n";
}

// In all three, words that name no command (values, files, `beta`) leave the place where it is. Options are offered
// once a dash is typed; files where no command can follow.
constexpr std::string_view kBash = R"sh(_fireweed() {
  local at=/ word hide='-*'
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if _fireweed_words "${at%/}/$word" >/dev/null; then at=${at%/}/$word; fi
  done
  word=${COMP_WORDS[COMP_CWORD]}
  if [[ $word == -* ]]; then hide=''; fi
  COMPREPLY=($(compgen -X "$hide" -W "$(_fireweed_words "$at")" -- "$word"))
  if [[ ${#COMPREPLY[@]} -gt 0 || $word == -* || $at == / ]]; then return; fi
  # bash cuts gs://bucket at its colon.
  local before=
  if [[ $COMP_CWORD -gt 2 && ${COMP_WORDS[COMP_CWORD-1]} == : ]]; then before=${COMP_WORDS[COMP_CWORD-2]}:; fi
  COMPREPLY=($(command fireweed complete "$at" "$before$word" 2>/dev/null))
  COMPREPLY=("${COMPREPLY[@]#"$before"}")
}
complete -o default -F _fireweed fireweed
)sh";

// The file works both as a function on zsh's path and when it is sourced.
constexpr std::string_view kZsh = R"sh(_fireweed() {
  local at=/ word
  local -a found
  for word in "${(@)words[2,CURRENT-1]}"; do
    if _fireweed_words "${at%/}/$word" >/dev/null; then at=${at%/}/$word; fi
  done
  found=(${(f)"$(_fireweed_words $at)"})
  if [[ $words[CURRENT] == -* ]]; then
    compadd -- ${(M)found:#-*}
  elif (( ${#${found:#-*}} )); then
    compadd -- ${found:#-*}
  else
    found=(${(f)"$(command fireweed complete $at "$words[CURRENT]" 2>/dev/null)"})
    if (( $#found )); then compadd -- $found; else _files; fi
  fi
}
if [[ ${funcstack[1]} == _fireweed ]]; then _fireweed "$@"; else compdef _fireweed fireweed; fi
)sh";

constexpr std::string_view kFish = R"sh(function __fireweed_here
  set -l at /
  for word in (commandline -opc)[2..]
    set -l next (string trim --right --chars=/ -- $at)/$word
    if __fireweed_words $next >/dev/null
      set at $next
    end
  end
  __fireweed_words $at
  if test $at != /
    command fireweed complete $at (commandline -ct) 2>/dev/null
  end
end
complete -c fireweed -n '__fireweed_here | string match -qv -- "-*"' -f
complete -c fireweed -a '(__fireweed_here)'
)sh";

void PrintFor(std::string_view shell, const std::vector<Place>& places) {
  if (shell == "fish") return fmt::print("{}{}", FishWordsFunction(places), kFish);
  if (shell == "zsh") return fmt::print("#compdef fireweed\n{}{}", WordsFunction(places), kZsh);
  fmt::print("{}{}", WordsFunction(places), kBash);
}

}  // namespace

void AddCompletionCommand(Command& app, Settings&) {
  auto shell = std::make_shared<std::string>("bash");
  Command* command =
      app.AddCommand("completion", "Print a completion script: source <(fireweed completion bash)");
  command->AddOption("shell", *shell, "bash, zsh or fish")
      ->OneOf({"bash", "zsh", "fish"})
      ->ShowDefault();
  command->OnRun([shell, &app] {
    std::vector<Place> places;
    Collect(app, "", places);
    PrintFor(*shell, places);
  });
}

}  // namespace fireweed::cli
