#include "storage/generations.h"

#include "storage/compact_form.h"

namespace fireweed::storage {
namespace {

constexpr std::string_view kMarkKey = "newest";
// How far the mark is moved ahead: one more row write in so much time, and after a restart numbers
// run ahead of the clock by at most as much.
constexpr int64_t kAheadMicros = 10'000'000;

Time StoredFloor(const Catalog& catalog) {
  std::optional<Row<GenerationMark>> mark =
      Query(catalog, [](Txn& txn) { return txn.Find<GenerationMark>(kMarkKey); });
  return FromMicros(mark ? mark->value.micros : 0);
}

}  // namespace

Generations::Generations(const Catalog& catalog, const Clock& clock)
    : time_(clock, StoredFloor(catalog)) {}

int64_t Generations::Next(Txn& txn) {
  int64_t next = ToMicros(time_.Next());
  std::optional<Row<GenerationMark>> mark = txn.Find<GenerationMark>(kMarkKey);
  if (!mark || mark->value.micros < next) txn.Put(kMarkKey, GenerationMark{next + kAheadMicros});
  return next;
}

}  // namespace fireweed::storage

namespace fireweed {

std::string RecordCodec<storage::GenerationMark>::Encode(const storage::GenerationMark& mark) {
  storage::CompactWriter out;
  out.Number(static_cast<uint64_t>(mark.micros));
  return out.Take();
}

storage::GenerationMark RecordCodec<storage::GenerationMark>::Decode(std::string_view bytes) {
  storage::CompactReader in(bytes);
  return {static_cast<int64_t>(in.Number())};
}

}  // namespace fireweed
