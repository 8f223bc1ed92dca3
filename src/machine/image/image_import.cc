#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/process.h"
#include "base/unique_fd.h"
#include "machine/image/image_archive.h"
#include "machine/image/image_archive_format.h"
#include "machine/image/oci_layout.h"
#include "machine/image/root_archive.h"
#include "machine/kept/state_file.h"

namespace fireweed {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::hours kLimit{2};
constexpr std::string_view kSdkInside = "/usr/lib/google-cloud-sdk";

Error Wrong(std::string why) { return Error{Code::kInvalid, "", std::move(why)}; }

bool IsImageName(const std::string& name) {
  constexpr std::string_view kPrefix = "base-";
  return name.size() == kPrefix.size() + 16 && name.starts_with(kPrefix) &&
         name.find_first_not_of("0123456789abcdef", kPrefix.size()) == std::string::npos;
}

// Blobs are named by their digests: each must be what its name says.
Result<> Verify(const std::string& blob) {
  Result<std::string> digest = FileDigest(blob);
  if (!digest.ok()) return Wrong("The archive is incomplete: " + digest.error().message);
  if (*digest == "sha256:" + fs::path(blob).filename().string()) return Done{};
  return Wrong("The archive is damaged: " + fs::path(blob).filename().string() +
               " has the digest " + *digest);
}

class Import {
 public:
  Import(const ImportSettings& settings, const LayerProgress& progress)
      : settings_(settings), progress_(progress) {}

  Result<ImportedImage> Run(const std::string& from) {
    if (Result<> made = MakeStateDirectory(settings_.images_directory, 0755); !made.ok())
      return made.error();
    // The lock of builds: they and imports take turns.
    std::string lock = settings_.images_directory + "/.lock";
    UniqueFd turn(open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!turn || flock(turn.get(), LOCK_EX) != 0) return ErrnoError(errno, lock);
    if (fs::is_directory(from)) return FromLayout(from);
    std::string layout = settings_.images_directory + "/.importing-layout";
    Result<> unpacked = Unpack(from, layout);
    Result<ImportedImage> imported = unpacked.ok() ? FromLayout(layout) : unpacked.error();
    if (Result<> removed = RemoveTree(layout); !removed.ok()) return removed.error();
    return imported;
  }

 private:
  // Only the names of a layout are taken out of the file.
  Result<> Unpack(const std::string& file, const std::string& layout) {
    if (access(file.c_str(), R_OK) != 0) return ErrnoError(errno, "open " + file);
    if (Result<> removed = RemoveTree(layout); !removed.ok()) return removed;
    if (Result<> made = MakeStateDirectory(layout, 0700); !made.ok()) return made;
    Result<ProgramOutcome> done =
        RunProgram({.argv = {"tar", "--extract", "--file=" + fs::absolute(file).string(),
                             "--directory=" + layout, "--no-same-owner", "--no-same-permissions",
                             "oci-layout", "index.json", "blobs/sha256"}},
                   kLimit);
    if (!done.ok()) return done.error();
    if (!done->ok()) return Wrong(file + " is not an exported base image: " + done->error);
    return Done{};
  }

  Result<ImportedImage> FromLayout(const std::string& layout) {
    if (!IsOciLayout(layout)) return Wrong(layout + " is not an OCI image layout.");
    Result<OciImage> image = ReadOciLayout(layout);
    if (!image.ok()) return image.error();
    std::string name = image->annotations[kNameAnnotation];
    if (!IsImageName(name)) {
      return Wrong(
          "The archive is not a base image of Fireweed. Register other images with `gcloud compute "
          "images create "
          "--source-uri`.");
    }
    if (image->digest.empty()) return Wrong("The OCI layout has no manifest of its own.");
    std::string manifest = layout + "/blobs/sha256/" + image->digest.substr(7);
    if (Result<> good = Verify(manifest); !good.ok()) return good.error();
    if (!settings_.digest.empty() && settings_.digest != image->digest) {
      return Wrong("The image has the digest " + image->digest + ", not " + settings_.digest + ".");
    }
    ImportedImage imported{settings_.images_directory + "/" + name, image->digest, {}};
    if (!fs::exists(imported.path)) {
      std::string work = settings_.images_directory + "/.importing-" + image->digest.substr(7, 16);
      Result<> added = AddLayers(*image, work);
      if (added.ok()) added = Publish(*image, work, imported);
      if (!added.ok()) return added.error();
    }
    if (Result<> pointed = Point(name); !pointed.ok()) return pointed.error();
    return imported;
  }

