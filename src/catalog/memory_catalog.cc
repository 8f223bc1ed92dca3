#include "catalog/memory_catalog.h"

#include <mutex>

#include <fmt/format.h>

#include "catalog/change_set.h"
#include "catalog/scan_bounds.h"
#include "catalog/version_check.h"

namespace fireweed {

// Writes go straight to the table; what they replaced is kept, so that a body that throws can be
// undone.
class MemoryCatalog::MemoryTxn final : public Txn {
 public:
  enum class Mode { kRead, kWrite };
  MemoryTxn(Table& table, Mode mode) : table_(table), mode_(mode) {}

  std::optional<RawRow> FindRaw(std::string_view kind, std::string_view key) override {
    auto it = table_.find(Address(kind, key));
    if (it == table_.end()) return std::nullopt;
    return RowOf(*it);
  }

  int64_t PutRaw(std::string_view kind, std::string_view key, std::string_view body,
                 std::optional<int64_t> if_version) override {
    RequireWritable(mode_ == Mode::kWrite);
    Address address(kind, key);
    auto it = table_.find(address);
    int64_t version = it == table_.end() ? 0 : it->second.version;
    CheckVersion(kind, key, version, if_version);
    Remember(address, it);
    table_[address] = Stored{version + 1, std::string(body)};
    return version + 1;
  }

  bool EraseRaw(std::string_view kind, std::string_view key) override {
    RequireWritable(mode_ == Mode::kWrite);
    Address address(kind, key);
    auto it = table_.find(address);
    if (it == table_.end()) return false;
    Remember(address, it);
    table_.erase(it);
    return true;
  }

  std::vector<RawRow> ScanRaw(std::string_view kind, const ScanRange& range) override {
    std::vector<RawRow> rows;
    ScanBounds bounds = BoundsOf(range);
    if (bounds.empty()) return rows;
    auto first = table_.lower_bound(Address(kind, bounds.first));
    auto end = bounds.end ? table_.lower_bound(Address(kind, *bounds.end))
                          : table_.lower_bound(Address(std::string(kind) + '\0', ""));
    while (first != end && std::ssize(rows) < range.limit) {
      rows.push_back(RowOf(range.backwards ? *--end : *first++));
    }
    return rows;
  }

  void Undo() {
    for (auto it = replaced_.rbegin(); it != replaced_.rend(); ++it) {
      if (it->second) {
        table_[it->first] = std::move(*it->second);
      } else {
        table_.erase(it->first);
      }
    }
  }

  const ChangeSet& changes() const { return changes_; }

 private:
  static RawRow RowOf(const Table::value_type& entry) {
    return {entry.first.second, entry.second.version, entry.second.body};
  }

  // The first change of a row in this transaction is the one to undo to, and the one to report.
  void Remember(const Address& address, Table::iterator it) {
    if (!changes_.Add(address.first, address.second)) return;
    replaced_.emplace_back(address, it == table_.end() ? std::nullopt : std::optional(it->second));
  }

  Table& table_;
  Mode mode_;
  ChangeSet changes_;
  std::vector<std::pair<Address, std::optional<Stored>>> replaced_;
};

void MemoryCatalog::RefuseWhileWriting(std::string_view call) const {
  if (writer_.load() == std::this_thread::get_id()) {
    Abort(fmt::format("Catalog::{} called from a transaction body or a commit sink", call));
  }
}

void MemoryCatalog::Write(std::string_view, const std::function<void(Txn&)>& body, Lane) {
  RefuseWhileWriting("Write");
  std::unique_lock lock(mu_);
  struct Mark {
    explicit Mark(std::atomic<std::thread::id>& writer) : writer(writer) {
      writer = std::this_thread::get_id();
    }
    ~Mark() { writer = std::thread::id(); }
    std::atomic<std::thread::id>& writer;
  } mark(writer_);
  // Once in vain: a body has to bear being run again, and every test shows whether it does.
  auto run = [&](MemoryTxn& txn) {
    try {
      body(txn);
    } catch (...) {
      txn.Undo();
      throw;
    }
  };
  MemoryTxn rehearsal(table_, MemoryTxn::Mode::kWrite);
  run(rehearsal);
  rehearsal.Undo();
  MemoryTxn txn(table_, MemoryTxn::Mode::kWrite);
  run(txn);
  txn.changes().Feed(sinks_);
}

void MemoryCatalog::Read(const std::function<void(Txn&)>& body) const {
  RefuseWhileWriting("Read");
  std::shared_lock lock(mu_);
  // The transaction refuses writes, so the table stays as it is.
  MemoryTxn txn(const_cast<Table&>(table_), MemoryTxn::Mode::kRead);
  body(txn);
}

void MemoryCatalog::OnCommit(Sink sink) {
  RefuseWhileWriting("OnCommit");
  std::unique_lock lock(mu_);
  sinks_.push_back(std::move(sink));
}

}  // namespace fireweed
