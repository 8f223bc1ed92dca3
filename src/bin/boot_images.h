// The root file system that instances boot from: the base image, with this daemon's certificate
// authority put into the guest's own list of them; the same for roots that were registered instead of it.
// Called on action threads. May block for a minute or more while the image is built for the first
// time; others that want it meanwhile wait. A failure is the instance's, and tried again.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "base/log.h"
#include "compute/instance_machine.h"
#include "machine/image/base_image.h"

namespace fireweed {

class BootImageSource {
 public:
  BootImageSource(BaseImageSettings settings, std::string authority_pem, Logger& log)
      : settings_(std::move(settings)), authority_pem_(std::move(authority_pem)), log_(log) {}

  // The base image; or, where an image has a root of its own, its layers (uppermost first) in place of it.
  Result<compute::BootImage> Find(const std::vector<std::string>& own_layers);
  // Finds the base image where it is built already, so that the first Find need not. Builds nothing.
  void Look();

 private:
  void Keep(const BaseImage& base);  // REQUIRES: mu_ is held
  Result<compute::BootImage> FindBase();
  std::vector<MachineFile> Trust(const std::vector<std::string>& layers) const;

  const BaseImageSettings settings_;
  const std::string authority_pem_;
  Logger& log_;
  std::mutex mu_;
  std::optional<compute::BootImage> ready_;  // guarded by mu_
};

}  // namespace fireweed
