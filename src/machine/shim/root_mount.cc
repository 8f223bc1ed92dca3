#include "machine/shim/root_mount.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "machine/shim/complain.h"
#include "machine/shim/machine_view.h"

namespace fireweed {
namespace {

constexpr int kIdsPerMachine = 65536;
constexpr const char* kUnified = "/sys/fs/cgroup/unified";

// A user namespace that maps ids 0.. on disk to id_base.. on the host, held by a descriptor only. Host root itself,
// in whose name the overlay makes its bookkeeping files, gets the first id past a machine's range.
int ShiftingNamespace(int64_t id_base) {
  int ready[2];
  if (pipe2(ready, O_CLOEXEC) != 0) Fail("pipe");
  pid_t holder = fork();
  if (holder == 0) {
    char done = unshare(CLONE_NEWUSER) == 0 ? 'y' : 'n';
    if (write(ready[1], &done, 1) == 1) pause();
    _exit(0);
  }
  char done = 'n';
  if (holder < 0 || read(ready[0], &done, 1) != 1 || done != 'y') Fail("making a user namespace");
  close(ready[0]);
  close(ready[1]);
  std::string map = "0 " + std::to_string(id_base) + " " + std::to_string(kIdsPerMachine) + "\n" +
                    std::to_string(kIdsPerMachine) + " 0 1\n";
  std::string proc = "/proc/" + std::to_string(holder);
  for (const char* kind : {"/uid_map", "/gid_map"}) {
    int fd = open((proc + kind).c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, map.data(), map.size()) < 0) Fail("mapping ids");
    close(fd);
  }
  int fd = open((proc + "/ns/user").c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) Fail("opening a user namespace");
  kill(holder, SIGKILL);
  waitpid(holder, nullptr, 0);
  return fd;
}

struct MountLook {
  int shift = -1;  // a user namespace, or none
  uint64_t flags = 0;
};

// A private copy of the mount at `path`, shifted; -1 where that file system cannot be.
int CopyMount(const char* path, const MountLook& look) {
  int tree =
      static_cast<int>(syscall(SYS_open_tree, AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
  if (tree < 0) return -1;
  mount_attr attributes{};
  attributes.attr_set = look.flags | (look.shift >= 0 ? MOUNT_ATTR_IDMAP : 0);
  attributes.userns_fd = look.shift >= 0 ? static_cast<uint64_t>(look.shift) : 0;
  if (syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &attributes, sizeof attributes) != 0) {
    int why = errno;
    close(tree);
    errno = why;
    return -1;
  }
  return tree;
}

void AttachTree(int tree, int target) {
  if (syscall(SYS_move_mount, tree, "", target, "",
              MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) != 0) {
    Fail("attaching a mount");
  }
  close(tree);
}

std::string FdPath(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

// A mount point `name` under the present directory with a shifted copy of the mount at `from`.
void Stage(const std::string& from, const std::string& name, int shift) {
  int tree = CopyMount(from.c_str(), {.shift = shift});
  if (tree < 0) Fail("shifting ids of " + from);
  if (mkdir(name.c_str(), 0700) != 0) Fail("making a mount point");
  int target = open(name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (target < 0) Fail("opening a mount point");
  AttachTree(tree, target);
  close(target);
}

class InsideRoot {
 public:
  InsideRoot(int root, int64_t id_base) : root_(root), owner_(static_cast<uid_t>(id_base)) {}

  // Opens something inside with O_PATH; -1 when it is not there.
  int Open(const std::string& path, int flags) const {
    open_how how{};
    how.flags = static_cast<uint64_t>(flags | O_PATH | O_CLOEXEC);
    how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
    return static_cast<int>(syscall(SYS_openat2, root_, path.c_str(), &how, sizeof how));
  }

  // Opens a directory, making what is missing of it, owned by root inside.
  int OpenDirectory(const std::string& path) const {
    int here = Open("/", O_DIRECTORY);
    for (size_t from = 0; here >= 0 && from < path.size();) {
      size_t to = std::min(path.find('/', from), path.size());
      std::string name = path.substr(from, to - from), so_far = path.substr(0, to);
      from = to + 1;
      if (name.empty()) continue;
      int next = Open(so_far, O_DIRECTORY);
      if (next < 0 && errno == ENOENT && mkdirat(here, name.c_str(), 0755) == 0) {
        Own(here, name, AT_SYMLINK_NOFOLLOW);
        next = Open(so_far, O_DIRECTORY);
      }
      close(here);
      here = next;
    }
    if (here < 0) Fail("opening " + path + " inside");
    return here;
  }

  // Opens the mount point for a bind, making a file or directory where there is nothing.
  int OpenTarget(const std::string& path, bool directory) const {
    if (directory) return OpenDirectory(path);
    int there = Open(path, 0);
    if (there >= 0) return there;
    ShimPlacement empty{.path = path, .mode = 0644};
    Place(empty, -1);
    there = Open(path, 0);
    if (there < 0) Fail("opening " + path + " inside");
    return there;
  }

  // Puts a file or link in place of whatever has its name; never writes through a link.
  void Place(const ShimPlacement& file, int contents) const {
    size_t slash = file.path.rfind('/');
    int parent = OpenDirectory(file.path.substr(0, slash));
    std::string name = file.path.substr(slash + 1), fresh = ".fireweed-" + name;
    unlinkat(parent, fresh.c_str(), 0);
    if (!file.link_target.empty()) {
      if (symlinkat(file.link_target.c_str(), parent, fresh.c_str()) != 0) Fail("linking " + name);
      Own(parent, fresh, AT_SYMLINK_NOFOLLOW);
    } else {
      WriteFresh(parent, fresh, file.mode, contents);
    }
    if (renameat(parent, fresh.c_str(), parent, name.c_str()) != 0) Fail("placing " + file.path);
    close(parent);
  }

 private:
  void Own(int parent, const std::string& name, int flags) const {
    if (fchownat(parent, name.c_str(), owner_, owner_, flags) != 0) Fail("owning " + name);
  }

  void WriteFresh(int parent, const std::string& name, uint32_t mode, int contents) const {
    int fd =
        openat(parent, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) Fail("making " + name);
    char buffer[65536];
    ssize_t n = 0;
    while (contents >= 0 && (n = read(contents, buffer, sizeof buffer)) > 0) {
      if (write(fd, buffer, static_cast<size_t>(n)) != n) Fail("writing " + name);
    }
    if (n < 0 || fchown(fd, owner_, owner_) != 0 || fchmod(fd, mode) != 0 || close(fd) != 0) {
      Fail("writing " + name);
    }
  }

  int root_;
  uid_t owner_;
};

void EnterStage(const ShimOrder& order) {
  if (mount("fireweed-stage", order.stage.c_str(), "tmpfs", MS_NOSUID | MS_NODEV,
            "size=256k,mode=0711") != 0 ||
      chdir(order.stage.c_str()) != 0) {
    Fail("mounting " + order.stage);
  }
}

struct OverlayParts {
  const std::vector<std::string>& layers;  // uppermost first
  const std::string& disk;                 // holds upper/ and work/
  std::string prefix;                      // of names in the stage
  std::string source;                      // what the table of mounts calls it
  bool read_only = false;
};

// An overlay at `name` in the stage. Short relative names: its options have to fit a page and give meaning to ':'
// and ','.
void MountOverlay(const OverlayParts& parts, const std::string& name, int shift) {
  std::string lower;
  for (const std::string& layer : parts.layers) {
    std::string staged = parts.prefix + std::to_string(&layer - parts.layers.data());
    Stage(layer, staged, shift);
    lower += (lower.empty() ? "" : ":") + staged;
  }
  std::string disk = parts.prefix + "disk";
  Stage(parts.disk, disk, shift);
  // Two mounts that could write on one disk must not be; any number may have it as their uppermost layer.
  std::string options = parts.read_only ? "lowerdir=" + disk + "/upper:" + lower
                                        : "lowerdir=" + lower + ",upperdir=" + disk +
                                              "/upper,workdir=" + disk + "/work";
  if (mkdir(name.c_str(), 0755) != 0 ||
      mount(parts.source.c_str(), name.c_str(), "overlay", 0, options.c_str()) != 0) {
    Fail("mounting " + name + " (" + options + ")");
  }
}

void MountSystem(const InsideRoot& inside) {
  int target = inside.OpenDirectory("/sys");
  // Mounted here and not by the runtime: in a user namespace that does not own its network it may not be.
  if (mount("sysfs", FdPath(target).c_str(), "sysfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC,
            nullptr) != 0) {
    Fail("mounting sysfs");
  }
  close(target);
}

// Nodes that root inside owns: those of the host may be closed to it, and belong to nobody it knows. Whoever is in the
// machine may use what was lent to the machine.
void StageDevices(const ShimOrder& order) {
  if (order.devices.empty()) return;
  // The stage itself has no devices.
  if (mkdir("devices", 0711) != 0 || mount("fireweed-devices", "devices", "tmpfs",
                                           MS_NOSUID | MS_NOEXEC, "size=64k,mode=0711") != 0) {
    Fail("mounting a place for devices");
  }
  auto owner = static_cast<uid_t>(order.id_base);
  for (size_t i = 0; i < order.devices.size(); ++i) {
    std::string name = "devices/" + std::to_string(i);
    struct stat node {};
    if (stat(order.devices[i].c_str(), &node) != 0 || !S_ISCHR(node.st_mode) ||
        mknod(name.c_str(), S_IFCHR | 0600, node.st_rdev) != 0 ||
        chown(name.c_str(), owner, owner) != 0 || chmod(name.c_str(), 0666) != 0) {
      Fail("lending " + order.devices[i]);
    }
  }
}

void MountScratch(const InsideRoot& inside, const ShimOrder& order) {
  if (order.scratch.empty()) return;
  int target = inside.OpenDirectory(order.scratch);
  std::string id = std::to_string(order.id_base);
  std::string options = "size=1m,mode=0755,uid=" + id + ",gid=" + id;
  if (mount("fireweed-scratch", FdPath(target).c_str(), "tmpfs", MS_NOSUID | MS_NODEV,
            options.c_str()) != 0) {
    Fail("mounting " + order.scratch);
  }
  close(target);
}

void BindInto(const InsideRoot& inside, const std::string& from, const std::string& to, int shift) {
  constexpr uint64_t kFlags = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  struct stat outside {};
  if (stat(from.c_str(), &outside) != 0) Fail("binding " + from);
  int tree = CopyMount(from.c_str(), {.shift = shift, .flags = kFlags});
  // A file system that cannot shift ids shows its files as nobody's; what is readable by all still is.
  if (tree < 0) tree = CopyMount(from.c_str(), {.flags = kFlags});
  if (tree < 0) Fail("binding " + from);
  int target = inside.OpenTarget(to, S_ISDIR(outside.st_mode));
  AttachTree(tree, target);
  close(target);
}

}  // namespace

void EnterPrivateMounts() {
  if (unshare(CLONE_NEWNS) != 0) Fail("making a mount namespace");
  // Slave, not private: what the host unmounts must not stay busy here.
  if (mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) Fail("leaving shared mounts");
  struct statfs unified {};
  if (statfs(kUnified, &unified) == 0 && unified.f_type == CGROUP2_SUPER_MAGIC) {
    umount2(kUnified, MNT_DETACH);
  }
}

void MountRoot(const ShimOrder& order) {
  int before = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  int shift = order.id_base > 0 ? ShiftingNamespace(order.id_base) : -1;
  EnterStage(order);
  MountOverlay({order.layers, order.disk, "", "fireweed"}, "root", shift);
  int root = open("root", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root < 0) Fail("opening the root");
  InsideRoot inside(root, order.id_base);
  MountSystem(inside);
  StageDevices(order);
  StageView(order);
  MountScratch(inside, order);
  for (const auto& [outside, target] : order.binds) BindInto(inside, outside, target, shift);
  for (const ShimPlacement& file : order.files) {
    int contents = file.source.empty() ? -1 : open(file.source.c_str(), O_RDONLY | O_CLOEXEC);
    if (contents < 0 && !file.source.empty()) Fail("reading " + file.source);
    inside.Place(file, contents);
    if (contents >= 0) close(contents);
  }
  close(root);
  if (fchdir(before) != 0) Fail("leaving the stage");
  close(before);
}

std::string VolumeSource(const ShimVolume& volume) {
  return "fireweed-" + volume.directory.substr(volume.directory.rfind('/') + 1);
}

int StageVolume(const ShimOrder& order, const ShimVolume& volume) {
  int shift = order.id_base > 0 ? ShiftingNamespace(order.id_base) : -1;
  MountLook look{.flags = MOUNT_ATTR_NODEV};
  if (volume.read_only) look.flags |= MOUNT_ATTR_RDONLY;
  std::string from = volume.directory + "/upper";
  if (volume.layers.empty()) {
    look.shift = shift;
  } else {
    EnterStage(order);
    MountOverlay({volume.layers, volume.directory, "v-", VolumeSource(volume), volume.read_only},
                 "v", shift);
    from = "v";
  }
  int tree = CopyMount(from.c_str(), look);
  if (tree < 0) Fail("mounting " + volume.directory);
  return tree;
}

void AttachVolume(const ShimOrder& order, const ShimVolume& volume, int tree) {
  int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root < 0) Fail("opening the root");
  int target = InsideRoot(root, order.id_base).OpenDirectory(volume.inside);
  AttachTree(tree, target);
  close(target);
  close(root);
}

bool CanShiftIds(const char* directory) {
  constexpr int64_t kAnyBase = 1 << 20;
  int tree = CopyMount(directory, {.shift = ShiftingNamespace(kAnyBase)});
  return tree >= 0;
}

}  // namespace fireweed
