#include "predict/request_reader.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <simdjson.h>

#include "base/bytes.h"
#include "base/error.h"
#include "describe/json_writer.h"
#include "predict/columns.h"

namespace fireweed::predict {

namespace ondemand = simdjson::ondemand;

namespace {

[[noreturn]] void Refuse(std::string message) { throw Failure(Code::kInvalid, std::move(message)); }

// Unwraps what simdjson gives; a JSON that is broken here is the client's fault.
template <class T>
T Get(simdjson::simdjson_result<T> result, const Place& place) {
  T value;
  auto error = std::move(result).get(value);
  if (error == simdjson::NUMBER_ERROR) place.Refuse("not a number that JSON knows");
  if (error) place.Refuse(fmt::format("broken JSON: {}", simdjson::error_message(error)));
  return value;
}

// What a shape has against a value; empty: nothing.
void Expect(const std::string& problem, const Place& place) {
  if (!problem.empty()) place.Refuse(problem);
}

std::string BytesOf(ondemand::object object, const Place& place) {
  std::optional<std::string> bytes;
  for (auto entry : object) {
    ondemand::field field = Get(std::move(entry), place);
    if (Get(field.unescaped_key(), place) != "b64" || bytes) {
      place.Refuse("an object stands where a string or {\"b64\": \"...\"} is needed");
    }
    bytes = Base64Decode(Get(field.value().get_string(), place));
    if (!bytes) place.Refuse("\"b64\" is not base64");
  }
  if (!bytes) place.Refuse("an empty object stands where a string is needed");
  return std::move(*bytes);
}

Scalar NumberOf(ondemand::value value, bool floating, const Place& place) {
  Scalar scalar;
  scalar.kind = Scalar::Kind::kReal;
  if (floating) {
    scalar.real = Get(value.get_double(), place);
    return scalar;
  }
  ondemand::number number = Get(value.get_number(), place);
  if (number.is_int64()) {
    scalar.kind = Scalar::Kind::kInteger;
    scalar.integer = number.get_int64();
  } else if (number.is_uint64()) {
    scalar.kind = Scalar::Kind::kUnsigned;
    scalar.unsigned_integer = number.get_uint64();
  }
  return scalar;
}

void PushElement(ondemand::value value, ondemand::json_type kind, Tensor& tensor,
                 const Place& place) {
  Scalar scalar;
  std::string bytes;  // what scalar may view
  switch (kind) {
    case ondemand::json_type::number:
      scalar = NumberOf(value, tensor.type == DataType::kFloat || tensor.type == DataType::kDouble,
                        place);
      break;
    case ondemand::json_type::string:
      scalar.kind = Scalar::Kind::kText;
      scalar.text = Get(value.get_string(), place);
      break;
    case ondemand::json_type::object:
      scalar.kind = Scalar::Kind::kObject;
      if (tensor.type == DataType::kString) {
        bytes = BytesOf(Get(value.get_object(), place), place);
        scalar.kind = Scalar::Kind::kBytes;
        scalar.text = bytes;
      }
      break;
    case ondemand::json_type::boolean:
      scalar.kind = Scalar::Kind::kBoolean;
      scalar.truth = Get(value.get_bool(), place);
      break;
    case ondemand::json_type::array: scalar.kind = Scalar::Kind::kArray; break;
    case ondemand::json_type::null:
      if (!Get(value.is_null(), place)) place.Refuse("broken JSON: neither null nor a value");
      break;
  }
  PushScalar(scalar, tensor, place);
}

// Arrays and objects in one another. Python's reader gives up at less than a thousand.
void ExpectShallow(std::string_view json, const Place& place) {
  constexpr int kMostDepth = 256;
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < json.size(); ++i) {
    char c = json[i];
    if (quoted && c == '\\') ++i;
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    depth += (c == '[' || c == '{') - (c == ']' || c == '}');
    if (depth > kMostDepth) place.Refuse("is nested too deeply");
  }
}

// The text of a value of any kind, to be judged by whoever takes it.
std::string JsonText(ondemand::value value, const Place& place) {
  ondemand::json_type kind = Get(value.type(), place);
  bool array = kind == ondemand::json_type::array;
  if (array || kind == ondemand::json_type::object) {
    std::string_view json = Trim(array ? Get(Get(value.get_array(), place).raw_json(), place)
                                       : Get(Get(value.get_object(), place).raw_json(), place));
    ExpectShallow(json, place);
    return std::string(json);
  }
  std::string text(Trim(value.raw_json_token()));
  // The cheap reader looks at scalars only when asked for their value.
  if (kind == ondemand::json_type::string) Get(value.get_string(), place);
  if (kind == ondemand::json_type::number) Get(value.get_double(), place);
  if (kind == ondemand::json_type::boolean) Get(value.get_bool(), place);
  if (kind == ondemand::json_type::null && !Get(value.is_null(), place)) {
    place.Refuse("broken JSON");
  }
  return text;
}

// Nested arrays, down to their elements. Where no instance is named the outermost array counts them.
void ReadNested(ondemand::value value, int depth, NestedShape& shape, Tensor& tensor,
                const Place& place) {
  ondemand::json_type kind = Get(value.type(), place);
  if (kind != ondemand::json_type::array) {
    Expect(shape.Value(depth), place);
    return PushElement(value, kind, tensor, place);
  }
  if (depth >= NestedShape::kMostRank) place.Refuse("arrays are nested too deeply");
  int64_t count = 0;
  bool floats = tensor.type == DataType::kFloat;
  Place at = place;
  const bool counts = place.instance < 0 && place.input->batched;
  for (auto element : Get(value.get_array(), place)) {
    if (counts) at.instance = count;
    ++count;
    ondemand::value inner = Get(std::move(element), at);
    // Most of what comes here is rows of plain numbers; a value that is none is still unread after the try.
    double number = 0;
    if (!floats || inner.get_double().get(number) != simdjson::SUCCESS) {
      ReadNested(inner, depth + 1, shape, tensor, at);
      continue;
    }
    Expect(shape.Value(depth + 1), at);
    Scalar scalar;
    scalar.kind = Scalar::Kind::kReal;
    scalar.real = number;
    PushScalar(scalar, tensor, at);
  }
  Expect(shape.EndOfArray(depth, count), place);
}

// The elements of KServe's `data`, whatever arrays they stand in.
struct FlatValues {
  Tensor& tensor;
  const TensorSpec* input;
  int64_t row;                      // elements of an instance; 0: it is not known
  std::vector<std::string> tokens;  // JSON text, of an input that takes that
  int64_t count = 0;

