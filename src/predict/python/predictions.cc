#include "predict/python/predictions.h"

#include <simdjson.h>

#include "base/error.h"

namespace fireweed::predict {

namespace ondemand = simdjson::ondemand;

std::vector<std::string> SplitPredictions(std::string_view json, int64_t count) {
  simdjson::padded_string padded(json);
  ondemand::parser parser;
  ondemand::document document;
  ondemand::array array;
  bool broken = parser.iterate(padded).get(document) || document.get_array().get(array);
  std::vector<std::string> texts;
  if (!broken) {
    for (auto element : array) {
      std::string_view text;
      broken = element.get_string().get(text) != simdjson::SUCCESS;
      if (broken) break;
      texts.emplace_back(text);
    }
  }
  if (broken || static_cast<int64_t>(texts.size()) != count) {
    throw Failure(Code::kInternal, "the Python worker's answer makes no sense");
  }
  return texts;
}

}  // namespace fireweed::predict
