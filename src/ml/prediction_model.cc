#include "ml/prediction_model.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"

namespace fireweed::ml {
namespace {

std::vector<std::string> WordsOf(std::string_view name) {
  std::vector<std::string> words;
  while (!name.empty()) {
    words.emplace_back(name.substr(0, name.find('/')));
    name.remove_prefix(std::min(name.size(), words.back().size() + 1));
  }
  return words;
}

}  // namespace

std::optional<PredictionModel> FindPredictionModel(const api::ml::PredictionInput& input,
                                                   const std::string& own_project) {
  bool versioned = !input.versionName.empty();
  const std::string& name = versioned ? input.versionName : input.modelName;
  if (name.empty()) return std::nullopt;
  std::vector<std::string> words = WordsOf(name);
  if (words[0] != "projects") words.insert(words.begin(), {"projects", own_project});
  bool whole = words.size() >= 4 && words[2] == "models";
  bool known = words.size() == 4 || (words.size() == 6 && words[4] == "versions");
  if (!whole || !known || std::ranges::find(words, "") != words.end()) {
    throw Failure(Code::kInvalid,
                  fmt::format("Field: prediction_input.{} Error: '{}' names no model: it should "
                              "look like projects/P/models/M{}.",
                              versioned ? "version_name" : "model_name", name,
                              versioned ? "/versions/V" : ""));
  }
  return PredictionModel{words[1], words[3], words.size() == 6 ? words[5] : ""};
}

}  // namespace fireweed::ml
