// The nouns of Compute Engine as commands know them, one line each: what the group is called, where its collection
// lives, how a list looks, and what can be done to its members without further words. A resource that the API has and
// that needs no more than this appears by a line here.
#pragma once

#include <span>
#include <string_view>

#include "cli/compute/body_flags.h"

namespace fireweed::cli {

// POST .../NAME/VERB with a body of flags, or none.
struct Action {
  std::string_view word;    // "start"
  std::string_view method;  // "start", "setMachineType": the end of the path
  std::string_view done;    // "Started"
  std::string_view help;
  std::span<const BodyFlag> flags = {};
  // Names of instances, as "--instances a,b", that become links in the body's `instances`.
  bool instances = false;
  // Flags that go into the query: "?size=3".
  std::string_view query = {};
};

struct Noun {
  std::string_view words;       // "instances", "instance-groups managed"
  std::string_view collection;  // "instances", "instanceGroupManagers"
  Scope scope = Scope::kZone;
  std::string_view help;
  std::string_view table;                 // of lists
  bool removable = true;                  // has `delete`
  std::span<const BodyFlag> create = {};  // has `create` when not empty
  std::span<const Action> actions = {};
  void (*shape)(JsonTree& body) = nullptr;  // turns what flags say into what the API wants
};

std::span<const Noun> Nouns();

// The table of instances, also shown after `create`.
extern const std::string_view kInstanceTable;

}  // namespace fireweed::cli
