#include "cli/grammar.h"

#include <algorithm>
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

int Command::Run(std::vector<std::string> words) {
  std::reverse(words.begin(), words.end());  // CLI11 takes the last first
  try {
    app_->parse(std::move(words));
    return 0;
  } catch (const CLI::RequiredError& error) {
    // Said of a missing command also where a word was given that names none.
    const CLI::App* at = app_;
    while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
    std::vector<std::string> unknown = app_->remaining(true);
    if (unknown.empty() || unknown[0].starts_with('-')) return app_->exit(error) == 0 ? 0 : 2;
    std::string path = at->get_display_name();
    for (const CLI::App* up = at->get_parent(); up; up = up->get_parent()) {
      path = up->get_display_name() + " " + path;
    }
    fmt::print(stderr, "{}: there is no command '{}'\nRun {} --help for those there are.\n", path,
               unknown[0], path);
    return 2;
  } catch (const CLI::ParseError& error) {
    return app_->exit(error) == 0 ? 0 : 2;
  }
}

}  // namespace fireweed::cli
