// fireweed data make|get|list: the data sets of the guides, made or fetched, in a directory or a bucket.
#include <filesystem>
#include <fstream>
#include <optional>

#include <fmt/format.h>

#include "base/error.h"
#include "base/process.h"
#include "cli/commands.h"
#include "cli/data/data_sets.h"
#include "cli/grammar.h"
#include "cli/scratch_directory.h"
#include "describe/json_writer.h"

namespace fireweed::cli {
namespace {

namespace fs = std::filesystem;

struct DataOptions {
  std::string set;
  std::string to;      // a directory
  std::string bucket;  // gs://BUCKET/PATH
  std::string from;    // where originals have been collected
  uint64_t seed = 1;
};

const DataSet& FindSet(const std::string& name) {
  for (const DataSet& set : DataSets()) {
    if (set.name == name) return set;
  }
  throw Failure(Code::kInvalid,
                fmt::format("there is no data set {}: see `fireweed data list`", name));
}

// The user's directory, or one that is gone with the object.
class Place {
 public:
  explicit Place(const std::string& given) : path_(given) {
    if (given.empty()) path_ = scratch_.emplace(fs::temp_directory_path().string()).path();
    fs::create_directories(path_);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
  std::optional<ScratchDirectory> scratch_;
};

void WriteFile(const fs::path& path, const std::string& contents) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(contents.data(), static_cast<std::streamsize>(contents.size()));
  if (!out.flush())
    throw Failure(Code::kInternal, fmt::format("{} cannot be written", path.string()));
}

void RunOrThrow(std::vector<std::string> argv, const std::string& what) {
  ProgramSpec spec;
  spec.argv = std::move(argv);
  Result<ProgramOutcome> outcome = RunProgram(spec, std::chrono::minutes(30));
  if (outcome.ok() && outcome->ok()) return;
  throw Failure(
      Code::kUnavailable,
      fmt::format("{}: {}", what, outcome.ok() ? outcome->error : outcome.error().message));
}

// From the directory of originals; false when a file is not there.
bool Collect(const DataSet& set, const fs::path& from, const fs::path& to) {
  for (std::string_view name : set.files) {
    fs::path plain = from / set.directory / name;
    if (fs::exists(plain)) {
      fs::copy_file(plain, to / name, fs::copy_options::overwrite_existing);
    } else if (fs::path packed = plain.string() + ".xz"; fs::exists(packed)) {
      fs::copy_file(packed, to / packed.filename(), fs::copy_options::overwrite_existing);
      RunOrThrow({"xz", "-df", (to / packed.filename()).string()},
                 "xz cannot unpack " + packed.string());
    } else {
      return false;
    }
  }
  return true;
}

void Download(const DataSet& set, const fs::path& to) {
  auto fetch = [&](std::string_view address, const fs::path& file) {
    fmt::print(stderr, "fetching {}\n", address);
    RunOrThrow({"curl", "-fsSL", "--retry", "2", "-o", file.string(), std::string(address)},
               fmt::format("{} cannot be fetched (`fireweed data make {}` makes a look-alike)",
                           address, set.name));
  };
  if (set.publishers.size() == set.files.size()) {
    for (size_t i = 0; i < set.files.size(); ++i) fetch(set.publishers[i], to / set.files[i]);
    return;
  }
  fs::path archive = to / "archive.tar.gz";
  fetch(set.publishers[0], archive);
  RunOrThrow({"tar", "-xzf", archive.string(), "-C", to.string(), "--strip-components=1"}, "tar");
  fs::remove(archive);
}

// The files of a place go into the bucket, which is made where it is not there.
void Upload(const fs::path& from, const std::string& target, const Settings& settings) {
  std::string prefix = target;
  while (prefix.ends_with('/')) prefix.pop_back();
  std::string bucket = prefix.substr(0, prefix.find('/', 5));
  std::vector<std::string> state;
  if (!settings.state.empty()) state = {"--state", settings.state};
  auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), state.begin(), state.end());
    return Run(words, *settings.context);
  };
  if (run({"storage", "buckets", "describe", bucket, "--format", "none"}) != 0) {
    fmt::print(stderr, "making {}\n", bucket);
    if (run({"storage", "buckets", "create", bucket}) != 0) throw Exit{1};
  }
  std::vector<std::string> copy = {"storage", "cp"};
  for (const fs::directory_entry& file : fs::directory_iterator(from))
    copy.push_back(file.path().string());
  copy.push_back(prefix + "/");
  if (run(copy) != 0) throw Exit{1};
}

