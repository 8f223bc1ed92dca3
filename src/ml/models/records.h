// What models keep in the catalog. Keys: "PROJECT/MODEL" and "PROJECT/MODEL/VERSION".
#pragma once

#include <optional>
#include <string>

#include "api/ml/model.h"
#include "base/clock.h"
#include "catalog/record.h"
#include "control/backoff.h"

namespace fireweed::ml {

struct ModelRecord {
  std::string project, name;
  api::ml::Model resource;
  std::string default_version;  // its short name; empty: none
  Time created{};
  int64_t generation = 1;  // of what clients may set: the etag

  Key key() const { return project + "/" + name; }
  std::string resource_name() const { return "projects/" + project + "/models/" + name; }
};

// A version is served by one process at a time: a machine of the driver, booted again whenever it ended or was parked.
struct VersionRecord {
  std::string project, model, name;
  std::string uid;  // never used twice: names the machine and the directory of the files
  api::ml::Version resource;
  int64_t generation = 1;  // grows with what is wanted; operations wait for it
  int64_t reached = 0;     // the newest generation that was served
  bool deleting = false;
  std::optional<Time> delete_since;

  int64_t boot = 0;    // of the machine; 0: never booted
  std::string handle;  // of the machine of that boot; empty: it does not run, as far as is known
  bool wanted =
      false;  // the machine of this boot is to run; false: it is to be stopped, or nothing runs
  Backoff backoff;  // after starts that failed and ends that nobody asked for

  Key key() const { return project + "/" + model + "/" + name; }
  Key model_key() const { return project + "/" + model; }
  std::string machine_id() const { return "serve-" + uid; }
  std::string resource_name() const {
    return "projects/" + project + "/models/" + model + "/versions/" + name;
  }
};

}  // namespace fireweed::ml

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<ml::ModelRecord> = "ModelRecord";
template <>
inline constexpr auto kFields<ml::ModelRecord> = [](auto...) {
  return Fields{F("project", &ml::ModelRecord::project),
                F("name", &ml::ModelRecord::name),
                F("resource", &ml::ModelRecord::resource),
                F("defaultVersion", &ml::ModelRecord::default_version),
                F("created", &ml::ModelRecord::created),
                F("generation", &ml::ModelRecord::generation)};
};
extern template const Type& TypeOf<ml::ModelRecord>();
template <>
inline constexpr std::string_view kRecordKind<ml::ModelRecord> = "ml.model";
template <>
inline constexpr std::string_view kTypeName<ml::VersionRecord> = "VersionRecord";
template <>
inline constexpr auto kFields<ml::VersionRecord> = [](auto...) {
  return Fields{F("project", &ml::VersionRecord::project),
                F("model", &ml::VersionRecord::model),
                F("name", &ml::VersionRecord::name),
                F("uid", &ml::VersionRecord::uid),
                F("resource", &ml::VersionRecord::resource),
                F("generation", &ml::VersionRecord::generation),
                F("reached", &ml::VersionRecord::reached),
                F("deleting", &ml::VersionRecord::deleting),
                F("deleteSince", &ml::VersionRecord::delete_since),
                F("boot", &ml::VersionRecord::boot),
                F("handle", &ml::VersionRecord::handle),
                F("wanted", &ml::VersionRecord::wanted),
                F("backoff", &ml::VersionRecord::backoff)};
};
extern template const Type& TypeOf<ml::VersionRecord>();
template <>
inline constexpr std::string_view kRecordKind<ml::VersionRecord> = "ml.version";
}  // namespace fireweed
