// What `instances create` and `instance-templates create` share: flags, and the resource they make. Pure, but for the
// files that flags name.
#pragma once

#include <string>
#include <vector>

#include "cli/compute/compute_session.h"
#include "describe/json_tree.h"

namespace fireweed::cli {

class Command;

struct InstanceOptions {
  std::string machine_type, custom_cpu, custom_memory;
  std::string image, image_family, image_project, boot_disk_size, boot_disk_type,
      boot_disk_device_name;
  std::vector<std::string> disks, create_disks;
  bool keep_boot_disk = false;
  std::vector<std::string> metadata, metadata_files, labels, tags, scopes;
  std::string service_account, network, subnet, address, private_address, description, hostname,
      accelerator, min_cpu_platform, maintenance_policy, provisioning_model, termination_action,
      max_run_duration, template_name;
  bool no_scopes = false, no_service_account = false, no_address = false, preemptible = false,
       restart = false, no_restart = false, deletion_protection = false, can_ip_forward = false;

  void AddTo(Command& command);
  // `in_template`: properties name machine types and the like without a place.
  JsonTree Resource(const ComputeSession& session, bool in_template) const;

 private:
  std::string MachineType(const ComputeSession& session, bool in_template) const;
  JsonTree Disks(const ComputeSession& session, bool in_template) const;
  JsonTree BootDisk(const ComputeSession& session, bool in_template) const;
  JsonTree Scheduling() const;
  JsonTree NetworkOf(const ComputeSession& session) const;
  JsonTree ServiceAccounts() const;
};

// "cloud-platform" and the other short names of scopes, as gcloud has them.
std::string ScopeUrl(const std::string& scope);
// {"items": [{"key", "value"}]} of KEY=VALUE and KEY=PATH flags.
JsonTree MetadataOf(const std::vector<std::string>& pairs, const std::vector<std::string>& files);

}  // namespace fireweed::cli
