#include "ml/tuning/metric_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include <fmt/format.h>

#include "base/unique_fd.h"

namespace fireweed::ml {
namespace {

// The package keeps a hundred reports; what is larger is not its file.
constexpr off_t kLargestFile = 4 << 20;

}  // namespace

std::string MetricFolder(std::string_view root, std::string_view project, std::string_view job,
                         std::string_view trial) {
  return fmt::format("{}/{}+{}+{}", root, project, job, trial);
}

std::string MetricFile(std::string_view folder) {
  return fmt::format("{}/upper/output.metrics", folder);
}

Result<> MakeMetricFolder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder + "/upper", error);
  if (error) return ErrnoError(error.value(), "mkdir " + folder);
  // Whoever the trainer is to the kernel, it may write here; the directories above keep everybody else out.
  if (chmod((folder + "/upper").c_str(), 01777) != 0) return ErrnoError(errno, "chmod " + folder);
  return Done{};
}

Result<std::string> ReadMetricFile(const std::string& folder) {
  std::string path = MetricFile(folder);
  UniqueFd file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file) {
    if (errno == ENOENT) return std::string();
    return ErrnoError(errno, "open the hypertune file");
  }
  struct stat status {};
  if (fstat(file.get(), &status) != 0) return ErrnoError(errno, "stat the hypertune file");
  if (!S_ISREG(status.st_mode)) return Error{Code::kInvalid, "", "the hypertune file is no file"};
  if (status.st_size > kLargestFile)
    return Error{Code::kTooLarge, "", "the hypertune file is larger than 4 MiB"};
  std::string text(static_cast<size_t>(status.st_size), '\0');
  size_t got = 0;
  while (got < text.size()) {
    ssize_t n = read(file.get(), text.data() + got, text.size() - got);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoError(errno, "read the hypertune file");
    if (n == 0) break;  // it was written anew meanwhile
    got += static_cast<size_t>(n);
  }
  text.resize(got);
  return text;
}

Result<> RemoveMetricFolder(const std::string& folder) {
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  if (error) return ErrnoError(error.value(), "remove " + folder);
  return Done{};
}

}  // namespace fireweed::ml
