// Images as the API shows them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/compute/service.h"

namespace fireweed::api::compute {

struct Deprecation {
  std::string state, replacement, deprecated, obsolete, deleted;
};
struct RawDisk {
  std::string source, containerType, sha1Checksum;
};
struct Image {
  std::string kind = "compute#image";
  int64_t id = 0;
  std::string creationTimestamp, name, description, family,
      status = "READY", sourceType = "RAW", sourceImage, sourceDisk, sourceSnapshot, architecture;
  std::string sourceImageId, sourceDiskId;
  std::optional<RawDisk> rawDisk;
  int64_t diskSizeGb = 0, archiveSizeBytes = 0;
  std::vector<std::string> licenses, storageLocations;
  Json guestOsFeatures;  // kept as sent
  std::map<std::string, std::string> labels;
  Bytes labelFingerprint;
  std::optional<Deprecation> deprecated;
  std::string selfLink;
};
struct ImageFamilyView {
  Image image;
};

}  // namespace fireweed::api::compute

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::compute::Deprecation> = "DeprecationStatus";
template <>
inline constexpr auto kFields<api::compute::Deprecation> = [](auto...) {
  return Fields{F("state", &api::compute::Deprecation::state),
                F("replacement", &api::compute::Deprecation::replacement),
                F("deprecated", &api::compute::Deprecation::deprecated),
                F("obsolete", &api::compute::Deprecation::obsolete),
                F("deleted", &api::compute::Deprecation::deleted)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::RawDisk> = "ImageRawDisk";
template <>
inline constexpr auto kFields<api::compute::RawDisk> = [](auto...) {
  return Fields{F("source", &api::compute::RawDisk::source),
                F("containerType", &api::compute::RawDisk::containerType),
                F("sha1Checksum", &api::compute::RawDisk::sha1Checksum)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::Image> = "Image";
template <>
inline constexpr auto kFields<api::compute::Image> = [](auto...) {
  return Fields{F("kind", &api::compute::Image::kind, kOutput),
                F("id", &api::compute::Image::id, kOutput),
                F("creationTimestamp", &api::compute::Image::creationTimestamp, kOutput),
                F("name", &api::compute::Image::name, kRequired | kImmutable),
                F("description", &api::compute::Image::description),
                F("family", &api::compute::Image::family),
                F("status", &api::compute::Image::status, kOutput),
                F("sourceType", &api::compute::Image::sourceType),
                F("sourceImage", &api::compute::Image::sourceImage, kImmutable),
                F("sourceDisk", &api::compute::Image::sourceDisk, kImmutable),
                F("sourceSnapshot", &api::compute::Image::sourceSnapshot, kImmutable),
                F("sourceImageId", &api::compute::Image::sourceImageId, kOutput),
                F("sourceDiskId", &api::compute::Image::sourceDiskId, kOutput),
                F("rawDisk", &api::compute::Image::rawDisk, kImmutable),
                F("architecture", &api::compute::Image::architecture),
                F("diskSizeGb", &api::compute::Image::diskSizeGb),
                F("archiveSizeBytes", &api::compute::Image::archiveSizeBytes, kOutput),
                F("licenses", &api::compute::Image::licenses),
                F("storageLocations", &api::compute::Image::storageLocations),
                F("guestOsFeatures", &api::compute::Image::guestOsFeatures),
                F("labels", &api::compute::Image::labels),
                F("labelFingerprint", &api::compute::Image::labelFingerprint),
                F("deprecated", &api::compute::Image::deprecated),
                F("selfLink", &api::compute::Image::selfLink, kOutput)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::ListOf<api::compute::Image>> =
    "ImageList";
template <>
inline constexpr std::string_view kTypeName<api::compute::ImageFamilyView> = "ImageFamilyView";
template <>
inline constexpr auto kFields<api::compute::ImageFamilyView> =
    [](auto...) { return Fields{F("image", &api::compute::ImageFamilyView::image)}; };
}  // namespace fireweed
