// A model document of XGBoost, from JSON or UBJSON text to one small tree; arrays of numbers are kept flat. Read once at
// loading. Numbers with a fraction hold exactly the float that was written.
// A failure: Failure kInvalid with what is wrong; hostile text costs no more memory than a few times its size.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace fireweed::predict {

struct ModelMember;

struct ModelValue {
  enum class Kind { kNull, kNumber, kText, kNumbers, kList, kObject };
  Kind kind = Kind::kNull;
  double number = 0;
  std::string text;
  std::vector<double> numbers;   // an array that holds nothing else; an empty array, too
  std::vector<ModelValue> list;  // any other array
  std::vector<ModelMember> members;

  // nullptr where this is no object or has no such member.
  const ModelValue* Find(std::string_view name) const;
  // The same, along a path. Throws Failure where something is missing.
  const ModelValue& At(std::initializer_list<std::string_view> path) const;
  // A number, also where it was written as text. Throws Failure.
  double Number() const;
};

struct ModelMember {
  std::string name;
  ModelValue value;
};

ModelValue ReadJsonModel(std::string_view text);
ModelValue ReadUbjModel(std::string_view bytes);

}  // namespace fireweed::predict
