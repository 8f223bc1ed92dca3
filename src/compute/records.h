// What compute keeps in the catalog. Keys: "PROJECT/ZONE/NAME" for zonal things, "PROJECT/NAME" for global ones,
// "PROJECT" for a project's own row.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/compute/instance.h"
#include "api/compute/resources.h"
#include "catalog/record.h"
#include "compute/notice.h"
#include "compute/workload.h"
#include "control/backoff.h"
#include "control/operations.h"
#include "machine/image/container_config.h"

namespace fireweed::compute {

enum class InstanceWant { kRunning, kStopped, kGone, kSuspended };

// What was last seen of the machine of `boot`.
enum class MachineSeen {
  kNothing,  // not started yet, or Start has not reported
  kStarting,
  kRunning,
  kStopped,
};

// How a machine ended, as far as it decides what comes next.
enum class MachineEnd {
  kNone,
  kOffInside,  // the guest powered itself off
  kReboot,
  kStopped,  // somebody outside asked
  kDied,     // killed by the host or crashed: nobody asked
};

// A data disk on its way into a running machine, or out of it. The wish for it has the generation.
struct DiskChange {
  api::compute::AttachedDisk disk;
  bool attach = true;
  int64_t generation = 0;
};

struct InstanceRecord {
  std::string project, zone;
  api::compute::Instance resource;

  // Wanted. `generation` grows with every wish, and operations wait for it.
  InstanceWant want = InstanceWant::kRunning;
  int64_t generation = 1;
  int64_t reached = 0;  // the last generation whose operations were ended
  int64_t wanted_boot = 1;
  std::vector<DiskChange> disk_changes;  // the oldest first; made one by one

  // Decided: the boot that Start was or will be called for; 0 before the first.
  int64_t boot = 0;

  // Seen.
  std::string handle;  // of `boot`; empty until Start or a search has found it
  MachineSeen seen = MachineSeen::kNothing;
  MachineEnd end = MachineEnd::kNone;
  bool frozen = false;
  bool stop_sent = false;
  bool finished = false;  // the guest powered itself off, and nobody had told it to go
  bool searched = false;  // the driver knows no machine of this boot
  bool ever_ran = false;
  std::optional<Time> boot_started;

  // The host's cards it holds, by name (compute/cards.h).
  std::vector<std::string> cards;

  // What the host has announced to this boot.
  std::optional<Notice> notice;

  Backoff backoff;
  std::optional<OperationError> last_error;  // of the last driver call, when it failed

  // Settled at insert.
  double cpus = 0;
  int32_t visible_cpus = 0;  // as the guest counts them; 0 in records of earlier versions
  int64_t memory_mb = 0;
  std::string image;                  // the resolved image's link
  Key group;                          // of the managed group that made it; empty: nobody's
  std::string creator;                // email of the user whose quotas it counts against
  bool uncharged = false;             // counts against no quota (compute/quota.h)
  std::vector<std::string> warnings;  // for the operation and the serial port

  // Of instances that the service made for itself.
  std::optional<Workload> workload;
  std::optional<LastExit> last_exit;

  Key key() const { return project + "/" + zone + "/" + resource.name; }
  std::string machine_id() const { return "i-" + std::to_string(resource.id); }
};

// What a disk begins with. Copied from the image, so that a disk does not care when its image goes.
struct RootLayers {
  std::vector<std::string> layers;  // names in the disk store, uppermost first
  bool whole = false;  // the layers are all there is; otherwise the base image lies below them
  // The base image that lies below, once somebody has booted from it: what was installed over one base is not
  // moved to another. Empty: whichever is the present one at the first boot.
  std::string base;
  ContainerConfig container;  // of an OCI image: how a job runs it
};

struct DiskRecord {
  std::string project, zone;
  api::compute::Disk resource;
  RootLayers root;
  std::string creator;     // as in InstanceRecord
  bool uncharged = false;  // likewise
  Key key() const { return project + "/" + zone + "/" + resource.name; }
  std::string store_name() const { return "d-" + std::to_string(resource.id); }
};

// An image whose bytes are still to be made is PENDING; the image controller makes them.
struct ImageRecord {
  std::string project;
  api::compute::Image resource;
  RootLayers root;
  bool force = false;  // from a disk although a machine is writing on it
  Backoff backoff;
  Key key() const { return project + "/" + resource.name; }
  // The layer it brings along, if any.
  std::string layer_name() const { return "l-" + std::to_string(resource.id); }
  // Of an image of a disk: where the disk store has that, also once its record is gone.
  std::string source_name() const { return "d-" + resource.sourceDiskId; }
};

// What a project has said about itself to compute; absent until it says something.
struct ProjectRecord {
  std::string project;
  api::compute::Metadata metadata;
};

}  // namespace fireweed::compute

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<compute::InstanceWant> = "InstanceWant";
template <>
inline constexpr std::array<std::string_view, 4> kEnumNames<compute::InstanceWant>{
    "RUNNING", "STOPPED", "GONE", "SUSPENDED"};
template <>
inline constexpr std::string_view kTypeName<compute::MachineSeen> = "MachineSeen";
template <>
inline constexpr std::array<std::string_view, 4> kEnumNames<compute::MachineSeen>{
    "NOTHING", "STARTING", "RUNNING", "STOPPED"};
