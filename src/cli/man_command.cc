// fireweed man: manual pages, written from the command tree itself so that they cannot fall behind it.
#include <cctype>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/grammar.h"

namespace fireweed::cli {
namespace {

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

void AppendOptions(const Command& app, std::string& out) {
  for (const Flag& flag : app.flags()) {
    std::string kind = flag.takes_value() ? " " + flag.type_name() : "";
    out += fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", Escape(flag.name()), Escape(kind),
                       Escape(flag.help()));
  }
}

std::string Listed(const std::vector<std::string>& names) {
  return Escape(fmt::format("{}", fmt::join(names, ", ")));
}

// A command and those below it, each under its full name.
void AppendCommand(const Command& app, const std::string& path, std::string& out) {
  out += fmt::format(".SS \"{}\"\n{}\n", Escape(path), Escape(app.help()));
  if (app.names().size() > 1) out += fmt::format(".PP\nNames: {}\n", Listed(app.names()));
  AppendOptions(app, out);
  for (const Command* child : app.commands())
    AppendCommand(*child, path + " " + child->name(), out);
}

std::string Head(const std::string& name, const std::string& about) {
  return fmt::format(".TH \"{}\" 1 \"\" \"Fireweed {}\" \"Fireweed\"\n.SH NAME\n{} \\- {}\n",
                     Upper(Escape(name)), FIREWEED_VERSION, Escape(name), Escape(about));
}

std::string PageOf(const Command& command) {
  std::string name = "fireweed-" + command.name();
  std::string out = Head(name, command.help());
  out += ".SH SYNOPSIS\n";
  for (const std::string& each : command.names())
    out += fmt::format("\\fBfireweed {}\\fR [options] ...\n.br\n", Escape(each));
  out += ".SH OPTIONS\n";
  AppendOptions(command, out);
  if (!command.commands().empty()) out += ".SH COMMANDS\n";
  for (const Command* child : command.commands()) {
    AppendCommand(*child, "fireweed " + command.name() + " " + child->name(), out);
  }
  return out + ".SH SEE ALSO\n.BR fireweed (1)\n";
}

// For whoever looks for a command by another of its names.
std::string PageOfAlias(const Command& command, const std::string& alias) {
  return Head("fireweed-" + alias, command.help()) +
         fmt::format(".SH DESCRIPTION\nAnother name of\n.BR fireweed\\-{} (1)\n",
                     Escape(command.name()));
}

std::string Overview(const Command& app) {
  std::string out = Head("fireweed", app.help());
  out += ".SH SYNOPSIS\n\\fBfireweed\\fR [options] \\fIcommand\\fR ...\n.SH OPTIONS\n";
  AppendOptions(app, out);
  out += ".SH COMMANDS\n";
  for (const Command* child : app.commands()) {
    out += fmt::format(".TP\n\\fB{}\\fR\n{}; see\n.BR fireweed\\-{} (1)\n", Listed(child->names()),
                       Escape(child->help()), Escape(child->name()));
  }
  return out;
}

void Write(const std::filesystem::path& directory, const std::string& name,
           const std::string& page) {
  std::ofstream out(directory / (name + ".1"), std::ios::trunc);
  out << page;
  if (!out.flush())
    throw Failure(Code::kInternal, fmt::format("cannot write {}", (directory / name).string()));
}

void WriteAll(const Command& app, const std::filesystem::path& directory) {
  std::filesystem::create_directories(directory);
  Write(directory, "fireweed", Overview(app));
  for (const Command* child : app.commands()) {
    for (const std::string& name : child->names()) {
      bool own = name == child->name();
      Write(directory, "fireweed-" + name, own ? PageOf(*child) : PageOfAlias(*child, name));
    }
  }
}

}  // namespace

void AddManCommand(Command& app, Settings&) {
  auto name = std::make_shared<std::string>();
  auto directory = std::make_shared<std::string>();
  Command* command = app.AddCommand("man", "Print a manual page: fireweed man compute | man -l -");
  command->AddOption("command", *name, "Command (default: fireweed itself)");
  command->AddOption("--all", *directory, "Directory to write all pages to");
  command->OnRun([name, directory, &app] {
    if (!directory->empty()) return WriteAll(app, *directory);
    if (name->empty()) return fmt::print("{}", Overview(app));
    for (const Command* found : app.commands()) {
      for (const std::string& own : found->names())
        if (own == *name) return fmt::print("{}", PageOf(*found));
    }
    throw Failure(Code::kInvalid, fmt::format("unknown command '{}'", *name));
  });
}

}  // namespace fireweed::cli
