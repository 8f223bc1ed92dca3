// Small text files of a machine's directory, read and replaced whole. They live and die with the host's uptime, except
// where the shim syncs one (`exit`).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace fireweed {

std::optional<std::string> ReadStateFile(const std::string& path);            // nullopt: not there
Result<> WriteStateFile(const std::string& path, std::string_view contents);  // aside, then renamed
std::optional<Time> ModifiedTime(const std::string& path);
Result<> MakeStateDirectory(const std::string& path, unsigned mode = 0700);  // with its parents
Result<> RemoveTree(const std::string& path);  // gone already is success; follows no link

// The process that holds the lock on `path`, as fcntl(2) tells it; nullopt when nobody does.
std::optional<int> LockHolder(const std::string& path);

}  // namespace fireweed
