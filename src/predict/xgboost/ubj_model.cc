// UBJSON, as XGBoost writes it: https://ubjson.org, all numbers big-endian.
#include <bit>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include "base/error.h"
#include "predict/xgboost/model_value.h"

namespace fireweed::predict {
namespace {

constexpr int kMostDepth = 64;

class UbjReader {
 public:
  explicit UbjReader(std::string_view bytes) : left_(bytes) {}

  ModelValue ReadAll() {
    ModelValue value = Read(Marker(), 0);
    if (value.kind != ModelValue::Kind::kObject) Broken("it is no object");
    return value;
  }

 private:
  [[noreturn]] void Broken(std::string_view why) const {
    throw Failure(Code::kInvalid, fmt::format("the model file is damaged: {}", why));
  }

  std::string_view Take(size_t count) {
    if (count > left_.size()) Broken("it ends too early");
    std::string_view taken = left_.substr(0, count);
    left_.remove_prefix(count);
    return taken;
  }
  char Marker() {
    char marker = 'N';
    while (marker == 'N') marker = Take(1)[0];  // N: no operation
    return marker;
  }

  template <class T>
  T Big() {
    std::string_view bytes = Take(sizeof(T));
    std::make_unsigned_t<T> value = 0;
    for (char byte : bytes) {
      value = static_cast<std::make_unsigned_t<T>>((value << (sizeof(T) > 1 ? 8 : 0)) |
                                                   static_cast<uint8_t>(byte));
    }
    return static_cast<T>(value);
  }

  double Scalar(char type) {
    switch (type) {
      case 'i': return static_cast<double>(static_cast<int8_t>(Take(1)[0]));
      case 'U': return static_cast<double>(static_cast<uint8_t>(Take(1)[0]));
      case 'I': return Big<int16_t>();
      case 'l': return Big<int32_t>();
      case 'L': return static_cast<double>(Big<int64_t>());
      case 'd': return std::bit_cast<float>(Big<int32_t>());
      case 'D': return std::bit_cast<double>(Big<int64_t>());
      default: Broken(fmt::format("'{}' is no type of a number", type));
    }
  }
  static bool IsScalar(char type) { return std::strchr("iUIlLdD", type) != nullptr && type != 0; }

  bool Exists(double length) const {
    return length >= 0 && length <= static_cast<double>(left_.size());
  }
  size_t Length() {
    double length = Scalar(Marker());
    if (!Exists(length)) Broken("a length that cannot be");
    return static_cast<size_t>(length);
  }

  ModelValue Read(char type, int depth) {
    if (depth > kMostDepth) Broken("nested too deeply");
    ModelValue value;
    if (IsScalar(type) || type == 'T' || type == 'F') {
      value.kind = ModelValue::Kind::kNumber;
      value.number = type == 'T' ? 1 : type == 'F' ? 0 : Scalar(type);
    } else if (type == 'S') {
      value.kind = ModelValue::Kind::kText;
      value.text = Take(Length());
    } else if (type == '[') {
      ReadArray(value, depth);
    } else if (type == '{') {
      ReadObject(value, depth);
    } else if (type != 'Z') {
      Broken(fmt::format("'{}' is no type", type));
    }
    return value;
  }

  void ReadArray(ModelValue& array, int depth) {
    array.kind = ModelValue::Kind::kNumbers;
    char type = 0;
    if (Peek() == '$') {
      Take(1);
      type = Take(1)[0];
    }
    if (Peek() == '#') {
      Take(1);
      size_t count = Length();
      for (size_t i = 0; i < count; ++i) Add(array, Read(type ? type : Marker(), depth + 1));
      return;
    }
    for (char next = Marker(); next != ']'; next = Marker()) Add(array, Read(next, depth + 1));
  }

  void ReadObject(ModelValue& object, int depth) {
    object.kind = ModelValue::Kind::kObject;
    bool counted = Peek() == '#';
    size_t count = 0;
    if (counted) {
      Take(1);
      count = Length();
    }
    for (size_t i = 0; !counted || i < count; ++i) {
      char marker = Marker();
      if (!counted && marker == '}') return;
      double length = Scalar(marker);
      if (!Exists(length)) Broken("a name too long");
      std::string name(Take(static_cast<size_t>(length)));
      object.members.push_back({std::move(name), Read(Marker(), depth + 1)});
    }
  }

  void Add(ModelValue& array, ModelValue element) {
    if (array.kind == ModelValue::Kind::kNumbers && element.kind == ModelValue::Kind::kNumber) {
      array.numbers.push_back(element.number);
      return;
    }
    if (!array.numbers.empty()) Broken("numbers and other things in one array");
    array.kind = ModelValue::Kind::kList;
    array.list.push_back(std::move(element));
  }

  char Peek() const { return left_.empty() ? '\0' : left_[0]; }

  std::string_view left_;
};

}  // namespace

ModelValue ReadUbjModel(std::string_view bytes) { return UbjReader(bytes).ReadAll(); }

}  // namespace fireweed::predict
