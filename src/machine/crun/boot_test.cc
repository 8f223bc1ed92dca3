// Machines with fireweed-init as process 1: scripts, going down, coming back, and what lies on their disks.
#include <sys/mount.h>
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
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

using BootTest = ContainerTest;

TEST_F(BootTest, RunsTheStartupScriptAsRootAndSaysSo) {
  StartInit("t1", {{"startup-script",
                    "# no first line for the kernel\necho word $(id -u) $(hostname)\n"}});
  ASSERT_TRUE(AwaitText(ConsolePath("t1"), "Finished running startup scripts."));
  EXPECT_THAT(Console("t1"), HasSubstr("startup-script: word 0 t1\n"));
  EXPECT_THAT(Console("t1"), HasSubstr("startup-script exit status 0\n"));
}

TEST_F(BootTest, HonoursTheFirstLineAndReportsFailure) {
  StartInit("t1", {{"startup-script", "#!/bin/awk -f\nBEGIN { print \"from awk\"; exit 3 }\n"}});
  ASSERT_TRUE(AwaitText(ConsolePath("t1"), "Finished running startup scripts."));
  EXPECT_THAT(Console("t1"), HasSubstr("startup-script: from awk\n"));
  EXPECT_THAT(Console("t1"), HasSubstr("startup-script exit status 3\n"));
}

TEST_F(BootTest, WhatAScriptLeavesRunningStaysAndMayPrint) {
  MachineHandle handle = StartInit(
      "t1", {{"startup-script",
              "(while [ ! -e /var/go ]; do sleep 0.01; done; echo later; exec sleep 1000) &\n"}});
  ASSERT_TRUE(AwaitText(ConsolePath("t1"), "startup-script exit status 0"));
  EXPECT_EQ(Shell(handle, "touch /var/go").code, 0);
  ASSERT_TRUE(AwaitText(ConsolePath("t1"), "startup-script: later"));
  EXPECT_EQ(driver_->Observe(handle).value().phase, MachinePhase::kRunning);
}

TEST_F(BootTest, ShutdownInsidePowersOff) {
  for (const char* how :
       {"shutdown -h now", "/sbin/poweroff", "/sbin/halt -p", "/sbin/shutdown -P now",
        "/usr/sbin/shutdown +0 bye all", "/sbin/poweroff -f", "busybox poweroff"}) {
    MachineHandle handle = StartInit("t1", {{"startup-script", how}});
    MachineExit exit = AwaitExit("t1", handle);
    EXPECT_EQ(exit.kind, ExitKind::kOff) << how << Console("t1");
    EXPECT_EQ(exit.asked_by, AskedBy::kInside) << how;
    ASSERT_TRUE(driver_->Remove(handle).ok());
  }
}

TEST_F(BootTest, RebootInsideAsksToBeBootedAgain) {
  for (const char* how : {"/sbin/reboot", "shutdown -r now", "/sbin/reboot -f"}) {
    MachineHandle handle = StartInit("t1", {{"startup-script", how}});
    EXPECT_EQ(AwaitExit("t1", handle).kind, ExitKind::kReboot) << how << Console("t1");
    ASSERT_TRUE(driver_->Remove(handle).ok());
  }
}

TEST_F(BootTest, OnlyRootShutsDown) {
  MachineHandle handle = StartInit("t1", {});
  EXPECT_THAT(Shell(handle, "su user -c 'shutdown -h now'").output, HasSubstr("must be root"));
  EXPECT_EQ(driver_->Observe(handle).value().phase, MachinePhase::kRunning);
}

TEST_F(BootTest, StopRunsTheShutdownScript) {
  MachineHandle handle = StartInit(
      "t1", {{"startup-script", "echo ready; sleep 1000"}, {"shutdown-script", "echo goodbye"}});
  ASSERT_TRUE(AwaitText(ConsolePath("t1"), "ready"));
  ASSERT_TRUE(driver_->Stop(handle, seconds(60)).ok());
  MachineExit exit = AwaitExit("t1", handle);
  EXPECT_EQ(exit.kind, ExitKind::kOff);
  EXPECT_EQ(exit.asked_by, AskedBy::kOutside);
  EXPECT_THAT(Console("t1"), HasSubstr("shutdown-script: goodbye\n"));
  EXPECT_THAT(Console("t1"), HasSubstr("shutdown-script exit status 0\n"));
}

