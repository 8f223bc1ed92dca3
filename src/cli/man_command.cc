// fireweed man: manual pages, written from the command tree itself so that they cannot fall behind it.
#include <cctype>
#include <filesystem>
#include <fstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error.h"
#include "cli/commands.h"

namespace fireweed::cli {
namespace {

std::vector<const CLI::App*> Children(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// What roff would take for itself.
std::string Escape(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\\' || c == '-') out += '\\';
    if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
    out += c;
  }
  return out;
}

std::string Upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

void AppendOptions(const CLI::App& app, std::string& out) {
  for (const CLI::Option* option : app.get_options()) {
    std::string name = option->get_name(false, true);
    if (name.empty()) name = option->get_name(true);
    std::string kind = option->get_expected_max() > 0 ? " " + option->get_type_name() : "";
    out += fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", Escape(name), Escape(kind),
                       Escape(option->get_description()));
  }
}

// A command and those below it, each under its full name.
void AppendCommand(const CLI::App& app, const std::string& path, std::string& out) {
  out += fmt::format(".SS \"{}\"\n{}\n", Escape(path), Escape(app.get_description()));
  AppendOptions(app, out);
  for (const CLI::App* child : Children(app))
    AppendCommand(*child, path + " " + child->get_name(), out);
}

std::string Head(const std::string& name, const std::string& about) {
  return fmt::format(".TH \"{}\" 1 \"\" \"Fireweed {}\" \"Fireweed\"\n.SH NAME\n{} \\- {}\n",
                     Upper(Escape(name)), FIREWEED_VERSION, Escape(name), Escape(about));
}

std::string PageOf(const CLI::App& command) {
  std::string name = "fireweed-" + command.get_name();
  std::string out = Head(name, command.get_description());
  out += fmt::format(".SH SYNOPSIS\n\\fBfireweed {}\\fR [options] ...\n.SH OPTIONS\n",
                     Escape(command.get_name()));
  AppendOptions(command, out);
  if (!Children(command).empty()) out += ".SH COMMANDS\n";
  for (const CLI::App* child : Children(command)) {
    AppendCommand(*child, "fireweed " + command.get_name() + " " + child->get_name(), out);
  }
  return out + ".SH SEE ALSO\n.BR fireweed (1)\n";
}

std::string Overview(const CLI::App& app) {
  std::string out = Head("fireweed", app.get_description());
  out += ".SH SYNOPSIS\n\\fBfireweed\\fR [options] \\fIcommand\\fR ...\n.SH OPTIONS\n";
  AppendOptions(app, out);
  out += ".SH COMMANDS\n";
  for (const CLI::App* child : Children(app)) {
    out +=
        fmt::format(".TP\n\\fB{}\\fR\n{}; see\n.BR fireweed\\-{} (1)\n", Escape(child->get_name()),
                    Escape(child->get_description()), Escape(child->get_name()));
  }
  return out;
}

void Write(const std::filesystem::path& directory, const std::string& name,
           const std::string& page) {
  std::ofstream out(directory / (name + ".1"), std::ios::trunc);
  out << page;
  if (!out.flush())
    throw Failure(Code::kInternal,
                  fmt::format("{} cannot be written", (directory / name).string()));
}

void WriteAll(const CLI::App& app, const std::filesystem::path& directory) {
  std::filesystem::create_directories(directory);
  Write(directory, "fireweed", Overview(app));
  for (const CLI::App* child : Children(app))
    Write(directory, "fireweed-" + child->get_name(), PageOf(*child));
}

}  // namespace

void AddManCommand(CLI::App& app, Settings&) {
  auto name = std::make_shared<std::string>();
  auto directory = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("man", "Print a manual page: fireweed man compute | man -l -");
  command->add_option("command", *name, "Of this command (default: of fireweed itself)");
  command->add_option("--all", *directory, "Write every page into this directory instead");
  command->callback([name, directory, &app] {
    if (!directory->empty()) return WriteAll(app, *directory);
    if (name->empty()) return fmt::print("{}", Overview(app));
    for (const CLI::App* found : Children(app)) {
      if (found->get_name() == *name) return fmt::print("{}", PageOf(*found));
    }
    throw Failure(Code::kInvalid, fmt::format("there is no command {}", *name));
  });
}

}  // namespace fireweed::cli
