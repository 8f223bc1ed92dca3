#include "machine/image/image_shelf.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/unique_fd.h"

namespace fireweed {
namespace {

using testing::ElementsAre;
namespace fs = std::filesystem;

// Images named after the test's own directory: whether one is mounted is seen by its name.
class ImageShelfTest : public testing::Test {
 protected:
  ~ImageShelfTest() override { fs::remove_all(directory_); }

  std::string State(const char* name) {
    fs::create_directories(directory_ / name);
    return directory_ / name;
  }

  // As the script leaves it.
  std::string Image(const std::string& name, bool noted = true) {
    fs::path path = directory_ / "images" / ("base-" + directory_.filename().string() + name);
    fs::create_directories(path / "etc");
    std::ofstream(path / "etc/os-release") << std::string(10000, 'x');
    std::ofstream(path.string() + ".binds") << "";
    if (noted) fs::create_directories(path.string() + ".users");
    return path;
  }

  std::vector<std::string> UsersOf(const std::string& image) {
    for (ShelvedImage& each : shelf_.List().value()) {
      if (each.path == image) return each.users;
    }
    return {"no such image"};
  }

  std::vector<std::string> Left() {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(directory_ / "images"))
      names.push_back(entry.path());
    std::sort(names.begin(), names.end());
    return names;
  }

  static fs::path MakeDirectory() {
    std::string name = testing::TempDir() + "image_shelf_XXXXXX";
    return mkdtemp(name.data());
  }

  const fs::path directory_ = MakeDirectory();
  const std::string mine_ = State("mine"), theirs_ = State("theirs");
  ImageShelf shelf_{directory_ / "images"};
};

TEST_F(ImageShelfTest, AnImageGoesOnceNobodyStandsOnIt) {
  std::string image = Image("a");
  EXPECT_TRUE(shelf_.Note(image, mine_).value());
  EXPECT_TRUE(shelf_.Note(image, mine_).value());
  EXPECT_TRUE(shelf_.Note(image, theirs_).value());
  EXPECT_THAT(UsersOf(image), ElementsAre(mine_, theirs_));
  EXPECT_FALSE(shelf_.Remove(image, true).value());

  shelf_.Settle(mine_, {}).value();
  EXPECT_THAT(UsersOf(image), ElementsAre(theirs_));
  EXPECT_FALSE(shelf_.Remove(image, true).value());

  shelf_.Settle(theirs_, {}).value();
  EXPECT_TRUE(shelf_.Remove(image, false).value());
  EXPECT_THAT(Left(), ElementsAre());
  EXPECT_FALSE(shelf_.Note(image, mine_).value());
}

TEST_F(ImageShelfTest, AStateDirectoryThatIsGoneStandsOnNothing) {
  std::string image = Image("a");
  shelf_.Note(image, theirs_).value();
  fs::remove_all(theirs_);
  ShelvedImage seen = shelf_.List().value().at(0);
  EXPECT_THAT(seen.users, ElementsAre());
  EXPECT_GE(seen.bytes, 10000);
  // It may only be out of sight: the note counts again when the directory is back.
  State("theirs");
  EXPECT_FALSE(shelf_.Remove(image, false).value());
  fs::remove_all(theirs_);
  shelf_.Tidy().value();
  State("theirs");
  EXPECT_TRUE(shelf_.Remove(image, false).value());
}

TEST_F(ImageShelfTest, SettlingNotesWhatIsUsedHoweverItIsWritten) {
  std::string old_image = Image("a"), present = Image("b"), other = Image("c");
  shelf_.Note(other, mine_).value();
  shelf_.Settle(mine_, {directory_ / "images/../images" / fs::path(old_image).filename(), present})
      .value();
  EXPECT_THAT(UsersOf(old_image), ElementsAre(mine_));
  EXPECT_THAT(UsersOf(present), ElementsAre(mine_));
  EXPECT_THAT(UsersOf(other), ElementsAre());
}

TEST_F(ImageShelfTest, WhereNothingWasNotedNobodyKnows) {
  std::string image = Image("a", false);
  EXPECT_TRUE(shelf_.Note(image, mine_).value());
  shelf_.Settle(mine_, {image}).value();
  EXPECT_FALSE(shelf_.List().value().at(0).noted);
  EXPECT_FALSE(shelf_.Remove(image, false).value());
  EXPECT_TRUE(shelf_.Remove(image, true).value());
  EXPECT_THAT(Left(), ElementsAre());
}

TEST_F(ImageShelfTest, TidyFinishesARemovalThatWasCutOff) {
  std::string image = Image("a");
  fs::create_directories(directory_ / "images/.removing-base-b/etc");
  shelf_.Tidy().value();
  EXPECT_THAT(Left(), ElementsAre(image, image + ".binds", image + ".users"));
}

TEST_F(ImageShelfTest, AnEmptyMachineHasAnEmptyShelf) {
  EXPECT_TRUE(shelf_.List().value().empty());
  shelf_.Settle(mine_, {}).value();
  shelf_.Tidy().value();
}

// A process that has the image mounted where nobody else sees it, as a machine has.
TEST_F(ImageShelfTest, AMountedImageStays) {
  if (geteuid() != 0) GTEST_SKIP() << "mounting needs root";
  std::string image = Image("a", false), place = State("place");
  int mounted[2], end[2];
  ASSERT_EQ(pipe2(mounted, O_CLOEXEC), 0);
  ASSERT_EQ(pipe2(end, O_CLOEXEC), 0);
  pid_t child = fork();
  if (child == 0) {
    bool ok = unshare(CLONE_NEWNS) == 0 &&
              mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
              mount(image.c_str(), place.c_str(), nullptr, MS_BIND, nullptr) == 0;
    close(end[1]);
    char word = ok ? 'y' : 'n';
    if (write(mounted[1], &word, 1) != 1 || read(end[0], &word, 1) != 0) _exit(1);
    _exit(0);
  }
  close(end[0]);
  UniqueFd keep(end[1]), reader(mounted[0]), writer(mounted[1]);
  char word = 0;
  ASSERT_EQ(read(reader.get(), &word, 1), 1);
  if (word == 'y') {
    EXPECT_TRUE(shelf_.List().value().at(0).mounted);
    EXPECT_FALSE(shelf_.Remove(image, true).value());
  }
  keep.reset();
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  if (word != 'y') GTEST_SKIP() << "no mount namespaces here";
  EXPECT_TRUE(shelf_.Remove(image, true).value());
}

}  // namespace
}  // namespace fireweed