TEST_F(BootTest, AShutdownScriptThatHangsIsCutOffByTheGrace) {
  MachineHandle handle = StartInit(
      "t1", {{"startup-script", "echo ready"}, {"shutdown-script", "echo slow; sleep 1000"}});
  ASSERT_TRUE(AwaitText(ConsolePath("t1"), "Finished"));
  ASSERT_TRUE(driver_->Stop(handle, milliseconds(500)).ok());
  EXPECT_EQ(AwaitExit("t1", handle).kind, ExitKind::kKilled);
  EXPECT_THAT(Console("t1"), HasSubstr("slow"));
}

// A trainer that saves its work on the notice says so last.
TEST_F(BootTest, WhatProgramsPrintOnTermIsOnTheConsole) {
  MachineHandle handle =
      StartInit("t1", {{"startup-script",
                        "trap 'seq 5000; echo CHECKPOINT 408; exit 0' TERM\n"
                        "echo ready; while :; do sleep 0.02; done\n"},
                       {"shutdown-script",
                        "(trap 'echo left behind; exit' TERM; echo waits; while :; do "
                        "sleep 0.02; done) & while [ ! -e /x ]; do touch /x; done\n"}});
  ASSERT_TRUE(AwaitText(ConsolePath("t1"), "startup-script: ready"));
  ASSERT_TRUE(driver_->Stop(handle, seconds(60)).ok());
  EXPECT_EQ(AwaitExit("t1", handle).kind, ExitKind::kOff);
  EXPECT_THAT(Console("t1"), HasSubstr("startup-script: 5000\n"));
  EXPECT_THAT(Console("t1"), HasSubstr("startup-script: CHECKPOINT 408\n"));
  EXPECT_THAT(Console("t1"), HasSubstr("shutdown-script: left behind\n"));
}

TEST_F(BootTest, WhatAScriptPrintsBeforePoweroffIsOnTheConsole) {
  for (const char* how : {"/sbin/poweroff", "/sbin/poweroff -f", "/sbin/reboot"}) {
    MachineHandle handle =
        StartInit("t1", {{"startup-script", std::string("seq 5000; echo last words; ") + how}});
    AwaitExit("t1", handle);
    EXPECT_THAT(Console("t1"), HasSubstr("startup-script: 5000\n")) << how;
    EXPECT_THAT(Console("t1"), HasSubstr("startup-script: last words\n")) << how;
    ASSERT_TRUE(driver_->Remove(handle).ok());
    fs::remove(ConsolePath("t1"));
  }
}

TEST_F(BootTest, WhatIsPrintedUntilTheGraceIsUsedUpIsOnTheConsole) {
  MachineHandle handle = StartInit(
      "t1", {{"startup-script",
              "trap 'seq 5000; printf \"CHECKPOINT 408\"; touch /var/said; exec sleep 1000' TERM\n"
              "echo ready; while :; do sleep 0.02; done\n"}});
  ASSERT_TRUE(AwaitText(ConsolePath("t1"), "startup-script: ready"));
  ASSERT_TRUE(driver_->Stop(handle, seconds(2)).ok());
  EXPECT_EQ(AwaitExit("t1", handle).kind, ExitKind::kKilled);
  EXPECT_THAT(Console("t1"), HasSubstr("startup-script: 5000\n"));
  EXPECT_THAT(Console("t1"), HasSubstr("startup-script: CHECKPOINT 408\n"));
}

// Also what has no end of line yet, and what a program in the background prints.
TEST_F(BootTest, AWorkloadsLastWordsAreOnTheConsole) {
  MachineSpec spec;
  spec.workload = MachineWorkload{
      .argv =
          {"/bin/sh", "-c",
           "(trap 'echo child' TERM; touch /run/r; while :; do sleep 0.02; done) & trap '' TERM;"
           "until [ -e /run/r ]; do sleep 0.01; done;"
           "echo ready; printf partial; while :; do wait; done"},
      .marks = true};
  MachineHandle handle = StartInit("t1", {}, spec);
  ASSERT_TRUE(AwaitText(ConsolePath("t1"), "ready"));
  ASSERT_TRUE(driver_->Stop(handle, milliseconds(500)).ok());
  MachineExit exit = AwaitExit("t1", handle);
  EXPECT_EQ(exit.kind, ExitKind::kKilled);
  EXPECT_EQ(exit.code, 137);
  EXPECT_THAT(Console("t1"), HasSubstr("partial"));
  EXPECT_THAT(Console("t1"), HasSubstr("child"));
}

