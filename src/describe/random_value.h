// Random values of described types, for round-trip and patch-law tests and for the fuzz corpus.
#pragma once

#include "base/random.h"
#include "describe/type.h"

namespace fireweed {

void RandomizeValue(const Type& type, void* value, Random& random, int depth = 0);

template <class T>
T RandomValue(Random& random) {
  T value{};
  RandomizeValue(TypeOf<T>(), &value, random);
  return value;
}

}  // namespace fireweed
