#include "compute/images.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "compute/paging.h"
#include "compute/records.h"

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
          .selfLink = link};
}

[[noreturn]] void NoImage(std::string_view project, std::string_view path) {
  throw Failure(Code::kNotFound,
                fmt::format("The resource 'projects/{}/{}' was not found", project, path));
}

std::optional<api::compute::Image> NewestInFamily(Txn& txn, const std::string& project,
                                                  std::string_view family) {
  std::optional<api::compute::Image> newest;
  ScanRange range{.prefix = project + "/"};
  while (true) {
    std::vector<Row<ImageRecord>> rows = txn.Scan<ImageRecord>(range);
    for (Row<ImageRecord>& row : rows) {
      api::compute::Image& image = row.value.resource;
      bool usable = image.family == family && image.status == "READY" && !image.deprecated;
      if (usable && (!newest || image.id > newest->id)) newest = std::move(image);
    }
    if (std::ssize(rows) < range.limit) return newest;
    range.after = rows.back().key;
  }
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

api::compute::Image ResolveImage(Txn& txn, std::string_view reference,
                                 const std::string& default_project) {
  ResourceRef ref = ParseRef(reference);
  std::string project = ref.project.empty() ? default_project : ref.project;
  size_t words = ref.path.size();
  std::string before = words >= 2 ? ref.path[words - 2] : "images";
  std::string path;
  for (const std::string& word : ref.path) path += (path.empty() ? "" : "/") + word;
  if (words == 1) path = "global/images/" + path;
  bool by_family = before == "family" || before == "imageFamilyViews";
  if (ref.name().empty() || (!by_family && before != "images")) NoImage(project, path);
  std::optional<api::compute::Image> found;
  if (IsPublicImageProject(project)) {
    found = by_family ? PublicFamily(project, ref.name()) : PublicImage(project, ref.name());
  } else if (by_family) {
    found = NewestInFamily(txn, project, ref.name());
  } else if (auto row = txn.Find<ImageRecord>(project + "/" + ref.name())) {
    found = std::move(row->value.resource);
  }
  if (!found) NoImage(project, path);
  return *std::move(found);
}

void ImagesService::Serve(net::Router& router) {
  namespace c = api::compute;
  router.On(c::kGetImage, this, &ImagesService::Get);
  router.On(c::kGetImageFromFamily, this, &ImagesService::GetFromFamily);
  router.On(c::kGetImageFamilyView, this, &ImagesService::GetFamilyView);
  router.On(c::kListImages, this, &ImagesService::List);
}

void ImagesService::MayRead(const std::string& project, const net::Call& call) {
  if (call.caller.anonymous()) {
    throw Failure(Code::kUnauthenticated, "required", "Login Required.");
  }
  if (IsPublicImageProject(project)) return;
  net::Require(access_, call.caller, "compute.images.get", "projects/" + project);
}

api::compute::Image ImagesService::Resolve(const std::string& project, const std::string& path) {
  return Query(catalog_,
               [&](Txn& txn) { return ResolveImage(txn, "projects/" + project + path, project); });
}

api::compute::Image ImagesService::Get(const api::compute::GetGlobal& request,
                                       const net::Call& call) {
  MayRead(request.project, call);
  return Resolve(request.project, "/global/images/" + request.name);
}

api::compute::Image ImagesService::GetFromFamily(const api::compute::GetGlobal& request,
                                                 const net::Call& call) {
  MayRead(request.project, call);
  return Resolve(request.project, "/global/images/family/" + request.name);
}

api::compute::ImageFamilyView ImagesService::GetFamilyView(const api::compute::GetZonal& request,
                                                           const net::Call& call) {
  MayRead(request.project, call);
  return {Resolve(request.project, "/zones/" + request.zone + "/imageFamilyViews/" + request.name)};
}

api::compute::ListOf<api::compute::Image> ImagesService::List(
    const api::compute::ListProject& request, const net::Call& call) {
  MayRead(request.project, call);
  PageRequest wanted(request);
  PageOf<api::compute::Image> page;
  if (IsPublicImageProject(request.project)) {
    std::map<Key, api::compute::Image> all;
    for (api::compute::Image& image : PublicImages(request.project)) all[image.name] = image;
    page = PageOfTable<api::compute::Image>(wanted, {all.begin(), all.end()});
  } else {
    page = Query(catalog_, [&](Txn& txn) {
      return PageOfRows<ImageRecord, api::compute::Image>(
          txn, request.project + "/", wanted,
          [](const ImageRecord& record) { return record.resource; });
    });
  }
  return {.kind = "compute#imageList",
          .id = "projects/" + request.project + "/global/images",
          .items = std::move(page).Values(),
          .nextPageToken = page.next,
          .selfLink = ProjectLink(request.project) + "/global/images"};
}

}  // namespace fireweed::compute