TEST_F(BootTest, AKillForLackOfMemoryIsOnTheConsole) {
  MachineSpec spec;
  spec.limits.memory_bytes = 64 << 20;
  MachineHandle handle = StartInit("t1",
                                   {{"startup-script",
                                     "printf begun; awk 'BEGIN { s = \"x\"; while (1) s = s s }'\n"
                                     "echo awk ended with $?\n"}},
                                   spec);
  ASSERT_TRUE(AwaitText(ConsolePath("t1"), "kernel: Out of memory: killed 1 process"));
  EXPECT_THAT(Console("t1"), HasSubstr("the memory limit of 64 MiB is used up"));
  ASSERT_TRUE(AwaitText(ConsolePath("t1"), "awk ended with 137"));
  EXPECT_EQ(driver_->Observe(handle).value().phase, MachinePhase::kRunning);
}

TEST_F(BootTest, AccountsOfTheMetadataAreThereBeforeTheStartupScript) {
  StartInit("t1",
            {{"", "ssh-keys\nstartup-script\n"},
             {"ssh-keys", "ann:ssh-ed25519 AAAA ann\nbob:ssh-ed25519 BBBB bob\n"},
             {"startup-script",
              "cd /home/ann && su -s /bin/sh ann -c 'echo $(id -un) in $(pwd), $(cat .ssh/*)'; "
              "stat -c '%U %a' /home/bob /home/bob/.ssh/authorized_keys; "
              "grep sudoers /etc/group\n"}});
  ASSERT_TRUE(AwaitText(ConsolePath("t1"), "Finished running startup scripts."));
  EXPECT_THAT(Console("t1"), HasSubstr("startup-script: ann in /home/ann, # Added by Google"));
  EXPECT_THAT(Console("t1"), HasSubstr("ssh-ed25519 AAAA ann\n"));
  EXPECT_THAT(Console("t1"), HasSubstr("startup-script: bob 755\n"));
  EXPECT_THAT(Console("t1"), HasSubstr("startup-script: bob 600\n"));
  EXPECT_THAT(Console("t1"), HasSubstr(":ann,bob\n"));
}

TEST_F(BootTest, WaitsForAMetadataServerThatComesLate) {
  MachineHandle handle =
      driver_->Start({.id = "t1", .image_layers = {root_}, .console_path = ConsolePath("t1")})
          .value();
  ASSERT_TRUE(AwaitText(ConsolePath("t1"), "machine is up"));
  TableMetadata late(driver_->ListenInside(handle, "169.254.169.254", 80, Transport::kTcp).value(),
                     {{"project/attributes/startup-script", "echo from the project"}});
  EXPECT_TRUE(AwaitText(ConsolePath("t1"), "startup-script: from the project"));
}

TEST_F(BootTest, TheDiskSurvivesBootsAndIdsOnItAreTheIdsInside) {
  std::string disk = directory_.path() + "/disk";
  MachineSpec spec{.writable_directory = disk,
                   .files = {{.path = "/etc/deep/motd", .mode = 0640, .contents = "one"}}};
  MachineHandle first = StartIdle("t1", spec);
  EXPECT_EQ(Shell(first, "stat -c '%u %g %a' /etc/deep/motd /etc/secret").output,
            "0 0 640\n0 0 600\n");
  EXPECT_EQ(Shell(first,
                  "echo kept > /var/note && chown 1000:1000 /var/note && rm /etc/secret && cat "
                  "/etc/deep/motd"
                  " && chown 5 /etc/deep/motd")
                .output,
            "one");
  struct stat note {};
  ASSERT_EQ(stat((disk + "/upper/var/note").c_str(), &note), 0);
  EXPECT_EQ(note.st_uid, 1000u);
  ASSERT_TRUE(driver_->Stop(first, seconds(0)).ok());
  AwaitExit("t1", first);
  spec.boot = 2;
  spec.files[0].contents = "two";
  MachineHandle second = StartIdle("t1", spec);
  ShellResult seen = Shell(
      second, "cat /var/note /etc/deep/motd; stat -c %u /var/note /etc/deep/motd; ls /etc/secret");
  EXPECT_THAT(seen.output, HasSubstr("kept\ntwo1000\n0\n"));
  EXPECT_THAT(seen.output, HasSubstr("No such file"));
  ASSERT_TRUE(driver_->Remove(second).ok());
  EXPECT_TRUE(fs::exists(disk + "/upper/var/note"));  // the caller's to keep
}

TEST_F(BootTest, UpperLayersCoverLowerOnes) {
  fs::path layer = directory_.path() + "/layer";
  fs::create_directories(layer / "etc");
  std::ofstream(layer / "etc/group") << "from the layer\n";
  MachineHandle handle = StartIdle("t1", {.image_layers = {layer, root_}});
  EXPECT_EQ(Shell(handle, "cat /etc/group").output, "from the layer\n");
}

