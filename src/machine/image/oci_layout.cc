#include "machine/image/oci_layout.h"

#include <unistd.h>

#include <algorithm>

#include "describe/json_codec.h"
#include "machine/kept/state_file.h"

namespace fireweed {

struct OciPlatform {
  std::string architecture, os;
};
struct OciDescriptor {
  std::string mediaType, digest;
  OciPlatform platform;
};
// An index lists manifests, a manifest layers: whichever of the two a file has, tells what it is.
struct OciDocument {
  std::vector<OciDescriptor> manifests, layers;
  OciDescriptor config;  // of a manifest
  std::map<std::string, std::string> annotations;
};
struct OciConfigFile {
  ContainerConfig config;
};
template <>
inline constexpr auto kFields<OciPlatform> = [](auto...) {
  return Fields{F("architecture", &OciPlatform::architecture), F("os", &OciPlatform::os)};
};
template <>
inline constexpr auto kFields<OciDescriptor> = [](auto...) {
  return Fields{F("mediaType", &OciDescriptor::mediaType), F("digest", &OciDescriptor::digest),
                F("platform", &OciDescriptor::platform)};
};
template <>
inline constexpr auto kFields<OciDocument> = [](auto...) {
  return Fields{F("manifests", &OciDocument::manifests), F("layers", &OciDocument::layers),
                F("config", &OciDocument::config), F("annotations", &OciDocument::annotations)};
};
template <>
inline constexpr auto kFields<OciConfigFile> =
    [](auto...) { return Fields{F("config", &OciConfigFile::config)}; };

namespace {

#if defined(__aarch64__)
constexpr std::string_view kArchitecture = "arm64";
#else
constexpr std::string_view kArchitecture = "amd64";
#endif
constexpr int kMostNested = 4;  // an index may point at an index

Error Wrong(std::string why) { return Error{Code::kInvalid, "", std::move(why)}; }

// "sha256:HEX" as a path below blobs/; a digest is the archive's word and must not lead elsewhere.
Result<std::string> BlobPath(const std::string& directory, const std::string& digest) {
  constexpr std::string_view kSha = "sha256:";
  std::string hex = digest.starts_with(kSha) ? digest.substr(kSha.size()) : "";
  if (hex.size() != 64 || hex.find_first_not_of("0123456789abcdef") != hex.npos) {
    return Wrong("The OCI layout names a blob by '" + digest + "', not by sha256.");
  }
  return directory + "/blobs/sha256/" + hex;
}

const OciDescriptor* ForThisMachine(const std::vector<OciDescriptor>& manifests) {
  auto fits = [](const OciDescriptor& one) {
    return one.platform.architecture.empty() || one.platform.architecture == kArchitecture;
  };
  auto found = std::ranges::find_if(manifests, fits);
  return found == manifests.end() ? nullptr : &*found;
}

template <class T>
Result<T> ReadDocument(const std::string& path) {
  try {
    return DecodeJson<T>(ReadStateFile(path).value_or(""));
  } catch (const Failure& failure) {
    return Wrong("The OCI layout is broken: " + failure.error().message);
  }
}

Result<OciImage> ReadManifest(const std::string& directory, const OciDocument& manifest) {
  OciImage image;
  image.annotations = manifest.annotations;
  for (const OciDescriptor& layer : manifest.layers) {
    Result<std::string> blob = BlobPath(directory, layer.digest);
    if (!blob.ok()) return blob.error();
    image.layers.push_back(*blob);
  }
  if (manifest.config.digest.empty()) return image;
  Result<std::string> blob = BlobPath(directory, manifest.config.digest);
  if (!blob.ok()) return blob.error();
  Result<OciConfigFile> file = ReadDocument<OciConfigFile>(*blob);
  if (!file.ok()) return file.error();
  image.config = std::move(file->config);
  return image;
}

}  // namespace

bool IsOciLayout(const std::string& directory) {
  return access((directory + "/oci-layout").c_str(), F_OK) == 0 &&
         access((directory + "/index.json").c_str(), F_OK) == 0;
}

Result<OciImage> ReadOciLayout(const std::string& directory) {
  std::string path = directory + "/index.json", digest;
  for (int depth = 0; depth < kMostNested; ++depth) {
    Result<OciDocument> document = ReadDocument<OciDocument>(path);
    if (!document.ok()) return document.error();
    if (!document->layers.empty()) {
      Result<OciImage> image = ReadManifest(directory, *document);
      if (image.ok()) image->digest = digest;
      return image;
    }
    const OciDescriptor* next = ForThisMachine(document->manifests);
    if (!next)
      return Wrong("The OCI layout holds no image for " + std::string(kArchitecture) + ".");
    Result<std::string> blob = BlobPath(directory, next->digest);
    if (!blob.ok()) return blob.error();
    path = *blob;
    digest = next->digest;
  }
  return Wrong("The OCI layout's indexes point at one another.");
}

}  // namespace fireweed
