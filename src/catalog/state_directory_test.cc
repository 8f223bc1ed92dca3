#include "catalog/state_directory.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/memory_disk.h"
#include "catalog/catalog_fixture.h"

namespace fireweed {
namespace {

using ::testing::HasSubstr;

class StateDirectoryTest : public ::testing::Test {
 protected:
  std::unique_ptr<Disk> disk_ = MakeRealDisk();
  ScratchDirectory scratch_;
  std::string path_ = scratch_.path() + "/deep/state";
};

Error ErrorOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const Failure& failure) {
    return failure.error();
  }
  return {Code::kInternal, "", "nothing was thrown"};
}

mode_t ModeOf(const std::string& path) {
  struct stat status {};
  stat(path.c_str(), &status);
  return status.st_mode & 07777;
}

TEST_F(StateDirectoryTest, IsMadePrivateAndOpensAgain) {
  {
    StateDirectory state(*disk_, path_);
    EXPECT_EQ(ModeOf(path_), 0700u);
    EXPECT_EQ(state.Path("catalog.db"), path_ + "/catalog.db");
    EXPECT_GT(state.FreeBytes(), 0);
  }
  std::ofstream(path_ + "/catalog.db") << "x";
  StateDirectory again(*disk_, path_);
}

TEST_F(StateDirectoryTest, IsMadePrivateWhenItWasEmptyAndOpen) {
  disk_->MakeDirectories(path_).value();
  chmod(path_.c_str(), 0755);
  StateDirectory state(*disk_, path_);
  EXPECT_EQ(ModeOf(path_), 0700u);
}

TEST_F(StateDirectoryTest, TheSecondProcessIsToldThePidOfTheFirst) {
  EXPECT_EQ(StateDirectory::HolderOf(path_), 0);
  StateDirectory state(*disk_, path_);
  EXPECT_EQ(StateDirectory::HolderOf(path_), getpid());
  Error error = ErrorOf([&] { StateDirectory second(*disk_, path_); });
  EXPECT_EQ(error.code, Code::kUnavailable);
  EXPECT_THAT(error.message, HasSubstr("process " + std::to_string(getpid())));
}

TEST_F(StateDirectoryTest, TheLockEndsWithItsProcess) {
  pid_t child = fork();
  if (child == 0) {
    StateDirectory state(*disk_, path_);
    _exit(0);  // no destructor: as if it was killed
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  EXPECT_EQ(StateDirectory::HolderOf(path_), 0);
  StateDirectory state(*disk_, path_);
}

TEST_F(StateDirectoryTest, LeavesADirectoryOfOthersAlone) {
  disk_->MakeDirectories(path_).value();
  std::ofstream(path_ + "/thesis.tex") << "x";
  chmod(path_.c_str(), 0755);
  Error error = ErrorOf([&] { StateDirectory state(*disk_, path_); });
  EXPECT_EQ(error.code, Code::kPrecondition);
  EXPECT_THAT(error.message, HasSubstr("thesis.tex"));
  EXPECT_EQ(ModeOf(path_), 0755u);
  EXPECT_FALSE(disk_->Exists(path_ + "/lock").value());
}

TEST_F(StateDirectoryTest, SaysWhatIsMissingWhenTheDiskIsFull) {
  StateDirectory state(*disk_, path_);
  state.RequireFreeBytes(1);
  Error error = ErrorOf([&] { state.RequireFreeBytes(int64_t{1} << 60); });
  EXPECT_EQ(error.code, Code::kExhausted);
  EXPECT_THAT(error.message, HasSubstr(path_));
}

void Append(Disk& disk, const std::string& directory, std::string_view name) {
  std::unique_ptr<File> file =
      disk.Open(directory + "/" + std::string(name), OpenMode::kCreate).value();
  file->Sync().value();
  disk.SyncDirectory(directory).value();
}

const std::vector<StateMigration>& LaterSteps() {
  static const std::vector<StateMigration> steps = {
      {2, "second", [](Disk& disk, const std::string& dir) { Append(disk, dir, "two"); }},
      {3, "third", [](Disk& disk, const std::string& dir) { Append(disk, dir, "three"); }},
  };
  return steps;
}

TEST_F(StateDirectoryTest, OlderStateIsBroughtForwardAndThenRefusedByOlderPrograms) {
  { StateDirectory first(*disk_, path_); }
  { StateDirectory later(*disk_, path_, LaterSteps()); }
  EXPECT_TRUE(disk_->Exists(path_ + "/two").value());
  EXPECT_TRUE(disk_->Exists(path_ + "/three").value());
  Error error = ErrorOf([&] { StateDirectory older(*disk_, path_); });
  EXPECT_EQ(error.code, Code::kPrecondition);
  EXPECT_THAT(error.message, HasSubstr("newer Fireweed (format 3"));
}

TEST_F(StateDirectoryTest, AnUnreadableMarkIsNotGuessedAt) {
  { StateDirectory first(*disk_, path_); }
  std::ofstream(path_ + "/format") << "fireweed state format two\n";
  EXPECT_EQ(ErrorOf([&] { StateDirectory state(*disk_, path_); }).code, Code::kPrecondition);
}

// Cut off before any single change of creation or migration, with any loss: the next start succeeds
// and ends in the same place.
TEST(StateFormat, SurvivesACrashAtEveryPoint) {
  MemoryDisk recorded;
  PrepareStateFormat(recorded, "/state", {});
  int64_t created = recorded.calls();
  PrepareStateFormat(recorded, "/state", LaterSteps());
  int64_t last = recorded.calls();
  ASSERT_GT(created, 5);
  for (int64_t call = 1; call <= last; ++call) {
    for (Loss loss : {Loss::kUnsynced, Loss::kNothing, Loss::kTorn}) {
      SCOPED_TRACE(call);
      MemoryDisk disk;
      disk.StopAt(call);
      EXPECT_THROW(
          {
            PrepareStateFormat(disk, "/state", {});
            PrepareStateFormat(disk, "/state", LaterSteps());
          },
          Failure);
      std::unique_ptr<MemoryDisk> after = disk.AfterCrash(loss, static_cast<uint64_t>(call));
      if (call > created) {
        EXPECT_TRUE(after->Exists("/state/format").value()) << "an acknowledged mark is gone";
      }
      PrepareStateFormat(*after, "/state", LaterSteps());
      EXPECT_THROW(PrepareStateFormat(*after, "/state", {}), Failure);
    }
  }
}

}  // namespace
}  // namespace fireweed
