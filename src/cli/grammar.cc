#include "cli/grammar.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <utility>

#include <CLI/CLI.hpp>

namespace fireweed::cli {

Flag* Flag::Required() {
  option_->required();
  return this;
}

Flag* Flag::ShowDefault() {
  option_->capture_default_str();
  return this;
}

Flag* Flag::OneWordEach() {
  option_->allow_extra_args(false);
  return this;
}

Flag* Flag::Words(int least, int most) {
  option_->expected(least, most);
  return this;
}

Flag* Flag::Split(char delimiter) {
  option_->delimiter(delimiter);
  return this;
}

Flag* Flag::LastCounts() {
  option_->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  return this;
}

Flag* Flag::AllCount() {
  option_->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  return this;
}

Flag* Flag::Between(int low, int high) {
  option_->check(CLI::Range(low, high));
  return this;
}

Flag* Flag::Positive() {
  option_->check(CLI::PositiveNumber);
  return this;
}

Flag* Flag::NotNegative() {
  option_->check(CLI::NonNegativeNumber);
  return this;
}

Flag* Flag::OneOf(std::vector<std::string> words) {
  option_->check(CLI::IsMember(std::move(words)));
  return this;
}

Flag* Flag::Excludes(Flag* other) {
  option_->excludes(other->option_);
  return this;
}

Flag* Flag::Needs(Flag* other) {
  option_->needs(other->option_);
  return this;
}

std::string Flag::name() const {
  std::string names = option_->get_name(false, true);
  return names.empty() ? option_->get_name(true) : names;
}

std::vector<std::string> Flag::long_names() const { return option_->get_lnames(); }
std::string Flag::type_name() const { return option_->get_type_name(); }
std::string Flag::help() const { return option_->get_description(); }
bool Flag::takes_value() const { return option_->get_expected_max() > 0; }

Command::Command() : Command("", "") {}
Command::Command(std::string help, std::string name)
    : root_(std::make_unique<CLI::App>(std::move(help), std::move(name))), app_(root_.get()) {}
Command::Command(CLI::App& app) : app_(&app) {}
Command::~Command() = default;

Flag* Command::Keep(CLI::Option* option) { return &flags_.emplace_back(*option); }

template <class T>
Flag* Command::AddOption(const std::string& names, T& value, const std::string& help) {
  return Keep(app_->add_option(names, value, help));
}

template Flag* Command::AddOption(const std::string&, std::string&, const std::string&);
template Flag* Command::AddOption(const std::string&, std::vector<std::string>&,
                                  const std::string&);
template Flag* Command::AddOption(const std::string&, std::optional<std::string>&,
                                  const std::string&);
template Flag* Command::AddOption(const std::string&, int&, const std::string&);
template Flag* Command::AddOption(const std::string&, int64_t&, const std::string&);
template Flag* Command::AddOption(const std::string&, uint64_t&, const std::string&);
template Flag* Command::AddOption(const std::string&, std::optional<int64_t>&, const std::string&);

Flag* Command::AddFlag(const std::string& names, bool& value, const std::string& help) {
  return Keep(app_->add_flag(names, value, help));
}

Flag* Command::AddFlag(const std::string& names, std::function<void()> set,
                       const std::string& help) {
  return Keep(app_->add_flag_callback(names, std::move(set), help));
}

Command* Command::AddCommand(const std::string& name, const std::string& help) {
  CLI::App* app = app_->add_subcommand(name, help);
  return commands_.emplace_back(new Command(*app)).get();
}

void Command::OnRun(std::function<void()> action) { app_->callback(std::move(action)); }
void Command::NeedsCommand() { app_->require_subcommand(1); }
void Command::EndHelpWith(std::string text) { app_->footer(std::move(text)); }
void Command::Alias(const std::string& name) { app_->alias(name); }
void Command::Hide() { app_->group(""); }
void Command::InGroup(const std::string& title) { app_->group(title); }
void Command::LongHelpOnly() { app_->set_help_flag("--help", "Print this help message and exit"); }
void Command::FlagsAnywhere() { app_->fallthrough(); }

std::string Command::name() const { return app_->get_name(); }
std::string Command::help() const { return app_->get_description(); }
std::vector<std::string> Command::names() const {
  std::vector<std::string> names{app_->get_name()};
  for (const std::string& alias : app_->get_aliases()) names.push_back(alias);
  return names;
}

std::vector<Command*> Command::commands() const {
  std::vector<Command*> found;
  for (const auto& command : commands_) {
    if (!command->app_->get_group().empty()) found.push_back(command.get());
  }
  return found;
}

Command* Command::Find(std::string_view name) const {
  for (const auto& command : commands_) {
    if (command->app_->check_name(std::string(name))) return command.get();
  }
  return nullptr;
}

std::vector<Flag> Command::flags() const {
  std::vector<Flag> found;
  for (CLI::Option* option : app_->get_options()) found.emplace_back(*option);
  return found;
}

namespace {

// The number of letters to insert, delete or replace that make one word of the other.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row[b.size()];
}

// The commands that were named, from the root to the last.
std::vector<const CLI::App*> NamedPath(const CLI::App* root) {
  std::vector<const CLI::App*> path{root};
  while (!path.back()->get_subcommands().empty()) {
    path.push_back(path.back()->get_subcommands().front());
  }
  return path;
}

std::string PathText(const std::vector<const CLI::App*>& path) {
  std::string text;
  for (const CLI::App* app : path) text += (text.empty() ? "" : " ") + app->get_display_name();
  return text;
}

void PrintSuggestion(const std::string& word, const std::vector<std::string>& known) {
  std::string close = ClosestWord(word, known);
  if (!close.empty()) fmt::print(stderr, "Did you mean '{}'?\n", close);
}

int RefuseCommand(const std::vector<const CLI::App*>& path, const std::string& word) {
  std::vector<std::string> known;
  for (const CLI::App* child : path.back()->get_subcommands({})) {
    if (!child->get_group().empty()) known.push_back(child->get_name());
  }
  std::string text = PathText(path);
  fmt::print(stderr, "{}: unknown command '{}'\n", text, word);
  PrintSuggestion(word, known);
  fmt::print(stderr, "Run '{} --help' to list commands.\n", text);
  return 2;
}

int RefuseFlag(const std::vector<const CLI::App*>& path, const std::string& word) {
  std::vector<std::string> known;
  for (const CLI::App* app : path) {
    for (const CLI::Option* option : app->get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
  }
  std::string text = PathText(path);
  bool flag = word.starts_with('-');
  fmt::print(stderr, "{}: unknown {} '{}'\n", text, flag ? "flag" : "argument", word);
  if (flag) PrintSuggestion(word.substr(0, word.find('=')), known);
  fmt::print(stderr, "Run '{} --help' to list flags.\n", text);
  return 2;
}

// Something that the command needs is missing: its usage and an example say how to go on.
int RefuseMissing(const std::vector<const CLI::App*>& path, std::string what) {
  constexpr std::string_view kRequired = " is required";
  std::string text = PathText(path);
  if (what.ends_with(kRequired)) {
    what.resize(what.size() - kRequired.size());
    bool flag = what.starts_with('-');
    if (!flag) std::transform(what.begin(), what.end(), what.begin(), ::toupper);
    what = fmt::format("missing {} {}", flag ? "flag" : "argument", what);
  }
  fmt::print(stderr, "{}: {}\n", text, what);
  const CLI::App* at = path.back();
  std::string usage = text;
  for (const CLI::Option* option : at->get_options()) {
    if (!option->get_positional()) continue;
    std::string name = option->get_name(true);
    std::transform(name.begin(), name.end(), name.begin(), ::toupper);
    if (option->get_expected_max() > 1) name += "...";
    usage += option->get_required() ? " " + name : " [" + name + "]";
  }
  if (usage != text) fmt::print(stderr, "Usage: {} [FLAGS]\n", usage);
  if (!at->get_footer().empty()) fmt::print(stderr, "{}\n", at->get_footer());
  fmt::print(stderr, "Run '{} --help' for all flags.\n", text);
  return 2;
}

}  // namespace

std::string ClosestWord(std::string_view word, const std::vector<std::string>& known) {
  std::string best;
  // A third of the letters may be wrong: more is another word.
  size_t limit = std::max<size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    size_t distance = Distance(word, candidate);
    if (distance >= limit) continue;
    limit = distance;
    best = candidate;
  }
  return best;
}

int Command::Run(std::vector<std::string> words) {
  std::reverse(words.begin(), words.end());  // CLI11 takes the last first
  try {
    app_->parse(std::move(words));
    return 0;
  } catch (const CLI::RequiredError& error) {
    // CLI11 also reports a missing command if a word was given that names none.
    std::vector<const CLI::App*> path = NamedPath(app_);
    std::vector<std::string> unknown = app_->remaining(true);
    bool needs_command = path.back()->get_require_subcommand_min() > 0;
    if (needs_command && !unknown.empty() && !unknown[0].starts_with('-')) {
      return RefuseCommand(path, unknown[0]);
    }
    if (needs_command) return app_->exit(error) == 0 ? 0 : 2;
    return RefuseMissing(path, error.what());
  } catch (const CLI::ExtrasError& error) {
    std::vector<std::string> unknown = app_->remaining(true);
    if (unknown.empty()) return app_->exit(error) == 0 ? 0 : 2;
    return RefuseFlag(NamedPath(app_), unknown[0]);
  } catch (const CLI::ParseError& error) {
    return app_->exit(error) == 0 ? 0 : 2;
  }
}

}  // namespace fireweed::cli
