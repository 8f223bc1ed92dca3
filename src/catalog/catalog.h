// What for: small records in key order, in serialisable transactions, with a feed of what was
//   committed.
// Who calls: services and controllers, any thread.
// May block: Write until its transaction is durable; Read for the length of its body.
// Owns: everything stored; rows handed out are copies.
// A failure: Write and Read throw Failure, and then nothing of that body is stored. A body that
//   throws is rolled back alone and its exception comes out of Write; neighbours of the same group
//   commit are untouched.
//
// A body may be run again from the start (an engine may retry on conflict): it has no effect
// outside its transaction. Inside a transaction reads see its own writes. After commit the changed
// keys go to the feed in commit order, before Write returns: whoever caches rows is never behind an
// acknowledged write.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"

namespace fireweed {

using Key = std::string;  // '/'-separated words, compared as bytes

struct RawRow {
  Key key;
  int64_t version = 0;  // 1 on creation, one more with every Put
  std::string body;
};

template <class T>
struct Row {
  Key key;
  int64_t version = 0;
  T value;
};

// What a record type adds to be stored: its kind, and its bytes. Described structs get this from
// catalog/record.h; a service with its own compact form specialises it.
template <class T>
struct
    RecordCodec;  // static constexpr std::string_view kKind; static std::string Encode(const T&);
                  // static T Decode(std::string_view);

struct ScanRange {
  std::string prefix;                // only keys that begin with it
  std::optional<std::string> from;   // first key to look at, inclusive
  std::optional<std::string> after;  // or exclusive
  std::optional<std::string> until;  // exclusive end
  int limit = 1000;
  bool backwards = false;  // from the end of the range
};

// Receives the rows of a range one by one; false stops the iteration.
using RawVisitor = std::function<bool(RawRow&)>;

// A visitor of decoded rows may return nothing, which continues, or a bool.
template <class T, class Each>
bool VisitDecoded(Each& each, RawRow& raw);

class Txn {
 public:
  virtual ~Txn() = default;

  virtual std::optional<RawRow> FindRaw(std::string_view kind, std::string_view key) = 0;
  // `if_version`: 0 means "must not exist"; another number "must be at this version". Otherwise
  // kPrecondition (kExists for 0). Returns the new version. Only in Write.
  virtual int64_t PutRaw(std::string_view kind, std::string_view key, std::string_view body,
                         std::optional<int64_t> if_version) = 0;
  virtual bool EraseRaw(std::string_view kind,
                        std::string_view key) = 0;  // false when it was not there
  // At most `range.limit` rows: one page. To read all rows use ForEach.
  virtual std::vector<RawRow> ScanRaw(std::string_view kind, const ScanRange& range) = 0;
  // Calls `each` for all rows in `range`, in order, however many there are; `range.limit` is only
  // the number of rows read at a time. `each` may change or erase rows, its own included; whether
  // rows that it adds are visited is unspecified. Returns false if `each` stopped the iteration.
  bool ForEachRaw(std::string_view kind, ScanRange range, const RawVisitor& each);

  template <class T>
  std::optional<Row<T>> Find(std::string_view key) {
    std::optional<RawRow> raw = FindRaw(RecordCodec<T>::kKind, key);
    if (!raw) return std::nullopt;
    return Row<T>{std::move(raw->key), raw->version, RecordCodec<T>::Decode(raw->body)};
  }
  template <class T>
  int64_t Put(std::string_view key, const T& value, std::optional<int64_t> if_version = {}) {
    return PutRaw(RecordCodec<T>::kKind, key, RecordCodec<T>::Encode(value), if_version);
  }
  template <class T>
  bool Erase(std::string_view key) {
    return EraseRaw(RecordCodec<T>::kKind, key);
  }
  template <class T>
  std::vector<Row<T>> Scan(const ScanRange& range) {
    std::vector<Row<T>> rows;
    for (RawRow& raw : ScanRaw(RecordCodec<T>::kKind, range)) {
      rows.push_back({std::move(raw.key), raw.version, RecordCodec<T>::Decode(raw.body)});
    }
    return rows;
  }
  // ForEachRaw with decoded rows: `txn.ForEach<Bucket>({}, [&](const Row<Bucket>& row) {…});`
  template <class T, class Each>
  bool ForEach(const ScanRange& range, Each&& each) {
    return ForEachRaw(RecordCodec<T>::kKind, range,
                      [&each](RawRow& raw) { return VisitDecoded<T>(each, raw); });
  }
};

template <class T, class Each>
bool VisitDecoded(Each& each, RawRow& raw) {
  Row<T> row{std::move(raw.key), raw.version, RecordCodec<T>::Decode(raw.body)};
  if constexpr (std::is_void_v<std::invoke_result_t<Each&, Row<T>&>>) {
    each(row);
    return true;
  } else {
    return each(row);
  }
}

enum class Lane {
  kControl,  // goes first: control-plane writes are not queued behind uploads
  kBulk,
};

class Catalog {
 public:
  using Sink = std::function<void(std::string_view kind, const Key& key)>;
  virtual ~Catalog() = default;

  // `why` names the writer in logs and crash tests ("bucket insert").
  virtual void Write(std::string_view why, const std::function<void(Txn&)>& body,
                     Lane lane = Lane::kControl) = 0;
  // Write without waiting for it, so that one thread can have many under way. `done` is called once,
  // with null when the transaction is durable and its changes were fed, else with what Write would
  // have thrown; on the committing thread, or on this one before WriteLater returns. Like a sink it
  // must be quick and must not call back into the catalog. What `body` and `done` refer to has to
  // live until then: whoever starts such writes waits for them before it goes.
  using WriteDone = std::function<void(std::exception_ptr failure)>;
  virtual void WriteLater(std::string_view why, std::function<void(Txn&)> body, WriteDone done,
                          Lane lane = Lane::kControl);
  virtual void Read(const std::function<void(Txn&)>& body) const = 0;
  // A sink is told of every commit that is acknowledged after OnCommit has returned, on the
  // committing thread; it must be quick and must not call back into the catalog. Sinks stay.
  virtual void OnCommit(Sink sink) = 0;
};

// Read with an answer: `auto row = Query(catalog, [&](Txn& t) { return t.Find<Bucket>(key); });`
template <class Body>
auto Query(const Catalog& catalog, Body&& body) {
  std::optional<decltype(body(std::declval<Txn&>()))> answer;
  catalog.Read([&](Txn& txn) { answer.emplace(body(txn)); });
  return std::move(*answer);
}

// Calls `each` for all committed rows in `range`, in order, outside any transaction: `each` may
// read, write and take its time. Every page of `range.limit` rows is read in its own transaction,
// so rows that change during the iteration may be visited before or after their change. Returns
// false if `each` stopped the iteration.
bool ForEachRaw(const Catalog& catalog, std::string_view kind, ScanRange range,
                const RawVisitor& each);

template <class T, class Each>
bool ForEach(const Catalog& catalog, const ScanRange& range, Each&& each) {
  return ForEachRaw(catalog, RecordCodec<T>::kKind, range,
                    [&each](RawRow& raw) { return VisitDecoded<T>(each, raw); });
}

// Write with an answer.
template <class Body>
auto Update(Catalog& catalog, std::string_view why, Body&& body, Lane lane = Lane::kControl) {
  std::optional<decltype(body(std::declval<Txn&>()))> answer;
  catalog.Write(
      why, [&](Txn& txn) { answer.emplace(body(txn)); }, lane);
  return std::move(*answer);
}

}  // namespace fireweed
