// What a new disk is: name, size, type and what it begins with, from what a client said. Used by inserts of disks and
// of instances alike.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/clock.h"
#include "catalog/catalog.h"
#include "compute/records.h"

namespace fireweed::compute {

struct DiskWish {
  std::string project, zone, name, description;
  std::string type;          // a reference; empty: pd-standard
  std::string source_image;  // a reference; empty: a blank disk
  std::optional<int64_t> size_gb;
  std::map<std::string, std::string> labels;
};

// Throws Failure: kNotFound for images and types that are not there, kExists for the name, kInvalid for a size the
// image does not fit in.
DiskRecord MakeDisk(Txn& txn, const DiskWish& wish, int64_t id, Time now);

// A disk by a reference in any form; a reference without zone is in `zone`. kNotFound.
DiskRecord FindDisk(Txn& txn, const std::string& project, const std::string& zone,
                    std::string_view reference);

// The instance that has it and is not stopped; nullopt when nobody is writing on it.
std::optional<std::string> RunningUser(Txn& txn, const DiskRecord& disk);

}  // namespace fireweed::compute
