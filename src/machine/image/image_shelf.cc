#include "machine/image/image_shelf.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/unique_fd.h"

namespace fireweed {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUsers = ".users";
constexpr std::string_view kRemoving = ".removing-";

std::string UsersOf(const std::string& image) { return image + std::string(kUsers); }

std::string LinkName(const std::string& state) {
  return HexEncode(Hash(Digest::kSha256, state)).substr(0, 16);
}

// The notes of an image, locked against a change of mind: shared to write one, alone to take the image away. Empty where
// the image has none.
struct LockedNotes {
  UniqueFd directory;

  static Result<LockedNotes> Open(const std::string& image, int lock) {
    std::string path = UsersOf(image);
    LockedNotes notes{UniqueFd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC))};
    if (!notes.directory && errno == ENOENT) return notes;
    if (!notes.directory || flock(notes.directory.get(), lock) != 0) {
      return ErrnoError(errno, "open " + path);
    }
    return notes;
  }
};

// A state directory that cannot be looked at counts as there.
bool IsGone(const std::string& state) {
  struct stat seen {};
  return stat(state.c_str(), &seen) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

struct Notes {
  std::vector<std::string> users, gone_links;
};

Notes ReadNotes(const std::string& image) {
  Notes notes;
  for (const auto& entry : fs::directory_iterator(UsersOf(image))) {
    std::string state = fs::read_symlink(entry.path());
    if (IsGone(state)) {
      notes.gone_links.push_back(entry.path());
    } else {
      notes.users.push_back(std::move(state));
    }
  }
  std::sort(notes.users.begin(), notes.users.end());
  return notes;
}

// In the mount namespace of any process: a machine's root is mounted where only the machine sees it.
bool IsMounted(const std::string& image) {
  std::string name = "/" + fs::path(image).filename().string();
  std::error_code ended;  // processes come and go
  for (const auto& process : fs::directory_iterator("/proc", ended)) {
    std::string number = process.path().filename();
    if (number.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream mounts(process.path() / "mountinfo");
    for (std::string line; std::getline(mounts, line);) {
      if (line.find(name) != std::string::npos) return true;
    }
  }
  return false;
}

int64_t BytesOnDisk(const std::string& root) {
  int64_t blocks = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    struct stat seen {};
    if (lstat(entry.path().c_str(), &seen) != 0) continue;
    bool again = seen.st_nlink > 1 && !S_ISDIR(seen.st_mode);  // other names of one file
    blocks += again ? seen.st_blocks / static_cast<int64_t>(seen.st_nlink) : seen.st_blocks;
  }
  return blocks * 512;
}

Result<> Caught(const fs::filesystem_error& error) {
  return ErrnoError(error.code().value(), error.path1().string());
}

}  // namespace

std::vector<std::string> ImageShelf::Images() const {
  std::vector<std::string> images;
  if (!fs::is_directory(directory_)) return images;
  for (const auto& entry : fs::directory_iterator(directory_)) {
    std::string name = entry.path().filename();
    bool image = name.starts_with("base-") && name.find('.') == std::string::npos;
    if (image && entry.is_directory()) images.push_back(entry.path());
  }
  std::sort(images.begin(), images.end());
  return images;
}

Result<bool> ImageShelf::Note(const std::string& image, const std::string& state) {
  Result<LockedNotes> notes = LockedNotes::Open(image, LOCK_SH);
  if (!notes) return notes.error();
  if (access(image.c_str(), F_OK) != 0) return false;
  int users = notes->directory.get();
  if (users < 0) return true;
  if (symlinkat(state.c_str(), users, LinkName(state).c_str()) == 0) {
    if (fsync(users) != 0) return ErrnoError(errno, "sync " + UsersOf(image));
  } else if (errno != EEXIST) {
    return ErrnoError(errno, "write to " + UsersOf(image));
  }
  return true;
}

Result<> ImageShelf::Settle(const std::string& state, const std::set<std::string>& used) try {
  std::set<std::string> names;  // not paths: one directory is written in many ways
  for (const std::string& image : used) names.insert(fs::path(image).filename());
  for (const std::string& image : Images()) {
    if (names.contains(fs::path(image).filename())) {
      if (Result<bool> noted = Note(image, state); !noted) return noted.error();
    } else {
      fs::remove(UsersOf(image) + "/" + LinkName(state));
    }
  }
  return Done{};
} catch (const fs::filesystem_error& error) {
  return Caught(error);
}

Result<std::vector<ShelvedImage>> ImageShelf::List() const try {
  std::vector<ShelvedImage> shelf;
  for (const std::string& path : Images()) {
    ShelvedImage image{.path = path, .bytes = BytesOnDisk(path), .mounted = IsMounted(path)};
    image.noted = fs::is_directory(UsersOf(path));
    if (image.noted) image.users = ReadNotes(path).users;
    shelf.push_back(std::move(image));
  }
  return shelf;
} catch (const fs::filesystem_error& error) {
  return Caught(error).error();
}

Result<bool> ImageShelf::Remove(const std::string& image, bool unknown_too) try {
  std::string aside =
      directory_ + "/" + std::string(kRemoving) + fs::path(image).filename().string();
  {
    Result<LockedNotes> notes = LockedNotes::Open(image, LOCK_EX);
    if (!notes) return notes.error();
    bool noted = static_cast<bool>(notes->directory);
    if (noted ? !ReadNotes(image).users.empty() : !unknown_too) return false;
    if (IsMounted(image)) return false;
    fs::rename(image, aside);
    fs::remove_all(UsersOf(image));
    fs::remove(image + ".binds");
  }
  fs::remove_all(aside);
  return true;
} catch (const fs::filesystem_error& error) {
  return Caught(error).error();
}

Result<> ImageShelf::Tidy() try {
  if (!fs::is_directory(directory_)) return Done{};
  for (const auto& entry : fs::directory_iterator(directory_)) {
    if (entry.path().filename().string().starts_with(kRemoving)) fs::remove_all(entry.path());
  }
  for (const std::string& image : Images()) {
    Result<LockedNotes> notes = LockedNotes::Open(image, LOCK_EX);
    if (!notes) return notes.error();
    if (!notes->directory) continue;
    for (const std::string& link : ReadNotes(image).gone_links) fs::remove(link);
  }
  return Done{};
} catch (const fs::filesystem_error& error) {
  return Caught(error);
}

}  // namespace fireweed
