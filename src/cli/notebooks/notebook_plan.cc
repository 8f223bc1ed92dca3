#include "cli/notebooks/notebook_plan.h"

#include <fmt/format.h>

#include "cli/compute/argument_lists.h"
#include "cli/compute/instance_options.h"
#include "cli/format/key_path.h"
#include "cli/notebooks/notebook_script.h"

namespace fireweed::cli {
namespace {

// A server with git in the browser, and what notebooks of data import.
constexpr std::string_view kPackages =
    "jupyterlab jupyterlab-git ipykernel nbconvert numpy pandas scikit-learn matplotlib gcsfs "
    "google-cloud-storage";

std::string At(const JsonTree& instance, std::string_view path) {
  return KeyPath::Parse(path).Get(instance).text();
}

int64_t IdleSeconds(const std::string& text) {
  if (text.empty() || text == "0" || text == "0s") return 0;
  return ParseDuration(text, "--idle-timeout");
}

}  // namespace

JsonTree NotebookMetadata(const NotebookOptions& options, const std::string& token,
                          const std::string& user) {
  JsonTree metadata = JsonTree::Object();
  auto add = [&](std::string_view key, std::string_view value) {
    JsonTree& item = metadata["items"].Append(JsonTree::Object());
    item["key"] = JsonTree::Text(key);
    item["value"] = JsonTree::Text(value);
  };
  add("startup-script", kNotebookScript);
  add("enable-guest-attributes", "TRUE");
  add("for-user", user);
  add("notebook-token", token);
  add("notebook-idle-seconds", std::to_string(IdleSeconds(options.idle_timeout)));
  std::string packages(kPackages);
  for (const std::string& more : options.packages) packages += " " + more;
  add("notebook-packages", packages);
  if (!options.wheels.empty()) add("notebook-wheels", options.wheels);
  if (!options.repository.empty()) add("notebook-repository", options.repository);
  return metadata;
}

JsonTree NotebookInstance(const NotebookOptions& options, const ComputeSession& session,
                          const std::string& token, const std::string& user) {
  InstanceOptions instance;
  instance.machine_type = options.machine_type;
  instance.image = options.image;
  instance.image_family = options.image_family;
  instance.image_project = options.image_project;
  instance.service_account = options.service_account;
  instance.network = options.network;
  instance.scopes = {"cloud-platform"};
  instance.tags = {std::string(kNotebookTag)};
  instance.labels = {fmt::format("{}=yes", kNotebookLabel)};
  instance.disks = {
      fmt::format("name={},device-name={},auto-delete=no", options.Disk(), kNotebookDevice)};
  JsonTree body = instance.Resource(session, false);
  body["name"] = JsonTree::Text(options.name);
  body["metadata"] = NotebookMetadata(options, token, user);
  return body;
}

bool IsNotebook(const JsonTree& instance) {
  const JsonTree* labels = instance.Find("labels");
  return labels && labels->Find(kNotebookLabel);
}

std::string NotebookServer(const JsonTree& instance) {
  if (instance.TextOf("status") != "RUNNING") return "";
  std::string address = At(instance, "networkInterfaces[0].accessConfigs[0].natIP");
  if (address.empty()) address = At(instance, "networkInterfaces[0].networkIP");
  return address.empty() ? "" : fmt::format("http://{}:{}", address, kNotebookPort);
}

std::string NotebookPage(const JsonTree& instance, const std::string& server) {
  if (server.empty()) return "";
  return fmt::format("{}/lab?token={}", server, At(instance, "metadata.items.notebook-token"));
}

JsonTree NotebookView(const JsonTree& instance) {
  JsonTree view = JsonTree::Object();
  view["name"] = JsonTree::Text(instance.TextOf("name"));
  view["zone"] = JsonTree::Text(LastWord(instance.TextOf("zone")));
  view["machineType"] = JsonTree::Text(LastWord(instance.TextOf("machineType")));
  view["state"] = JsonTree::Text(instance.TextOf("status"));
  const JsonTree* disks = instance.Find("disks");
  for (const JsonTree& disk : disks ? disks->items() : std::vector<JsonTree>()) {
    if (disk.TextOf("deviceName") == kNotebookDevice)
      view["disk"] = JsonTree::Text(LastWord(disk.TextOf("source")));
  }
  std::string repository = At(instance, "metadata.items.notebook-repository");
  if (!repository.empty()) view["repository"] = JsonTree::Text(repository);
  std::string page = NotebookPage(instance, NotebookServer(instance));
  if (!page.empty()) view["url"] = JsonTree::Text(page);
  return view;
}

}  // namespace fireweed::cli
