#include "machine/image/base_image.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>

#include "base/process.h"

namespace fireweed {
namespace {

constexpr int kMissing = 3;  // the script's exit code for "not built yet"

// Takes pieces of text and hands on whole lines.
class LineCutter {
 public:
  explicit LineCutter(std::function<void(std::string_view)> sink) : sink_(std::move(sink)) {}

  void Add(std::string_view piece) {
    pending_ += piece;
    size_t start = 0;
    for (size_t end; (end = pending_.find('\n', start)) != std::string::npos; start = end + 1) {
      sink_(std::string_view(pending_).substr(start, end - start));
    }
    pending_.erase(0, start);
  }
  void Finish() {
    if (!pending_.empty()) sink_(pending_);
    pending_.clear();
  }

 private:
  std::function<void(std::string_view)> sink_;
  std::string pending_;
};

// Reads what is there; false at the end of the stream.
bool ReadSome(int fd, LineCutter& cutter) {
  std::array<char, 4096> buffer;
  ssize_t got = read(fd, buffer.data(), buffer.size());
  if (got < 0 && errno == EINTR) return true;
  if (got <= 0) return false;
  cutter.Add({buffer.data(), static_cast<size_t>(got)});
  return true;
}

// Both streams at once, so that neither fills its pipe while the other is waited for.
void ReadLines(const ChildProgram& child, LineCutter& output, LineCutter& error) {
  std::array<pollfd, 2> polled{{{child.output.get(), POLLIN, 0}, {child.error.get(), POLLIN, 0}}};
  std::array<LineCutter*, 2> cutters{&output, &error};
  while (polled[0].fd >= 0 || polled[1].fd >= 0) {
    if (poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR) break;
    for (size_t i = 0; i < polled.size(); ++i) {
      if (polled[i].fd >= 0 && polled[i].revents != 0 && !ReadSome(polled[i].fd, *cutters[i])) {
        polled[i].fd = -1;
      }
    }
  }
  output.Finish();
  error.Finish();
}

std::vector<std::string> Arguments(const BaseImageSettings& settings) {
  std::vector<std::string> argv{settings.script};
  auto add = [&argv](const char* option, const std::string& value) {
    if (!value.empty()) argv.insert(argv.end(), {option, value});
  };
  add("--images", settings.images_directory);
  add("--constraints", settings.pip_constraints);
  add("--cloud-sdk", settings.cloud_sdk);
  return argv;
}

// "OUTSIDE INSIDE" a line.
Result<std::vector<MachineBind>> ReadBinds(const std::string& path) {
  std::ifstream in(path);
  if (!in) return Error{Code::kUnavailable, "", "cannot read " + path};
  std::vector<MachineBind> binds;
  for (std::string outside, inside; in >> outside >> inside;) binds.push_back({outside, inside});
  return binds;
}

struct ScriptOutcome {
  int exit_code = 0;
  std::string image;       // the path after "image "
  std::string last_words;  // of the error stream
};

Result<ScriptOutcome> RunScript(std::vector<std::string> argv,
                                const std::function<void(const ImageProgress&)>& progress) {
  if (argv[0].empty()) {
    return Error{
        Code::kNotFound, "",
        "no build_base_image belongs to these programs: they are neither installed nor in a "
        "source tree"};
  }
  Result<ChildProgram> child = ChildProgram::Spawn({.argv = std::move(argv)});
  if (!child) return child.error();
  child->input.reset();
  ScriptOutcome outcome;
  LineCutter output([&](std::string_view line) {
    if (line.starts_with("image ")) outcome.image = line.substr(6);
    if (std::optional<ImageProgress> step = ParseImageProgress(line); step && progress) {
      progress(*step);
    }
  });
  LineCutter error([&](std::string_view line) { outcome.last_words = line; });
  ReadLines(*child, output, error);
  outcome.exit_code = child->Wait();
  return outcome;
}

Result<BaseImage> Found(const ScriptOutcome& outcome) {
  if (outcome.exit_code != 0 || outcome.image.empty()) {
    return Error{Code::kUnavailable, "",
                 "the base image could not be built: " + outcome.last_words};
  }
  Result<std::vector<MachineBind>> binds = ReadBinds(outcome.image + ".binds");
  if (!binds) return binds.error();
  return BaseImage{outcome.image, std::move(*binds)};
}

}  // namespace

std::optional<std::string> FindImageScript(const std::string& program_directory) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  fs::path here = fs::weakly_canonical(program_directory, ignored);
  if (fs::path installed = here.parent_path() / "share/fireweed/image/build_base_image";
      fs::exists(installed, ignored)) {
    return installed.string();
  }
  for (fs::path up = here; up.has_relative_path(); up = up.parent_path()) {
    fs::path script = up / "packaging/image/build_base_image";
    if (fs::exists(script, ignored)) return script.string();
  }
  return std::nullopt;
}

std::optional<ImageProgress> ParseImageProgress(std::string_view line) {
  constexpr std::string_view kPrefix = "step ";
  if (!line.starts_with(kPrefix)) return std::nullopt;
  ImageProgress progress;
  const char* end = line.data() + line.size();
  auto [slash, first] = std::from_chars(line.data() + kPrefix.size(), end, progress.step);
  if (first != std::errc() || slash == end || *slash != '/') return std::nullopt;
  auto [space, second] = std::from_chars(slash + 1, end, progress.steps);
  if (second != std::errc() || space == end || *space != ' ') return std::nullopt;
  progress.text.assign(space + 1, end);
  return progress;
}

Result<std::optional<BaseImage>> FindBaseImage(const BaseImageSettings& settings) {
  std::vector<std::string> argv = Arguments(settings);
  argv.push_back("--print");
  Result<ScriptOutcome> outcome = RunScript(std::move(argv), nullptr);
  if (!outcome) return outcome.error();
  if (outcome->exit_code == kMissing) return std::optional<BaseImage>();
  Result<BaseImage> image = Found(*outcome);
  if (!image) return image.error();
  return std::optional<BaseImage>(std::move(*image));
}

Result<BaseImage> BuildBaseImage(const BaseImageSettings& settings,
                                 const std::function<void(const ImageProgress&)>& progress) {
  Result<ScriptOutcome> outcome = RunScript(Arguments(settings), progress);
  if (!outcome) return outcome.error();
  return Found(*outcome);
}

}  // namespace fireweed
