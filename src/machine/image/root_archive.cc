#include "machine/image/root_archive.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <thread>
#include <vector>

#include "base/process.h"
#include "base/unique_fd.h"
#include "machine/image/layer_check.h"
#include "machine/image/oci_layout.h"
#include "machine/kept/state_file.h"

namespace fireweed {
namespace {

namespace fs = std::filesystem;

constexpr size_t kChunk = 1 << 20;
constexpr size_t kMostComplaints = 4096;
constexpr size_t kMostListing = size_t{64} << 20;
constexpr std::string_view kDeleted = ".wh.", kOpaque = ".wh..wh..opq";

Error Wrong(std::string why) { return Error{Code::kInvalid, "", std::move(why)}; }

// How an archive is packed, by its first bytes, as an option of tar.
const char* Packing(std::string_view begin) {
  if (begin.starts_with("\x1f\x8b")) return "--gzip";
  if (begin.starts_with("\x28\xb5\x2f\xfd")) return "--zstd";
  if (begin.starts_with("\xfd"
                        "7zXZ")) {
    return "--xz";
  }
  if (begin.starts_with("BZh")) return "--bzip2";
  return nullptr;
}

std::vector<std::string> TarCommand(const char* what, const std::string& directory,
                                    const char* packing) {
  std::vector<std::string> argv{"tar", what, "--file=-", "--directory=" + directory};
  if (packing) argv.emplace_back(packing);
  return argv;
}

void AddExtraction(std::vector<std::string>& argv) {
  for (const char* option :
       {"--numeric-owner", "--same-owner", "--preserve-permissions", "--xattrs",
        "--xattrs-include=*", "--warning=none", "--anchored", "--exclude=./dev/*",
        "--exclude=dev/*", "--no-anchored", "--exclude=.wh.*"}) {
    argv.emplace_back(option);
  }
}

std::string Drain(int fd, size_t most) {
  std::string text(kChunk / 16, '\0'), kept;
  while (true) {
    ssize_t n = read(fd, text.data(), text.size());
    if (n <= 0) return kept;
    kept.append(text, 0, std::min(static_cast<size_t>(n), most - std::min(most, kept.size())));
  }
}

// Runs tar on what `read` gives; its output, or kInvalid with what it complained about.
Result<std::string> RunTar(std::vector<std::string> argv, const ArchiveReader& read,
                           std::string first) {
  Result<ChildProgram> tar = ChildProgram::Spawn({.argv = std::move(argv), .new_session = true});
  if (!tar.ok()) return Error{Code::kUnavailable, "", "tar: " + tar.error().message};
  std::string output, complaints;
  std::thread listener([&] { output = Drain(tar->output.get(), kMostListing); });
  std::thread complainer([&] { complaints = Drain(tar->error.get(), kMostComplaints); });
  std::optional<Error> broken;
  std::string chunk = std::move(first);
  while (!chunk.empty()) {
    std::string_view rest = chunk;
    bool takes = true;
    while (takes && !rest.empty()) takes = tar->Feed(rest);
    if (!takes) break;  // tar has seen enough; its exit code says whether that is well
    chunk.resize(kChunk);
    Result<size_t> size = read(std::as_writable_bytes(std::span(chunk)));
    if (!size.ok()) broken = size.error();
    chunk.resize(size.ok() ? *size : 0);
  }
  tar->input.reset();
  int code = tar->Wait();
  listener.join();
  complainer.join();
  if (broken) return *broken;
  if (code != 0) return Wrong("The archive cannot be unpacked: " + complaints);
  return output;
}

Result<std::string> FirstChunk(const ArchiveReader& read) {
  std::string chunk(kChunk, '\0');
  Result<size_t> size = read(std::as_writable_bytes(std::span(chunk)));
  if (!size.ok()) return size.error();
  if (*size == 0) return Wrong("The archive is empty.");
  chunk.resize(*size);
  return chunk;
}

Result<> Extract(const ArchiveReader& read, const std::string& directory) {
  Result<std::string> first = FirstChunk(read);
  if (!first.ok()) return first.error();
  std::vector<std::string> argv = TarCommand("--extract", directory, Packing(*first));
  AddExtraction(argv);
  Result<std::string> done = RunTar(std::move(argv), read, *std::move(first));
  if (!done.ok()) return done.error();
  return Done{};
}

ArchiveReader FileReader(const UniqueFd& file) {
  return [&file](std::span<std::byte> out) -> Result<size_t> {
    ssize_t n = read(file.get(), out.data(), out.size());
    if (n < 0) return ErrnoError(errno, "reading a layer");
    return static_cast<size_t>(n);
  };
}

// What an OCI layer deletes of those below, before its own files come.
void ApplyDeletions(const std::vector<LayerEntry>& entries, const fs::path& root) {
  for (const LayerEntry& entry : entries) {
    fs::path path = fs::path(entry.name).lexically_normal();
    std::string name = path.filename();
    if (!name.starts_with(kDeleted)) continue;
    fs::path parent = root / path.parent_path();
    std::error_code failed;
    if (name != kOpaque) {
      fs::remove_all(parent / name.substr(kDeleted.size()), failed);
      continue;
    }
    for (const auto& below : fs::directory_iterator(parent, failed)) {
      fs::remove_all(below.path(), failed);
    }
  }
}

// The layout's own files make room for the tree they describe.
Result<ContainerConfig> FlattenOci(const std::string& directory) {
  Result<OciImage> image = ReadOciLayout(directory);
  if (!image.ok()) return image.error();
  std::string root = directory + "/.fireweed-root";
  if (Result<> made = MakeStateDirectory(root, 0755); !made.ok()) return made.error();
  for (const std::string& layer : image->layers) {
    if (Result<> added = AddOciLayer(layer, root); !added.ok()) return added.error();
  }
  for (const char* name : {"blobs", "oci-layout", "index.json", "manifest.json", "repositories"}) {
    if (Result<> removed = RemoveTree(directory + "/" + name); !removed.ok())
      return removed.error();
  }
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(root, failed)) {
    fs::rename(entry.path(), fs::path(directory) / entry.path().filename(), failed);
    if (failed) return ErrnoError(failed.value(), entry.path().string());
  }
  if (Result<> removed = RemoveTree(root); !removed.ok()) return removed.error();
  return std::move(image->config);
}

void RemoveDevices(const std::string& directory) {
  std::error_code failed;
  for (auto it = fs::recursive_directory_iterator(directory, failed);
       it != fs::recursive_directory_iterator(); it.increment(failed)) {
    fs::file_type type = it->symlink_status(failed).type();
    if (type == fs::file_type::block || type == fs::file_type::character) {
      unlink(it->path().c_str());
    }
  }
}

}  // namespace

