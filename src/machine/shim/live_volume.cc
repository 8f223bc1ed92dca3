#include "machine/shim/live_volume.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
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

// One line of a mountinfo file.
struct MountLine {
  std::string number;
  std::string device;  // of the file system
  std::string root;    // which directory of it is mounted
  std::string place;   // where
  std::string type;
  std::string source;
};

std::vector<MountLine> MountsOf(const std::string& mountinfo) {
  std::vector<MountLine> mounts;
  std::istringstream lines(ReadSmallFile(mountinfo.c_str()));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    MountLine mount;
    std::string parent, word;
    words >> mount.number >> parent >> mount.device >> mount.root >> mount.place;
    while (words >> word && word != "-") {
    }
    words >> mount.type >> mount.source;
    mount.root = Unescaped(mount.root);
    mount.place = Unescaped(mount.place);
    mounts.push_back(std::move(mount));
  }
  return mounts;
}

// The number of the mount that a path leads to; empty when the path leads nowhere.
std::string MountNumber(const std::string& path) {
  int fd = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (fd < 0) return "";
  std::istringstream words(ReadSmallFile(("/proc/self/fdinfo/" + std::to_string(fd)).c_str()));
  close(fd);
  std::string word;
  while (words >> word && word != "mnt_id:") {
  }
  words >> word;
  return word;
}

// How a bind of the directory looks in any mount namespace, wherever its file system is mounted here: as the device and
// the directory's path on it. Nothing when the directory is not there.
std::optional<MountLine> BindOf(const std::string& named) {
  std::error_code absent;
  std::string directory = std::filesystem::canonical(named, absent);  // mounts know no links
  std::string number = MountNumber(directory);
  for (MountLine& mount : MountsOf("/proc/self/mountinfo")) {
    if (number.empty() || mount.number != number) continue;
    std::string below = directory.substr(mount.place == "/" ? 0 : mount.place.size());
    mount.root = mount.root == "/" ? below : mount.root + below;
    return mount;
  }
  return std::nullopt;
}

// Where a process sees the volume, the latest mount first. Known by what is mounted, wherever the guest has moved the
// mount point.
std::vector<std::string> PlacesOf(pid_t pid, const ShimVolume& volume) {
  std::vector<std::string> places;
  std::optional<MountLine> own = BindOf(volume.directory + "/upper");
  std::string name = VolumeSource(volume);
  for (const MountLine& mount : MountsOf(ProcFile(pid, "mountinfo"))) {
    bool bound = own && mount.device == own->device && mount.root == own->root;
    bool layered = mount.type == "overlay" && mount.source == name;
    if (bound || layered) places.insert(places.begin(), mount.place);
  }
  return places;
}

// The mounts and the root directory of a machine.
struct MachineView {
  int mounts;
  int root;
};

MachineView Open(pid_t pid) {
  MachineView view{open(ProcFile(pid, "ns/mnt").c_str(), O_RDONLY | O_CLOEXEC),
                   open(ProcFile(pid, "root").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  if (view.mounts < 0 || view.root < 0) Fail("opening the machine's mounts");
  return view;
}

// The root of the mounts need not be the machine's: it is not where the daemon itself runs in a chroot.
void Enter(const MachineView& view) {
  if (setns(view.mounts, CLONE_NEWNS) != 0) Fail("entering the machine's mounts");
  if (fchdir(view.root) != 0 || chroot(".") != 0) Fail("entering the machine's root");
  close(view.mounts);
  close(view.root);
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
  MachineView machine = Open(first_process);
  EnterPrivateMounts();
  int tree = StageVolume(order, volume);
  Enter(machine);
  AttachVolume(order, volume, tree);
}

void UnmountVolumeIn(pid_t first_process, const ShimVolume& volume) {
  std::vector<std::string> places = PlacesOf(first_process, volume);
  Enter(Open(first_process));
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
