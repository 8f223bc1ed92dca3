// Images: making them, and finding the newest of a family.
#include <fmt/format.h>

#include "base/bytes.h"
#include "cli/compute/body_flags.h"
#include "cli/compute/compute_commands.h"
#include "cli/format/resource_output.h"
#include "cli/grammar.h"

namespace fireweed::cli {
namespace {

using Kind = BodyFlag::Kind;

constexpr BodyFlag kCreate[] = {
    {"--family", "family", Kind::kText, "Image family"},
    {"--source-disk", "sourceDisk", Kind::kZoneLink, "Source disk", "disks"},
    {"--source-snapshot", "sourceSnapshot", Kind::kGlobalLink, "Source snapshot", "snapshots"},
    {"--source-uri", "rawDisk.source", Kind::kText, "Root file system as a tarball: gs://BUCKET/X"},
    {"--labels", "labels", Kind::kPairs, "KEY=VALUE,..."},
    {"--description", "description", Kind::kText, "Description"},
};

struct ImageCommand {
  std::string name, source_image, source_family, source_project;
  bool force = false;
  PlaceOptions place;
  BodyFlags flags;
  OutputOptions output;
};

void Create(const ImageCommand& command, const Settings& settings) {
  ComputeSession session(command.place, settings);
  JsonTree body = JsonTree::Object();
  body["name"] = JsonTree::Text(command.name);
  command.flags.Apply(body, session);
  if (!command.source_image.empty())
    body["sourceImage"] = JsonTree::Text(
        session.GlobalLink(command.source_project, "images/" + command.source_image));
  if (!command.source_family.empty())
    body["sourceImage"] = JsonTree::Text(
        session.GlobalLink(command.source_project, "images/family/" + command.source_family));
  std::string path = command.force ? "global/images?forceCreate=true" : "global/images";
  session.Finish(session.Call("POST", path, body), "Created");
  if (command.place.async) return;
  JsonTree made = session.Get(session.Resource(Scope::kGlobal, "images", command.name));
  fmt::print("{}", command.output.Text(
                       {made}, "table(name,selfLink.segment(-4):label=PROJECT,family,status)",
                       Shape::kList, settings.json));
}

}  // namespace

void AddImageCommands(Command& root, Settings& settings) {
  Command& group = GroupOf(root, "images");
  auto create = std::make_shared<ImageCommand>();
  Command* command = group.AddCommand("create", "Create an image");
  command->AddOption("name", create->name, "Image name")->Required();
  create->place.AddTo(*command, Scope::kGlobal);
  command->AddOption("--source-disk-zone", create->place.zone, "Zone of the disk");
  command->AddOption("--source-image", create->source_image, "Image to copy");
  command->AddOption("--source-image-family", create->source_family, "Newest image of a family");
  command->AddOption("--source-image-project", create->source_project,
                     "Project of the source image or family");
  command->AddFlag("--force,--force-create", create->force, "Create even while the disk is in use");
  command->AddFlag("--async", create->place.async, "Return without waiting");
  create->flags.AddTo(*command, kCreate);
  create->output.AddTo(*command, Shape::kOne);
  command->OnRun([create, &settings] { Create(*create, settings); });
  auto newest = std::make_shared<ImageCommand>();
  command = group.AddCommand("describe-from-family", "Show the newest image of a family");
  command->AddOption("family", newest->name, "Family")->Required();
  newest->place.AddTo(*command, Scope::kGlobal);
  newest->output.AddTo(*command, Shape::kOne);
  command->OnRun([newest, &settings] {
    ComputeSession session(newest->place, settings);
    JsonTree image = session.Call("GET", "global/images/family/" + PercentEncode(newest->name));
    fmt::print("{}", newest->output.Text({image}, "yaml", Shape::kOne, settings.json));
  });
}

}  // namespace fireweed::cli
