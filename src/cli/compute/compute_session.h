// What for: Compute Engine as JSON, for commands: places, calls, lists over all pages, and operations waited for.
// Threads: one at a time. May block: on the network; Wait until the operation has ended.
// A failure: Failure as the server worded it, or as the operation's error says.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/context.h"
#include "client/rest_client.h"
#include "describe/json_tree.h"

namespace fireweed::cli {

class Command;

// Where a collection lives.
enum class Scope { kGlobal, kRegion, kZone };

struct PlaceOptions {
  std::string project, zone, region;
  bool async = false, quiet = false;

  // --project, and --zone or --region where the scope has one.
  void AddTo(Command& command, Scope scope);
};

// One resource: "zones/us-central1-a/instances/web-1" of a project.
struct ResourceName {
  std::string project, path, name;
  Scope scope = Scope::kGlobal;
};

class ComputeSession {
 public:
  ComputeSession(const PlaceOptions& options, const Settings& settings);

  const Settings& settings() const { return settings_; }
  const std::string& project() const { return project_; }
  const std::string& zone() const { return zone_; }
  const std::string& region() const { return region_; }

  // "zones/Z/instances", "regions/R/addresses", "global/images".
  std::string Collection(Scope scope, std::string_view collection) const;
  // A resource by its name, or by the end of its address: "zones/z/instances/n", "projects/p/...".
  ResourceName Resource(Scope scope, std::string_view collection, std::string_view text) const;
  // What resources call one another by. A `text` with a '/' is taken for an address already.
  std::string Link(Scope scope, std::string_view collection, std::string_view text) const;
  std::string GlobalLink(const std::string& project, std::string_view rest) const;

  // `path` below the project. 2xx or Failure.
  JsonTree Call(std::string_view verb, const std::string& path, const JsonTree& body = {},
                const std::string& project = {});
  JsonTree Get(const ResourceName& resource) {
    return Call("GET", resource.path, {}, resource.project);
  }
  // All pages; `path` may have a query already.
  std::vector<JsonTree> List(const std::string& path, std::string_view items = "items",
                             std::string_view verb = "GET");
  // The same over all zones or regions, from aggregated/COLLECTION.
  std::vector<JsonTree> ListAll(const std::string& collection, const std::string& filter);

  // Waits until it is done, tells its warnings; its error is this command's error.
  void Wait(JsonTree operation);
  // Says what is being done while it is, on standard error, and waits unless --async. `done`: "Created".
  void Finish(const JsonTree& operation, std::string_view done);
  void Say(const std::string& text) const;

 private:
  ComputeSession(const PlaceOptions& options, const Settings& settings, const Endpoint& endpoint);

  const Settings& settings_;
  const std::string project_, zone_, region_;
  const bool async_, quiet_;
  RestClient client_;
};

// The region of a zone: "us-central1-a" is in "us-central1".
std::string RegionOf(std::string_view zone);
std::string LastWord(std::string_view url);

}  // namespace fireweed::cli
