// What for: long-running operations, not as "a thread is busy" but as "this target has not yet
//   reached that version". Begin is written with the intent, Settle with the observation: after a
//   crash nothing needs resuming.
// Who calls: services and controllers, inside their transactions; see Txn for threads and failures.
//
// The version is any number of the target that grows with what is wanted of it (a spec generation),
// not the catalog's row version, which grows with every status as well. A target that is gone has
// reached kGone.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "catalog/catalog.h"
#include "catalog/record.h"

namespace fireweed {

struct OperationError {
  std::string code;  // CodeName
  std::string reason;
  std::string message;

  static OperationError From(const Error& error);
  Error ToError() const;
};
template <>
inline constexpr std::string_view kTypeName<OperationError> = "OperationError";
template <>
inline constexpr auto kFields<OperationError> = [](auto...) {
  return Fields{F("code", &OperationError::code), F("reason", &OperationError::reason),
                F("message", &OperationError::message)};
};

struct OperationWarning {
  std::string code;
  std::string message;
};
template <>
inline constexpr std::string_view kTypeName<OperationWarning> = "OperationWarning";
template <>
inline constexpr auto kFields<OperationWarning> = [](auto...) {
  return Fields{F("code", &OperationWarning::code), F("message", &OperationWarning::message)};
};

struct Operation {
  std::string scope;  // where it is listed, as the service sees fit: "my-project/zones/us-east1-b"
  std::string id;     // unique in its scope; sorts by creation when made by IdSource
  std::string verb;   // "insert", "delete", "setMetadata"
  std::string target_kind;  // catalog kind and key of what it is about
  std::string target;
  int64_t target_version = 0;
  int64_t target_id = 0;   // what clients know the target by; 0: they do not
  std::string user;        // who asked
  std::string request_id;  // the client's, for retries; may be empty
  std::string group;       // of operations that one request began; empty: alone
  Time started{};
  std::optional<Time> ended;
  std::optional<OperationError> error;  // only when ended
  int32_t progress = 0;                 // percent
  std::vector<OperationWarning> warnings;

  Key key() const { return scope + "/" + id; }
};
template <>
inline constexpr std::string_view kTypeName<Operation> = "Operation";
template <>
inline constexpr auto kFields<Operation> = [](auto...) {
  return Fields{
      F("scope", &Operation::scope),
      F("id", &Operation::id),
      F("verb", &Operation::verb),
      F("targetKind", &Operation::target_kind),
      F("target", &Operation::target),
      F("targetVersion", &Operation::target_version),
      F("targetId", &Operation::target_id),
      F("user", &Operation::user),
      F("requestId", &Operation::request_id),
      F("group", &Operation::group),
      F("started", &Operation::started),
      F("ended", &Operation::ended),
      F("error", &Operation::error),
      F("progress", &Operation::progress),
      F("warnings", &Operation::warnings),
  };
};
template <>
inline constexpr std::string_view kRecordKind<Operation> = "operation";

inline constexpr int64_t kGone = std::numeric_limits<int64_t>::max();

// The operation an earlier, identical request began, when the client sends the same request id
// again; nullopt when there is none or the id is empty. Looked at before the intent is written. The
// same id for something else is kInvalid.
std::optional<Operation> FindRetried(Txn& txn, const Operation& wanted);

// Stores it with `started` = now. One that asks for nothing new may be born ended: set `ended`
// before. The scope, id, verb and target must be set. kExists when the id is taken.
Operation Begin(Txn& txn, Operation operation, Time now);

// The target has reached a version, or failed for good on the way: ends its open operations up to
// that version. Harmless when there are none. Returns how many it ended.
int Settle(Txn& txn, std::string_view target_kind, std::string_view target, int64_t reached,
           const std::optional<Error>& error, Time now);

// For open operations of the target up to `version`: how far they are (never backwards), and what
// to warn of (once each).
void NoteProgress(Txn& txn, std::string_view target_kind, std::string_view target, int64_t version,
                  int percent);
void NoteWarning(Txn& txn, std::string_view target_kind, std::string_view target, int64_t version,
                 const OperationWarning& warning);

// Operations of a target that have not ended, oldest first.
std::vector<Operation> OpenOperations(Txn& txn, std::string_view target_kind,
                                      std::string_view target);

// Forgets up to `limit` operations that ended before a time, and their request ids. Returns how
// many.
int ForgetEnded(Txn& txn, Time before, int limit);

}  // namespace fireweed
