// The daemon. Says on --ready-fd that it serves, and ends on SIGTERM or SIGINT.
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error.h"
#include "bin/base_images.h"
#include "bin/daemon.h"
#include "bin/offline.h"

namespace fireweed {
namespace {

struct Flags {
  std::string state, config, http, https, restore;
  int ready_fd = -1;
  bool purge = false, print_config = false, fsck = false;
  std::string print_discovery;
  std::string base_images, image_file, image_digest;
  bool json = false;
};

// What a variable was before `fireweed env` changed it: the daemon must not become its own upstream.
std::string Environment(const std::string& name) {
  bool changed = std::getenv("FIREWEED_ENV") != nullptr;
  const char* value = std::getenv((changed ? "FIREWEED_OLD_" + name : name).c_str());
  return value ? value : "";
}

std::string Environment(const std::string& upper, const std::string& lower) {
  std::string value = Environment(upper);
  return value.empty() ? Environment(lower) : value;
}

DaemonOptions Options(const Flags& flags) {
  DaemonOptions options;
  options.state = std::filesystem::absolute(flags.state).lexically_normal();
  options.program_directory = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  if (!flags.config.empty() && !std::filesystem::exists(flags.config)) {
    throw Failure(Code::kNotFound, fmt::format("{} is not there", flags.config));
  }
  options.config = LoadConfig(flags.config.empty() ? options.state + "/config.yaml" : flags.config);
  if (!flags.http.empty()) options.config.listen.http = flags.http;
  if (!flags.https.empty()) options.config.listen.https = flags.https;
  ValidateConfig(options.config);
  options.upstream_proxy = Environment("HTTPS_PROXY", "https_proxy");
  options.no_proxy = Environment("NO_PROXY", "no_proxy");
  return options;
}

void SayReady(int fd) {
  if (fd < 0) return;
  [[maybe_unused]] ssize_t written = write(fd, "ready\n", 6);
  close(fd);
}

// A directory that is gone with this object.
struct MomentaryDirectory {
  std::string path = (std::filesystem::temp_directory_path() / "fireweed-XXXXXX").string();
  MomentaryDirectory() {
    if (mkdtemp(path.data()) == nullptr)
      throw Failure(ErrnoError(errno, "make a temporary directory"));
  }
  ~MomentaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

// What an API looks like, from a daemon that lives for a moment.
int PrintDiscovery(const Flags& flags) {
  MomentaryDirectory state;
  Flags moment = flags;
  moment.state = state.path;
  moment.http = moment.https = "127.0.0.1:0";
  DaemonOptions options = Options(moment);
  options.config.instances.driver = "fake";
  options.config.log.level = "error";
  std::string document = Daemon(std::move(options)).Discovery(flags.print_discovery);
  if (document.empty())
    throw Failure(Code::kNotFound, fmt::format("there is no API '{}' here", flags.print_discovery));
  fmt::print("{}\n", document);
  return 0;
}

int RunBaseImages(const Flags& flags, const DaemonOptions& options) {
  if (flags.base_images == "list") {
    ListBaseImages(options, flags.json);
  } else if (flags.base_images == "export") {
    ExportBaseImage(options, flags.image_file);
  } else if (flags.base_images == "import") {
    ImportBaseImage(options, flags.image_file, flags.image_digest);
  } else {
    PruneBaseImages(options, flags.base_images == "prune-unknown");
  }
  return 0;
}

int Run(const Flags& flags) {
  if (!flags.print_discovery.empty()) return PrintDiscovery(flags);
  if (flags.print_config) {
    fmt::print("{}", DocumentedConfig());
    return 0;
  }
  DaemonOptions options = Options(flags);
  if (flags.purge) {
    PurgeMachines(options);
    return 0;
  }
  if (!flags.base_images.empty()) return RunBaseImages(flags, options);
  if (flags.fsck) return ExamineOffline(options) ? 0 : 1;
  if (!flags.restore.empty()) {
    return RestoreOffline(options, std::filesystem::absolute(flags.restore)) ? 0 : 1;
  }
  // Blocked before the first thread starts, so that every thread inherits it and only sigwait sees them.
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  sigaddset(&stop, SIGINT);
  pthread_sigmask(SIG_BLOCK, &stop, nullptr);
  Daemon daemon(std::move(options));
  SayReady(flags.ready_fd);
  int signal = 0;
  sigwait(&stop, &signal);
  // A second signal ends it at once.
  pthread_sigmask(SIG_UNBLOCK, &stop, nullptr);
  return 0;
}

}  // namespace
}  // namespace fireweed

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  fireweed::Flags flags;
  CLI::App app("The Fireweed daemon. `fireweed up` starts it.", "fireweedd");
  app.add_option("--state", flags.state, "State directory");
  app.add_option("--config", flags.config,
                 "Settings file (default: config.yaml in the state directory)");
  app.add_option("--http", flags.http, "HOST:PORT of plain HTTP");
  app.add_option("--https", flags.https, "HOST:PORT of TLS");
  app.add_option("--ready-fd", flags.ready_fd, "Descriptor to write a line to once it serves");
  app.add_flag("--purge", flags.purge,
               "End instances, remove what they left on this host, and exit");
  app.add_flag("--fsck", flags.fsck,
               "Prove that rows, blobs and checksums of a state directory agree, and exit");
  app.add_option("--restore", flags.restore,
                 "Fill an empty state directory from a backup, and exit");
  app.add_option("--base-images", flags.base_images,
                 "List, prune, export or import base images of this host, and exit")
      ->check(CLI::IsMember({"list", "prune", "prune-unknown", "export", "import"}));
  app.add_option("--image-file", flags.image_file, "File or directory to export to or import from");
  app.add_option("--image-digest", flags.image_digest, "Digest that an imported image must have");
  app.add_flag("--json", flags.json, "With --base-images list: as JSON");
  app.add_flag("--print-config", flags.print_config,
               "Print every setting with its default and exit");
  app.add_option("--print-discovery", flags.print_discovery,
                 "Print the discovery document of an API (storage, compute, ...) and exit");
  CLI11_PARSE(app, argc, argv);
  if (flags.state.empty() && !flags.print_config && flags.print_discovery.empty()) {
    fmt::print(stderr, "fireweedd: --state DIR is required\n");
    return 2;
  }
  try {
    return fireweed::Run(flags);
  } catch (const fireweed::Failure& failure) {
    fmt::print(stderr, "fireweedd: {}\n", failure.error().message);
  } catch (const std::exception& error) {
    fmt::print(stderr, "fireweedd: {}\n", error.what());
  }
  return 1;
}
