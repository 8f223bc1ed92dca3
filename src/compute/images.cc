#include "compute/images.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "compute/links.h"
#include "compute/refusals.h"

namespace fireweed::compute {
namespace {

// The families people name. The dated image names are ours: clients only ever read them back.
struct PublicProject {
  std::string_view project, families;
};
constexpr PublicProject kPublic[] = {
    {"debian-cloud", "debian-8 debian-9 debian-10 debian-11 debian-12 debian-12-arm64"},
    {"ubuntu-os-cloud",
     "ubuntu-1404-lts ubuntu-1604-lts ubuntu-1804-lts ubuntu-2004-lts ubuntu-2204-lts "
     "ubuntu-2404-lts-amd64 ubuntu-minimal-1604-lts ubuntu-minimal-1804-lts "
     "ubuntu-minimal-2004-lts "
     "ubuntu-minimal-2204-lts"},
    {"ubuntu-os-pro-cloud", "ubuntu-pro-1604-lts ubuntu-pro-1804-lts ubuntu-pro-2004-lts"},
    {"ubuntu-os-accelerator-images", ""},
    {"centos-cloud", "centos-6 centos-7 centos-8 centos-stream-8 centos-stream-9"},
    {"cos-cloud", "cos-stable cos-beta cos-dev"},
    {"fedora-coreos-cloud", "fedora-coreos-stable"},
    {"opensuse-cloud", "opensuse-leap"},
    {"oracle-linux-cloud", ""},
    {"rhel-cloud", "rhel-7 rhel-8 rhel-9"},
    {"rhel-sap-cloud", ""},
    {"rocky-linux-accelerator-cloud", ""},
    {"rocky-linux-cloud", "rocky-linux-8 rocky-linux-9"},
    {"suse-cloud", "sles-12 sles-15"},
    {"suse-sap-cloud", ""},
    {"windows-cloud", ""},
    {"windows-sql-cloud", ""},
    {"ml-images", "tf-1-15 tf-2-11-cpu common-cpu"},
    {"deeplearning-platform-release",
     "common-cpu tf-latest-cpu tf-latest-gpu tf2-latest-cpu tf2-latest-gpu pytorch-latest-cpu "
     "pytorch-latest-gpu"},
};
constexpr std::string_view kBaseFamily = "debian-12";  // of the base image itself
constexpr std::string_view kVersion = "v20260101";
constexpr std::string_view kMade = "2026-01-01T00:00:00.000-00:00";

const PublicProject* FindProject(std::string_view project) {
  for (const PublicProject& known : kPublic) {
    if (known.project == project) return &known;
  }
  return nullptr;
}

api::compute::Image MakePublic(std::string_view project, std::string_view family) {
  std::string name = fmt::format("{}-{}", family, kVersion);
  std::string link = ScopedLink(project, "global", "images", name);
  return {.id = 1'000'000 + static_cast<int64_t>(Crc32c(AsBytes(link))),
          .creationTimestamp = std::string(kMade),
          .name = name,
          .description = fmt::format("Stands for {}; runs this machine's base image.", family),
          .family = std::string(family),
          .architecture = "X86_64",
          .diskSizeGb = kDefaultImageGb,
          .selfLink = link};
}

std::optional<ImageRecord> NewestInFamily(Txn& txn, const std::string& project,
                                          std::string_view family) {
  std::optional<ImageRecord> newest;
  txn.ForEach<ImageRecord>({.prefix = project + "/"}, [&](Row<ImageRecord>& row) {
    const api::compute::Image& image = row.value.resource;
    bool usable = image.family == family && image.status == "READY" && !image.deprecated;
    if (usable && (!newest || image.id > newest->resource.id)) newest = std::move(row.value);
  });
  return newest;
}

}  // namespace

bool IsPublicImageProject(std::string_view project) { return FindProject(project) != nullptr; }

std::vector<api::compute::Image> PublicImages(std::string_view project) {
  std::vector<api::compute::Image> images;
  const PublicProject* known = FindProject(project);
  std::string_view rest = known ? known->families : std::string_view();
  while (!rest.empty()) {
    size_t space = rest.find(' ');
    images.push_back(MakePublic(project, rest.substr(0, space)));
    rest = space == std::string_view::npos ? std::string_view() : rest.substr(space + 1);
  }
  return images;
}

std::optional<api::compute::Image> PublicFamily(std::string_view project, std::string_view family) {
  for (api::compute::Image& image : PublicImages(project)) {
    if (image.family == family) return std::move(image);
  }
  return std::nullopt;
}

// Any dated image of a known family will do: scripts pin dates that nobody has any more.
std::optional<api::compute::Image> PublicImage(std::string_view project, std::string_view name) {
  for (api::compute::Image& image : PublicImages(project)) {
    if (image.name == name) return std::move(image);
    if (name.starts_with(image.family + "-v") || name == image.family) {
      image.name = std::string(name);
      image.selfLink = ScopedLink(project, "global", "images", name);
      return std::move(image);
    }
  }
  return std::nullopt;
}

namespace {

std::optional<ImageRecord> StandIn(std::string_view project, std::string_view name,
                                   bool by_family) {
  auto image = by_family ? PublicFamily(project, name) : PublicImage(project, name);
  if (!image) return std::nullopt;
  return ImageRecord{.project = std::string(project), .resource = *std::move(image)};
}

}  // namespace

ImageName ParseImageName(std::string_view reference, const std::string& default_project) {
  ResourceRef ref = ParseRef(reference);
  ImageName name{.project = ref.project.empty() ? default_project : ref.project,
                 .name = ref.name()};
  size_t words = ref.path.size();
  std::string before = words >= 2 ? ref.path[words - 2] : "images";
  for (const std::string& word : ref.path) name.path += (name.path.empty() ? "" : "/") + word;
  if (words == 1) name.path = "global/images/" + name.path;
  name.by_family = before == "family" || before == "imageFamilyViews";
  if (name.name.empty() || (!name.by_family && before != "images"))
    Missing(name.project, name.path);
  return name;
}

ImageRecord ResolveImage(Txn& txn, std::string_view reference, const std::string& default_project) {
  ImageName name = ParseImageName(reference, default_project);
  std::optional<ImageRecord> found;
  if (name.by_family) {
    found = NewestInFamily(txn, name.project, name.name);
  } else if (auto row = txn.Find<ImageRecord>(name.project + "/" + name.name)) {
    found = std::move(row->value);
  }
  if (!found) found = StandIn(name.project, name.name, name.by_family);
  if (!found) Missing(name.project, name.path);
  return *std::move(found);
}

ImageRecord ResolveUsableImage(Txn& txn, std::string_view reference,
                               const std::string& default_project) {
  ImageRecord image = ResolveImage(txn, reference, default_project);
  const api::compute::Image& resource = image.resource;
  if (resource.status != "READY") NotReady(image.project, "global/images/" + resource.name);
  bool gone = resource.deprecated &&
              (resource.deprecated->state == "OBSOLETE" || resource.deprecated->state == "DELETED");
  if (gone) {
    throw Failure(Code::kInvalid,
                  fmt::format("The image resource 'projects/{}/global/images/{}' is {}.",
                              image.project, resource.name, resource.deprecated->state));
  }
  return image;
}

std::vector<std::string> ImageWarnings(const ImageRecord& image) {
  const api::compute::Image& resource = image.resource;
  bool registered = resource.creationTimestamp != kMade || !IsPublicImageProject(image.project);
  if (registered || resource.family == kBaseFamily) return {};
  bool frameworks =
      image.project == "ml-images" || image.project == "deeplearning-platform-release";
  return {fmt::format(
      "Image family {} of {} is not available on this host; Debian 12 is used "
      "instead{}.",
      resource.family, image.project, frameworks ? ", without the frameworks of that image" : "")};
}

std::vector<std::string> ImageWarnings(Txn& txn, std::string_view reference,
                                       const std::string& default_project, bool strict) {
  if (reference.empty()) return {};
  std::vector<std::string> warnings = ImageWarnings(ResolveImage(txn, reference, default_project));
  if (strict && !warnings.empty()) {
    throw Failure(
        Code::kInvalid, "invalid",
        warnings.front() + " Refused: the daemon's setting 'strict' allows no substitutes.");
  }
  return warnings;
}

void RequireImageUse(net::AccessControl& access, const net::Caller& caller,
                     std::string_view reference, const std::string& own_project) {
  if (reference.empty()) return;
  ImageName name = ParseImageName(reference, own_project);
  if (name.project == own_project || IsPublicImageProject(name.project)) return;
  std::string resource = "projects/" + name.project;
  if (!name.by_family) resource += "/global/images/" + name.name;
  net::Require(access, caller, "compute.images.useReadOnly", resource);
}

}  // namespace fireweed::compute