  void Read(ondemand::value value, int depth) {
    Place place{row > 0 ? count / row : -1, input};
    ondemand::json_type kind = Get(value.type(), place);
    if (kind == ondemand::json_type::array) {
      if (depth >= NestedShape::kMostRank) place.Refuse("arrays are nested too deeply");
      for (auto element : Get(value.get_array(), place)) {
        Read(Get(std::move(element), place), depth + 1);
      }
      return;
    }
    ++count;
    if (input->type != DataType::kJson) return PushElement(value, kind, tensor, place);
    tokens.push_back(JsonText(value, place));
  }
};

}  // namespace

struct RequestReader::State {
  explicit State(int64_t most) : columns(most) {}

  ondemand::document Open(std::string_view body);
  void ReadInstances(ondemand::array instances);
  void ReadInstance(ondemand::value value, int64_t index);
  bool ReadUnderItsName(ondemand::object& object, Column& column, int64_t index);
  void ReadNamed(ondemand::object object, int64_t index);
  void ReadValue(ondemand::value value, Column& column, int64_t index);
  void ReadFeatures(ondemand::object object, Column& column, int64_t index);
  void ReadColumns(ondemand::value value, const Signature& signature);
  void ReadWholeColumn(ondemand::value value, Column& column);
  Inputs ReadBody(ondemand::value value, const Signature& signature, bool whole_columns);
  void ReadInferInput(ondemand::object object);
  void ReadInferData(ondemand::value data, Column& column, int64_t elements,
                     const std::vector<int64_t>& shape);

  ondemand::parser parser;
  std::string text;  // padded copy of the body
  Columns columns;
};

