#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/doctor.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "describe/json_writer.h"

namespace fireweed::cli {
namespace {

constexpr std::string_view kWords[] = {"good", "partly", "bad"};
constexpr std::string_view kMarks[] = {"ok  ", "warn", "FAIL"};
constexpr Colour kColours[] = {Colour::kGreen, Colour::kYellow, Colour::kRed};

void Doctor(const Settings& settings) {
  DoctorInputs inputs;
  inputs.state = settings.State();
  inputs.user_id = settings.context->user_id;
  inputs.path = PathWithoutPrograms(settings.context->environment);
  std::optional<Endpoint> endpoint = ReadEndpoint(inputs.state);
  if (endpoint && IsAlive(*endpoint)) {
    inputs.http = endpoint->http;
    inputs.https = endpoint->https;
  }
  std::vector<Finding> findings = Examine(inputs);
  bool bad = false;
  JsonWriter json;
  json.BeginArray();
  for (const Finding& finding : findings) {
    size_t health = static_cast<size_t>(finding.health);
    bad = bad || finding.health == Health::kBad;
    json.BeginObject().Field("topic", finding.topic).Field("health", kWords[health]);
    json.Field("seen", finding.seen).Field("cost", finding.cost).EndObject();
    if (settings.json) continue;
    fmt::print("{} {:<20} {}\n",
               Paint(kMarks[health], kColours[health], settings.context->terminal), finding.topic,
               finding.seen);
    if (!finding.cost.empty()) fmt::print("     {:<20} {}\n", "", finding.cost);
  }
  json.EndArray();
  if (settings.json) fmt::print("{}\n", json.text());
  if (bad) throw Exit{1};
}

}  // namespace

void AddDoctorCommand(Command& app, Settings& settings) {
  app.AddCommand("doctor", "Check this host and report missing dependencies")->OnRun([&settings] {
    Doctor(settings);
  });
}

}  // namespace fireweed::cli
