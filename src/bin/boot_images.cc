#include "bin/boot_images.h"

#include <fstream>
#include <sstream>

namespace fireweed {
namespace {

constexpr const char* kBundle = "/etc/ssl/certs/ca-certificates.crt";

}  // namespace

// The uppermost layer that has a list of authorities decides what ours is added to.
std::vector<MachineFile> BootImageSource::Trust(const std::vector<std::string>& layers) const {
  std::stringstream bundle;
  for (const std::string& layer : layers) {
    std::ifstream file(layer + kBundle);
    if (!file) continue;
    bundle << file.rdbuf() << "\n";
    break;
  }
  bundle << authority_pem_;
  // The second so that an update-ca-certificates in the guest keeps it.
  return {{.path = kBundle, .contents = bundle.str()},
          {.path = "/usr/local/share/ca-certificates/fireweed.crt", .contents = authority_pem_}};
}

Result<compute::BootImage> BootImageSource::Find(const std::vector<std::string>& own_layers) {
  if (own_layers.empty()) return FindBase();
  return compute::BootImage{.layers = own_layers, .files = Trust(own_layers)};
}

Result<compute::BootImage> BootImageSource::FindBase() {
  std::lock_guard lock(mu_);
  // Between a look and its first use an image may have been taken off the shelf.
  for (int tries = 0; tries < 2; ++tries) {
    if (Result<> ready = MakeReady(); !ready.ok()) return ready.error();
    if (noted_) return *ready_;
    Result<bool> noted = shelf_.Note(ready_->layers.back(), state_);
    if (!noted.ok()) return noted.error();
    noted_ = *noted;
    if (noted_) return *ready_;
    ready_.reset();
  }
  return Error{Code::kUnavailable, "", "the base image was removed while it was looked for"};
}

Result<> BootImageSource::MakeReady() {
  if (ready_) return Done{};
  Result<BaseImage> base = BuildBaseImage(settings_, [this](const ImageProgress& progress) {
    log_.Info("base image",
              {{"step", progress.step}, {"of", progress.steps}, {"doing", progress.text}});
  });
  if (!base.ok()) return base.error();
  Keep(*base);
  return Done{};
}

void BootImageSource::Look() {
  std::lock_guard lock(mu_);
  if (ready_) return;
  Result<std::optional<BaseImage>> base = FindBaseImage(settings_);
  if (base.ok() && *base) Keep(**base);
}

void BootImageSource::Settle(std::set<std::string> used) {
  std::lock_guard lock(mu_);
  if (ready_ && noted_) used.insert(ready_->layers.back());
  if (Result<> settled = shelf_.Settle(state_, used); !settled.ok()) {
    log_.Warning("notes on base images", {{"error", settled.error().message}});
  }
}

void BootImageSource::Keep(const BaseImage& base) {
  ready_ =
      compute::BootImage{.layers = {base.root}, .files = Trust({base.root}), .binds = base.binds};
}

}  // namespace fireweed
