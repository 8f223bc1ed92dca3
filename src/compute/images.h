// Images by name, family and URL. The public image projects are a table: every image in them stands for the base
// image (ADR 8), under the names people type, until somebody registers a real one of that name or family. All
// other images are rows.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/compute/image.h"
#include "catalog/catalog.h"
#include "compute/records.h"
#include "net/access.h"

namespace fireweed::compute {

inline constexpr int64_t kDefaultImageGb = 10;

bool IsPublicImageProject(std::string_view project);
// The image a public family stands for, by family or by full name. Pure.
std::optional<api::compute::Image> PublicFamily(std::string_view project, std::string_view family);
std::optional<api::compute::Image> PublicImage(std::string_view project, std::string_view name);
std::vector<api::compute::Image> PublicImages(std::string_view project);

// A reference to an image: ".../images/NAME", ".../images/family/F", ".../imageFamilyViews/F", partial or full. Throws
// Failure(kNotFound) with Google's words for anything else.
struct ImageName {
  std::string project, name;
  std::string path;  // what followed the project
  bool by_family = false;
};
ImageName ParseImageName(std::string_view reference, const std::string& default_project);

// What a reference means now: a family is its newest image that is neither deprecated nor still being made. Throws
// Failure(kNotFound) when there is none. A stand-in has no layers of its own.
ImageRecord ResolveImage(Txn& txn, std::string_view reference, const std::string& default_project);
// The same, to make something of: kInvalid when it is not ready, obsolete or deleted.
ImageRecord ResolveUsableImage(Txn& txn, std::string_view reference,
                               const std::string& default_project);

// What the client should know about an image that the base image stands for: "Image family ubuntu-2204-lts of
// ubuntu-os-cloud is not available on this host; Debian 12 is used instead." Empty for debian-12 and for registered images.
std::vector<std::string> ImageWarnings(const ImageRecord& image);
// The same for a reference; an empty reference has none. Throws as ResolveImage does. `strict`: kInvalid instead.
std::vector<std::string> ImageWarnings(Txn& txn, std::string_view reference,
                                       const std::string& default_project, bool strict);

// Using another project's image needs a permission there, unless everybody may. Before a transaction, not in one.
void RequireImageUse(net::AccessControl& access, const net::Caller& caller,
                     std::string_view reference, const std::string& own_project);

}  // namespace fireweed::compute
