// The inputs of one request while they are read, and what they are worth together at its end. One thread; buffers are reused
// from request to request. Refusals throw Failure: kInvalid that says where, kTooLarge for too many instances.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "predict/element.h"
#include "predict/engine.h"
#include "predict/nested_shape.h"

namespace fireweed::predict {

// One input.
struct Column {
  const TensorSpec* spec = nullptr;
  NestedShape shape;
  Tensor tensor;
  int64_t rows = 0;  // instances read; of an input that came whole: how often it came

  // The dimensions of one instance, once one was read. A scalar stands for an array of one.
  std::vector<int64_t> Inner(const Place& place) const;
  // A tensor that came whole has this shape: the model must take it.
  void ExpectWhole(const std::vector<int64_t>& seen) const;
};

class Columns {
 public:
  explicit Columns(int64_t max_instances) : max_instances_(max_instances) {}

  // `by_instance`: every input must count instances.
  void Start(const Signature& signature, bool by_instance);
  // Null where the model has no such input. Quick for names that come in the signature's order.
  Column* Find(std::string_view name);
  Column& front() { return columns_.front(); }
  bool alone() const { return columns_.size() == 1; }
  std::vector<Column>& all() { return columns_; }

  // Before instance `index` (from 0) is read.
  void ExpectRoom(int64_t index) const;
  // What was read instance by instance.
  Inputs TakeInstances();
  // What came whole, input by input: all that count instances must count the same.
  Inputs TakeWhole();

 private:
  const int64_t max_instances_;
  std::vector<Column> columns_;
  size_t expected_ = 0;  // where the next name is looked for first
};

}  // namespace fireweed::predict
