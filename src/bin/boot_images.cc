#include "bin/boot_images.h"

#include <fstream>
#include <sstream>

namespace fireweed {
namespace {

constexpr const char* kBundle = "/etc/ssl/certs/ca-certificates.crt";

}  // namespace

Result<compute::BootImage> BootImageSource::Find() {
  std::lock_guard lock(mu_);
  if (ready_) return *ready_;
  Result<BaseImage> base = BuildBaseImage(settings_, [this](const ImageProgress& progress) {
    log_.Info("base image",
              {{"step", progress.step}, {"of", progress.steps}, {"doing", progress.text}});
  });
  if (!base.ok()) return base.error();
  std::ifstream file(base->root + kBundle);
  std::stringstream bundle;
  bundle << file.rdbuf() << "\n" << authority_pem_;
  compute::BootImage image;
  image.layers = {base->root};
  image.binds = base->binds;
  image.files.push_back({.path = kBundle, .contents = bundle.str()});
  // So that an update-ca-certificates in the guest keeps it.
  image.files.push_back(
      {.path = "/usr/local/share/ca-certificates/fireweed.crt", .contents = authority_pem_});
  ready_ = image;
  return image;
}

}  // namespace fireweed