Result<> AddOciLayer(const std::string& blob, const std::string& root) {
  UniqueFd file(open(blob.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file) return Wrong("The OCI layout lacks a layer that its manifest names.");
  ArchiveReader reader = FileReader(file);
  Result<std::string> first = FirstChunk(reader);
  if (!first.ok()) return first.error();
  std::vector<std::string> argv = TarCommand("--list", root, Packing(*first));
  for (const char* option :
       {"--verbose", "--numeric-owner", "--quoting-style=c", "--absolute-names"}) {
    argv.emplace_back(option);
  }
  Result<std::string> listing = RunTar(std::move(argv), reader, *first);
  if (!listing.ok()) return listing.error();
  if (listing->size() >= kMostListing) return Wrong("The layer holds too many files.");
  Result<std::vector<LayerEntry>> entries = ParseLayerListing(*listing);
  if (!entries.ok()) return entries.error();
  std::string whole = fs::canonical(root);
  if (Result<> safe = CheckLayer(*entries, whole); !safe.ok()) return safe.error();
  ApplyDeletions(*entries, whole);
  if (lseek(file.get(), 0, SEEK_SET) != 0) return ErrnoError(errno, blob);
  return Extract(reader, root);
}

Result<ContainerConfig> UnpackRoot(const ArchiveReader& read, const std::string& directory) {
  if (Result<> extracted = Extract(read, directory); !extracted.ok()) return extracted.error();
  Result<ContainerConfig> config = ContainerConfig{};
  if (IsOciLayout(directory)) config = FlattenOci(directory);
  if (!config.ok()) return config;
  if (fs::exists(directory + "/disk.raw")) {
    return Wrong(
        "The archive holds a raw disk (disk.raw). Machines here are containers: register a tar of "
        "a root file system, or of an OCI image layout.");
  }
  bool is_root =
      fs::is_directory(directory + "/etc") &&
      (fs::exists(fs::symlink_status(directory + "/bin")) || fs::is_directory(directory + "/usr"));
  if (!is_root) {
    return Wrong("The archive holds no root file system: there is no etc, or neither bin nor usr.");
  }
  RemoveDevices(directory);
  return config;
}

}  // namespace fireweed
