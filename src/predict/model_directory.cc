#include "predict/model_directory.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/bytes.h"
#include "base/error.h"

namespace fireweed::predict {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> kNames{"XGBOOST", "TENSORFLOW", "SCIKIT_LEARN", "CUSTOM"};

std::vector<std::string_view> FilesOf(Framework framework) {
  switch (framework) {
    case Framework::kXgboost:
      return {"model.bst", "model.json", "model.ubj", "model.pkl", "model.joblib"};
    case Framework::kTensorflow: return {"saved_model.pb"};
    case Framework::kSklearn: return {"model.joblib", "model.pkl"};
    case Framework::kCustom: return {};
  }
  return {};
}

std::vector<std::string> Listing(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    names.push_back(entry.path().filename().string());
  }
  if (error) {
    throw Failure(Code::kNotFound, fmt::format("the model directory {} cannot be read: {}",
                                               directory, error.message()));
  }
  std::sort(names.begin(), names.end());
  if (names.size() > 10) {
    names.resize(10);
    names.push_back("...");
  }
  return names;
}

}  // namespace

std::optional<Framework> ParseFramework(std::string_view name) {
  std::string plain(name);
  std::replace(plain.begin(), plain.end(), '-', '_');
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (EqualIgnoreCase(plain, kNames[i])) return static_cast<Framework>(i);
  }
  return std::nullopt;
}

std::string_view FrameworkName(Framework framework) {
  return kNames[static_cast<size_t>(framework)];
}

Framework GuessFramework(const std::string& directory) {
  for (Framework framework : {Framework::kTensorflow, Framework::kXgboost}) {
    for (std::string_view name : FilesOf(framework)) {
      if (!name.ends_with(".pkl") && !name.ends_with(".joblib") &&
          fs::exists(fs::path(directory) / name)) {
        return framework;
      }
    }
  }
  FindModelFile(directory, Framework::kSklearn);
  return Framework::kSklearn;
}

std::string FindModelFile(const std::string& directory, Framework framework) {
  std::vector<std::string_view> wanted = FilesOf(framework);
  for (std::string_view name : wanted) {
    fs::path file = fs::path(directory) / name;
    if (fs::exists(file)) return file.string();
  }
  std::vector<std::string> there = Listing(directory);
  throw Failure(Code::kNotFound,
                fmt::format("no {} model in {}: looked for {}, found {}", FrameworkName(framework),
                            directory, fmt::join(wanted, ", "),
                            there.empty() ? "nothing" : fmt::format("{}", fmt::join(there, ", "))));
}

bool IsPickle(const std::string& file) {
  return file.ends_with(".pkl") || file.ends_with(".joblib");
}

std::string ReadModelFile(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) throw Failure(Code::kNotFound, fmt::format("{} cannot be read", file));
  std::string bytes = std::move(text).str();
  if (bytes.empty()) throw Failure(Code::kInvalid, fmt::format("{} is empty", file));
  return bytes;
}

}  // namespace fireweed::predict
