#include "predict/reply_writer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/error.h"
#include "describe/json_writer.h"

namespace fireweed::predict {
namespace {

template <class T>
void AppendFloating(std::string& out, T value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  char text[32];
  auto [end, error] = std::to_chars(text, text + sizeof text, value);
  std::string_view digits(text, static_cast<size_t>(end - text));
  out += digits;
  // Clients tell whole numbers from others by their looks.
  if (digits.find_first_of(".e") == std::string_view::npos) out += ".0";
}

template <class T>
void AppendInteger(std::string& out, T value) {
  char text[24];
  auto [end, error] = std::to_chars(text, text + sizeof text, value);
  out.append(text, end);
}

void AppendText(std::string& out, const std::string& text, bool as_bytes) {
  if (!as_bytes) return AppendJsonString(out, text);
  out += "{\"b64\":\"";
  out += Base64Encode(text);
  out += "\"}";
}

// TensorFlow Serving's rule: an output whose name ends so holds bytes, not text.
bool HoldsBytes(std::string_view name) { return name.ends_with("_bytes"); }

void AppendElement(std::string& out, const Tensor& tensor, int64_t index, bool as_bytes) {
  switch (tensor.type) {
    case DataType::kFloat: return AppendFloating(out, tensor.At<float>(index));
    case DataType::kDouble: return AppendFloating(out, tensor.At<double>(index));
    case DataType::kInt8: return AppendInteger(out, tensor.At<int8_t>(index));
    case DataType::kInt16: return AppendInteger(out, tensor.At<int16_t>(index));
    case DataType::kInt32: return AppendInteger(out, tensor.At<int32_t>(index));
    case DataType::kInt64: return AppendInteger(out, tensor.At<int64_t>(index));
    case DataType::kUint8: return AppendInteger(out, tensor.At<uint8_t>(index));
    case DataType::kUint16: return AppendInteger(out, tensor.At<uint16_t>(index));
    case DataType::kUint32: return AppendInteger(out, tensor.At<uint32_t>(index));
    case DataType::kUint64: return AppendInteger(out, tensor.At<uint64_t>(index));
    case DataType::kBool: out += tensor.At<uint8_t>(index) != 0 ? "true" : "false"; return;
    case DataType::kString:
      return AppendText(out, tensor.texts[static_cast<size_t>(index)], as_bytes);
    case DataType::kJson: out += tensor.texts[static_cast<size_t>(index)]; return;
  }
}

void AppendNested(std::string& out, const Tensor& tensor, size_t dimension, int64_t& next,
                  bool as_bytes) {
  if (dimension == tensor.shape.size()) return AppendElement(out, tensor, next++, as_bytes);
  out += '[';
  for (int64_t i = 0; i < tensor.shape[dimension]; ++i) {
    if (i > 0) out += ',';
    AppendNested(out, tensor, dimension + 1, next, as_bytes);
  }
  out += ']';
}

void AppendWhole(std::string& out, const Tensor& tensor, bool as_bytes) {
  int64_t next = 0;
  AppendNested(out, tensor, 0, next, as_bytes);
}

void AppendRow(std::string& out, const Tensor& tensor, int64_t row, bool as_bytes) {
  int64_t next = row * tensor.row_elements();
  AppendNested(out, tensor, 1, next, as_bytes);
}

void AppendKey(std::string& out, std::string_view name) {
  AppendJsonString(out, name);
  out += ':';
}

void ExpectRows(const Signature& signature, const Outputs& outputs, int64_t rows) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].shape.empty() && outputs[i].shape[0] == rows) continue;
    throw Failure(Code::kInvalid,
                  fmt::format("output '{}' has shape {} for {} instances: ask with \"inputs\"",
                              signature.outputs[i].name, ShapeText(outputs[i].shape), rows));
  }
}

}  // namespace

std::string PredictionsJson(const Signature& signature, const Outputs& outputs, int64_t rows,
                            bool unwrap) {
  ExpectRows(signature, outputs, rows);
  bool bare = outputs.size() == 1 && (unwrap || signature.bare_output);
  std::string out = "{\"predictions\":[";
  out.reserve(32 + static_cast<size_t>(rows) * 24 * outputs.size());
  for (int64_t row = 0; row < rows; ++row) {
    if (row > 0) out += ',';
    if (bare) {
      AppendRow(out, outputs[0], row, HoldsBytes(signature.outputs[0].name));
      continue;
    }
    out += '{';
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (i > 0) out += ',';
      AppendKey(out, signature.outputs[i].name);
      AppendRow(out, outputs[i], row, HoldsBytes(signature.outputs[i].name));
    }
    out += '}';
  }
  return out + "]}";
}

std::string ColumnsJson(const Signature& signature, const Outputs& outputs) {
  std::string out = "{\"outputs\":";
  if (outputs.size() == 1) {
    AppendWhole(out, outputs[0], HoldsBytes(signature.outputs[0].name));
    return out + "}";
  }
  out += '{';
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (i > 0) out += ',';
    AppendKey(out, signature.outputs[i].name);
    AppendWhole(out, outputs[i], HoldsBytes(signature.outputs[i].name));
  }
  return out + "}}";
}

namespace {

void AppendFlat(std::string& out, const Tensor& tensor) {
  out += '[';
  int64_t count = tensor.elements();
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0) out += ',';
    if (tensor.type == DataType::kJson) {
      AppendJsonString(out, tensor.texts[static_cast<size_t>(i)]);
    } else {
      AppendElement(out, tensor, i, false);
    }
  }
  out += ']';
}

bool IsWanted(const InferReply& reply, std::string_view name) {
  if (reply.wanted == nullptr || reply.wanted->empty()) return true;
  return std::find(reply.wanted->begin(), reply.wanted->end(), name) != reply.wanted->end();
}

}  // namespace

std::string InferJson(const InferReply& reply, const Signature& signature, const Outputs& outputs) {
  std::string out = "{\"model_name\":";
  AppendJsonString(out, reply.model);
  if (!reply.version.empty()) {
    out += ",\"model_version\":";
    AppendJsonString(out, reply.version);
  }
  if (!reply.id.empty()) {
    out += ",\"id\":";
    AppendJsonString(out, reply.id);
  }
  out += ",\"outputs\":[";
  bool first = true;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string& name = signature.outputs[i].name;
    if (!IsWanted(reply, name)) continue;
    if (!std::exchange(first, false)) out += ',';
    out += "{\"name\":";
    AppendJsonString(out, name);
    out += fmt::format(",\"shape\":{},\"datatype\":\"{}\",\"data\":", ShapeText(outputs[i].shape),
                       KserveName(outputs[i].type));
    AppendFlat(out, outputs[i]);
    out += '}';
  }
  return out + "]}";
}

std::string ErrorText(std::string_view message) {
  std::string out = "{\"error\":";
  AppendJsonString(out, message);
  return out + "}";
}

}  // namespace fireweed::predict