ondemand::document RequestReader::State::Open(std::string_view body) {
  text.reserve(body.size() + simdjson::SIMDJSON_PADDING);
  text.assign(body);
  ondemand::document document;
  auto error = parser.iterate(text.data(), text.size(), text.capacity()).get(document);
  if (error) Refuse(fmt::format("broken JSON: {}", simdjson::error_message(error)));
  ondemand::json_type type;
  if (document.type().get(type) || type != ondemand::json_type::object) {
    Refuse("the request must be a JSON object");
  }
  return document;
}

void RequestReader::State::ReadInstances(ondemand::array instances) {
  int64_t index = 0;
  Place place;
  for (auto element : instances) {
    place.instance = index;
    columns.ExpectRoom(index);
    ReadInstance(Get(std::move(element), place), index++);
  }
}

void RequestReader::State::ReadInstance(ondemand::value value, int64_t index) {
  Place place{index};
  Column& first = columns.front();
  bool alone = columns.alone();
  if (alone && first.spec->type == DataType::kJson) {
    first.tensor.texts.push_back(JsonText(value, place));
    ++first.rows;
    return;
  }
  if (Get(value.type(), place) == ondemand::json_type::object) {
    ondemand::object object = Get(value.get_object(), place);
    if (!alone) return ReadNamed(object, index);
    if (ReadUnderItsName(object, first, index)) return;
    if (!first.spec->features.empty()) return ReadFeatures(object, first, index);
    if (first.spec->type != DataType::kString) {
      place.Refuse(fmt::format("has no input '{}'", first.spec->name));
    }
    place.input = first.spec;
    first.tensor.texts.push_back(BytesOf(object, place));
    Expect(first.shape.Value(0), place);
    ++first.rows;
    return;
  }
  if (!alone) {
    std::vector<std::string_view> names;
    for (const Column& column : columns.all()) names.push_back(column.spec->name);
    place.Refuse(fmt::format("must be an object with the inputs {}", fmt::join(names, ", ")));
  }
  ReadValue(value, first, index);
}

// {"x": ...} for the one input x; false, with the object as it was, where its first name is another. Names are
// compared as they are written: the reader has room to unescape every text once, not twice.
bool RequestReader::State::ReadUnderItsName(ondemand::object& object, Column& column,
                                            int64_t index) {
  Place place{index};
  bool named = false;
  for (auto entry : object) {
    ondemand::field field = Get(std::move(entry), place);
    if (named) place.Refuse("holds more than the model's input");
    named = field.key().is_equal(std::string_view(column.spec->name));
    if (!named) break;
    ReadValue(field.value(), column, index);
  }
  if (!named) Get(object.reset(), place);
  return named;
}

void RequestReader::State::ReadValue(ondemand::value value, Column& column, int64_t index) {
  Place place{index, column.spec};
  if (column.rows > index) place.Refuse("is given twice");
  if (column.spec->type == DataType::kJson) {
    column.tensor.texts.push_back(JsonText(value, place));
  } else {
    ReadNested(value, 0, column.shape, column.tensor, place);
    column.Inner(place);
  }
  ++column.rows;
}

void RequestReader::State::ReadNamed(ondemand::object object, int64_t index) {
  Place place{index};
  for (auto entry : object) {
    ondemand::field field = Get(std::move(entry), place);
    std::string_view name = Get(field.unescaped_key(), place);
    Column* column = columns.Find(name);
    if (column == nullptr) place.Refuse(fmt::format("the model has no input '{}'", name));
    ReadValue(field.value(), *column, index);
  }
  for (const Column& column : columns.all()) {
    if (column.rows == index) place.Refuse(fmt::format("has no input '{}'", column.spec->name));
  }
}