TEST_F(BootTest, LentCardsAreThereForOneBoot) {
  std::string device;
  for (const char* path : {"/dev/fuse", "/dev/loop-control", "/dev/net/tun"}) {
    if (fs::is_character_file(path)) device = path;
  }
  if (device.empty()) GTEST_SKIP() << "no device to lend";
  for (const char* name : {"/liba.so.1", "/smi"}) std::ofstream(directory_.path() + name) << name;
  MachineSpec spec{.writable_directory = directory_.path() + "/disk"};
  spec.cards = {.devices = {device},
                .libraries = {directory_.path() + "/liba.so.1"},
                .programs = {directory_.path() + "/smi"}};
  MachineHandle first = StartIdle("t1", spec);
  MachineHandle other = StartIdle("t2");
  // Whoever is in the machine may open what the machine has, whatever its mode is outside.
  std::string opens = "exec 3<>" + device;
  EXPECT_EQ(Shell(first, opens).code, 0) << Shell(first, opens + " 2>&1; ls -l " + device).output;
  EXPECT_EQ(Shell(first, "stat -c '%u %a' " + device).output, "0 666\n");
  EXPECT_NE(Shell(other, "ls " + device).code, 0);
  EXPECT_EQ(Shell(first, "cat /usr/local/nvidia/lib64/liba.so.1 /usr/local/bin/smi").output,
            "/liba.so.1/smi");
  EXPECT_NE(Shell(first, "echo x >> /usr/local/nvidia/lib64/liba.so.1").code, 0);
  EXPECT_EQ(Shell(first, "cat /etc/ld.so.conf.d/00-accelerators.conf").output,
            "/usr/local/nvidia/lib64\n");
  // Not on the disk: the next boot has other cards, or none.
  ASSERT_TRUE(driver_->Stop(first, seconds(0)).ok());
  AwaitExit("t1", first);
  spec.boot = 2;
  spec.cards = {};
  MachineHandle second = StartIdle("t1", spec);
  EXPECT_NE(Shell(second, "ls " + device).code, 0);
  EXPECT_EQ(Shell(second, "ls /usr/local/nvidia").output, "");

  spec.id = "t1";
  spec.boot = 3;
  spec.image_layers = {root_};
  spec.cards = {.devices = {"/dev/no-such-card"}};
  ASSERT_TRUE(driver_->Stop(second, seconds(0)).ok());
  AwaitExit("t1", second);
  EXPECT_THAT(driver_->Start(spec).error().message, HasSubstr("/dev/no-such-card"));
}

TEST_F(BootTest, DataDisksAreWritableAndOutliveTheMachine) {
  std::string data = directory_.path() + "/data", old = directory_.path() + "/old";
  fs::path layer = directory_.path() + "/layer";
  fs::create_directories(layer);
  std::ofstream(layer / "before") << "from the image\n";
  MachineHandle handle = StartIdle(
      "t1", {.volumes = {{.directory = data, .inside = "/mnt/disks/data"},
                         {.directory = old, .inside = "/mnt/disks/old", .layers = {layer}},
                         {.directory = old + "-ro", .inside = "/mnt/ro", .read_only = true}}});
  EXPECT_EQ(Shell(handle,
                  "echo kept > /mnt/disks/data/note && chown 1000 /mnt/disks/data/note;"
                  " echo more >> /mnt/disks/old/before; cat /mnt/disks/old/before")
                .output,
            "from the image\nmore\n");
  EXPECT_NE(Shell(handle, "echo x > /mnt/ro/file").code, 0);
  ASSERT_TRUE(driver_->Remove(handle).ok());
  struct stat note {};
  ASSERT_EQ(stat((data + "/upper/note").c_str(), &note), 0);
  EXPECT_EQ(note.st_uid, 1000u);
  EXPECT_EQ(ReadFileText(layer / "before"), "from the image\n");
  EXPECT_EQ(ReadFileText(old + "/upper/before"), "from the image\nmore\n");
  MachineHandle other = StartIdle("t2", {.volumes = {{.directory = data, .inside = "/srv"}}});
  EXPECT_EQ(Shell(other, "cat /srv/note").output, "kept\n");
}

