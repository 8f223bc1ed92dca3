// The control plane of compute on a simulated clock: memory catalog, fake driver, the real router, controllers and
// services. Requests are asked as a client would, and Settle runs everything that is due.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/random.h"
#include "base/sim_clock.h"
#include "catalog/memory_catalog.h"
#include "compute/boot_disks.h"
#include "compute/bulk_controller.h"
#include "compute/bulk_insert_service.h"
#include "compute/disk_controller.h"
#include "compute/disks_service.h"
#include "compute/group_controller.h"
#include "compute/group_managers_service.h"
#include "compute/guest_attributes.h"
#include "compute/image_controller.h"
#include "compute/images_service.h"
#include "compute/instance_controller.h"
#include "compute/instance_groups_service.h"
#include "compute/instance_identity.h"
#include "compute/instance_life_service.h"
#include "compute/instance_settings.h"
#include "compute/instance_templates.h"
#include "compute/instances_service.h"
#include "compute/networks_service.h"
#include "compute/operations_service.h"
#include "compute/projects_service.h"
#include "control/action_pool.h"
#include "control/operation_waiters.h"
#include "machine/fake/fake_driver.h"
#include "net/router.h"

namespace fireweed::compute {

struct Reply {
  int status = 0;
  std::string body;
  // The text of a field somewhere in the body: enough for tests, which know what they look for.
  std::string Field(std::string_view name) const;
  bool Has(std::string_view text) const { return body.find(text) != std::string::npos; }
};

class FakeIdentity final : public InstanceIdentity {
 public:
  ProjectIdentity EnsureProject(const std::string& project, const net::Caller&) override {
    return FindProject(project);
  }
  ProjectIdentity FindProject(const std::string&) override {
    return {4711, "4711-compute@developer.gserviceaccount.com"};
  }
  std::string ProjectId(const std::string& project) override {
    return project == "4711" ? "p" : project;
  }
  std::string AccountId(const std::string& email) override {
    bool known = email.starts_with("known@") || email.starts_with("4711-compute@");
    return known ? account_id : "";
  }
  Result<InstanceToken> MintToken(const std::string& email,
                                  const std::vector<std::string>& scopes) override {
    if (fail) return Error{Code::kUnavailable, "", "no token today"};
    minted.push_back(email + " " + (scopes.empty() ? "" : scopes.front()));
    return InstanceToken{"ya29." + email, now + std::chrono::seconds(3599)};
  }
  Result<std::string> MintIdentity(const InstanceClaims& claims) override {
    return "jwt." + claims.email + "." + claims.audience + claims.google;
  }
  bool fail = false;
  Time now{};
  std::string account_id = "1";  // of every account there is
  std::vector<std::string> minted;
};

// Signed in as whoever the header names; everyone signed in may do everything but what `denied` says, "PERMISSION
// RESOURCE".
class OpenAccess final : public net::AccessControl {
 public:
  std::shared_ptr<const net::Caller> Identify(const net::Request& request) override;
  bool May(const net::Caller& caller, std::string_view permission,
           std::string_view resource) override {
    std::string wanted = std::string(permission) + " " + std::string(resource);
    return !caller.anonymous() && !denied.contains(wanted);
  }
  std::set<std::string> denied;
};

class RecordingSockets final : public InstanceSockets {
 public:
  Result<> Open(const Key& instance, const MachineHandle& machine) override {
    open[instance] = machine.text;
    if (auto now = std::exchange(meanwhile, nullptr)) now();
    return Done{};
  }
  void Close(const Key& instance) override { open.erase(instance); }
  // Runs once, inside the next Open: while a machine is being started.
  std::function<void()> meanwhile;
  std::map<Key, std::string> open;
};

class ComputeFixture {
 public:
  explicit ComputeFixture(MachineDriver* driver = nullptr, uint64_t seed = 1,
                          std::vector<std::string> accelerators = {});
  ~ComputeFixture();

  Reply Ask(std::string_view method, std::string_view target, std::string_view body = "",
            const char* who = "Bearer ann@example.com");
  // The answer of a long poll, or nothing while it waits.
  std::shared_ptr<net::Deferred> Wait(std::string_view target);
  // Runs the loop and its actions until nothing is due any more at this time.
  void Settle();
  // The same, jumping to whatever is due later, as long as that is not after `until`.
  void SettleUntil(Time until);
  // A new control plane on the same catalog and driver, as after a daemon restart.
  void Restart();

  // An insert body as gcloud sends it, with labels as JSON text.
  static std::string InsertBody(const std::string& name, const std::string& labels = "{}");

  SimClock clock;
  SeededRandom random;
  IdSource ids{clock, random};
  NullLogger log;
  MemoryCatalog catalog;
  FakeDriver fake{clock};
  MachineDriver& driver;
  FakeIdentity identity;
  OpenAccess access;
  RecordingSockets sockets;
  Catalogue catalogue;  // of a host with 4 CPUs and 8 GiB
  std::string consoles;
  QuotaLimits quotas;           // of the planes made from now on
  PreemptionRule preemption;    // of the planes made from now on
  std::vector<HostCard> cards;  // of the planes made from now on
  // Puts something between the loop and the controllers of planes made from now on; what it gives outlives them.
  std::function<Controller&(Controller&)> wrap = [](Controller& same) -> Controller& {
    return same;
  };
  std::string disk_root;
  DiskStore store;
  // What an import of an archive does; fails until a test says otherwise.
  ImportRoot import = [](const std::string&, const std::string&) -> Result<ContainerConfig> {
    return Error{Code::kInvalid, "", "no such archive"};
  };
  Result<BootImage> image = BootImage{.layers = {"/image"}};

  struct Plane {
    ControlLoop loop;
    QueuedActionPool pool;
    OperationWaiters waiters;
    BootDisks boot_disks;
    InstanceController controller;
    ImageController image_controller;
    DiskController disk_controller;
    InstancesService instances;
    BulkInsertService bulk;
    BulkController bulk_controller;
    InstanceLifeService life;
    GroupController group_controller;
    InstanceTemplatesService templates;
    GroupManagersService managers;
    InstanceGroupsService groups;
    InstanceSettings settings;
    OperationsService operations;
    ImagesService images;
    DisksService disks;
    NetworksService networks;
    ProjectQuotas project_quotas;
    ProjectsService projects;
    CatalogueService tables;
    GuestAttributesService guest_attributes;
    net::Router router;
    explicit Plane(ComputeFixture& all);
  };
  std::unique_ptr<Plane> plane;
};

}  // namespace fireweed::compute
