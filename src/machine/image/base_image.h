// What for: the read-only tree that local machines are layered over. It is built once by the script
//   packaging/image/build_base_image and named by a hash of what goes in; here is the way to ask for it.
// Who calls: wiring and the instance controller's actions, any thread.
// May block: yes. Finding takes about a second, building a minute or more.
// Who owns: the shelf (image_shelf.h); machines share them read-only.
// A failure: kNotFound when there is no script, kUnavailable when a download or a tool failed (try again), with
//   the script's last words in the message.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machine/machine_driver.h"

namespace fireweed {

struct BaseImage {
  std::string root;                // goes into MachineSpec::image_layers
  std::vector<MachineBind> binds;  // what the image expects of the host: Cloud SDK, package indexes
};

struct BaseImageSettings {
  std::string script;            // as FindImageScript says
  std::string images_directory;  // empty: the script's own, /var/cache/fireweed/images
  std::string pip_constraints;   // a file; empty: the one beside the script
  std::string cloud_sdk;         // a directory or "none"; empty: the host's where it has one
};

struct ImageProgress {
  int step = 0;
  int steps = 0;
  std::string text;
};

// The script of an installed program (../share/fireweed/image) or of the source tree that the program was built in.
std::optional<std::string> FindImageScript(const std::string& program_directory);

// The image for these settings where it is ready.
Result<std::optional<BaseImage>> FindBaseImage(const BaseImageSettings& settings);

// Finds or builds it. Two builds of one image wait for each other, in this process or another.
Result<BaseImage> BuildBaseImage(const BaseImageSettings& settings,
                                 const std::function<void(const ImageProgress&)>& progress);

// "step 2/7 copy settings"; nullopt for any other line.
std::optional<ImageProgress> ParseImageProgress(std::string_view line);

}  // namespace fireweed