void Finish(const DataOptions& options, const Place& place, const Settings& settings) {
  if (!options.bucket.empty()) Upload(place.path(), options.bucket, settings);
  fmt::print("{}\n", options.bucket.empty() ? place.path().string() : options.bucket);
}

void CheckTarget(DataOptions& options) {
  if (!options.bucket.empty() && !options.bucket.starts_with("gs://")) {
    throw Failure(Code::kInvalid, "--as takes gs://BUCKET/PATH");
  }
  if (options.to.empty() && options.bucket.empty()) options.to = options.set;
}

void Make(DataOptions options, const Settings& settings) {
  const DataSet& set = FindSet(options.set);
  CheckTarget(options);
  Place place(options.to);
  set.make(options.seed, [&](const std::string& name, const std::string& contents) {
    WriteFile(place.path() / name, contents);
    if (settings.context->terminal) fmt::print(stderr, "{} {} bytes\n", name, contents.size());
  });
  Finish(options, place, settings);
}

void Get(DataOptions options, const Settings& settings) {
  const DataSet& set = FindSet(options.set);
  CheckTarget(options);
  Place place(options.to);
  const Environment& environment = settings.context->environment;
  auto setting = environment.find("FIREWEED_DATA");
  if (options.from.empty() && setting != environment.end()) options.from = setting->second;
  if (options.from.empty() || !Collect(set, options.from, place.path())) {
    if (!options.from.empty()) fmt::print(stderr, "{} has no {}\n", options.from, set.directory);
    Download(set, place.path());
  }
  Finish(options, place, settings);
}

void List(const Settings& settings) {
  if (!settings.json) {
    for (const DataSet& set : DataSets()) fmt::print("{:<8} {}\n", set.name, set.about);
    return;
  }
  JsonWriter out;
  out.BeginArray();
  for (const DataSet& set : DataSets()) {
    out.BeginObject().Field("name", set.name).Field("about", set.about).EndObject();
  }
  out.EndArray();
  fmt::print("{}\n", out.text());
}

}  // namespace

void AddDataCommands(Command& app, Settings& settings) {
  Command* data = app.AddCommand("data", "Create or download the data sets of the guides");
  data->NeedsCommand();
  auto options = std::make_shared<DataOptions>();
  std::vector<std::string> names;
  for (const DataSet& set : DataSets()) names.emplace_back(set.name);
  auto targets = [&](Command* command) {
    command->AddOption("set", options->set, "Which one")->Required()->OneOf(names);
    command->AddOption("--to", options->to, "A directory (default: one of the set's name, here)");
    command->AddOption("--as", options->bucket,
                       "gs://BUCKET/PATH; the bucket is made where missing");
  };
  Command* make =
      data->AddCommand("make", "Generate a look-alike: same files, columns, sizes and shares");
  targets(make);
  make->AddOption("--seed", options->seed, "Another seed, other rows")->ShowDefault();
  make->OnRun([options, &settings] { Make(*options, settings); });
  Command* get = data->AddCommand("get", "Copy or download the original");
  targets(get);
  get->AddOption("--from", options->from, "A directory with originals (FIREWEED_DATA)");
  get->OnRun([options, &settings] { Get(*options, settings); });
  data->AddCommand("list", "List data sets")->OnRun([&settings] { List(settings); });
}

}  // namespace fireweed::cli
