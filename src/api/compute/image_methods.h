// The routes of images. Public image projects are open to everyone who is signed in, so the handlers decide.
#pragma once

#include "api/compute/requests.h"
#include "api/compute/resources.h"

namespace fireweed::api::compute {

inline constexpr Method<ListProject, ListOf<Image>> kListImages{
    kCompute, Verb::kGet, "/compute/v1/projects/{project}/global/images", "compute.images.list"};
inline constexpr Method<GetGlobal, Image> kGetImage{
    kCompute, Verb::kGet, "/compute/v1/projects/{project}/global/images/{name}",
    "compute.images.get"};
inline constexpr Method<GetGlobal, Image> kGetImageFromFamily{
    kCompute, Verb::kGet, "/compute/v1/projects/{project}/global/images/family/{name}",
    "compute.images.getFromFamily"};
inline constexpr Method<GetZonal, ImageFamilyView> kGetImageFamilyView{
    kCompute, Verb::kGet, "/compute/v1/projects/{project}/zones/{zone}/imageFamilyViews/{name}",
    "compute.imageFamilyViews.get"};

}  // namespace fireweed::api::compute
