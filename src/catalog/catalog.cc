#include "catalog/catalog.h"

#include <algorithm>

namespace fireweed {
namespace {

// `scan` reads one page.
bool ForEachPage(ScanRange range, const RawVisitor& each,
                 const std::function<std::vector<RawRow>(const ScanRange&)>& scan) {
  while (true) {
    std::vector<RawRow> rows = scan(range);
    bool more = std::ssize(rows) >= range.limit && !rows.empty();
    if (more) (range.backwards ? range.until : range.after) = rows.back().key;
    if (!std::ranges::all_of(rows, each)) return false;
    if (!more) return true;
  }
}

}  // namespace

bool Txn::ForEachRaw(std::string_view kind, ScanRange range, const RawVisitor& each) {
  return ForEachPage(std::move(range), each,
                     [&](const ScanRange& page) { return ScanRaw(kind, page); });
}

bool ForEachRaw(const Catalog& catalog, std::string_view kind, ScanRange range,
                const RawVisitor& each) {
  return ForEachPage(std::move(range), each, [&](const ScanRange& page) {
    return Query(catalog, [&](Txn& txn) { return txn.ScanRaw(kind, page); });
  });
}

void Catalog::WriteLater(std::string_view why, std::function<void(Txn&)> body, WriteDone done,
                         Lane lane) {
  std::exception_ptr failure;
  try {
    Write(why, body, lane);
  } catch (...) {
    failure = std::current_exception();
  }
  done(std::move(failure));
}

}  // namespace fireweed
