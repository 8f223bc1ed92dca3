#include "compute/metadata_tree.h"

#include <fmt/format.h>

#include "compute/instance_machine.h"
#include "compute/links.h"
#include "describe/json_writer.h"
#include "machine/network/subnet.h"

namespace fireweed::compute {
namespace {

using Kind = MetadataNode::Kind;

MetadataNode Text(std::string text) { return {.kind = Kind::kText, .text = std::move(text)}; }
MetadataNode Number(int64_t number) {
  return {.kind = Kind::kNumber, .text = std::to_string(number)};
}
MetadataNode Lines(std::vector<std::string> lines) {
  return {.kind = Kind::kLines, .lines = std::move(lines)};
}
MetadataNode Directory() { return {.kind = Kind::kDirectory}; }
MetadataNode List() { return {.kind = Kind::kList}; }
const char* Flag(bool value) { return value ? "TRUE" : "FALSE"; }

MetadataNode Attributes(const api::compute::Metadata& metadata) {
  MetadataNode node{.kind = Kind::kDirectory, .names_are_users = true};
  for (const api::compute::MetadataItem& item : metadata.items)
    node.Add(item.key, Text(item.value));
  return node;
}

// Of a disk that was there before its instance, the instance knows no more than that it persists.
std::string DiskType(const api::compute::AttachedDisk& disk) {
  if (disk.type == "SCRATCH") return "LOCAL-SSD";
  std::string type = disk.initializeParams ? LastWord(disk.initializeParams->diskType) : "";
  if (type == "pd-ssd") return "PERSISTENT-SSD";
  return type == "pd-balanced" ? "PERSISTENT-BALANCED" : "PERSISTENT";
}

MetadataNode Disks(const api::compute::Instance& instance) {
  MetadataNode all = List();
  for (size_t i = 0; i < instance.disks.size(); ++i) {
    const api::compute::AttachedDisk& disk = instance.disks[i];
    MetadataNode& node = all.Add(std::to_string(i), Directory());
    node.Add("device-name", Text(disk.deviceName));
    node.Add("index", Number(disk.index));
    node.Add("interface", Text(disk.interface));
    node.Add("mode", Text(disk.mode));
    node.Add("type", Text(DiskType(disk)));
  }
  return all;
}

MetadataNode Interfaces(const InstanceRecord& record, int64_t project_number) {
  MetadataNode all = List();
  for (size_t i = 0; i < record.resource.networkInterfaces.size(); ++i) {
    const api::compute::NetworkInterface& nic = record.resource.networkInterfaces[i];
    MetadataNode& node = all.Add(std::to_string(i), Directory());
    MetadataNode& accesses = node.Add("access-configs", List());
    for (size_t j = 0; j < nic.accessConfigs.size(); ++j) {
      MetadataNode& access = accesses.Add(std::to_string(j), Directory());
      access.Add("external-ip", Text(nic.accessConfigs[j].natIP));
      access.Add("type", Text(nic.accessConfigs[j].type));
    }
    node.Add("dns-servers", Lines({"169.254.169.254"}));
    node.Add("forwarded-ips", List());
    std::optional<Ipv4> address = ParseIpv4(nic.networkIP);
    if (address) node.Add("gateway", Text(FormatIpv4(InstanceSubnet(*address).gateway())));
    node.Add("ip", Text(nic.networkIP));
    node.Add("ip-aliases", List());
    if (address) node.Add("mac", Text(FormatMac(MacOf(*address))));
    node.Add("mtu", Number(1500));
    node.Add("network",
             Text(fmt::format("projects/{}/networks/{}", project_number, LastWord(nic.network))));
    if (address) node.Add("subnetmask", Text(FormatIpv4(~(InstanceSubnet(*address).size() - 1))));
    node.Add("target-instance-ips", List());
  }
  return all;
}

MetadataNode Accounts(const api::compute::Instance& instance) {
  MetadataNode all{.kind = Kind::kDirectory, .names_are_users = true};
  for (const api::compute::InstanceServiceAccount& account : instance.serviceAccounts) {
    MetadataNode node = Directory();
    node.Add("aliases", Lines({"default"}));
    node.Add("email", Text(account.email));
    node.Add("identity", {.kind = Kind::kLive});
    node.Add("scopes", Lines(account.scopes));
    node.Add("token", {.kind = Kind::kLive});
    all.Add("default", node);
    all.Add(account.email, node);
  }
  return all;
}

MetadataNode Scheduling(const api::compute::Scheduling& rules) {
  MetadataNode node = Directory();
  node.Add("automatic-restart", Text(Flag(rules.automaticRestart.value_or(true))));
  node.Add("on-host-maintenance", Text(rules.onHostMaintenance));
  node.Add("preemptible", Text(Flag(rules.preemptible.value_or(false))));
  return node;
}

MetadataNode Guest(const GuestAttributes& guest) {
  MetadataNode all{.kind = Kind::kDirectory, .names_are_users = true};
  for (const auto& [name, value] : guest.values) {
    size_t slash = name.find('/');
    std::string space = name.substr(0, slash);
    MetadataNode* node = nullptr;
    for (auto& [child, found] : all.children) {
      if (child == space) node = &found;
    }
    if (!node) {
      node = &all.Add(space, {.kind = Kind::kDirectory, .names_are_users = true});
    }
    node->Add(name.substr(slash + 1), Text(value));
  }
  return all;
}

MetadataNode Instance(const MetadataSources& sources) {
  const InstanceRecord& record = sources.instance;
  const api::compute::Instance& instance = record.resource;
  std::string project = fmt::format("projects/{}/", sources.project_number);
  MetadataNode node = Directory();
  node.Add("attributes", Attributes(instance.metadata));
  node.Add("cpu-platform", Text(instance.cpuPlatform));
  node.Add("description", Text(instance.description));
  node.Add("disks", Disks(instance));
  node.Add("guest-attributes", Guest(sources.guest));
  node.Add("hostname", Text(FullHostname(record)));
  node.Add("id", Number(instance.id));
  ResourceRef image = ParseRef(record.image);
  node.Add("image", Text(fmt::format("projects/{}/global/images/{}", image.project, image.name())));
  node.Add("licenses", List());
  node.Add("machine-type", Text(project + "machineTypes/" + LastWord(instance.machineType)));
  node.Add("maintenance-event", Text(std::string(MaintenanceEvent(record.notice))));
  node.Add("name", Text(instance.name));
  node.Add("network-interfaces", Interfaces(record, sources.project_number));
  bool preempted = record.notice && record.notice->cause == NoticeCause::kPreemption;
  node.Add("preempted", Text(Flag(preempted)));
  node.Add("remaining-cpu-time", Number(-1));
  node.Add("scheduling", Scheduling(instance.scheduling));
  node.Add("service-accounts", Accounts(instance));
  JsonWriter tags;
  tags.BeginArray();
  for (const std::string& tag : instance.tags.items) tags.String(tag);
  tags.EndArray();
  node.Add("tags", {.kind = Kind::kJson, .text = tags.Take()});
  node.Add("virtual-clock", Directory()).Add("drift-token", Text("0"));
  node.Add("zone", Text(project + "zones/" + record.zone));
  return node;
}

std::string CamelCase(std::string_view name) {
  std::string out;
  bool up = false;
  for (char c : name) {
    if (c == '-') {
      up = true;
      continue;
    }
    out += up && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    up = false;
  }
  return out;
}

void WriteJson(const MetadataNode& node, JsonWriter& out) {
  switch (node.kind) {
    case Kind::kText: out.String(node.text); return;
    case Kind::kNumber:
    case Kind::kJson: out.Raw(node.text); return;
    case Kind::kLive: out.Null(); return;
    case Kind::kLines:
      out.BeginArray();
      for (const std::string& line : node.lines) out.String(line);
      out.EndArray();
      return;
    case Kind::kList:
      out.BeginArray();
      for (const auto& [name, child] : node.children) WriteJson(child, out);
      out.EndArray();
      return;
    case Kind::kDirectory: break;
  }
  out.BeginObject();
  for (const auto& [name, child] : node.children) {
    if (child.kind == Kind::kLive) continue;
    out.Key(node.names_are_users ? name : CamelCase(name));
    WriteJson(child, out);
  }
  out.EndObject();
}

std::string LeafText(const MetadataNode& node) {
  if (node.kind != Kind::kLines) return node.text;
  std::string out;
  for (const std::string& line : node.lines) out += line + "\n";
  return out;
}

// "attributes/WORD rose", a line for each leaf.
void WriteLines(const MetadataNode& node, const std::string& path, std::string& out) {
  for (const auto& [name, child] : node.children) {
    if (child.kind == Kind::kLive) continue;
    if (child.is_directory()) {
      WriteLines(child, path + name + "/", out);
    } else {
      std::string text = LeafText(child);
      if (text.ends_with('\n')) text.pop_back();
      out += path + name + " " + text + "\n";
    }
  }
}

}  // namespace

const MetadataNode* MetadataNode::Child(std::string_view name) const {
  for (const auto& [child, node] : children) {
    if (child == name) return &node;
  }
  return nullptr;
}

MetadataNode& MetadataNode::Add(std::string name, MetadataNode child) {
  return children.emplace_back(MetadataChild{std::move(name), std::move(child)}).node;
}

MetadataNode BuildMetadata(const MetadataSources& sources) {
  MetadataNode root = Directory();
  root.Add("instance", Instance(sources));
  MetadataNode& project = root.Add("project", Directory());
  project.Add("attributes", Attributes(sources.project_metadata));
  project.Add("numeric-project-id", Number(sources.project_number));
  project.Add("project-id", Text(sources.instance.project));
  root.Add("universe", Directory()).Add("universe-domain", Text("googleapis.com"));
  return root;
}

const MetadataNode* FindNode(const MetadataNode& root, std::string_view path) {
  const MetadataNode* node = &root;
  while (node && !path.empty()) {
    size_t slash = path.find('/');
    node = node->Child(path.substr(0, slash));
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  }
  return node;
}

std::string RenderMetadata(const MetadataNode& node, MetadataForm form, bool recursive) {
  if (form == MetadataForm::kJson && (recursive || !node.is_directory())) {
    JsonWriter out;
    WriteJson(node, out);
    return out.Take();
  }
  if (!node.is_directory()) return LeafText(node);
  std::string out;
  if (recursive) {
    WriteLines(node, "", out);
    return out;
  }
  if (form == MetadataForm::kJson) {
    JsonWriter names;
    names.BeginArray();
    for (const auto& [name, child] : node.children) {
      names.String(child.is_directory() ? name + "/" : name);
    }
    names.EndArray();
    return names.Take();
  }
  for (const auto& [name, child] : node.children) {
    out += name + (child.is_directory() ? "/\n" : "\n");
  }
  return out;
}

}  // namespace fireweed::compute
