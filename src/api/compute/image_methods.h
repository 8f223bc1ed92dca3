// The routes of images. Public image projects are open to everyone who is signed in, so the handlers decide.
#pragma once

#include "api/compute/image.h"
#include "api/compute/operation.h"
#include "api/compute/requests.h"
#include "api/policy.h"

namespace fireweed::api::compute {

struct InsertImage {
  std::string project, requestId;
  bool forceCreate = false;  // from a disk although an instance that runs has it
  Image body;
};
struct SetImagePolicy {
  std::string project, name;
  SetIamPolicyBody body;
};
struct TestImagePermissions {
  std::string project, name;
  TestPermissionsBody body;
};

inline constexpr std::string_view kImageResource = "projects/{project}/global/images/{name}";

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

inline constexpr Method<InsertImage, Operation> kInsertImage{
    kCompute, Verb::kPost, "/compute/v1/projects/{project}/global/images", "compute.images.insert"};
inline constexpr Method<ChangeGlobal, Operation> kDeleteImage{
    kCompute, Verb::kDelete, "/compute/v1/projects/{project}/global/images/{name}",
    "compute.images.delete"};
inline constexpr Method<EditGlobal<Json>, Operation> kPatchImage{
    kCompute, Verb::kPatch, "/compute/v1/projects/{project}/global/images/{name}",
    "compute.images.patch"};
inline constexpr Method<EditGlobal<Deprecation>, Operation> kDeprecateImage{
    kCompute, Verb::kPost, "/compute/v1/projects/{project}/global/images/{name}/deprecate",
    "compute.images.deprecate"};
inline constexpr Method<EditGlobal<LabelsBody>, Operation> kSetImageLabels{
    kCompute, Verb::kPost, "/compute/v1/projects/{project}/global/images/{name}/setLabels",
    "compute.images.setLabels"};
// ".../images/NAME/getIamPolicy". A family may be called "getIamPolicy", so this route gives way to families' and its
// handler looks at the last word itself.
inline constexpr Method<GetGlobal, Policy> kGetImagePolicy{
    kCompute, Verb::kGet, "/compute/v1/projects/{project}/global/images/{name=**}",
    "compute.images.getIamPolicy"};
inline constexpr Method<SetImagePolicy, Policy> kSetImagePolicy{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/global/images/{name}/setIamPolicy",
    "compute.images.setIamPolicy",
    "compute.images.setIamPolicy",
    kImageResource};
inline constexpr Method<TestImagePermissions, TestPermissionsBody> kTestImagePermissions{
    kCompute, Verb::kPost, "/compute/v1/projects/{project}/global/images/{name}/testIamPermissions",
    "compute.images.testIamPermissions"};

}  // namespace fireweed::api::compute

namespace fireweed {
template <>
inline constexpr auto kFields<api::compute::InsertImage> = [](auto...) {
  return Fields{F("project", &api::compute::InsertImage::project, kPath),
                F("requestId", &api::compute::InsertImage::requestId, kQuery),
                F("forceCreate", &api::compute::InsertImage::forceCreate, kQuery),
                F("body", &api::compute::InsertImage::body, kBody)};
};
template <>
inline constexpr auto kFields<api::compute::SetImagePolicy> = [](auto...) {
  return Fields{F("project", &api::compute::SetImagePolicy::project, kPath),
                F("name", &api::compute::SetImagePolicy::name, kPath),
                F("body", &api::compute::SetImagePolicy::body, kBody)};
};
template <>
inline constexpr auto kFields<api::compute::TestImagePermissions> = [](auto...) {
  return Fields{F("project", &api::compute::TestImagePermissions::project, kPath),
                F("name", &api::compute::TestImagePermissions::name, kPath),
                F("body", &api::compute::TestImagePermissions::body, kBody)};
};
}  // namespace fireweed
