#include "bin/base_images.h"

#include <unistd.h>

#include <filesystem>

#include <fmt/format.h>

#include "describe/json_writer.h"
#include "machine/image/image_archive.h"
#include "machine/image/image_shelf.h"

namespace fireweed {
namespace {

std::string NameOf(const std::string& path) { return std::filesystem::path(path).filename(); }

std::string Size(int64_t bytes) {
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

// The image that instances made now stand on; empty where it is not built.
std::string PresentImage(const DaemonOptions& options) {
  std::optional<BaseImage> present = FindBaseImage(ImageSettings(options)).value();
  return present ? NameOf(present->root) : "";
}

// Why it stays.
std::string UseOf(const ShelvedImage& image, const std::string& present) {
  std::vector<std::string> uses;
  if (NameOf(image.path) == present) uses.push_back("new instances");
  if (image.mounted) uses.push_back("running machines");
  for (const std::string& state : image.users) uses.push_back(state);
  return fmt::format("{}", fmt::join(uses, ", "));
}

std::string ShownUse(const ShelvedImage& image, const std::string& present) {
  std::string use = UseOf(image, present);
  if (!image.noted) return use + (use.empty() ? "" : ", ") + "unknown users (they were not noted)";
  return use.empty() ? "nobody" : use;
}

void PrintJson(const std::vector<ShelvedImage>& images, const std::string& present) {
  JsonWriter out;
  out.BeginArray();
  for (const ShelvedImage& image : images) {
    out.BeginObject().Field("path", image.path).Field("bytes", image.bytes);
    out.Field("present", NameOf(image.path) == present).Field("mounted", image.mounted);
    out.Field("noted", image.noted).Key("users").BeginArray();
    for (const std::string& state : image.users) out.String(state);
    out.EndArray().EndObject();
  }
  out.EndArray();
  fmt::print("{}\n", out.text());
}

// Prints "layer 3/7": rewrites one line on a terminal, adds lines elsewhere.
void ShowLayers(const char* what, int done, int all) {
  bool terminal = isatty(STDERR_FILENO);
  fmt::print(stderr, "{}{}: {} of {} layers{}", terminal ? "\r" : "", what, done, all,
             terminal && done < all ? "" : "\n");
}

// The Cloud SDK of this host; empty: none outside of home directories.
std::string HostCloudSdk() {
  std::error_code absent;
  const char* place = "/usr/lib/google-cloud-sdk";
  return std::filesystem::is_directory(place, absent) ? place : "";
}

}  // namespace

BaseImageSettings ImageSettings(const DaemonOptions& options) {
  BaseImageSettings settings;
  settings.script = FindImageScript(options.program_directory).value_or("");
  settings.images_directory = options.config.instances.image_directory;
  return settings;
}

void ListBaseImages(const DaemonOptions& options, bool json) {
  std::string present = PresentImage(options);
  std::vector<ShelvedImage> images =
      ImageShelf(options.config.instances.image_directory).List().value();
  if (json) return PrintJson(images, present);
  fmt::print("{:<24}{:>12}  {}\n", "IMAGE", "SIZE", "USED BY");
  for (const ShelvedImage& image : images) {
    fmt::print("{:<24}{:>12}  {}\n", NameOf(image.path), Size(image.bytes),
               ShownUse(image, present));
  }
}

void PruneBaseImages(const DaemonOptions& options, bool unknown_too) {
  std::string present = PresentImage(options);
  ImageShelf shelf(options.config.instances.image_directory);
  int64_t freed = 0;
  for (const ShelvedImage& image : shelf.List().value()) {
    bool removed = NameOf(image.path) != present && shelf.Remove(image.path, unknown_too).value();
    if (removed) freed += image.bytes;
    fmt::print("{} {}{}\n", removed ? "removed" : "kept   ", NameOf(image.path),
               removed ? "" : ": used by " + ShownUse(image, present));
  }
  shelf.Tidy().value();
  fmt::print("{} freed\n", Size(freed));
}

void ExportBaseImage(const DaemonOptions& options, const std::string& to) {
  std::optional<BaseImage> present = FindBaseImage(ImageSettings(options)).value();
  if (!present) {
    throw Failure(Code::kNotFound,
                  "no base image is built here; the first instance builds it, or run "
                  "build_base_image of the package");
  }
  ExportedImage exported = ExportImage(present->root, to, [](int done, int all) {
                             ShowLayers("export", done, all);
                           }).value();
  fmt::print("{}\n", exported.digest);
  fmt::print(stderr,
             "Wrote {} ({}) to {}. On the other host: fireweed base-images import {} --digest {}\n",
             NameOf(present->root), Size(exported.bytes), to, to, exported.digest);
}

void ImportBaseImage(const DaemonOptions& options, const std::string& from,
                     const std::string& digest) {
  ImportSettings settings{options.config.instances.image_directory, digest, HostCloudSdk()};
  ImportedImage imported = ImportImage(from, settings, [](int done, int all) {
                             ShowLayers("import", done, all);
                           }).value();
  fmt::print("{}\n", imported.path);
  for (const std::string& missing : imported.missing) {
    fmt::print(stderr, "warning: the image expects {}, which this host does not have\n", missing);
  }
  std::string present = PresentImage(options);
  if (present != NameOf(imported.path)) {
    fmt::print(stderr, "New instances keep using {}, which this host built.\n", present);
  }
}

}  // namespace fireweed