// Also where its image lies below it: no two machines may have one overlay to write on.
TEST_F(BootTest, AnyNumberOfMachinesReadOneDataDisk) {
  fs::path layer = directory_.path() + "/layer";
  fs::create_directories(layer);
  std::ofstream(layer / "below") << "from the image\n";
  std::ofstream(layer / "gone") << "from the image\n";
  MachineVolume disk{
      .directory = directory_.path() + "/disk", .inside = "/mnt/disks/data", .layers = {layer}};
  MachineHandle writer = StartIdle("t1", {.volumes = {disk}});
  EXPECT_EQ(Shell(writer, "cd /mnt/disks/data && echo written > note && rm gone").code, 0);
  ASSERT_TRUE(driver_->Remove(writer).ok());
  disk.read_only = true;
  MachineHandle first = StartIdle("t2", {.volumes = {disk}});
  MachineHandle second = StartIdle("t3");
  Result<> placed = driver_->PlaceVolume(second, disk, true);
  ASSERT_TRUE(placed.ok()) << placed.error().message;
  for (const MachineHandle& handle : {first, second}) {
    EXPECT_EQ(Shell(handle, "cd /mnt/disks/data && cat below note && ls").output,
              "from the image\nwritten\nbelow\nnote\n");
    EXPECT_NE(Shell(handle, "echo x > /mnt/disks/data/file").code, 0);
    EXPECT_NE(Shell(handle, "mount -o remount,rw /mnt/disks/data").code, 0);
    EXPECT_THAT(Shell(handle, "grep /mnt/disks/data /proc/mounts").output,
                Not(HasSubstr("upperdir")));
  }
  EXPECT_TRUE(driver_->PlaceVolume(second, disk, false).ok());
  EXPECT_NE(Shell(second, "cat /mnt/disks/data/note").code, 0);
  EXPECT_EQ(Shell(first, "cat /mnt/disks/data/note").output, "written\n");
}

TEST_F(BootTest, DataDisksComeAndGoWhileAMachineRuns) {
  fs::path layer = directory_.path() + "/layer";
  fs::create_directories(layer);
  std::ofstream(layer / "before") << "from the image\n";
  MachineVolume plain{.directory = directory_.path() + "/plain", .inside = "/mnt/disks/plain"};
  MachineVolume layered{.directory = directory_.path() + "/layered",
                        .inside = "/mnt/disks/layered",
                        .layers = {layer}};
  MachineVolume fixed{
      .directory = directory_.path() + "/ro", .inside = "/mnt/ro", .read_only = true};
  MachineHandle first = StartIdle("t1", {.volumes = {plain}});
  MachineHandle second = StartIdle("t2");
  auto place = [&](const MachineHandle& handle, const MachineVolume& volume, bool there) {
    Result<> placed = driver_->PlaceVolume(handle, volume, there);
    return placed.ok() ? "" : placed.error().message;
  };
  EXPECT_EQ(
      Shell(first, "echo kept > /mnt/disks/plain/note && chown 1000 /mnt/disks/plain/note").code,
      0);
  // One that came with the boot goes like any other, also where the guest has moved its place.
  EXPECT_EQ(Shell(first, "mv /mnt/disks /mnt/elsewhere").code, 0);
  EXPECT_EQ(place(first, plain, false), "");
  EXPECT_NE(Shell(first, "cat /mnt/elsewhere/plain/note").code, 0);
  EXPECT_EQ(place(second, plain, true), "");
  EXPECT_EQ(Shell(second, "stat -c %u /mnt/disks/plain/note; cat /mnt/disks/plain/note").output,
            "1000\nkept\n");
  for (const MachineHandle& handle : {first, second}) {
    EXPECT_EQ(place(handle, layered, true), "");
    EXPECT_THAT(
        Shell(handle, "cat /mnt/disks/layered/before; echo more >> /mnt/disks/layered/before")
            .output,
        HasSubstr("from the image\n"));
    EXPECT_EQ(place(handle, layered, false), "");
  }
  EXPECT_EQ(ReadFileText(layered.directory + "/upper/before"), "from the image\nmore\nmore\n");
  EXPECT_EQ(place(second, fixed, true), "");
  EXPECT_NE(Shell(second, "echo x > /mnt/ro/file").code, 0);
  EXPECT_NE(Shell(second, "umount /mnt/disks/plain").code, 0);
}

