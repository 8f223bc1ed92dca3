// Images by name, family and URL. The public image projects are a table: every image in them is the base image
// (decision 10), under the names people type. A project's own images are rows.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/compute/methods.h"
#include "catalog/catalog.h"
#include "compute/links.h"
#include "net/router.h"

namespace fireweed::compute {

bool IsPublicImageProject(std::string_view project);
// The image a public family stands for, by family or by full name. Pure.
std::optional<api::compute::Image> PublicFamily(std::string_view project, std::string_view family);
std::optional<api::compute::Image> PublicImage(std::string_view project, std::string_view name);
std::vector<api::compute::Image> PublicImages(std::string_view project);

// What a reference to an image means: ".../images/NAME", ".../images/family/F", ".../imageFamilyViews/F", partial
// or full. Throws Failure(kNotFound) with Google's words when there is none.
api::compute::Image ResolveImage(Txn& txn, std::string_view reference,
                                 const std::string& default_project);

class ImagesService {
 public:
  ImagesService(Catalog& catalog, net::AccessControl& access)
      : catalog_(catalog), access_(access) {}
  void Serve(net::Router& router);

  api::compute::Image Get(const api::compute::GetGlobal& request, const net::Call& call);
  api::compute::Image GetFromFamily(const api::compute::GetGlobal& request, const net::Call& call);
  api::compute::ImageFamilyView GetFamilyView(const api::compute::GetZonal& request,
                                              const net::Call& call);
  api::compute::ListOf<api::compute::Image> List(const api::compute::ListProject& request,
                                                 const net::Call& call);

 private:
  void MayRead(const std::string& project, const net::Call& call);
  api::compute::Image Resolve(const std::string& project, const std::string& path);

  Catalog& catalog_;
  net::AccessControl& access_;
};

}  // namespace fireweed::compute