  // `done` counts the layers that are complete; the one after it may be there in part and is laid over itself.
  Result<> AddLayers(const OciImage& image, const std::string& work) {
    std::string root = work + "/root", note = work + "/done";
    if (Result<> made = MakeStateDirectory(root, 0755); !made.ok()) return made;
    int all = static_cast<int>(image.layers.size());
    int done = std::atoi(ReadStateFile(note).value_or("0").c_str());
    for (int i = done; i < all; ++i) {
      if (progress_) progress_(i, all);
      if (Result<> good = Verify(image.layers[i]); !good.ok()) return good;
      if (Result<> added = AddOciLayer(image.layers[i], root); !added.ok()) {
        // Nothing of an archive that is refused stays.
        if (added.error().code == Code::kInvalid) (void)RemoveTree(work);
        return added;
      }
      if (Result<> noted = WriteStateFile(note, std::to_string(i + 1)); !noted.ok()) return noted;
    }
    if (progress_) progress_(all, all);
    if (fs::is_directory(root + "/etc") && fs::is_directory(root + "/usr")) return Done{};
    (void)RemoveTree(work);
    return Wrong("The archive does not hold a root file system.");
  }

  // As a build does it: what belongs to the image first, its name last.
  Result<> Publish(const OciImage& image, const std::string& work, ImportedImage& imported) {
    auto binds = image.annotations.find(kBindsAnnotation);
    std::istringstream lines(binds == image.annotations.end() ? "" : binds->second);
    std::string kept;
    for (std::string outside, inside; lines >> outside >> inside;) {
      if (inside == kSdkInside && !fs::is_directory(outside)) {
        if (!settings_.cloud_sdk.empty()) outside = settings_.cloud_sdk;
      }
      if (fs::is_directory(outside))
        kept += outside + " " + inside + "\n";
      else
        imported.missing.push_back(outside);
    }
    if (Result<> done = WriteStateFile(imported.path + ".binds", kept); !done.ok()) return done;
    if (chmod((imported.path + ".binds").c_str(), 0644) != 0)
      return ErrnoError(errno, imported.path);
    if (Result<> made = MakeStateDirectory(imported.path + ".users", 0755); !made.ok()) return made;
    std::string root = work + "/root";
    if (chmod(root.c_str(), 0755) != 0) return ErrnoError(errno, root);
    UniqueFd tree(open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!tree || syncfs(tree.get()) != 0) return ErrnoError(errno, root);
    if (rename(root.c_str(), imported.path.c_str()) != 0) return ErrnoError(errno, imported.path);
    return RemoveTree(work);
  }

  // build_base_image reads the link if it finds no image of its own.
  Result<> Point(const std::string& name) {
    std::string link = settings_.images_directory + "/imported", draft = link + ".draft";
    unlink(draft.c_str());
    if (symlink(name.c_str(), draft.c_str()) != 0 || rename(draft.c_str(), link.c_str()) != 0) {
      return ErrnoError(errno, link);
    }
    return Done{};
  }

  const ImportSettings& settings_;
  const LayerProgress& progress_;
};

}  // namespace

Result<ImportedImage> ImportImage(const std::string& from, const ImportSettings& settings,
                                  const LayerProgress& progress) {
  return Import(settings, progress).Run(from);
}

}  // namespace fireweed