// As in a container, whose state directory is a directory of another place on the host's file system, and by a link.
TEST_F(BootTest, DataDisksComeAndGoBelowABindMount) {
  fs::path store = directory_.path() + "/store", seen = directory_.path() + "/seen";
  fs::create_directories(store / "deep");
  fs::create_directories(seen);
  ASSERT_EQ(mount((store / "deep").c_str(), seen.c_str(), nullptr, MS_BIND, nullptr), 0);
  fs::create_directory_symlink(seen, directory_.path() + "/by-a-link");
  MachineVolume disk{.directory = directory_.path() + "/by-a-link/disk",
                     .inside = "/mnt/disks/data"};
  MachineHandle handle = StartIdle("t1", {.volumes = {disk}});
  EXPECT_EQ(Shell(handle, "echo kept > /mnt/disks/data/note").code, 0);
  EXPECT_TRUE(driver_->PlaceVolume(handle, disk, true).ok());
  EXPECT_EQ(Shell(handle, "grep -c /mnt/disks/data /proc/self/mountinfo").output, "1\n");
  EXPECT_TRUE(driver_->PlaceVolume(handle, disk, false).ok());
  EXPECT_NE(Shell(handle, "cat /mnt/disks/data/note").code, 0);
  EXPECT_EQ(ReadFileText(store / "deep/disk/upper/note"), "kept\n");
  EXPECT_EQ(umount2(seen.c_str(), MNT_DETACH), 0);
}

TEST_F(BootTest, ADataDiskInUseStays) {
  MachineVolume disk{.directory = directory_.path() + "/disk", .inside = "/mnt/disks/data"};
  MachineHandle handle = StartIdle("t1");
  ASSERT_TRUE(driver_->PlaceVolume(handle, disk, true).ok());
  ASSERT_EQ(
      Shell(handle, "cd /mnt/disks/data; sleep 1000 >/dev/null 2>&1 & echo $! > /run/worker").code,
      0);
  EXPECT_EQ(driver_->PlaceVolume(handle, disk, false).error().code, Code::kPrecondition);
  EXPECT_EQ(Shell(handle, "touch /mnt/disks/data/still").code, 0);
  // The shell that was its parent is gone: its end is seen by the mount being free.
  Shell(handle,
        "kill -9 $(cat /run/worker); while [ -e /proc/$(cat /run/worker)/cwd/still ]; do :; done");
  EXPECT_TRUE(driver_->PlaceVolume(handle, disk, false).ok());
  EXPECT_FALSE(Shell(handle, "ls /mnt/disks/data").code == 0);
}

TEST_F(BootTest, BindsAreThereAndReadOnly) {
  fs::path sdk = directory_.path() + "/sdk";
  fs::create_directories(sdk);
  std::ofstream(sdk / "tool") << "made outside\n";
  MachineHandle handle =
      StartIdle("t1", {.binds = {{sdk, "/opt/sdk"}, {sdk / "tool", "/usr/lib/one"}}});
  EXPECT_EQ(Shell(handle, "cat /opt/sdk/tool /usr/lib/one").output, "made outside\nmade outside\n");
  EXPECT_THAT(
      Shell(handle, "echo x > /opt/sdk/tool; echo x > /opt/sdk/new; echo x > /usr/lib/one").output,
      Not(HasSubstr("made")));
  EXPECT_EQ(ReadFileText(sdk / "tool"), "made outside\n");
  EXPECT_FALSE(fs::exists(sdk / "new"));
}

TEST_F(BootTest, KnowsItsNamesAndAddress) {
  MachineHandle handle = StartIdle("t1", {.hostname = "web.c.pets.internal"});
  std::string address = AddressOf(handle);
  EXPECT_EQ(Shell(handle, "cat /etc/hostname; grep web /etc/hosts; cat /etc/resolv.conf").output,
            "web\n" + address + " web.c.pets.internal web\nnameserver 169.254.169.254\n");
  EXPECT_EQ(Shell(handle, "hostname; hostname -f").output, "web\nweb.c.pets.internal\n");
  EXPECT_THAT(Shell(handle, "ip -o addr show dev eth0").output, HasSubstr(address + "/20"));
  EXPECT_THAT(Shell(handle, "ip route").output, HasSubstr("default via "));
  EXPECT_EQ(Shell(handle, "ls /sys/class/net").output, "eth0\nlo\n");
  // Low ports are free for root and users alike, as the capability for them is not given.
  EXPECT_EQ(Shell(handle, "timeout 1 nc -l -p 22; [ $? = 143 ]").code, 0);
}

