// The root file system that instances boot from: the base image, with this daemon's certificate
// authority put into the guest's own list of them; the same for roots that were registered instead of it.
// Called on action threads. May block for a minute or more while the image is built for the first
// time; others that want it meanwhile wait. A failure is the instance's, and tried again. Before the image is first used, the
// shelf it lies on is told who uses it.
#pragma once

#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "base/log.h"
#include "compute/instance_machine.h"
#include "machine/image/base_image.h"
#include "machine/image/image_shelf.h"

namespace fireweed {

class BootImageSource {
 public:
  // `state`: the daemon's directory, whose disks stand on the image.
  BootImageSource(BaseImageSettings settings, std::string state, std::string authority_pem,
                  Logger& log)
      : settings_(std::move(settings)),
        state_(std::move(state)),
        authority_pem_(std::move(authority_pem)),
        log_(log),
        shelf_(settings_.images_directory) {}

  // The base image; or, where an image has a root of its own, its layers (uppermost first) in place of it.
  Result<compute::BootImage> Find(const std::vector<std::string>& own_layers);
  // Finds the base image where it is built already, so that the first Find need not. Builds nothing.
  void Look();
  // Once, at the start: tells the shelf that of the base images only these and the present one are used.
  void Settle(std::set<std::string> used);

 private:
  void Keep(const BaseImage& base);  // REQUIRES: mu_ is held
  Result<compute::BootImage> FindBase();
  Result<> MakeReady();  // REQUIRES: mu_ is held
  std::vector<MachineFile> Trust(const std::vector<std::string>& layers) const;

  const BaseImageSettings settings_;
  const std::string state_;
  const std::string authority_pem_;
  Logger& log_;
  ImageShelf shelf_;
  std::mutex mu_;
  std::optional<compute::BootImage> ready_;  // guarded by mu_
  bool noted_ = false;                       // guarded by mu_: the shelf knows that we use it
};

}  // namespace fireweed
