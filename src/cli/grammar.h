// The grammar of a command line: commands within commands, and what each takes. CLI11 does the work behind it; its header
// costs every file that includes it seven seconds, so grammar.cc is the only one of this folder that does.
//
// Built once, on the main thread, before the words are read. A Command owns its flags and the commands below it: pointers
// to both hold as long as the root does. The variables that flags fill belong to the caller and must outlive Run.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace fireweed::cli {

// Thrown by an action that has said all there is to say: the program ends with this status.
struct Exit {
  int status = 0;
};

// An option, a switch or a word in a place of its own. Each setting returns the flag, to be chained.
class Flag {
 public:
  explicit Flag(CLI::Option& option) : option_(&option) {}

  Flag* Required();
  Flag* ShowDefault();  // help says what the variable holds now
  Flag* OneWordEach();  // given again for another value: words after it are not its own
  Flag* Words(int least, int most);  // most below zero: any number
  Flag* Split(char delimiter);
  Flag* LastCounts();
  Flag* AllCount();
  Flag* Between(int low, int high);
  Flag* Positive();
  Flag* NotNegative();
  Flag* OneOf(std::vector<std::string> words);
  Flag* Excludes(Flag* other);
  Flag* Needs(Flag* other);

  std::string name() const;  // "-l,--location", or the name of its place
  std::vector<std::string> long_names() const;
  std::string type_name() const;
  std::string help() const;
  bool takes_value() const;

 private:
  CLI::Option* option_;
};

class Command {
 public:
  Command();  // a root without a name, for tests
  Command(std::string help, std::string name);
  ~Command();
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  // Defined for the types that the commands use: grammar.cc lists them.
  template <class T>
  Flag* AddOption(const std::string& names, T& value, const std::string& help = {});
  Flag* AddFlag(const std::string& names, bool& value, const std::string& help = {});
  Flag* AddFlag(const std::string& names, std::function<void()> set, const std::string& help);
  Command* AddCommand(const std::string& name, const std::string& help = {});

  void OnRun(std::function<void()> action);
  void NeedsCommand();                 // one of those below
  void EndHelpWith(std::string text);  // examples, mostly
  void Alias(const std::string& name);
  void Hide();          // from help, manual pages and completion; it is still taken
  void LongHelpOnly();  // -h means something else here
  void InGroup(
      const std::string&
          title);  // under which help lists it; groups are in the order of their first command
  void FlagsAnywhere();  // flags of this one are also taken after the names of those below

  std::string name() const;
  std::string help() const;
  std::vector<std::string> names() const;      // its name, then its aliases
  std::vector<Command*> commands() const;      // those below that are shown
  Command* Find(std::string_view name) const;  // below this one, by any name; null if there is none
  std::vector<Flag> flags() const;             // with --help

  // Reads the words and runs the action they name; what that throws goes through. Help and mistakes are printed.
  // 0, or 2 for words that are not in the grammar.
  int Run(std::vector<std::string> words);

 private:
  explicit Command(CLI::App& app);
  Flag* Keep(CLI::Option* option);

  std::unique_ptr<CLI::App> root_;  // of the topmost one only
  CLI::App* app_;
  std::deque<std::unique_ptr<Command>> commands_;
  std::deque<Flag> flags_;
};

// The word among `known` that was probably meant; empty: none is close.
std::string ClosestWord(std::string_view word, const std::vector<std::string>& known);

}  // namespace fireweed::cli
