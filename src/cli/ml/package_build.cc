#include "cli/ml/package_build.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "base/error.h"
#include "base/process.h"

namespace fireweed::cli {
namespace {

namespace fs = std::filesystem;
constexpr std::chrono::minutes kLongestBuild(20);

constexpr std::string_view kSetup = R"(from setuptools import setup, find_packages

setup(name={0}, version='0.0.0', packages=find_packages(include=[{0}, {0} + '.*']))
)";

// Python's words for the text.
std::string Quoted(const std::string& text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

ProgramOutcome RunIn(const std::string& directory, std::vector<std::string> argv) {
  ProgramSpec spec;
  spec.argv = std::move(argv);
  spec.directory = directory;
  Result<ProgramOutcome> outcome = RunProgram(spec, kLongestBuild);
  if (!outcome.ok()) throw Failure(outcome.error());
  return std::move(*outcome);
}

std::vector<std::string> FilesIn(const std::string& directory) {
  std::vector<std::string> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    if (entry.is_regular_file()) found.push_back(entry.path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string MakeBelow(const ScratchDirectory& scratch, const char* name) {
  std::string path = scratch.path() + "/" + name;
  fs::create_directories(path);
  return path;
}

// A root with the package alone and a setup.py around it.
std::string GenerateRoot(const fs::path& package, const ScratchDirectory& scratch) {
  std::string root = MakeBelow(scratch, "source");
  fs::copy(package, fs::path(root) / package.filename(), fs::copy_options::recursive);
  std::ofstream setup(root + "/setup.py");
  setup << fmt::format(kSetup, Quoted(package.filename().string()));
  if (!setup.flush()) throw Failure(Code::kExhausted, "cannot write " + root + "/setup.py");
  return root;
}

// What setuptools would leave in the sources goes to the scratch directory.
std::vector<std::string> SdistCommand(const std::string& script, const ScratchDirectory& scratch,
                                      const std::string& output) {
  std::vector<std::string> argv{"python3"};
  if (script.empty())
    argv.insert(argv.end(), {"-c", "import setuptools; setuptools.setup()"});
  else
    argv.push_back(script);
  argv.insert(argv.end(), {"-q", "egg_info", "--egg-base", MakeBelow(scratch, "egg"), "sdist",
                           "--dist-dir", output});
  return argv;
}

std::string BuildError(const ProgramOutcome& outcome, bool generated) {
  std::string text = fmt::format("Packaging of user Python code failed with message:\n\n{}{}\n\n",
                                 outcome.output, outcome.error);
  return text + (generated ? "Try manually writing a setup.py file at your package root and "
                             "rerunning the command."
                           : "Try manually building your Python code by running:\n  $ python "
                             "setup.py sdist\nand providing the output via the `--packages` flag.");
}

}  // namespace

std::vector<std::string> BuildPackage(const std::string& package_path,
                                      const ScratchDirectory& scratch) {
  std::error_code error;
  fs::path package = fs::canonical(package_path, error);
  if (error || !fs::is_directory(package))
    throw Failure(Code::kInvalid,
                  fmt::format("Source directory [{}] is not a valid directory.", package_path));
  if (!fs::exists(package / "__init__.py"))
    throw Failure(Code::kInvalid,
                  fmt::format("[{}] is not a valid Python package because it does not contain an "
                              "`__init__.py` file. Please create one and try again. Also, please "
                              "ensure that --package-path refers to a local directory.",
                              package.string()));
  std::string output = MakeBelow(scratch, "output");
  fs::path root = package.parent_path();
  bool setup = fs::exists(root / "setup.py"), project = fs::exists(root / "pyproject.toml");
  if (!setup && !project) root = GenerateRoot(package, scratch);
  std::string script = setup || !project ? "setup.py" : "";
  ProgramOutcome outcome = RunIn(root.string(), SdistCommand(script, scratch, output));
  std::vector<std::string> built = FilesIn(output);
  if (!setup && project && (!outcome.ok() || built.empty())) {
    // Another build system than setuptools: pip knows how to ask it.
    outcome = RunIn(root.string(),
                    {"python3", "-m", "pip", "wheel", "-q", "--no-deps", "-w", output, "."});
    built = FilesIn(output);
  }
  if (!outcome.ok() || built.empty())
    throw Failure(Code::kInvalid, BuildError(outcome, !setup && !project));
  return built;
}

std::string PackDirectory(const std::string& directory, const ScratchDirectory& scratch) {
  std::error_code error;
  fs::path source = fs::canonical(directory, error);
  if (error || !fs::is_directory(source))
    throw Failure(Code::kInvalid,
                  fmt::format("Source directory [{}] is not a valid directory.", directory));
  std::string archive = MakeBelow(scratch, "output") + "/program.tar";
  ProgramOutcome outcome =
      RunIn(source.string(), {"tar", "--create", "--file", archive, "--sort=name", "--mtime=@0",
                              "--owner=0", "--group=0", "--numeric-owner", "."});
  if (!outcome.ok()) throw Failure(Code::kInvalid, "tar: " + outcome.error);
  return archive;
}

}  // namespace fireweed::cli
