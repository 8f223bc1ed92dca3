#include "cli/notebooks/notebook_session.h"

#include <sys/socket.h>
#include <sys/time.h>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/random.h"
#include "cli/compute/argument_lists.h"
#include "cli/notebooks/relay.h"
#include "cli/storage/retry.h"
#include "client/rest_client.h"

namespace fireweed::cli {
namespace {

// Generous: a slow line may need this long for the packages.
constexpr std::chrono::minutes kPatience{20};
constexpr std::chrono::milliseconds kPause{500};

// Sends one request and returns a small answer, or the part of it that arrived in time.
std::string AskOnce(int fd, std::string_view request) {
  timeval limit{10, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  if (send(fd, request.data(), request.size(), MSG_NOSIGNAL) < 0) return "";
  std::string all;
  char bytes[4096];
  for (ssize_t count; all.size() < sizeof bytes && (count = recv(fd, bytes, sizeof bytes, 0)) > 0;)
    all.append(bytes, static_cast<size_t>(count));
  return all;
}

}  // namespace

NotebookSession::NotebookSession(const PlaceOptions& place, const Settings& settings)
    : settings_(settings),
      compute_(place, settings),
      tunnels_(NeedsTunnel(settings) ? std::make_unique<Tunnels>(settings) : nullptr) {}

UniqueFd NotebookSession::Dial(const JsonTree& instance) {
  const std::string server = NotebookServer(instance);
  if (server.empty()) return UniqueFd();
  try {
    if (tunnels_)
      return tunnels_->Open(DestinationOf(Named(instance.TextOf("name")), kNotebookPort));
  } catch (const Failure&) {
    return UniqueFd();  // Jupyter does not listen yet, or the daemon is away for a moment
  }
  size_t host = server.find("//") + 2;
  return Relay::Connect({server.substr(host, server.rfind(':') - host), kNotebookPort});
}

// Whether a Jupyter server answers there; its version needs no token.
bool NotebookSession::Answers(const JsonTree& instance) {
  UniqueFd fd = Dial(instance);
  if (!fd) return false;
  std::string answer = AskOnce(fd.get(), "GET /api HTTP/1.0\r\nHost: localhost\r\n\r\n");
  return answer.find(" 200 ") != std::string::npos && answer.find("version") != std::string::npos;
}

void NotebookSession::MakeDisk(const NotebookOptions& options) {
  try {
    compute_.Get(compute_.Resource(Scope::kZone, "disks", options.Disk()));
    return;
  } catch (const Failure& failure) {
    if (failure.error().code != Code::kNotFound) throw;
  }
  JsonTree disk = JsonTree::Object();
  disk["name"] = JsonTree::Text(options.Disk());
  disk["sizeGb"] =
      JsonTree::Text(std::to_string(ParseGigabytes(options.disk_size, "--disk-size-gb")));
  disk["description"] = JsonTree::Text("Notebooks");
  compute_.Finish(compute_.Call("POST", compute_.Collection(Scope::kZone, "disks"), disk),
                  "Created");
}

void NotebookSession::Create(const NotebookOptions& options) {
  SystemRandom random;
  Endpoint endpoint = settings_.Daemon();
  JsonTree body = NotebookInstance(options, compute_, random.Hex(24), endpoint.owner);
  MakeDisk(options);
  compute_.Finish(compute_.Call("POST", compute_.Collection(Scope::kZone, "instances"), body),
                  "Created");
}

std::string NotebookSession::SourceRepository(const std::string& name) {
  RestClient client(settings_.Daemon(), ReadOwner(settings_.State()));
  const std::string& project = compute_.project();
  JsonTree body = JsonTree::Object();
  body["name"] = JsonTree::Text(fmt::format("projects/{}/repos/{}", project, name));
  try {
    client.Send("POST", fmt::format("/v1/projects/{}/repos", PercentEncode(project)),
                body.Compact(), "sourcerepo.googleapis.com");
  } catch (const Failure& failure) {
    if (failure.error().code != Code::kExists) throw;
  }
  return fmt::format("https://source.developers.google.com/p/{}/r/{}", project, name);
}

JsonTree NotebookSession::Get(const std::string& name) {
  JsonTree instance = compute_.Get(Named(name));
  if (!IsNotebook(instance))
    throw Failure(Code::kNotFound, fmt::format("{} is an instance but not a notebook", name));
  return instance;
}

std::vector<JsonTree> NotebookSession::List(bool all_zones) {
  std::string filter = fmt::format("labels.{}:*", kNotebookLabel);
  if (all_zones) return compute_.ListAll("instances", filter);
  return compute_.List(compute_.Collection(Scope::kZone, "instances") +
                       "?filter=" + PercentEncode(filter));
}

void NotebookSession::Start(const std::string& name) {
  JsonTree instance = Get(name);
  if (instance.TextOf("status") == "RUNNING") return;
  ResourceName resource = Named(name);
  old_boot_ = ProgressOf(resource).boot;
  compute_.Finish(compute_.Call("POST", resource.path + "/start", {}, resource.project), "Started");
}

void NotebookSession::Stop(const std::string& name) {
  Get(name);
  ResourceName resource = Named(name);
  compute_.Finish(compute_.Call("POST", resource.path + "/stop", {}, resource.project), "Stopped");
}

void NotebookSession::Delete(const std::string& name, bool with_disk) {
  std::string disk = NotebookView(Get(name)).TextOf("disk");
  ResourceName resource = Named(name);
  compute_.Finish(compute_.Call("DELETE", resource.path, {}, resource.project), "Deleted");
  if (disk.empty()) return;
  if (!with_disk) {
    compute_.Say(
        fmt::format("The disk {} with the notebooks is kept; --delete-disk deletes it, "
                    "too.",
                    disk));
    return;
  }
  ResourceName kept = compute_.Resource(Scope::kZone, "disks", disk);
  compute_.Finish(compute_.Call("DELETE", kept.path, {}, kept.project), "Deleted");
}

NotebookSession::Progress NotebookSession::ProgressOf(const ResourceName& resource) {
  Progress progress;
  try {
    JsonTree reply = compute_.Call("GET",
                                   fmt::format("{}/getGuestAttributes?queryPath={}", resource.path,
                                               PercentEncode("notebook/")),
                                   {}, resource.project);
    const JsonTree* value = reply.Find("queryValue");
    const JsonTree* items = value ? value->Find("items") : nullptr;
    for (const JsonTree& item : items ? items->items() : std::vector<JsonTree>()) {
      (item.TextOf("key") == "boot" ? progress.boot : progress.state) = item.TextOf("value");
    }
  } catch (const Failure& failure) {
    // Nothing written yet.
    if (failure.error().code != Code::kNotFound) throw;
  }
  return progress;
}

JsonTree NotebookSession::Await(const std::string& name) {
  ResourceName resource = Named(name);
  SystemClock clock;
  const Time deadline = clock.Now() + kPatience;
  StopSignal never;
  std::string told;
  while (true) {
    JsonTree instance = Get(name);
    if (Answers(instance)) return instance;
    Progress progress = ProgressOf(resource);
    std::string state = progress.boot == old_boot_ ? "" : progress.state;
    if (!state.empty() && state != told) Say(fmt::format("{}: {}", name, state));
    told = state;
    std::string status = instance.TextOf("status");
    if (state.starts_with("failed") || status == "TERMINATED" || status == "STOPPED") {
      throw Failure(
          Code::kUnavailable,
          fmt::format("{} is {} and reports \"{}\"; see `fireweed compute instances logs {}`", name,
                      status, state, name));
    }
    if (clock.Now() > deadline) {
      throw Failure(Code::kUnavailable,
                    fmt::format("{} does not respond yet; see `fireweed compute instances logs {}`",
                                name, name));
    }
    never.WaitFor(kPause);
  }
}

}  // namespace fireweed::cli
