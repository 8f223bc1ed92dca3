// What every noun can do, from the table.
#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/bytes.h"
#include "cli/compute/argument_lists.h"
#include "cli/compute/compute_commands.h"
#include "cli/compute/nouns.h"
#include "cli/format/resource_output.h"

namespace fireweed::cli {
namespace {

struct NounCommand {
  const Noun* noun = nullptr;
  const Action* action = nullptr;
  PlaceOptions place;
  OutputOptions output;
  BodyFlags flags;
  std::vector<std::string> names, instances;
  std::string query, zones;
};

using Shared = std::shared_ptr<NounCommand>;

std::string TableOf(const Noun& noun) {
  return std::string(noun.table.empty() ? kInstanceTable : noun.table);
}

void List(const NounCommand& command, const Settings& settings) {
  ComputeSession session(command.place, settings);
  const Noun& noun = *command.noun;
  std::string collection(noun.collection);
  bool one_place =
      noun.scope == Scope::kGlobal || !command.place.zone.empty() || !command.place.region.empty();
  std::vector<JsonTree> found = one_place ? session.List(session.Collection(noun.scope, collection))
                                          : session.ListAll(collection, "");
  if (!command.zones.empty()) {
    std::vector<std::string> wanted = SplitList(command.zones);
    std::erase_if(found, [&](const JsonTree& item) {
      std::string zone = LastWord(item.TextOf("zone"));
      return std::find(wanted.begin(), wanted.end(), zone) == wanted.end();
    });
  }
  std::string text = command.output.Text(found, TableOf(noun), Shape::kList, settings.json);
  if (text.empty() && command.output.format.empty()) session.Say("Listed 0 items.");
  fmt::print("{}", text);
}

void Describe(const NounCommand& command, const Settings& settings) {
  ComputeSession session(command.place, settings);
  std::vector<JsonTree> found;
  for (const std::string& name : command.names)
    found.push_back(
        session.Get(session.Resource(command.noun->scope, command.noun->collection, name)));
  fmt::print("{}", command.output.Text(found, "yaml", Shape::kOne, settings.json));
}

// Begins them all, then waits for each: they run side by side.
void FinishAll(ComputeSession& session, const std::vector<JsonTree>& operations,
               std::string_view done) {
  for (const JsonTree& operation : operations) session.Finish(operation, done);
}

void Delete(const NounCommand& command, const Settings& settings) {
  ComputeSession session(command.place, settings);
  std::vector<JsonTree> operations;
  for (const std::string& name : command.names) {
    ResourceName resource = session.Resource(command.noun->scope, command.noun->collection, name);
    operations.push_back(session.Call("DELETE", resource.path, {}, resource.project));
  }
  FinishAll(session, operations, "Deleted");
}

void Create(const NounCommand& command, const Settings& settings) {
  ComputeSession session(command.place, settings);
  const Noun& noun = *command.noun;
  std::vector<JsonTree> operations, made;
  for (const std::string& name : command.names) {
    JsonTree body = JsonTree::Object();
    body["name"] = JsonTree::Text(name);
    command.flags.Apply(body, session);
    if (noun.shape) noun.shape(body);
    if (noun.collection == "instanceGroupManagers" && !body.Find("baseInstanceName"))
      body["baseInstanceName"] = JsonTree::Text(name);
    operations.push_back(
        session.Call("POST", session.Collection(noun.scope, noun.collection), body));
  }
  FinishAll(session, operations, "Created");
  if (command.place.async) return;
  for (const std::string& name : command.names)
    made.push_back(session.Get(session.Resource(noun.scope, noun.collection, name)));
  fmt::print("{}", command.output.Text(made, TableOf(noun), Shape::kList, settings.json));
}

void Act(const NounCommand& command, const Settings& settings) {
  ComputeSession session(command.place, settings);
  const Noun& noun = *command.noun;
  const Action& action = *command.action;
  std::vector<JsonTree> operations;
  for (const std::string& name : command.names) {
    ResourceName resource = session.Resource(noun.scope, noun.collection, name);
    JsonTree body;
    if (!action.flags.empty()) {
      body = JsonTree::Object();
      command.flags.Apply(body, session);
    }
    for (const std::string& instance : SplitLists(command.instances)) {
      JsonTree link = JsonTree::Text(session.Link(Scope::kZone, "instances", instance));
      // Unmanaged groups want each as an object.
      if (noun.collection == "instanceGroups") {
        JsonTree reference = JsonTree::Object();
        reference["instance"] = std::move(link);
        link = std::move(reference);
      }
      body["instances"].Append(std::move(link));
    }
    std::string path = fmt::format("{}/{}", resource.path, action.method);
    if (!action.query.empty())
      path += fmt::format("?{}={}", action.query, PercentEncode(command.query));
    operations.push_back(session.Call("POST", path, body, resource.project));
  }
  FinishAll(session, operations, action.done);
}

void AddName(CLI::App& command, NounCommand& options) {
  command.add_option("names", options.names, "Names")->required();
  options.place.AddTo(command, options.noun->scope);
}

void AddAsync(CLI::App& command, NounCommand& options) {
  command.add_flag("--async", options.place.async, "Do not wait until it is done");
}

Shared Make(const Noun& noun) {
  auto options = std::make_shared<NounCommand>();
  options->noun = &noun;
  return options;
}

void AddReading(CLI::App& group, const Noun& noun, Settings& settings) {
  Shared list = Make(noun);
  CLI::App* command = group.add_subcommand("list", "List them");
  list->place.AddTo(*command, noun.scope);
  if (noun.scope == Scope::kZone)
    command->add_option("--zones", list->zones, "Only in these zones: ZONE,...");
  list->output.AddTo(*command, Shape::kList);
  command->footer(
      fmt::format("Example:\n  fireweed compute {} list --filter='name:web-*' "
                  "--format='value(name)'",
                  noun.words));
  command->callback([list, &settings] { List(*list, settings); });
  Shared describe = Make(noun);
  command = group.add_subcommand("describe", "Show one of them");
  AddName(*command, *describe);
  describe->output.AddTo(*command, Shape::kOne);
  command->callback([describe, &settings] { Describe(*describe, settings); });
}

void AddWriting(CLI::App& group, const Noun& noun, Settings& settings) {
  if (noun.removable) {
    Shared remove = Make(noun);
    CLI::App* command = group.add_subcommand("delete", "Delete them");
    AddName(*command, *remove);
    AddAsync(*command, *remove);
    command->callback([remove, &settings] { Delete(*remove, settings); });
  }
  if (!noun.create.empty()) {
    Shared create = Make(noun);
    CLI::App* command = group.add_subcommand("create", "Make one");
    AddName(*command, *create);
    AddAsync(*command, *create);
    create->flags.AddTo(*command, noun.create);
    create->output.AddTo(*command, Shape::kOne);
    command->callback([create, &settings] { Create(*create, settings); });
  }
  for (const Action& action : noun.actions) {
    Shared act = Make(noun);
    act->action = &action;
    CLI::App* command = group.add_subcommand(std::string(action.word), std::string(action.help));
    AddName(*command, *act);
    AddAsync(*command, *act);
    act->flags.AddTo(*command, action.flags);
    if (action.instances)
      command->add_option("--instances", act->instances, "NAME,...")
          ->required()
          ->allow_extra_args(false);
    if (!action.query.empty())
      command->add_option(fmt::format("--{}", action.query), act->query, "New value")->required();
    command->callback([act, &settings] { Act(*act, settings); });
  }
}

}  // namespace

CLI::App* CommandOf(CLI::App& group, std::string_view word) {
  auto all = [](const CLI::App*) { return true; };
  for (CLI::App* child : group.get_subcommands(all)) {
    if (child->get_name() == word) return child;
  }
  return nullptr;
}

CLI::App& GroupOf(CLI::App& root, std::string_view words, std::string_view help) {
  CLI::App* group = &root;
  while (!words.empty()) {
    std::string word(words.substr(0, words.find(' ')));
    words.remove_prefix(std::min(words.size(), word.size() + 1));
    CLI::App* child = CommandOf(*group, word);
    if (!child) {
      child = group->add_subcommand(word, std::string(help));
      child->require_subcommand(1);
    }
    group = child;
  }
  return *group;
}

void AddNounCommands(CLI::App& root, Settings& settings) {
  for (const Noun& noun : Nouns()) {
    CLI::App& group = GroupOf(root, noun.words, noun.help);
    AddReading(group, noun, settings);
    AddWriting(group, noun, settings);
  }
}

}  // namespace fireweed::cli
