#include "cli/notebooks/notebook_actions.h"

#include <fmt/format.h>

#include "base/error.h"
#include "cli/compute/tunnels.h"
#include "cli/notebooks/notebook_session.h"
#include "cli/notebooks/relay.h"

namespace fireweed::cli {
namespace {

constexpr std::string_view kTable = "table(name,zone,machineType,state,disk,url)";

std::string ViewText(const NotebookCommand& command, const Settings& settings,
                     const std::vector<JsonTree>& instances, Shape shape) {
  std::vector<JsonTree> views;
  const bool reachable = !NeedsTunnel(settings);
  for (const JsonTree& instance : instances) {
    JsonTree view = NotebookView(instance);
    if (!reachable) view.Remove("url");
    views.push_back(std::move(view));
  }
  return command.output.Text(views, shape == Shape::kList ? std::string(kTable) : "yaml", shape,
                             settings.json);
}

// Asks for the instance at every connection: it may have been restarted meanwhile.
UniqueFd Dial(NotebookSession& session, const std::string& name) {
  try {
    return session.Dial(session.Get(name));
  } catch (const Failure&) {
    return UniqueFd();  // the daemon is away for a moment: the next connection asks again
  }
}

}  // namespace

void ShowNotebook(const NotebookCommand& command, const Settings& settings,
                  const JsonTree& instance) {
  if (settings.json || !command.output.format.empty()) {
    fmt::print("{}", ViewText(command, settings, {instance}, Shape::kOne));
    return;
  }
  if (NeedsTunnel(settings)) {
    fmt::print("To open it here, run: fireweed notebooks connect {}\n", instance.TextOf("name"));
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
  Relay relay(static_cast<uint16_t>(command.port),
              Relay::Dial([&] { return Dial(session, name); }));
  std::string local = fmt::format("http://localhost:{}", relay.port());
  fmt::print("You can connect to {} at {}\n", name, NotebookPage(instance, local));
  std::fflush(stdout);
  session.Say("The connection stays open until this command is killed.");
  relay.Run();
}

}  // namespace fireweed::cli
