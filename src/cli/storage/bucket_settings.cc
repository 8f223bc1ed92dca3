#include "cli/storage/bucket_settings.h"

#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "base/error.h"
#include "cli/grammar.h"

namespace fireweed::cli {
namespace {

JsonTree ReadJson(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Failure(Code::kNotFound, fmt::format("cannot read {}", path));
  std::stringstream text;
  text << file.rdbuf();
  try {
    return JsonTree::Parse(text.str());
  } catch (const Failure& failure) {
    throw Failure(Code::kInvalid, fmt::format("{}: {}", path, failure.error().message));
  }
}

void AddSwitch(Command& command, const std::string& name, std::optional<bool>& value,
               const std::string& help) {
  command.AddFlag(
      "--" + name, [&value] { value = true; }, help);
  command.AddFlag(
      "--no-" + name, [&value] { value = false; }, "Turn it off");
}

}  // namespace

void BucketSettings::AddTo(Command& command, bool creating) {
  if (creating) command.AddOption("-l,--location", location, "Location: US, us-central1, ...");
  command.AddOption("-c,--default-storage-class", storage_class, "STANDARD, NEARLINE, ...");
  AddSwitch(command, "uniform-bucket-level-access", uniform_access,
            "Access by policy alone, without object ACLs");
  command.AddFlag(
      "-b", [this] { uniform_access = true; }, "The same");
  AddSwitch(command, "public-access-prevention", public_access_prevention, "Prevent public access");
  AddSwitch(command, "versioning", versioning, "Keep old versions of objects");
  AddSwitch(command, "requester-pays", requester_pays, "Bill requests to the requester");
  command.AddOption("--lifecycle-file", lifecycle_file, "Rules as JSON: {\"rule\": [...]}");
  if (creating) return;
  command.AddOption("--cors-file", cors_file, "Rules as JSON: a list");
  command.AddOption("--update-labels", update_labels, "KEY=VALUE,...")->Split(',')->OneWordEach();
  command.AddOption("--remove-labels", remove_labels, "KEY,...")->Split(',')->OneWordEach();
  command.AddOption("--labels-file", labels_file, "All labels as a JSON object");
  command.AddFlag("--clear-labels", clear_labels, "Remove all labels");
  command.AddFlag("--clear-lifecycle", clear_lifecycle, "Remove the lifecycle rules");
  command.AddFlag("--clear-cors", clear_cors, "Remove the CORS rules");
  command.AddOption("--web-main-page-suffix", web_main_page, "index.html");
  command.AddOption("--web-error-page", web_error_page, "404.html");
}

JsonTree BucketSettings::Resource() const {
  JsonTree bucket = JsonTree::Object();
  if (!location.empty()) bucket["location"] = JsonTree::Text(location);
  if (!storage_class.empty()) bucket["storageClass"] = JsonTree::Text(storage_class);
  if (versioning) bucket["versioning"]["enabled"] = JsonTree::Bool(*versioning);
  if (requester_pays) bucket["billing"]["requesterPays"] = JsonTree::Bool(*requester_pays);
  if (uniform_access) {
    bucket["iamConfiguration"]["uniformBucketLevelAccess"]["enabled"] =
        JsonTree::Bool(*uniform_access);
  }
  if (public_access_prevention) {
    bucket["iamConfiguration"]["publicAccessPrevention"] =
        JsonTree::Text(*public_access_prevention ? "enforced" : "inherited");
  }
  if (!lifecycle_file.empty()) {
    JsonTree file = ReadJson(lifecycle_file);
    const JsonTree* inner = file.Find("lifecycle");
    bucket["lifecycle"] = inner ? *inner : file;
  }
  if (!cors_file.empty()) bucket["cors"] = ReadJson(cors_file);
  if (clear_labels) bucket["labels"] = JsonTree();
  if (!labels_file.empty()) bucket["labels"] = ReadJson(labels_file);
  for (const std::string& label : update_labels) {
    size_t equals = label.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Failure(Code::kInvalid, fmt::format("--update-labels: '{}' is not KEY=VALUE", label));
    bucket["labels"][label.substr(0, equals)] = JsonTree::Text(label.substr(equals + 1));
  }
  for (const std::string& label : remove_labels) bucket["labels"][label] = JsonTree();
  if (clear_lifecycle) bucket["lifecycle"] = JsonTree();
  if (clear_cors) bucket["cors"] = JsonTree();
  if (web_main_page) bucket["website"]["mainPageSuffix"] = JsonTree::Text(*web_main_page);
  if (web_error_page) bucket["website"]["notFoundPage"] = JsonTree::Text(*web_error_page);
  return bucket;
}

}  // namespace fireweed::cli
