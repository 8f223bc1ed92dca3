// Generation numbers: microseconds of the clock, but never one twice and never a smaller one, also
// when the clock steps back while the daemon is down. A mark in the catalog stays above every
// number given out.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "catalog/catalog.h"

namespace fireweed::storage {

class Generations {
 public:
  // Reads the mark: blocks for one catalog read. `clock` outlives it.
  Generations(const Catalog& catalog, const Clock& clock);

  // Any thread, in a transaction that writes; greater than every number of a committed transaction.
  int64_t Next(Txn& txn);

 private:
  MonotonicTime time_;
};

struct GenerationMark {
  int64_t micros = 0;
};

}  // namespace fireweed::storage

namespace fireweed {
template <>
struct RecordCodec<storage::GenerationMark> {
  static constexpr std::string_view kKind = "generation_mark";
  static std::string Encode(const storage::GenerationMark& mark);
  static storage::GenerationMark Decode(std::string_view bytes);
};
}  // namespace fireweed
