#include "predict/xgboost/model_value.h"

#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <simdjson.h>

#include "base/bytes.h"
#include "base/error.h"

namespace fireweed::predict {

namespace ondemand = simdjson::ondemand;

namespace {

constexpr int kMostDepth = 64;

[[noreturn]] void Broken(std::string_view why) {
  throw Failure(Code::kInvalid, fmt::format("the model file is damaged: {}", why));
}

// Digits to the value they were written from: a float where there is a fraction, else a whole number.
double ParseNumber(std::string_view token) {
  token = Trim(token);
  if (token.find_first_of(".eE") == std::string_view::npos) {
    int64_t whole = 0;
    auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), whole);
    if (error == std::errc() && end == token.data() + token.size()) {
      return static_cast<double>(whole);
    }
  }
  float value = 0;
  auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error ==
      std::errc::result_out_of_range) {  // a float below the smallest normal one, or absurd
    double wide = 0;
    std::from_chars(token.data(), token.data() + token.size(), wide);
    return static_cast<float>(wide);
  }
  if (error != std::errc() || end != token.data() + token.size()) {
    Broken(fmt::format("'{}' is no number", token.substr(0, 40)));
  }
  return value;
}

template <class T>
T Get(simdjson::simdjson_result<T> result) {
  T value;
  auto error = std::move(result).get(value);
  if (error) Broken(simdjson::error_message(error));
  return value;
}

// An array is flat for as long as it holds numbers only.
void AddElement(ModelValue& array, ModelValue element) {
  if (array.kind == ModelValue::Kind::kNumbers) {
    if (element.kind == ModelValue::Kind::kNumber) {
      array.numbers.push_back(element.number);
      return;
    }
    array.kind = ModelValue::Kind::kList;
    for (double number : array.numbers) {
      array.list.emplace_back();
      array.list.back().kind = ModelValue::Kind::kNumber;
      array.list.back().number = number;
    }
    array.numbers.clear();
  }
  array.list.push_back(std::move(element));
}

ModelValue FromJson(ondemand::value value, int depth) {
  if (depth > kMostDepth) Broken("nested too deeply");
  ModelValue made;
  switch (Get(value.type())) {
    case ondemand::json_type::array:
      made.kind = ModelValue::Kind::kNumbers;
      for (auto element : Get(value.get_array())) {
        AddElement(made, FromJson(Get(std::move(element)), depth + 1));
      }
      break;
    case ondemand::json_type::object:
      made.kind = ModelValue::Kind::kObject;
      for (auto entry : Get(value.get_object())) {
        ondemand::field field = Get(std::move(entry));
        std::string name(Get(field.unescaped_key()));
        made.members.push_back({std::move(name), FromJson(field.value(), depth + 1)});
      }
      break;
    case ondemand::json_type::number:
      made.kind = ModelValue::Kind::kNumber;
      made.number = ParseNumber(value.raw_json_token());
      break;
    case ondemand::json_type::string:
      made.kind = ModelValue::Kind::kText;
      made.text = Get(value.get_string());
      break;
    case ondemand::json_type::boolean:
      made.kind = ModelValue::Kind::kNumber;
      made.number = Get(value.get_bool()) ? 1 : 0;
      break;
    case ondemand::json_type::null: break;
  }
  return made;
}

}  // namespace

ModelValue ReadJsonModel(std::string_view text) {
  simdjson::padded_string padded(text);
  ondemand::parser parser;
  ondemand::document document = Get(parser.iterate(padded));
  ModelValue root;
  root.kind = ModelValue::Kind::kObject;
  for (auto entry : Get(document.get_object())) {
    ondemand::field field = Get(std::move(entry));
    std::string name(Get(field.unescaped_key()));
    root.members.push_back({std::move(name), FromJson(field.value(), 1)});
  }
  return root;
}

const ModelValue* ModelValue::Find(std::string_view name) const {
  for (const auto& [key, value] : members) {
    if (key == name) return &value;
  }
  return nullptr;
}

const ModelValue& ModelValue::At(std::initializer_list<std::string_view> path) const {
  const ModelValue* at = this;
  for (std::string_view name : path) {
    at = at->Find(name);
    if (at == nullptr) Broken(fmt::format("it has no {}", fmt::join(path, ".")));
  }
  return *at;
}

double ModelValue::Number() const {
  if (kind == Kind::kNumber) return number;
  if (kind == Kind::kText) return ParseNumber(text);
  Broken("something else stands where a number is needed");
}

}  // namespace fireweed::predict
