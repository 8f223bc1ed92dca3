#include "cli/notebooks/notebook_actions.h"

#include <fmt/format.h>

#include "base/error.h"
#include "cli/notebooks/notebook_session.h"
#include "cli/notebooks/relay.h"

namespace fireweed::cli {
namespace {

constexpr std::string_view kTable = "table(name,zone,machineType,state,disk,url)";

std::string ViewText(const NotebookCommand& command, const Settings& settings,
                     const std::vector<JsonTree>& instances, Shape shape) {
  std::vector<JsonTree> views;
  for (const JsonTree& instance : instances) views.push_back(NotebookView(instance));
  return command.output.Text(views, shape == Shape::kList ? std::string(kTable) : "yaml", shape,
                             settings.json);
}

std::optional<Relay::Target> TargetOf(NotebookSession& session, const std::string& name) {
  try {
    std::string server = NotebookServer(session.Get(name));
    if (server.empty()) return std::nullopt;
    size_t host = server.find("//") + 2;
    return Relay::Target{server.substr(host, server.rfind(':') - host), kNotebookPort};
  } catch (const Failure&) {
    return std::nullopt;  // the daemon is away for a moment: the next connection asks again
  }
}

}  // namespace

void ShowNotebook(const NotebookCommand& command, const Settings& settings,
                  const JsonTree& instance) {
  if (settings.json || !command.output.format.empty()) {
    fmt::print("{}", ViewText(command, settings, {instance}, Shape::kOne));
    return;
  }
  fmt::print("{}\n", NotebookPage(instance, NotebookServer(instance)));
}

void CreateNotebook(const NotebookCommand& command, const Settings& settings) {
  NotebookSession session(command.place, settings);
  session.Create(command.notebook);
  if (command.place.async) return;
  ShowNotebook(command, settings, session.Await(command.notebook.name));
}

void StartNotebook(const NotebookCommand& command, const Settings& settings) {
  NotebookSession session(command.place, settings);
  session.Start(command.notebook.name);
  if (command.place.async) return;
  ShowNotebook(command, settings, session.Await(command.notebook.name));
}

void ListNotebooks(const NotebookCommand& command, const Settings& settings) {
  NotebookSession session(command.place, settings);
  std::vector<JsonTree> found = session.List(command.place.zone.empty());
  if (!command.zones.empty()) {
    std::erase_if(found, [&](const JsonTree& item) {
      std::string zone = "," + LastWord(item.TextOf("zone")) + ",";
      return ("," + command.zones + ",").find(zone) == std::string::npos;
    });
  }
  std::string text = ViewText(command, settings, found, Shape::kList);
  if (text.empty() && command.output.format.empty()) session.Say("Listed 0 items.");
  fmt::print("{}", text);
}

void DescribeNotebook(const NotebookCommand& command, const Settings& settings) {
  NotebookSession session(command.place, settings);
  fmt::print("{}", ViewText(command, settings, {session.Get(command.notebook.name)}, Shape::kOne));
}

void StopNotebook(const NotebookCommand& command, const Settings& settings) {
  NotebookSession(command.place, settings).Stop(command.notebook.name);
}

void DeleteNotebook(const NotebookCommand& command, const Settings& settings) {
  NotebookSession(command.place, settings).Delete(command.notebook.name, command.delete_disk);
}

void ConnectNotebook(const NotebookCommand& command, const Settings& settings) {
  const std::string& name = command.notebook.name;
  NotebookSession session(command.place, settings);
  session.Start(name);
  JsonTree instance = session.Await(name);
  Relay relay(static_cast<uint16_t>(command.port), [&] { return TargetOf(session, name); });
  std::string local = fmt::format("http://localhost:{}", relay.port());
  fmt::print("You can connect to {} at {}\n", name, NotebookPage(instance, local));
  std::fflush(stdout);
  session.Say("The connection stays open until this command is killed.");
  relay.Run();
}

}  // namespace fireweed::cli