// A row as an object with one number per named feature.
void RequestReader::State::ReadFeatures(ondemand::object object, Column& column, int64_t index) {
  Place place{index};
  const std::vector<std::string>& names = column.spec->features;
  size_t base = column.tensor.bytes.size(), size = SizeOf(column.spec->type);
  std::vector<bool> seen(names.size());
  column.tensor.bytes.resize(base + names.size() * size);
  size_t next = 0;
  Place at{index, column.spec};
  for (auto entry : object) {
    ondemand::field field = Get(std::move(entry), place);
    std::string_view name = Get(field.unescaped_key(), place);
    if (next >= names.size() || names[next] != name) {
      next = static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    }
    if (next == names.size()) place.Refuse(fmt::format("the model has no feature '{}'", name));
    if (seen[next]) place.Refuse(fmt::format("feature '{}' is given twice", name));
    Tensor element{column.tensor.type, {}, {}, {}};
    ondemand::value value = field.value();
    PushElement(value, Get(value.type(), at), element, at);
    std::memcpy(column.tensor.bytes.data() + base + next * size, element.bytes.data(), size);
    seen[next++] = true;
  }
  auto missing = std::find(seen.begin(), seen.end(), false);
  if (missing != seen.end()) {
    place.Refuse(
        fmt::format("has no feature '{}'", names[static_cast<size_t>(missing - seen.begin())]));
  }
  Expect(column.shape.Value(1), place);
  Expect(column.shape.EndOfArray(0, static_cast<int64_t>(names.size())), place);
  ++column.rows;
}

Inputs RequestReader::State::ReadBody(ondemand::value value, const Signature& signature,
                                      bool whole_columns) {
  if (whole_columns) {
    ReadColumns(value, signature);
    return columns.TakeWhole();
  }
  columns.Start(signature, true);
  if (Get(value.type(), Place{}) != ondemand::json_type::array) {
    Refuse("\"instances\" must be an array");
  }
  ReadInstances(Get(value.get_array(), Place{}));
  return columns.TakeInstances();
}

void RequestReader::State::ReadWholeColumn(ondemand::value value, Column& column) {
  Place place{-1, column.spec};
  if (++column.rows > 1) place.Refuse("is given twice");
  if (column.spec->type == DataType::kJson) {
    place.Refuse("this model takes \"instances\"");
  }
  ReadNested(value, 0, column.shape, column.tensor, place);
  column.tensor.shape = column.shape.Dimensions();
  column.ExpectWhole(column.tensor.shape);
}

void RequestReader::State::ReadColumns(ondemand::value value, const Signature& signature) {
  columns.Start(signature, false);
  Place place;
  bool object = Get(value.type(), place) == ondemand::json_type::object;
  if (!object) {
    if (!columns.alone()) Refuse("\"inputs\" must be an object: the model has several inputs");
    return ReadWholeColumn(value, columns.front());
  }
  for (auto entry : Get(value.get_object(), place)) {
    ondemand::field field = Get(std::move(entry), place);
    std::string_view name = Get(field.unescaped_key(), place);
    Column* column = columns.Find(name);
    if (column == nullptr) Refuse(fmt::format("the model has no input '{}'", name));
    ReadWholeColumn(field.value(), *column);
  }
}

// One input of KServe: {"name","shape","datatype","data"}, data flat or nested.
void RequestReader::State::ReadInferInput(ondemand::object object) {
  Place place;
  std::string name(Get(object.find_field_unordered("name").get_string(), place));
  Column* column = columns.alone() ? &columns.front() : columns.Find(name);
  if (column == nullptr) Refuse(fmt::format("the model has no input '{}'", name));
  place.input = column->spec;
  if (++column->rows > 1) place.Refuse("is given twice");
  std::vector<int64_t> shape;
  int64_t elements = 1;
  for (auto size : Get(object.find_field_unordered("shape").get_array(), place)) {
    shape.push_back(Get(size.get_int64(), place));
    bool sane = shape.back() >= 0 && shape.size() <= NestedShape::kMostRank;
    if (!sane || __builtin_mul_overflow(elements, shape.back(), &elements)) {
      place.Refuse("has a shape that cannot be");
    }
  }
  ReadInferData(Get(object.find_field_unordered("data"), place), *column, elements, shape);
  if (column->spec->type != DataType::kJson) column->ExpectWhole(shape);
}

void RequestReader::State::ReadInferData(ondemand::value data, Column& column, int64_t elements,
                                         const std::vector<int64_t>& shape) {
  Place place{-1, column.spec};
  bool counts = column.spec->batched && !shape.empty() && shape[0] > 0;
  FlatValues values{column.tensor, column.spec, counts ? elements / shape[0] : 0, {}};
  values.Read(data, 0);
  if (values.count != elements) {
    place.Refuse(fmt::format("has {} values where its shape {} needs {}", values.count,
                             ShapeText(shape), elements));
  }
  column.tensor.shape = shape;
  if (column.spec->type != DataType::kJson) return;
  if (shape.empty()) place.Refuse("needs a first dimension that counts instances");
  size_t next = 0;
  for (int64_t row = 0; row < shape[0] && elements > 0; ++row) {
    column.tensor.texts.push_back(NestedText(values.tokens, next, shape, 1));
  }
  column.tensor.shape = {static_cast<int64_t>(column.tensor.texts.size())};
}

