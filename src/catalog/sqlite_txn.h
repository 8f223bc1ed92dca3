// A transaction body's view of one SQLite connection that is inside a transaction.
#pragma once

#include <optional>

#include "catalog/catalog.h"
#include "catalog/change_set.h"
#include "catalog/sqlite_connection.h"

namespace fireweed {

class SqliteTxn final : public Txn {
 public:
  enum class Mode { kRead, kWrite };
  SqliteTxn(SqliteConnection& connection, Mode mode) : connection_(connection), mode_(mode) {}

  std::optional<RawRow> FindRaw(std::string_view kind, std::string_view key) override;
  int64_t PutRaw(std::string_view kind, std::string_view key, std::string_view body,
                 std::optional<int64_t> if_version) override;
  bool EraseRaw(std::string_view kind, std::string_view key) override;
  std::vector<RawRow> ScanRaw(std::string_view kind, const ScanRange& range) override;

  ChangeSet& changes() { return changes_; }
  // A failure of the engine inside a body must end it, even where the body swallowed the exception.
  void RethrowEngineFailure() const {
    if (broken_) throw Failure(*broken_);
  }

 private:
  template <class Call>
  auto Guard(Call&& call);
  bool Insert(std::string_view kind, std::string_view key, std::string_view body);

  SqliteConnection& connection_;
  Mode mode_;
  ChangeSet changes_;
  std::optional<Error> broken_;
};

}  // namespace fireweed
