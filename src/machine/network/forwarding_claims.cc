#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/unique_fd.h"
#include "machine/kept/state_file.h"
#include "machine/network/host_network.h"

namespace fireweed {
namespace {

namespace fs = std::filesystem;

// Not by renaming a fresh file, as state files are: the kernel's switches are written in place.
Result<> WriteSwitch(const std::string& path, const std::string& value) {
  UniqueFd fd(open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  if (!fd || write(fd.get(), value.data(), value.size()) < 0) return ErrnoError(errno, path);
  return Done{};
}

}  // namespace

Result<UniqueFd> TakeTurn(const std::string& shared_directory) {
  std::string path = shared_directory + "/lock";
  while (true) {
    if (Result<> made = MakeStateDirectory(shared_directory + "/forwarding"); !made.ok()) {
      return made.error();
    }
    UniqueFd lock(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!lock && errno == ENOENT) continue;  // the last one to leave has just cleared it away
    if (!lock || flock(lock.get(), LOCK_EX) != 0) return ErrnoError(errno, path);
    // The same may have happened while this side waited: then the lock is on a file nobody else will find.
    struct stat held {
    }, there{};
    if (fstat(lock.get(), &held) == 0 && stat(path.c_str(), &there) == 0 &&
        held.st_ino == there.st_ino) {
      return lock;
    }
  }
}

Result<> ForwardingClaims::Claim(const std::string& who) {
  Result<UniqueFd> turn = TakeTurn(directory_);
  if (!turn.ok()) return turn.error();
  std::string claims = directory_ + "/forwarding";
  std::optional<std::string> now = ReadStateFile(switch_);
  if (!now) return Error{Code::kUnavailable, "", "this kernel forwards no packets"};
  if (fs::is_empty(claims)) {
    if (Result<> noted = WriteStateFile(directory_ + "/forwarding-before", *now); !noted.ok()) {
      return noted;
    }
  }
  if (Result<> claimed = WriteStateFile(claims + "/" + who, ""); !claimed.ok()) return claimed;
  return now->starts_with('1') ? Result<>(Done{}) : WriteSwitch(switch_, "1");
}

Result<> ForwardingClaims::Release(const std::string& who) {
  std::error_code failed;
  if (!fs::exists(directory_ + "/forwarding/" + who, failed)) return Done{};
  Result<UniqueFd> turn = TakeTurn(directory_);
  if (!turn.ok()) return turn.error();
  fs::remove(directory_ + "/forwarding/" + who, failed);
  if (!fs::is_empty(directory_ + "/forwarding")) return Done{};
  std::optional<std::string> before = ReadStateFile(directory_ + "/forwarding-before");
  Result<> restored = before ? WriteSwitch(switch_, *before) : Result<>(Done{});
  // Leaves nothing behind; another daemon that waits for its turn makes the directory again.
  return restored.ok() ? RemoveTree(directory_) : restored;
}

}  // namespace fireweed
