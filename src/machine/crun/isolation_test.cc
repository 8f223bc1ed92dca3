// What a machine's root tries and must not manage. Each test is an attempt; a refusal is the only pass.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/process.h"
#include "machine/testing/container_test.h"

namespace fireweed {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using ::testing::AnyOf;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::Not;

class IsolationTest : public ContainerTest {
 protected:
  void SetUp() override {
    ContainerTest::SetUp();
    if (IsSkipped()) return;
    if (!driver_->capabilities().user_namespace) GTEST_SKIP() << "ids cannot be shifted here";
    machine_ = StartIdle("t1");
  }
  // The command must fail, and leave no trace of "inside!" in its output.
  void Refused(const std::string& command) {
    ShellResult result = Shell(machine_, command);
    EXPECT_NE(result.code, 0) << command << "\n" << result.output;
  }
  pid_t FirstProcess() const {
    std::string running = ReadFileText(settings_.state_directory + "/machines/t1/1/running");
    return static_cast<pid_t>(std::stol(running.substr(running.find(' ') + 1)));
  }

  MachineHandle machine_;
};

TEST_F(IsolationTest, HostFilesAreNotThere) {
  std::string marker = directory_.path() + "/marker";
  std::ofstream(marker) << "secret of the host\n";
  Refused("cat " + marker);
  Refused("cat /proc/1/root" + marker);
  Refused("cat /proc/self/cwd/../../../../../.." + marker);
  Refused("ls " + settings_.state_directory);
  EXPECT_THAT(Shell(machine_, "ls /").output, Not(HasSubstr("boot")));
  EXPECT_THAT(Shell(machine_, "cat /proc/self/mountinfo").output,
              Not(HasSubstr(settings_.daemon_id)));
}

TEST_F(IsolationTest, HostProcessesAreNotThere) {
  EXPECT_EQ(Shell(machine_, "ls -d /proc/[0-9]* | wc -l; true").code, 0);
  std::string processes = Shell(machine_, "ps -o pid,args").output;
  EXPECT_THAT(processes, Not(HasSubstr("machine_test")));
  EXPECT_THAT(processes, Not(HasSubstr("fireweed-shim keep")));
  Refused("kill -0 " + std::to_string(getpid()));
  Refused("ls /proc/" + std::to_string(getpid()) + "/root");
}

TEST_F(IsolationTest, OtherMachinesAreNotThere) {
  MachineHandle other = StartIdle("t2");
  ASSERT_EQ(Shell(other, "echo word of the other > /var/word; sleep 4242 > /dev/null 2>&1 &").code,
            0);
  Refused("cat /var/word");
  EXPECT_THAT(Shell(machine_, "ps -o args").output, Not(HasSubstr("4242")));
  Refused("find / -name word -path '*var*' 2>/dev/null | grep .");
  // Shared memory and names of sockets are their own, too.
  ASSERT_EQ(Shell(other, "echo x > /dev/shm/word").code, 0);
  Refused("ls /dev/shm/word");
}

TEST_F(IsolationTest, RootInsideIsNobodyOutside) {
  struct stat process {};
  ASSERT_EQ(stat(("/proc/" + std::to_string(FirstProcess())).c_str(), &process), 0);
  EXPECT_GE(process.st_uid, 65536u);
  MachineHandle other = StartIdle("t2");
  EXPECT_NE(Shell(machine_, "cat /proc/self/uid_map").output,
            Shell(other, "cat /proc/self/uid_map").output);
}

TEST_F(IsolationTest, CapabilitiesAreFew) {
  std::string status = Shell(machine_, "cat /proc/1/status").output;
  uint64_t held = std::stoull(status.substr(status.find("CapBnd:") + 8), nullptr, 16);
  // NET_ADMIN, SYS_MODULE, SYS_RAWIO, SYS_ADMIN, SYS_TIME, MKNOD, LINUX_IMMUTABLE, SYS_RESOURCE, BPF, PERFMON
  for (int forbidden : {12, 16, 17, 21, 25, 27, 9, 24, 39, 38}) {
    EXPECT_FALSE(held >> forbidden & 1) << "capability " << forbidden;
  }
  EXPECT_THAT(status, HasSubstr("Seccomp:\t2"));
}

TEST_F(IsolationTest, DeviceNodesCannotBeMadeAndOnlyTheUsualOnesAreThere) {
  Refused("mknod /var/disk b 254 0");
  Refused("mknod /var/memory c 1 1");
  Refused("mknod /dev/kmsg2 c 1 11");
  EXPECT_EQ(Shell(machine_, "find / -xdev -type b 2>/dev/null; find /dev -type b").output, "");
  EXPECT_EQ(Shell(machine_, "cd /dev && find . -maxdepth 1 -type c | sort | tr '\\n' ' '").output,
            "./full ./null ./random ./tty ./urandom ./zero ");
  EXPECT_EQ(Shell(machine_, "echo x > /dev/null && head -c 4 /dev/zero | wc -c").output, "4\n");
}

TEST_F(IsolationTest, MountsCannotBeChanged) {
  Refused("mount -t tmpfs none /mnt");
  Refused("mount -t proc proc /tmp");
  Refused("mount -o remount,rw /sys");
  Refused("mount -o remount,rw /proc/sys");
  Refused("mount -o bind / /tmp");
  Refused("umount /proc");
  Refused("umount -l /sys");
  Refused("umount /usr/lib/fireweed/init");
  Refused("unshare -m true");
  Refused("unshare -U true");
  Refused("unshare -Urm mount -t tmpfs none /tmp");
  Refused("nsenter -t 1 -n true");
}

TEST_F(IsolationTest, TheKernelCannotBeSet) {
  Refused("echo 1 > /proc/sys/kernel/sysrq");
  Refused("echo b > /proc/sysrq-trigger");
  Refused("echo 0 > /proc/sys/kernel/randomize_va_space");
  Refused("echo '|/bin/sh' > /proc/sys/kernel/core_pattern");
  Refused("echo 1 > /sys/class/net/lo/mtu");
  Refused("insmod /etc/group");
  Refused("date -s 2001-01-01; [ $(date +%Y) = 2001 ]");
  Refused("dmesg -c");
  Refused("head -c1 /proc/kcore");
  Refused("ls /sys/kernel/debug/*");
  Refused("swapon /etc/group");
  Refused("echo -1000 > /proc/1/oom_score_adj");
  Refused("hwclock -w");
}

TEST_F(IsolationTest, AddressesCannotBeForged) {
  Refused("ip addr add 10.99.0.1/24 dev eth0");
  Refused("ip link set eth0 down");
  Refused("ip route add 10.99.0.0/24 dev eth0");
  Refused("ip link add spy type dummy");
  Refused("arping -c1 -I eth0 10.128.0.1");  // needs a raw socket
}

TEST_F(IsolationTest, TheHostsServicesAreOutOfReach) {
  UniqueFd service(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in any{.sin_family = AF_INET};
  socklen_t size = sizeof any;
  ASSERT_EQ(bind(service.get(), reinterpret_cast<sockaddr*>(&any), sizeof any), 0);
  ASSERT_EQ(listen(service.get(), 8), 0);
  ASSERT_EQ(getsockname(service.get(), reinterpret_cast<sockaddr*>(&any), &size), 0);
  std::string gateway = Shell(machine_, "ip route | awk '/default/{printf $3}'").output;
  std::vector<std::string> addresses{gateway, "127.0.0.1", "169.254.169.253", "169.254.169.254"};
  // And by the host's own address in the outside world, where it has one.
  std::string outside =
      RunProgram({.argv = {"ip", "-4", "-o", "route", "get", "192.0.2.1"}}, seconds(60))
          .value()
          .output;
  if (size_t at = outside.find("src "); at != std::string::npos) {
    addresses.push_back(outside.substr(at + 4, outside.find(' ', at + 4) - at - 4));
  }
  for (const std::string& address : addresses) {
    ShellResult tried = Shell(machine_, "timeout 5 nc -w 2 " + address + " " +
                                            std::to_string(ntohs(any.sin_port)) + " < /dev/null");
    EXPECT_NE(tried.code, 0) << address;
    EXPECT_LT(accept(service.get(), nullptr, nullptr), 0) << address << " was reached";
  }
}

TEST_F(IsolationTest, AMemoryBombKillsOnlyItself) {
  if (!driver_->capabilities().limits) GTEST_SKIP() << "the host has no controllers for limits";
  MachineSpec spec{.limits = {.memory_bytes = 64 << 20}};
  MachineHandle small = StartIdle("t2", spec);
  EXPECT_NE(Shell(small, "tail -c 500000000 /dev/zero").code, 0);
  EXPECT_EQ(Shell(small, "echo alive").output, "alive\n");
  EXPECT_EQ(Shell(machine_, "echo alive").output, "alive\n");
  ASSERT_TRUE(driver_->Stop(small, seconds(0)).ok());
  EXPECT_TRUE(AwaitExit("t2", small).out_of_memory);
}

TEST_F(IsolationTest, AForkBombStaysInItsMachine) {
  if (!driver_->capabilities().limits) GTEST_SKIP() << "the host has no controllers for limits";
  MachineSpec spec{.limits = {.pids = 40}};
  MachineHandle small = StartIdle("t2", spec);
  ShellResult bomb =
      Shell(small, "for i in $(seq 100); do sleep 100 > /dev/null 2>&1 & done; echo done");
  EXPECT_THAT(bomb.output, AnyOf(HasSubstr("fork"), HasSubstr("temporarily unavailable")));
  EXPECT_EQ(Shell(machine_, "echo alive").output, "alive\n");
}

TEST_F(IsolationTest, CpuIsLimited) {
  if (!driver_->capabilities().limits) GTEST_SKIP() << "the host has no controllers for limits";
  MachineSpec spec{.limits = {.cpus = 0.25}};
  MachineHandle small = StartIdle("t2", spec);
  std::string quota =
      ReadFileText("/sys/fs/cgroup/cpu/fireweed-" + settings_.daemon_id + "/t2/cpu.cfs_quota_us");
  std::string unified =
      ReadFileText("/sys/fs/cgroup/fireweed-" + settings_.daemon_id + "/t2/cpu.max");
  EXPECT_THAT(quota + unified, AnyOf(Eq("25000\n"), Eq("25000 100000\n")));
}

// A guest owns its disk. What the host places there at the next boot must not follow the guest's links out.
TEST_F(IsolationTest, LinksOnTheDiskDoNotLeadTheHostAstray) {
  std::string outside = directory_.path() + "/outside";
  fs::create_directories(outside);
  MachineSpec spec{.files = {{.path = "/srv/conf/motd", .contents = "placed"}}};
  MachineHandle first = StartIdle("t2", spec);
  ASSERT_EQ(Shell(first, "rm -rf /srv/conf && ln -s ../../../../../../.." + outside +
                             " /srv/conf && rm /etc/hosts && "
                             "ln -s " +
                             outside + "/hosts /etc/hosts && rm /etc/hostname && mkdir -p " +
                             outside + " && rm -r /sys2 2>/dev/null; true")
                .code,
            0);
  ASSERT_TRUE(driver_->Stop(first, seconds(0)).ok());
  AwaitExit("t2", first);
  spec.boot = 2;
  MachineHandle second = StartIdle("t2", spec);
  EXPECT_TRUE(fs::is_empty(outside));
  EXPECT_EQ(Shell(second, "cat /srv/conf/motd").output,
            "placed");  // by the guest's own idea of the path
  EXPECT_THAT(Shell(second, "cat /etc/hosts").output, HasSubstr("localhost"));
}

TEST_F(IsolationTest, ImagesAreSharedReadOnly) {
  ASSERT_EQ(Shell(machine_, "echo changed > /etc/group; rm /etc/secret").code, 0);
  EXPECT_THAT(ReadFileText(root_ + "/etc/group"), HasSubstr("root:x:0:"));
  EXPECT_TRUE(fs::exists(root_ + "/etc/secret"));
  EXPECT_THAT(Shell(StartIdle("t2"), "cat /etc/group").output, HasSubstr("root:x:0:"));
}

TEST_F(IsolationTest, SetuidOnTheDiskIsHarmlessOutside) {
  ASSERT_EQ(Shell(machine_, "cp /bin/busybox /var/su && chmod 4755 /var/su").code, 0);
  // Nobody but the daemon's user gets through to the disk.
  struct stat state {};
  ASSERT_EQ(stat((settings_.state_directory + "/machines").c_str(), &state), 0);
  EXPECT_EQ(state.st_mode & 0077, 0u);
}

}  // namespace
}  // namespace fireweed
