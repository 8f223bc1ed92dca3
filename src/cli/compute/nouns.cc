#include "cli/compute/nouns.h"

namespace fireweed::cli {

const std::string_view kInstanceTable =
    "table(name,zone.basename(),machineType.basename(),"
    "scheduling.preemptible.yesno(yes=true,no=''),networkInterfaces[].networkIP.list():label="
    "INTERNAL_IP,networkInterfaces[].accessConfigs[0].natIP.list():label=EXTERNAL_IP,status)";

namespace {

using Kind = BodyFlag::Kind;

constexpr BodyFlag kLabelsFlag{"--labels", "labels", Kind::kPairs, "KEY=VALUE,..."};
constexpr BodyFlag kDescriptionFlag{"--description", "description", Kind::kText, "Description"};

// Instances.
constexpr BodyFlag kSetMachineType[] = {
    {"--machine-type", "machineType", Kind::kZoneLink, "n1-standard-4, ...", "machineTypes", true}};
constexpr BodyFlag kSetScheduling[] = {
    {"--preemptible", "preemptible", Kind::kTrue, "May be taken back at any time"},
    {"--no-preemptible", "preemptible", Kind::kFalse, "May not"},
    {"--restart-on-failure", "automaticRestart", Kind::kTrue, "Started again after a crash"},
    {"--no-restart-on-failure", "automaticRestart", Kind::kFalse, "Left as it is after a crash"},
    {"--maintenance-policy", "onHostMaintenance", Kind::kUpperText, "MIGRATE or TERMINATE"},
    {"--provisioning-model", "provisioningModel", Kind::kUpperText, "STANDARD or SPOT"},
    {"--instance-termination-action", "instanceTerminationAction", Kind::kUpperText,
     "STOP or DELETE"},
    {"--max-run-duration", "maxRunDuration.seconds", Kind::kSeconds, "Ended after this time: 2h"},
};
constexpr Action kInstanceActions[] = {
    {"start", "start", "Started", "Start stopped instances"},
    {"stop", "stop", "Stopped", "Stop instances; disks stay"},
    {"reset", "reset", "Reset", "Reset instances without a clean shutdown"},
    {"suspend", "suspend", "Suspended", "Freeze instances with their memory"},
    {"resume", "resume", "Resumed", "Go on with suspended instances"},
    {"preempt", "preempt", "Preempted", "Take preemptible instances back, with notice"},
    {"simulate-maintenance-event", "simulateMaintenanceEvent", "Simulated maintenance on",
     "Treat instances as maintenance of the host would"},
    {"set-machine-type", "setMachineType", "Updated",
     "Change the machine type of stopped instances", kSetMachineType},
    {"set-scheduling", "setScheduling", "Updated", "Change when instances end and come back",
     kSetScheduling},
};

// Disks and images.
constexpr BodyFlag kDiskCreate[] = {
    {"--size", "sizeGb", Kind::kGigabytes, "10GB, 1TB"},
    {"--type", "type", Kind::kZoneLink, "pd-standard, pd-ssd", "diskTypes"},
    {"--image", "sourceImage", Kind::kGlobalLink, "Image to start from", "images"},
    {"--source-snapshot", "sourceSnapshot", Kind::kGlobalLink, "Snapshot to start from",
     "snapshots"},
    {"--source-disk", "sourceDisk", Kind::kZoneLink, "Disk to copy", "disks"},
    kLabelsFlag,
    kDescriptionFlag,
};
constexpr BodyFlag kDiskResize[] = {
    {"--size", "sizeGb", Kind::kGigabytes, "New size; disks only grow", "", true}};
constexpr Action kDiskActions[] = {
    {"resize", "resize", "Resized", "Make disks larger", kDiskResize}};
constexpr BodyFlag kDeprecate[] = {
    {"--state", "state", Kind::kUpperText, "ACTIVE, DEPRECATED, OBSOLETE or DELETED", "", true},
    {"--replacement", "replacement", Kind::kGlobalLink, "Image to use instead", "images"},
};
constexpr Action kImageActions[] = {
    {"deprecate", "deprecate", "Updated", "Say that an image is old", kDeprecate}};

// Groups.
constexpr BodyFlag kGroupCreate[] = {
    {"--template", "instanceTemplate", Kind::kGlobalLink, "Template of the members",
     "instanceTemplates", true},
    {"--size", "targetSize", Kind::kNumber, "How many", "", true},
    {"--base-instance-name", "baseInstanceName", Kind::kText, "Prefix of member names"},
    {"--completion", "completion", Kind::kText,
     "When a member counts as done and the group shrinks: never, on-poweroff, on-success"},
    kDescriptionFlag,
};
constexpr BodyFlag kGroupTemplate[] = {{"--template", "instanceTemplate", Kind::kGlobalLink,
                                        "Template of new members", "instanceTemplates", true}};
constexpr Action kGroupActions[] = {
    {"resize", "resize", "Resized", "Change the number of members", {}, false, "size"},
    {"set-instance-template", "setInstanceTemplate", "Updated",
     "Change the template of new members", kGroupTemplate},
    {"recreate-instances", "recreateInstances", "Recreating in", "Recreate members", {}, true},
    {"delete-instances", "deleteInstances", "Deleting in", "Delete members and shrink", {}, true},
    {"abandon-instances",
     "abandonInstances",
     "Abandoning in",
     "Remove members without deleting them",
     {},
     true},
};
constexpr BodyFlag kUnmanagedCreate[] = {kDescriptionFlag};
constexpr Action kUnmanagedActions[] = {
    {"add-instances", "addInstances", "Updated", "Add instances to a group", {}, true},
    {"remove-instances", "removeInstances", "Updated", "Remove instances from a group", {}, true},
};

// Networks.
constexpr BodyFlag kNetworkCreate[] = {
    {"--subnet-mode", "autoCreateSubnetworks", Kind::kText, "auto or custom"},
    {"--mtu", "mtu", Kind::kNumber, "MTU in bytes"},
    kDescriptionFlag,
};
constexpr BodyFlag kSubnetCreate[] = {
    {"--network", "network", Kind::kGlobalLink, "Network", "networks", true},
    {"--range", "ipCidrRange", Kind::kText, "10.1.0.0/20", "", true},
    kDescriptionFlag,
};
constexpr BodyFlag kFirewallCreate[] = {
    {"--network", "network", Kind::kGlobalLink, "Network", "networks"},
    {"--direction", "direction", Kind::kUpperText, "INGRESS or EGRESS"},
    {"--priority", "priority", Kind::kNumber, "Priority; lower numbers are applied first"},
    {"--source-ranges", "sourceRanges", Kind::kList, "0.0.0.0/0,..."},
    {"--destination-ranges", "destinationRanges", Kind::kList, "0.0.0.0/0,..."},
    {"--source-tags", "sourceTags", Kind::kList, "TAG,..."},
    {"--target-tags", "targetTags", Kind::kList, "TAG,..."},
    {"--allow", "allow", Kind::kList, "tcp:22,icmp,udp:1-100"},
    {"--rules", "allow", Kind::kList, "Rules for --action"},
    {"--action", "action", Kind::kUpperText, "ALLOW or DENY, for --rules"},
    {"--disabled", "disabled", Kind::kTrue, "Create the rule disabled"},
    kDescriptionFlag,
};
constexpr BodyFlag kAddressCreate[] = {
    {"--addresses", "address", Kind::kText, "Address to reserve"},
    kDescriptionFlag,
};

// "auto" and "custom" are a switch of the API's.
void ShapeNetwork(JsonTree& body) {
  bool custom = body.TextOf("autoCreateSubnetworks") == "custom";
  body["autoCreateSubnetworks"] = JsonTree::Bool(!custom);
}

// "tcp:22" -> {"IPProtocol": "tcp", "ports": ["22"]}.
void ShapeFirewall(JsonTree& body) {
  bool deny = body.TextOf("action") == "DENY";
  JsonTree rules = JsonTree::List();
  if (const JsonTree* texts = body.Find("allow")) {
    for (const JsonTree& text : texts->items()) {
      size_t colon = text.text().find(':');
      JsonTree& rule = rules.Append(JsonTree::Object());
      rule["IPProtocol"] = JsonTree::Text(text.text().substr(0, colon));
      if (colon != std::string::npos)
        rule["ports"].Append(JsonTree::Text(text.text().substr(colon + 1)));
    }
  }
  body.Remove("allow");
  body.Remove("action");
  body[deny ? "denied" : "allowed"] = std::move(rules);
}

constexpr Noun kNouns[] = {
    {"instances", "instances", Scope::kZone, "Instances", "", true, {}, kInstanceActions},
    {"disks", "disks", Scope::kZone, "Disks",
     "table(name,zone.basename():label=LOCATION,sizeGb,type.basename(),status)", true, kDiskCreate,
     kDiskActions},
    {"images",
     "images",
     Scope::kGlobal,
     "Images",
     "table(name,selfLink.segment(-4):label=PROJECT,family,deprecated.state:label=DEPRECATED,"
     "status)",
     true,
     {},
     kImageActions},
    {"instance-templates", "instanceTemplates", Scope::kGlobal, "Instance templates",
     "table(name,properties.machineType.basename():label=MACHINE_TYPE,properties.scheduling."
     "preemptible.yesno(yes=true,no=''):label=PREEMPTIBLE,creationTimestamp)"},
    {"instance-groups managed", "instanceGroupManagers", Scope::kZone, "Managed instance groups",
     "table(name,zone.basename():label=LOCATION,baseInstanceName,currentActions.none:label=SIZE,"
     "targetSize:label=TARGET_SIZE,instanceTemplate.basename(),status.isStable.yesno(yes=yes,no=no)"
     ":"
     "label=STABLE)",
     true, kGroupCreate, kGroupActions},
    {"instance-groups unmanaged", "instanceGroups", Scope::kZone, "Unmanaged instance groups",
     "table(name,zone.basename():label=LOCATION,network.basename(),size:label=INSTANCES)", true,
     kUnmanagedCreate, kUnmanagedActions},
    {"networks",
     "networks",
     Scope::kGlobal,
     "Networks",
     "table(name,autoCreateSubnetworks.yesno(yes=AUTO,no=CUSTOM):label=SUBNET_MODE,IPv4Range)",
     true,
     kNetworkCreate,
     {},
     ShapeNetwork},
    {"networks subnets", "subnetworks", Scope::kRegion, "Subnetworks",
     "table(name,region.basename(),network.basename(),ipCidrRange:label=RANGE)", true,
     kSubnetCreate},
    {"firewall-rules",
     "firewalls",
     Scope::kGlobal,
     "Firewall rules",
     "table(name,network.basename(),direction,priority,allowed[].IPProtocol.list():label=ALLOW,"
     "denied[].IPProtocol.list():label=DENY,disabled)",
     true,
     kFirewallCreate,
     {},
     ShapeFirewall},
    {"addresses", "addresses", Scope::kRegion, "Reserved addresses",
     "table(name,address,addressType:label=TYPE,region.basename(),status)", true, kAddressCreate},
    {"zones", "zones", Scope::kGlobal, "Zones", "table(name,region.basename(),status)", false},
    {"regions", "regions", Scope::kGlobal, "Regions with their quotas",
     "table(name,zones.len():label=ZONES,status)", false},
    {"machine-types", "machineTypes", Scope::kZone, "Machine types",
     "table(name,zone.basename(),guestCpus:label=CPUS,memoryMb:label=MEMORY_MB)", false},
    {"disk-types", "diskTypes", Scope::kZone, "Disk types",
     "table(name,zone.basename(),validDiskSize:label=VALID_DISK_SIZES)", false},
    {"accelerator-types", "acceleratorTypes", Scope::kZone, "Accelerators",
     "table(name,zone.basename(),description)", false},
};

}  // namespace

std::span<const Noun> Nouns() { return kNouns; }

}  // namespace fireweed::cli
