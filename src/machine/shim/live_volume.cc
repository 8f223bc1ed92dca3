#include "machine/shim/live_volume.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <sstream>
#include <string>
#include <vector>

#include "machine/shim/complain.h"
#include "machine/shim/root_mount.h"
#include "machine/shim/small_file.h"

namespace fireweed {
namespace {

std::string ProcFile(pid_t pid, const char* name) {
  return "/proc/" + std::to_string(pid) + "/" + name;
}

// Blanks in names are written as in C: "\040".
std::string Unescaped(const std::string& word) {
  std::string text;
  for (size_t i = 0; i < word.size(); ++i) {
    bool code = word[i] == '\\' && i + 3 < word.size();
    text += code ? static_cast<char>(std::stoi(word.substr(i + 1, 3), nullptr, 8)) : word[i];
    if (code) i += 3;
  }
  return text;
}

// Where a process sees the volume, the latest mount first. Known by what is mounted, wherever the guest has moved the
// mount point.
std::vector<std::string> PlacesOf(pid_t pid, const ShimVolume& volume) {
  std::vector<std::string> places;
  std::istringstream lines(ReadSmallFile(ProcFile(pid, "mountinfo").c_str()));
  std::string upper = volume.directory + "/upper", name = VolumeSource(volume);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string number, parent, device, root, place, word, type, source;
    words >> number >> parent >> device >> root >> place;
    while (words >> word && word != "-") {
    }
    words >> type >> source;
    // The file system's own path of a bind: the end of the path, from where that file system is mounted.
    bool bound = root.size() > 1 && root.ends_with("/upper") && upper.ends_with(Unescaped(root));
    bool layered = type == "overlay" && source == name;
    if (bound || layered) places.insert(places.begin(), Unescaped(place));
  }
  return places;
}

int OpenMounts(pid_t pid) {
  int mounts = open(ProcFile(pid, "ns/mnt").c_str(), O_RDONLY | O_CLOEXEC);
  if (mounts < 0) Fail("opening the machine's mounts");
  return mounts;
}

void EnterMounts(int mounts) {
  if (setns(mounts, CLONE_NEWNS) != 0) Fail("entering the machine's mounts");
  close(mounts);
}

// The process that keeps the machine in the present directory; 0: none does.
pid_t Keeper() {
  int fd = open("lock", O_RDWR | O_CLOEXEC);
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  bool held = fd >= 0 && fcntl(fd, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
  if (fd >= 0) close(fd);
  return held ? whole.l_pid : 0;
}

// Process 1 of the machine in the present directory. Its number is its own as long as its keeper is its parent.
pid_t FirstProcess() {
  pid_t keeper = Keeper();
  std::optional<int64_t> first = NumberAfter(ReadSmallFile("running"), "pid");
  if (keeper == 0 || !first) return 0;
  std::istringstream status(ReadSmallFile(ProcFile(static_cast<pid_t>(*first), "status").c_str()));
  for (std::string line; std::getline(status, line);) {
    if (line == "PPid:\t" + std::to_string(keeper)) return static_cast<pid_t>(*first);
  }
  return 0;
}

}  // namespace

void MountVolumeIn(pid_t first_process, const ShimOrder& order, const ShimVolume& volume) {
  if (!PlacesOf(first_process, volume).empty()) return;
  int mounts = OpenMounts(first_process);
  EnterPrivateMounts();
  int tree = StageVolume(order, volume);
  EnterMounts(mounts);
  AttachVolume(order, volume, tree);
}

void UnmountVolumeIn(pid_t first_process, const ShimVolume& volume) {
  std::vector<std::string> places = PlacesOf(first_process, volume);
  EnterMounts(OpenMounts(first_process));
  for (const std::string& place : places) {
    if (umount2(place.c_str(), UMOUNT_NOFOLLOW) == 0) continue;
    if (errno == EBUSY) _exit(kShimVolumeBusy);
    Fail("unmounting " + place);
  }
  // An empty mount point would look like an empty disk.
  rmdir(volume.inside.c_str());
}

int ChangeVolume(const char* directory, bool there) {
  if (chdir(directory) != 0) Fail(directory);
  std::optional<ShimOrder> order = ParseShimOrder(ReadSmallFile("change"));
  if (!order || order->volumes.size() != 1) FailSaying("no order that this shim understands");
  pid_t first = FirstProcess();
  if (first == 0) return kShimNotRunning;
  if (there) {
    MountVolumeIn(first, *order, order->volumes[0]);
  } else {
    UnmountVolumeIn(first, order->volumes[0]);
  }
  return 0;
}

}  // namespace fireweed