RequestReader::RequestReader(int64_t max_instances)
    : state_(std::make_unique<State>(max_instances)) {}
RequestReader::~RequestReader() = default;

namespace {

const Signature& Named(const std::vector<Signature>& signatures, std::string_view name) {
  if (signatures.front().unnamed) return signatures.front();
  for (const Signature& signature : signatures) {
    if (signature.name == name) return signature;
  }
  std::vector<std::string_view> names;
  for (const Signature& signature : signatures) names.push_back(signature.name);
  Refuse(fmt::format("the model has no signature '{}'; it has {}", name, fmt::join(names, ", ")));
}

// The reader of fields stops at the object's end; what follows must be nothing.
void ExpectEnd(ondemand::document& document) {
  const char* location = nullptr;
  if (!document.current_location().get(location)) Refuse("broken JSON: text after the request");
}

void AddParameter(std::string& parameters, std::string_view name, std::string_view json) {
  parameters += parameters.empty() ? '{' : ',';
  AppendJsonString(parameters, name);
  parameters += ':';
  parameters += json;
}

}  // namespace

PredictRequest RequestReader::ReadPredict(std::string_view body,
                                          const std::vector<Signature>& signatures) {
  Place place;
  ondemand::document document = state_->Open(body);
  ondemand::object object = Get(document.get_object(), place);
  PredictRequest request;
  request.signature = &signatures.front();
  // Instances can only be read when the signature is known, and it may come after them.
  if (body.find("\"signature_name\"") != std::string_view::npos) {
    ondemand::value name;
    if (!object.find_field_unordered("signature_name").get(name)) {
      std::string_view text = Get(name.get_string(), place);
      if (!text.empty()) request.signature = &Named(signatures, text);
    }
    Get(object.reset(), place);
  }
  bool keeps_others = request.signature->inputs.front().type == DataType::kJson;
  std::string parameters;
  bool read = false;
  for (auto entry : object) {
    ondemand::field field = Get(std::move(entry), place);
    std::string_view key = Get(field.unescaped_key(), place);
    if (key == "instances" || key == "inputs") {
      if (read) Refuse("there must be one of \"instances\" and \"inputs\", once");
      read = true;
      request.columns = key == "inputs";
      request.inputs = state_->ReadBody(field.value(), *request.signature, request.columns);
    } else if (keeps_others && key != "signature_name") {
      std::string name(key);
      AddParameter(parameters, name, JsonText(field.value(), place));
    }
  }
  if (!read) Refuse("the request has no \"instances\"");
  ExpectEnd(document);
  if (!parameters.empty()) request.inputs.parameters = parameters + '}';
  return request;
}

InferRequest RequestReader::ReadInfer(std::string_view body,
                                      const std::vector<Signature>& signatures) {
  Place place;
  ondemand::document document = state_->Open(body);
  InferRequest request;
  request.signature = &signatures.front();
  state_->columns.Start(*request.signature, false);
  bool read = false;
  for (auto entry : Get(document.get_object(), place)) {
    ondemand::field field = Get(std::move(entry), place);
    std::string_view key = Get(field.unescaped_key(), place);
    if (key == "id") {
      request.id = Get(field.value().get_string(), place);
    } else if (key == "outputs") {
      for (auto output : Get(field.value().get_array(), place)) {
        request.outputs.emplace_back(Get(output["name"].get_string(), place));
      }
    } else if (key == "inputs") {
      read = true;
      for (auto input : Get(field.value().get_array(), place)) {
        state_->ReadInferInput(Get(input.get_object(), place));
      }
    }
  }
  if (!read) Refuse("the request has no \"inputs\"");
  ExpectEnd(document);
  request.inputs = state_->columns.TakeWhole();
  return request;
}

}  // namespace fireweed::predict