// Root inside may have any id of the host, and a ping socket is for groups in a range of the host's ids.
TEST_F(BootTest, MayPingWhateverItsIdsAreOnTheHost) {
  StartIdle("t1");
  std::string running = ReadFileText(settings_.state_directory + "/machines/t1/1/running");
  std::string first = running.substr(running.find(' ') + 1);
  Result<ProgramOutcome> read =
      RunProgram({.argv = {"nsenter", "-t", first.substr(0, first.find('\n')), "-n", "cat",
                           "/proc/sys/net/ipv4/ping_group_range"}},
                 seconds(30));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->output, "0\t4294967294\n") << read->error;
}

TEST_F(BootTest, MachinesReachEachOtherAndTheHostReachesThem) {
  MachineHandle client = StartIdle("t1");
  MachineHandle server =
      StartIdle("t2", {.command = {"/bin/sh", "-c", "nc -ll -p 80 -e echo word & echo up; wait"}});
  std::string address = AddressOf(server);
  EXPECT_EQ(HostAsks(address, 80), "word\n");
  EXPECT_EQ(Shell(client, "nc -w 5 " + address + " 80 < /dev/null").output, "word\n");
}

// The metadata server, the names and the APIs answer at the well-known ports of their own address, and leave these
// ports to the guest: busybox sets SO_REUSEADDR, which does not help beside somebody who listens.
TEST_F(BootTest, TheGuestListensAtThePortsOfItsMetadataServer) {
  MachineHandle client = StartIdle("t1");
  MachineHandle server = StartInit("t2", {{"WORD", "rose"}});
  UniqueFd secure = driver_->ListenInside(server, "169.254.169.254", 443, Transport::kTcp).value();
  UniqueFd names = driver_->ListenInside(server, "169.254.169.254", 53, Transport::kUdp).value();
  std::string address = AddressOf(server);
  for (const char* port : {"80", "443", "53"}) {
    Shell(server, std::string("nc -ll -p ") + port + " -e echo word >/dev/null 2>&1 &");
    EXPECT_EQ(HostAsks(address, static_cast<uint16_t>(std::stoi(port))), "word\n") << port;
    EXPECT_EQ(Shell(client, "nc -w 5 " + address + " " + port + " < /dev/null").output, "word\n");
  }
  EXPECT_EQ(Shell(server,
                  "wget -q -O - --header 'Metadata-Flavor: Google' "
                  "http://169.254.169.254/computeMetadata/v1/instance/attributes/WORD")
                .output,
            "rose");
  Shell(server, "timeout 1 nslookup word.example 169.254.169.254");
  char question[512];
  EXPECT_GT(recv(names.get(), question, sizeof question, 0), 12);
}

TEST_F(BootTest, AWantedAddressIsGivenOrRefused) {
  MachineHandle first = StartIdle("t1");
  std::string taken = AddressOf(first);
  MachineSpec spec{.id = "t2", .image_layers = {root_}, .wanted_address = taken};
  EXPECT_EQ(driver_->Start(spec).error().code, Code::kExhausted);
  spec.wanted_address = "192.168.77.5";
  EXPECT_EQ(driver_->Start(spec).error().code, Code::kInvalid);
  std::string wanted = taken.substr(0, taken.rfind('.')) + ".77";
  EXPECT_EQ(AddressOf(StartIdle("t2", {.wanted_address = wanted})), wanted);
}

TEST_F(BootTest, AMissingImageFailsTheStartAndLeavesNothing) {
  Result<MachineHandle> started =
      driver_->Start({.id = "t1", .image_layers = {directory_.path() + "/nowhere"}});
  EXPECT_THAT(started.error().message, HasSubstr("nowhere"));
  EXPECT_TRUE(driver_->List().value().empty());
}

TEST_F(BootTest, ACommandThatIsNotThereFailsTheStart) {
  Result<MachineHandle> started =
      driver_->Start({.id = "t1", .image_layers = {root_}, .command = {"/no/such/program"}});
  EXPECT_THAT(started.error().message, HasSubstr("/no/such/program"));
  EXPECT_TRUE(driver_->List().value().empty());
}

TEST_F(BootTest, LettingGoOfAnExecEndsItsProgram) {
  MachineHandle handle = StartIdle("t1");
  {
    std::unique_ptr<ExecStream> stream =
        driver_->Exec(handle, {.argv = {"/bin/sh", "-c", "echo on; exec sleep 4242"}}).value();
    char on[3];
    ASSERT_EQ(read(stream->output.get(), on, sizeof on), 3);
  }
  // A kill takes its moment.
  EXPECT_EQ(Shell(handle,
                  "for i in $(seq 500); do ps -o args | grep -q '[4]242' || exit 0; sleep 0.02; "
                  "done; exit 1")
                .code,
            0);
}

