// What every noun can do, from the table.
#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "base/bytes.h"
#include "cli/compute/argument_lists.h"
#include "cli/compute/compute_commands.h"
#include "cli/compute/nouns.h"
#include "cli/format/resource_output.h"
#include "cli/grammar.h"

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

// Begins something for each name, then waits for all: they run side by side. One that fails keeps none of the others;
// what went wrong is said at the end.
void ForEach(ComputeSession& session, const std::vector<std::string>& names, std::string_view done,
             const std::function<JsonTree(const std::string& name)>& begin) {
  std::vector<Error> failures;
  auto attempt = [&](const auto& step) {
    try {
      step();
    } catch (const Failure& failure) {
      bool again = !failures.empty() && failures.back().message == failure.error().message;
      if (!again) failures.push_back(failure.error());
    }
  };
  std::vector<JsonTree> operations;
  for (const std::string& name : names) attempt([&] { operations.push_back(begin(name)); });
  for (const JsonTree& operation : operations) attempt([&] { session.Finish(operation, done); });
  if (failures.empty()) return;
  Error all = failures.front();
  for (size_t i = 1; i < failures.size(); ++i) all.message += "\n" + failures[i].message;
  throw Failure(all);
}

void Delete(const NounCommand& command, const Settings& settings) {
  ComputeSession session(command.place, settings);
  ForEach(session, command.names, "Deleted", [&](const std::string& name) {
    ResourceName resource = session.Resource(command.noun->scope, command.noun->collection, name);
    return session.Call("DELETE", resource.path, {}, resource.project);
  });
}

void Create(const NounCommand& command, const Settings& settings) {
  ComputeSession session(command.place, settings);
  const Noun& noun = *command.noun;
  std::vector<JsonTree> made;
  ForEach(session, command.names, "Created", [&](const std::string& name) {
    JsonTree body = JsonTree::Object();
    body["name"] = JsonTree::Text(name);
    command.flags.Apply(body, session);
    if (noun.shape) noun.shape(body);
    if (noun.collection == "instanceGroupManagers" && !body.Find("baseInstanceName"))
      body["baseInstanceName"] = JsonTree::Text(name);
    return session.Call("POST", session.Collection(noun.scope, noun.collection), body);
  });
  if (command.place.async) return;
  for (const std::string& name : command.names)
    made.push_back(session.Get(session.Resource(noun.scope, noun.collection, name)));
  fmt::print("{}", command.output.Text(made, TableOf(noun), Shape::kList, settings.json));
}

void Act(const NounCommand& command, const Settings& settings) {
  ComputeSession session(command.place, settings);
  const Noun& noun = *command.noun;
  const Action& action = *command.action;
  ForEach(session, command.names, action.done, [&](const std::string& name) {
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
    return session.Call("POST", path, body, resource.project);
  });
}

void AddName(Command& command, NounCommand& options) {
  command.AddOption("names", options.names, "Names")->Required();
  options.place.AddTo(command, options.noun->scope);
}

void AddAsync(Command& command, NounCommand& options) {
  command.AddFlag("--async", options.place.async, "Do not wait until it is done");
}

Shared Make(const Noun& noun) {
  auto options = std::make_shared<NounCommand>();
  options->noun = &noun;
  return options;
}

void AddReading(Command& group, const Noun& noun, Settings& settings) {
  Shared list = Make(noun);
  Command* command = group.AddCommand("list", "List resources");
  list->place.AddTo(*command, noun.scope);
  if (noun.scope == Scope::kZone)
    command->AddOption("--zones", list->zones, "Only in these zones: ZONE,...");
  list->output.AddTo(*command, Shape::kList);
  command->EndHelpWith(
      fmt::format("Example:\n  fireweed compute {} list --filter='name:web-*' "
                  "--format='value(name)'",
                  noun.words));
  command->OnRun([list, &settings] { List(*list, settings); });
  Shared describe = Make(noun);
  command = group.AddCommand("describe", "Show a resource");
  AddName(*command, *describe);
  describe->output.AddTo(*command, Shape::kOne);
  command->OnRun([describe, &settings] { Describe(*describe, settings); });
}

void AddWriting(Command& group, const Noun& noun, Settings& settings) {
  if (noun.removable) {
    Shared remove = Make(noun);
    Command* command = group.AddCommand("delete", "Delete resources");
    AddName(*command, *remove);
    AddAsync(*command, *remove);
    command->OnRun([remove, &settings] { Delete(*remove, settings); });
  }
  if (!noun.create.empty()) {
    Shared create = Make(noun);
    Command* command = group.AddCommand("create", "Create a resource");
    AddName(*command, *create);
    AddAsync(*command, *create);
    create->flags.AddTo(*command, noun.create);
    create->output.AddTo(*command, Shape::kOne);
    command->OnRun([create, &settings] { Create(*create, settings); });
  }
  for (const Action& action : noun.actions) {
    Shared act = Make(noun);
    act->action = &action;
    Command* command = group.AddCommand(std::string(action.word), std::string(action.help));
    AddName(*command, *act);
    AddAsync(*command, *act);
    act->flags.AddTo(*command, action.flags);
    if (action.instances)
      command->AddOption("--instances", act->instances, "NAME,...")->Required()->OneWordEach();
    if (!action.query.empty())
      command->AddOption(fmt::format("--{}", action.query), act->query, "New value")->Required();
    command->OnRun([act, &settings] { Act(*act, settings); });
  }
}

}  // namespace

Command& GroupOf(Command& root, std::string_view words, std::string_view help) {
  Command* group = &root;
  while (!words.empty()) {
    std::string word(words.substr(0, words.find(' ')));
    words.remove_prefix(std::min(words.size(), word.size() + 1));
    Command* child = group->Find(word);
    if (!child) {
      child = group->AddCommand(word, std::string(help));
      child->NeedsCommand();
    }
    group = child;
  }
  return *group;
}

void AddNounCommands(Command& root, Settings& settings) {
  for (const Noun& noun : Nouns()) {
    Command& group = GroupOf(root, noun.words, noun.help);
    AddReading(group, noun, settings);
    AddWriting(group, noun, settings);
  }
}

}  // namespace fireweed::cli
