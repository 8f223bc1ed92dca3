#include "cli/compute/instance_options.h"

#include <cstdlib>

#include <fmt/format.h>

#include "cli/compute/argument_lists.h"
#include "cli/grammar.h"

namespace fireweed::cli {
namespace {

constexpr std::pair<std::string_view, std::string_view> kScopes[] = {
    {"bigquery", "bigquery"},
    {"cloud-platform", "cloud-platform"},
    {"cloud-source-repos", "source.full_control"},
    {"cloud-source-repos-ro", "source.read_only"},
    {"compute-ro", "compute.readonly"},
    {"compute-rw", "compute"},
    {"logging-write", "logging.write"},
    {"monitoring", "monitoring"},
    {"monitoring-write", "monitoring.write"},
    {"service-control", "servicecontrol"},
    {"service-management", "service.management.readonly"},
    {"storage-full", "devstorage.full_control"},
    {"storage-ro", "devstorage.read_only"},
    {"storage-rw", "devstorage.read_write"},
    {"trace", "trace.append"},
};
// What an instance may do where nothing is said.
constexpr std::string_view kDefaultScopes[] = {"storage-ro",         "logging-write",
                                               "monitoring-write",   "service-control",
                                               "service-management", "trace"};

bool Says(const std::map<std::string, std::string>& record, const std::string& key,
          bool otherwise) {
  auto found = record.find(key);
  if (found == record.end()) return otherwise;
  return found->second == "yes" || found->second == "true";
}

std::string Part(const std::map<std::string, std::string>& record, const std::string& key) {
  auto found = record.find(key);
  return found == record.end() ? "" : found->second;
}

void PutText(JsonTree& object, std::string_view key, const std::string& text) {
  if (!text.empty()) object[key] = JsonTree::Text(text);
}

std::string Upper(std::string text) {
  for (char& c : text) c = c == '-' ? '_' : static_cast<char>(toupper(c));
  return text;
}

}  // namespace

std::string ScopeUrl(const std::string& scope) {
  if (scope.find("://") != std::string::npos) return scope;
  std::string_view word = scope;
  for (const auto& [alias, name] : kScopes) {
    if (alias == scope) word = name;
  }
  return fmt::format("https://www.googleapis.com/auth/{}", word);
}

JsonTree MetadataOf(const std::vector<std::string>& pairs, const std::vector<std::string>& files) {
  JsonTree items = JsonTree::List();
  auto add = [&](const Pairs& some) {
    for (const auto& [key, value] : some) {
      JsonTree& item = items.Append(JsonTree::Object());
      item["key"] = JsonTree::Text(key);
      item["value"] = JsonTree::Text(value);
    }
  };
  add(SplitPairs(pairs, "--metadata"));
  add(ReadFiles(SplitPairs(files, "--metadata-from-file")));
  JsonTree metadata = JsonTree::Object();
  metadata["items"] = std::move(items);
  return metadata;
}

void InstanceOptions::AddTo(Command& command) {
  auto many = [&](const char* name, std::vector<std::string>& values, const char* help) {
    command.AddOption(name, values, help)->OneWordEach();
  };
  command.AddOption("--machine-type", machine_type, "Machine type (default: n1-standard-1)");
  command.AddOption("--custom-cpu", custom_cpu, "CPUs of a custom type");
  command.AddOption("--custom-memory", custom_memory, "Memory of a custom type: 8GB");
  command.AddOption("--image", image, "Image");
  command.AddOption("--image-family", image_family,
                    "Newest image of a family (default: debian-12)");
  command.AddOption("--image-project", image_project, "Project of the image or family");
  command.AddOption("--boot-disk-size", boot_disk_size, "Boot disk size: 10GB");
  command.AddOption("--boot-disk-type", boot_disk_type, "Boot disk type: pd-standard, pd-ssd");
  command.AddOption("--boot-disk-device-name", boot_disk_device_name,
                    "Device name inside the instance");
  command.AddFlag("--no-boot-disk-auto-delete", keep_boot_disk,
                  "Keep the boot disk when the instance is deleted");
  many("--disk", disks, "name=DISK[,device-name=D][,mode=rw|ro][,boot=yes][,auto-delete=yes]");
  many("--create-disk", create_disks, "name=DISK,size=10GB[,type=T][,image=I][,device-name=D]");
  many("--metadata", metadata, "KEY=VALUE,...; ^;^KEY=A,B;KEY2=C for values with commas");
  many("--metadata-from-file", metadata_files, "KEY=PATH,...");
  many("--labels", labels, "KEY=VALUE,...");
  many("--tags", tags, "TAG,...");
  many("--scopes", scopes, "cloud-platform, storage-rw, ...");
  command.AddFlag("--no-scopes", no_scopes, "No scopes");
  command.AddOption("--service-account", service_account, "Service account the instance runs as");
  command.AddFlag("--no-service-account", no_service_account, "Run without a service account");
  command.AddOption("--network", network, "Network (default: default)");
  command.AddOption("--subnet", subnet, "Subnetwork");
  command.AddOption("--address", address, "External address");
  command.AddOption("--private-network-ip", private_address, "Internal address");
  command.AddFlag("--no-address", no_address, "No external address");
  command.AddOption("--description", description, "Description");
  command.AddOption("--hostname", hostname, "Host name inside the instance");
  command.AddOption("--accelerator", accelerator, "type=TYPE,count=N");
  command.AddOption("--min-cpu-platform", min_cpu_platform, "Minimum CPU platform");
  command.AddOption("--maintenance-policy", maintenance_policy, "MIGRATE or TERMINATE");
  command.AddOption("--provisioning-model", provisioning_model, "STANDARD or SPOT");
  command.AddOption("--instance-termination-action", termination_action, "STOP or DELETE");
  command.AddOption("--max-run-duration", max_run_duration,
                    "Stop the instance after this time: 2h");
  command.AddFlag("--preemptible", preemptible, "Preemptible instance");
  command.AddFlag("--restart-on-failure", restart, "Restart after a crash (default)");
  command.AddFlag("--no-restart-on-failure", no_restart, "Do not restart after a crash");
  command.AddFlag("--deletion-protection", deletion_protection, "Refuse delete requests");
  command.AddFlag("--can-ip-forward", can_ip_forward, "May forward packets");
}

std::string InstanceOptions::MachineType(const ComputeSession& session, bool in_template) const {
  std::string type = machine_type.empty() ? "n1-standard-1" : machine_type;
  if (!custom_cpu.empty()) {
    if (custom_memory.empty()) throw Failure(Code::kInvalid, "--custom-cpu needs --custom-memory");
    type = fmt::format("custom-{}-{}", custom_cpu,
                       ParseGigabytes(custom_memory, "--custom-memory") * 1024);
  }
  return in_template ? type : session.Link(Scope::kZone, "machineTypes", type);
}

JsonTree InstanceOptions::BootDisk(const ComputeSession& session, bool in_template) const {
  JsonTree disk = JsonTree::Object();
  disk["boot"] = JsonTree::Bool(true);
  disk["autoDelete"] = JsonTree::Bool(!keep_boot_disk);
  disk["mode"] = JsonTree::Text("READ_WRITE");
  disk["type"] = JsonTree::Text("PERSISTENT");
  PutText(disk, "deviceName", boot_disk_device_name);
  JsonTree& made = disk["initializeParams"];
  if (!image.empty()) {
    made["sourceImage"] =
        JsonTree::Text(image.find('/') != std::string::npos
                           ? session.Link(Scope::kGlobal, "images", image)
                           : session.GlobalLink(image_project, "images/" + image));
  } else {
    bool usual = image_family.empty();
    std::string project = image_project.empty() && usual ? "debian-cloud" : image_project;
    made["sourceImage"] = JsonTree::Text(session.GlobalLink(
        project, "images/family/" + (usual ? std::string("debian-12") : image_family)));
  }
  if (!boot_disk_size.empty())
    made["diskSizeGb"] =
        JsonTree::Text(std::to_string(ParseGigabytes(boot_disk_size, "--boot-disk-size")));
  if (!boot_disk_type.empty())
    made["diskType"] = JsonTree::Text(
        in_template ? boot_disk_type : session.Link(Scope::kZone, "diskTypes", boot_disk_type));
  return disk;
}

JsonTree InstanceOptions::Disks(const ComputeSession& session, bool in_template) const {
  JsonTree list = JsonTree::List();
  bool has_boot = false;
  for (const std::string& text : disks) has_boot |= Says(SplitRecord(text), "boot", false);
  if (!has_boot) list.Append(BootDisk(session, in_template));
  for (const std::string& text : disks) {
    auto record = SplitRecord(text);
    JsonTree& disk = list.Append(JsonTree::Object());
    disk["source"] = JsonTree::Text(session.Link(Scope::kZone, "disks", Part(record, "name")));
    disk["boot"] = JsonTree::Bool(Says(record, "boot", false));
    disk["autoDelete"] = JsonTree::Bool(Says(record, "auto-delete", false));
    disk["mode"] = JsonTree::Text(Part(record, "mode") == "ro" ? "READ_ONLY" : "READ_WRITE");
    PutText(disk, "deviceName", Part(record, "device-name"));
  }
  for (const std::string& text : create_disks) {
    auto record = SplitRecord(text);
    JsonTree& disk = list.Append(JsonTree::Object());
    disk["autoDelete"] = JsonTree::Bool(Says(record, "auto-delete", true));
    PutText(disk, "deviceName", Part(record, "device-name"));
    JsonTree& made = disk["initializeParams"] = JsonTree::Object();
    PutText(made, "diskName", Part(record, "name"));
    if (record.count("size"))
      made["diskSizeGb"] =
          JsonTree::Text(std::to_string(ParseGigabytes(record["size"], "--create-disk")));
    if (record.count("type"))
      made["diskType"] = JsonTree::Text(session.Link(Scope::kZone, "diskTypes", record["type"]));
    if (record.count("image"))
      made["sourceImage"] = JsonTree::Text(
          session.GlobalLink(Part(record, "image-project"), "images/" + record["image"]));
  }
  return list;
}

JsonTree InstanceOptions::Scheduling() const {
  JsonTree scheduling = JsonTree::Object();
  bool spot = preemptible || Upper(provisioning_model) == "SPOT";
  if (preemptible) scheduling["preemptible"] = JsonTree::Bool(true);
  if (restart || no_restart || spot)
    scheduling["automaticRestart"] = JsonTree::Bool(restart && !spot);
  PutText(scheduling, "provisioningModel", Upper(provisioning_model));
  PutText(scheduling, "instanceTerminationAction", Upper(termination_action));
  PutText(scheduling, "onHostMaintenance", Upper(maintenance_policy));
  if (!max_run_duration.empty())
    scheduling["maxRunDuration"]["seconds"] =
        JsonTree::Text(std::to_string(ParseDuration(max_run_duration, "--max-run-duration")));
  return scheduling;
}

JsonTree InstanceOptions::NetworkOf(const ComputeSession& session) const {
  JsonTree network_json = JsonTree::Object();
  if (subnet.empty() || !network.empty())
    network_json["network"] = JsonTree::Text(
        session.Link(Scope::kGlobal, "networks", network.empty() ? "default" : network));
  if (!subnet.empty())
    network_json["subnetwork"] =
        JsonTree::Text(session.Link(Scope::kRegion, "subnetworks", subnet));
  PutText(network_json, "networkIP", private_address);
  if (!no_address) {
    JsonTree access = JsonTree::Object();
    access["name"] = JsonTree::Text("external-nat");
    access["type"] = JsonTree::Text("ONE_TO_ONE_NAT");
    PutText(access, "natIP", address);
    network_json["accessConfigs"].Append(std::move(access));
  }
  return network_json;
}

JsonTree InstanceOptions::ServiceAccounts() const {
  JsonTree list = JsonTree::List();
  if (no_service_account) return list;
  JsonTree& account = list.Append(JsonTree::Object());
  account["email"] = JsonTree::Text(service_account.empty() ? "default" : service_account);
  JsonTree& urls = account["scopes"] = JsonTree::List();
  if (no_scopes) return list;
  std::vector<std::string> named = SplitLists(scopes);
  if (named.empty()) named.assign(std::begin(kDefaultScopes), std::end(kDefaultScopes));
  for (const std::string& scope : named) {
    if (scope == "default") {
      for (std::string_view usual : kDefaultScopes)
        urls.Append(JsonTree::Text(ScopeUrl(std::string(usual))));
    } else {
      urls.Append(JsonTree::Text(ScopeUrl(scope)));
    }
  }
  return list;
}

JsonTree InstanceOptions::Resource(const ComputeSession& session, bool in_template) const {
  JsonTree instance = JsonTree::Object();
  instance["machineType"] = JsonTree::Text(MachineType(session, in_template));
  instance["disks"] = Disks(session, in_template);
  instance["metadata"] = MetadataOf(metadata, metadata_files);
  instance["networkInterfaces"].Append(NetworkOf(session));
  instance["scheduling"] = Scheduling();
  instance["serviceAccounts"] = ServiceAccounts();
  PutText(instance, "description", description);
  PutText(instance, "minCpuPlatform", min_cpu_platform);
  if (!in_template) PutText(instance, "hostname", hostname);
  if (deletion_protection) instance["deletionProtection"] = JsonTree::Bool(true);
  if (can_ip_forward) instance["canIpForward"] = JsonTree::Bool(true);
  for (const auto& [key, value] : SplitPairs(labels, "--labels"))
    instance["labels"][key] = JsonTree::Text(value);
  for (const std::string& tag : SplitLists(tags))
    instance["tags"]["items"].Append(JsonTree::Text(tag));
  if (!accelerator.empty()) {
    auto record = SplitRecord(accelerator);
    JsonTree one = JsonTree::Object();
    std::string type = Part(record, "type");
    one["acceleratorType"] =
        JsonTree::Text(in_template ? type : session.Link(Scope::kZone, "acceleratorTypes", type));
    one["acceleratorCount"] =
        JsonTree::Number(record.count("count") ? std::atoll(record["count"].c_str()) : 1);
    instance["guestAccelerators"].Append(std::move(one));
  }
  return instance;
}

}  // namespace fireweed::cli
