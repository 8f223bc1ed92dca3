#include "predict/columns.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"

namespace fireweed::predict {
namespace {

[[noreturn]] void Refuse(std::string message) { throw Failure(Code::kInvalid, std::move(message)); }

}  // namespace

std::vector<int64_t> Column::Inner(const Place& place) const {
  std::vector<int64_t> seen = shape.Dimensions();
  if (spec->any_rank || Fits(seen, spec->shape, 1)) return seen;
  bool ones = std::all_of(spec->shape.begin() + 1, spec->shape.end(),
                          [](int64_t size) { return size == 1 || size == -1; });
  if (seen.empty() && ones) return std::vector<int64_t>(spec->shape.size() - 1, 1);
  std::vector<int64_t> wanted(spec->shape.begin() + 1, spec->shape.end());
  place.Refuse(fmt::format("has shape {}, the model takes {}", ShapeText(seen), ShapeText(wanted)));
}

void Column::ExpectWhole(const std::vector<int64_t>& seen) const {
  if (spec->any_rank || Fits(seen, spec->shape, 0)) return;
  Place{-1, spec}.Refuse(
      fmt::format("has shape {}, the model takes {}", ShapeText(seen), ShapeText(spec->shape)));
}

void Columns::Start(const Signature& signature, bool by_instance) {
  columns_.clear();
  expected_ = 0;
  for (const TensorSpec& spec : signature.inputs) {
    if (by_instance && !spec.batched) {
      Refuse(fmt::format("input '{}' does not count instances: send \"inputs\", not \"instances\"",
                         spec.name));
    }
    Column& column = columns_.emplace_back();
    column.spec = &spec;
    column.tensor.type = spec.type;
  }
}

Column* Columns::Find(std::string_view name) {
  for (size_t i = 0; i < columns_.size(); ++i) {
    Column& column = columns_[(expected_ + i) % columns_.size()];
    if (column.spec->name != name) continue;
    expected_ = (expected_ + i + 1) % columns_.size();
    return &column;
  }
  return nullptr;
}

void Columns::ExpectRoom(int64_t index) const {
  if (index < max_instances_) return;
  throw Failure(Code::kTooLarge,
                fmt::format("more than {} instances in one request", max_instances_));
}

Inputs Columns::TakeInstances() {
  Inputs inputs;
  inputs.rows = columns_.front().rows;
  if (inputs.rows == 0) Refuse("\"instances\" is empty");
  for (Column& column : columns_) {
    column.tensor.shape = {inputs.rows};
    if (column.spec->type != DataType::kJson) {
      std::vector<int64_t> inner = column.Inner(Place{0, column.spec});
      column.tensor.shape.insert(column.tensor.shape.end(), inner.begin(), inner.end());
    }
    inputs.tensors.push_back(std::move(column.tensor));
  }
  return inputs;
}

Inputs Columns::TakeWhole() {
  Inputs inputs;
  inputs.rows = -1;
  for (Column& column : columns_) {
    if (column.rows == 0) Refuse(fmt::format("there is no input '{}'", column.spec->name));
    if (column.spec->batched && !column.tensor.shape.empty()) {
      int64_t rows = column.tensor.shape[0];
      if (inputs.rows != -1 && rows != inputs.rows) {
        Refuse(fmt::format("input '{}' has {} instances where others have {}", column.spec->name,
                           rows, inputs.rows));
      }
      inputs.rows = rows;
    }
    inputs.tensors.push_back(std::move(column.tensor));
  }
  ExpectRoom(inputs.rows - 1);
  return inputs;
}

}  // namespace fireweed::predict