// By the time it is used a number in a file may be a stranger's: the kernel alone is asked.
TEST_F(BootTest, AnExecWritesNoNumberDown) {
  MachineHandle handle = StartIdle("t1");
  std::unique_ptr<ExecStream> stream =
      driver_->Exec(handle, {.argv = {"/bin/sh", "-c", "echo on; exec sleep 1000"}}).value();
  char on[3];
  ASSERT_EQ(read(stream->output.get(), on, sizeof on), 3);
  for (const auto& file : fs::directory_iterator(settings_.state_directory + "/machines/t1/1")) {
    EXPECT_THAT(file.path().filename(), Not(HasSubstr("exec")));
  }
}

TEST_F(BootTest, OldConsoleTextGivesUpItsRoomButNotItsPlace) {
  // The word that is waited for comes last: an earlier one may be gone before it is looked for.
  MachineSpec spec{.command = {"/bin/sh", "-c",
                               "yes 0123456789abcdef | head -c 8000000; echo END up; sleep 1000"},
                   .console_keep_bytes = 1 << 20};
  StartIdle("t1", spec);
  constexpr int64_t kSize = 8'000'000 + 7;
  struct stat console {};
  for (int i = 0; i < 10'000 && console.st_size < kSize; ++i) {
    ASSERT_EQ(stat(ConsolePath("t1").c_str(), &console), 0);
    Result<ProgramOutcome> moment = RunProgram({.argv = {"true"}}, seconds(60));
    ASSERT_TRUE(moment.ok());
  }
  EXPECT_EQ(console.st_size, kSize);
  EXPECT_LT(console.st_blocks * 512, 4 << 20);
  EXPECT_TRUE(Console("t1").ends_with("END up\n"));
}

TEST_F(BootTest, TwoDaemonsOnOneHostLeaveEachOtherAlone) {
  MachineHandle mine = StartIdle("t1");
  CrunSettings other = TestCrunSettings(directory_.path() + "/other");
  CrunDriver neighbour(other);
  MachineHandle theirs =
      neighbour
          .Start({.id = "t1",
                  .image_layers = {root_},
                  .command = {"/bin/nc", "-ll", "-p", "80", "-e", "echo", "word"}})
          .value();
  std::string address = neighbour.Observe(theirs).value().addresses.at(0);
  EXPECT_NE(address, AddressOf(mine));
  EXPECT_EQ(HostAsks(address, 80), "word\n");
  EXPECT_THAT(Shell(mine, "nc -w 5 " + address + " 80 < /dev/null").output, Not(HasSubstr("word")));
  EXPECT_EQ(neighbour.List().value().size(), 1u);
  ASSERT_TRUE(neighbour.Purge().ok());
  EXPECT_EQ(driver_->Observe(mine).value().phase, MachinePhase::kRunning);
  EXPECT_EQ(ReadFileText("/proc/sys/net/ipv4/ip_forward"), "1\n");
}

TEST_F(BootTest, PurgeLeavesTheHostAsItWas) {
  Result<ProgramOutcome> before = RunProgram({.argv = {"ip", "-br", "link"}}, seconds(60));
  std::string bridge = driver_->network().bridge(), table = driver_->network().table();
  EXPECT_EQ(before.value().output.find(bridge), std::string::npos);
  StartIdle("t1");
  EXPECT_THAT(RunProgram({.argv = {"ip", "-br", "link"}}, seconds(60)).value().output,
              HasSubstr(bridge));
  EXPECT_THAT(RunProgram({.argv = {"nft", "list", "tables"}}, seconds(60)).value().output,
              HasSubstr(table));
  ASSERT_TRUE(driver_->Purge().ok());
  EXPECT_THAT(RunProgram({.argv = {"ip", "-br", "link"}}, seconds(60)).value().output,
              Not(HasSubstr(bridge)));
  EXPECT_THAT(RunProgram({.argv = {"nft", "list", "tables"}}, seconds(60)).value().output,
              Not(HasSubstr(table)));
  EXPECT_FALSE(fs::exists("/run/fireweed-" + settings_.daemon_id));
  EXPECT_FALSE(fs::exists("/sys/fs/cgroup/pids/fireweed-" + settings_.daemon_id));
  EXPECT_FALSE(fs::exists("/sys/fs/cgroup/fireweed-" + settings_.daemon_id));
  EXPECT_THAT(ReadFileText("/proc/self/mounts"), Not(HasSubstr(settings_.daemon_id)));
}

}  // namespace
}  // namespace fireweed
