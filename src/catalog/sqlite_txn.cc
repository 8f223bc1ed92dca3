#include "catalog/sqlite_txn.h"

#include "catalog/scan_bounds.h"
#include "catalog/version_check.h"

namespace fireweed {
namespace {

Sql ScanStatement(bool bounded, bool backwards) {
  if (bounded) return backwards ? Sql::kScanBack : Sql::kScan;
  return backwards ? Sql::kScanBackFromEnd : Sql::kScanToEnd;
}

}  // namespace

template <class Call>
auto SqliteTxn::Guard(Call&& call) {
  RethrowEngineFailure();
  try {
    return call();
  } catch (const Failure& failure) {
    broken_ = failure.error();
    throw;
  }
}

std::optional<RawRow> SqliteTxn::FindRaw(std::string_view kind, std::string_view key) {
  return Guard([&]() -> std::optional<RawRow> {
    Statement find = connection_.Use(Sql::kFind);
    find.Bind(1, kind).Bind(2, key);
    if (!find.Step()) return std::nullopt;
    return RawRow{Key(key), find.Number(0), find.Blob(1)};
  });
}

int64_t SqliteTxn::PutRaw(std::string_view kind, std::string_view key, std::string_view body,
                          std::optional<int64_t> if_version) {
  RequireWritable(mode_ == Mode::kWrite);
  // A row that must be new is most often new: one look at its place instead of two.
  if (if_version == 0 && Insert(kind, key, body)) return 1;
  int64_t version = Guard([&]() -> int64_t {
    Statement find = connection_.Use(Sql::kVersion);
    find.Bind(1, kind).Bind(2, key);
    return find.Step() ? find.Number(0) : 0;
  });
  CheckVersion(kind, key, version, if_version);
  Guard([&] {
    Statement put = connection_.Use(Sql::kPut);
    put.Bind(1, kind).Bind(2, key).Bind(3, version + 1).Bind(4, body);
    put.Step();
  });
  changes_.Add(kind, key);
  return version + 1;
}

// False when there is such a row.
bool SqliteTxn::Insert(std::string_view kind, std::string_view key, std::string_view body) {
  bool inserted = Guard([&] {
    Statement insert = connection_.Use(Sql::kInsert);
    insert.Bind(1, kind).Bind(2, key).Bind(3, body);
    insert.Step();
    return connection_.changed_rows() > 0;
  });
  if (inserted) changes_.Add(kind, key);
  return inserted;
}

bool SqliteTxn::EraseRaw(std::string_view kind, std::string_view key) {
  RequireWritable(mode_ == Mode::kWrite);
  bool there = Guard([&] {
    Statement find = connection_.Use(Sql::kVersion);
    find.Bind(1, kind).Bind(2, key);
    return find.Step();
  });
  if (!there) return false;
  Guard([&] {
    Statement erase = connection_.Use(Sql::kErase);
    erase.Bind(1, kind).Bind(2, key);
    erase.Step();
  });
  changes_.Add(kind, key);
  return true;
}

std::vector<RawRow> SqliteTxn::ScanRaw(std::string_view kind, const ScanRange& range) {
  return Guard([&] {
    std::vector<RawRow> rows;
    ScanBounds bounds = BoundsOf(range);
    if (bounds.empty() || range.limit <= 0) return rows;
    Statement scan = connection_.Use(ScanStatement(bounds.end.has_value(), range.backwards));
    scan.Bind(1, kind).Bind(2, bounds.first).Bind(3, int64_t{range.limit});
    if (bounds.end) scan.Bind(4, *bounds.end);
    while (scan.Step()) rows.push_back({scan.Blob(0), scan.Number(1), scan.Blob(2)});
    return rows;
  });
}

}  // namespace fireweed
