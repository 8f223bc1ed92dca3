// The one number in a TensorProto that holds one: what `tf.summary.scalar` of TensorFlow 2 writes. Pure.
#pragma once

#include <optional>
#include <string_view>

namespace fireweed::records {

// nullopt: the message is broken, has another number of elements, or is of a type that is no number.
std::optional<double> TensorScalar(std::string_view tensor_proto);

}  // namespace fireweed::records