template <>
inline constexpr std::string_view kTypeName<compute::MachineEnd> = "MachineEnd";
template <>
inline constexpr std::array<std::string_view, 5> kEnumNames<compute::MachineEnd>{
    "NONE", "OFF_INSIDE", "REBOOT", "STOPPED", "DIED"};

template <>
inline constexpr std::string_view kTypeName<compute::DiskChange> = "DiskChange";
template <>
inline constexpr auto kFields<compute::DiskChange> = [](auto...) {
  return Fields{F("disk", &compute::DiskChange::disk), F("attach", &compute::DiskChange::attach),
                F("generation", &compute::DiskChange::generation)};
};

template <>
inline constexpr std::string_view kTypeName<compute::InstanceRecord> = "InstanceRecord";
template <>
inline constexpr auto kFields<compute::InstanceRecord> = [](auto...) {
  return Fields{F("project", &compute::InstanceRecord::project),
                F("zone", &compute::InstanceRecord::zone),
                F("resource", &compute::InstanceRecord::resource),
                F("want", &compute::InstanceRecord::want),
                F("generation", &compute::InstanceRecord::generation),
                F("reached", &compute::InstanceRecord::reached),
                F("wantedBoot", &compute::InstanceRecord::wanted_boot),
                F("diskChanges", &compute::InstanceRecord::disk_changes),
                F("boot", &compute::InstanceRecord::boot),
                F("handle", &compute::InstanceRecord::handle),
                F("seen", &compute::InstanceRecord::seen),
                F("end", &compute::InstanceRecord::end),
                F("frozen", &compute::InstanceRecord::frozen),
                F("stopSent", &compute::InstanceRecord::stop_sent),
                F("finished", &compute::InstanceRecord::finished),
                F("searched", &compute::InstanceRecord::searched),
                F("everRan", &compute::InstanceRecord::ever_ran),
                F("bootStarted", &compute::InstanceRecord::boot_started),
                F("cards", &compute::InstanceRecord::cards),
                F("notice", &compute::InstanceRecord::notice),
                F("backoff", &compute::InstanceRecord::backoff),
                F("lastError", &compute::InstanceRecord::last_error),
                F("cpus", &compute::InstanceRecord::cpus),
                F("visibleCpus", &compute::InstanceRecord::visible_cpus),
                F("memoryMb", &compute::InstanceRecord::memory_mb),
                F("image", &compute::InstanceRecord::image),
                F("group", &compute::InstanceRecord::group),
                F("creator", &compute::InstanceRecord::creator),
                F("uncharged", &compute::InstanceRecord::uncharged),
                F("warnings", &compute::InstanceRecord::warnings),
                F("workload", &compute::InstanceRecord::workload),
                F("lastExit", &compute::InstanceRecord::last_exit)};
};
extern template const Type& TypeOf<compute::InstanceRecord>();
template <>
inline constexpr std::string_view kRecordKind<compute::InstanceRecord> = "compute.instance";

template <>
inline constexpr std::string_view kTypeName<compute::RootLayers> = "RootLayers";
template <>
inline constexpr auto kFields<compute::RootLayers> = [](auto...) {
  return Fields{F("layers", &compute::RootLayers::layers), F("whole", &compute::RootLayers::whole),
                F("base", &compute::RootLayers::base),
                F("container", &compute::RootLayers::container)};
};
template <>
inline constexpr std::string_view kTypeName<compute::DiskRecord> = "DiskRecord";
template <>
inline constexpr auto kFields<compute::DiskRecord> = [](auto...) {
  return Fields{F("project", &compute::DiskRecord::project),
                F("zone", &compute::DiskRecord::zone),
                F("resource", &compute::DiskRecord::resource),
                F("root", &compute::DiskRecord::root),
                F("creator", &compute::DiskRecord::creator),
                F("uncharged", &compute::DiskRecord::uncharged)};
};
template <>
inline constexpr std::string_view kRecordKind<compute::DiskRecord> = "compute.disk";

template <>
inline constexpr std::string_view kTypeName<compute::ImageRecord> = "ImageRecord";
template <>
inline constexpr auto kFields<compute::ImageRecord> = [](auto...) {
  return Fields{F("project", &compute::ImageRecord::project),
                F("resource", &compute::ImageRecord::resource),
                F("root", &compute::ImageRecord::root), F("force", &compute::ImageRecord::force),
                F("backoff", &compute::ImageRecord::backoff)};
};
extern template const Type& TypeOf<compute::ImageRecord>();
template <>
inline constexpr std::string_view kRecordKind<compute::ImageRecord> = "compute.image";

template <>
inline constexpr std::string_view kTypeName<compute::ProjectRecord> = "ProjectRecord";
template <>
inline constexpr auto kFields<compute::ProjectRecord> = [](auto...) {
  return Fields{F("project", &compute::ProjectRecord::project),
                F("metadata", &compute::ProjectRecord::metadata)};
};
template <>
inline constexpr std::string_view kRecordKind<compute::ProjectRecord> = "compute.project";
}  // namespace fireweed
