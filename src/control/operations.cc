#include "control/operations.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace fireweed {
namespace {

// Index rows; the body is the operation's key. Words are kept apart by a zero byte, which no key
// contains.
constexpr std::string_view kOpenKind = "operation-open";  // target kind, target, operation key
constexpr std::string_view kRequestKind = "operation-request";  // scope, request id
constexpr std::string_view kEndedKind = "operation-ended";      // end time, operation key

std::string Words(std::string_view a, std::string_view b, std::string_view c = {}) {
  return fmt::format("{}{}{}{}{}", a, '\0', b, '\0', c);
}

std::string EndedKey(Time ended, std::string_view key) {
  return fmt::format("{:020}/{}", ToMicros(ended), key);
}

Operation Stored(Txn& txn, std::string_view key) {
  std::optional<Row<Operation>> row = txn.Find<Operation>(key);
  if (!row) throw Failure(Code::kInternal, fmt::format("operation '{}' is indexed but gone", key));
  return std::move(row->value);
}

void End(Txn& txn, Operation& operation, const std::optional<Error>& error, Time now) {
  operation.ended = now;
  if (error) operation.error = OperationError::From(*error);
  operation.progress = 100;
  txn.PutRaw(kEndedKind, EndedKey(now, operation.key()), operation.key(), {});
}

template <class Change>
void ChangeOpen(Txn& txn, std::string_view target_kind, std::string_view target, int64_t version,
                Change&& change) {
  for (Operation& operation : OpenOperations(txn, target_kind, target)) {
    if (operation.target_version > version) continue;
    if (change(operation)) txn.Put(operation.key(), operation);
  }
}

}  // namespace

OperationError OperationError::From(const Error& error) {
  return {std::string(CodeName(error.code)), error.reason, error.message};
}

Error OperationError::ToError() const {
  constexpr std::array kCodes = {
      Code::kInvalid,  Code::kUnauthenticated, Code::kDenied,       Code::kNotFound,
      Code::kGone,     Code::kExists,          Code::kPrecondition, Code::kNotModified,
      Code::kRange,    Code::kTooLarge,        Code::kExhausted,    Code::kUnavailable,
      Code::kCancelled};
  for (Code known : kCodes) {
    if (CodeName(known) == code) return {known, reason, message};
  }
  return {Code::kInternal, reason, message};
}

std::optional<Operation> FindRetried(Txn& txn, const Operation& wanted) {
  if (wanted.request_id.empty()) return std::nullopt;
  std::optional<RawRow> index = txn.FindRaw(kRequestKind, Words(wanted.scope, wanted.request_id));
  if (!index) return std::nullopt;
  Operation earlier = Stored(txn, index->body);
  if (earlier.verb != wanted.verb || earlier.target_kind != wanted.target_kind ||
      earlier.target != wanted.target || earlier.user != wanted.user) {
    throw Failure(Code::kInvalid,
                  fmt::format("The request id '{}' was already used for another request.",
                              wanted.request_id));
  }
  return earlier;
}

Operation Begin(Txn& txn, Operation operation, Time now) {
  operation.started = now;
  if (operation.ended) {
    End(txn, operation, std::nullopt, now);
  } else {
    txn.PutRaw(kOpenKind, Words(operation.target_kind, operation.target, operation.key()),
               operation.key(), 0);
  }
  if (!operation.request_id.empty()) {
    txn.PutRaw(kRequestKind, Words(operation.scope, operation.request_id), operation.key(), 0);
  }
  txn.Put(operation.key(), operation, 0);
  return operation;
}

std::vector<Operation> OpenOperations(Txn& txn, std::string_view target_kind,
                                      std::string_view target) {
  std::vector<Operation> open;
  txn.ForEachRaw(kOpenKind, {.prefix = Words(target_kind, target)}, [&](const RawRow& row) {
    open.push_back(Stored(txn, row.body));
    return true;
  });
  return open;
}

int Settle(Txn& txn, std::string_view target_kind, std::string_view target, int64_t reached,
           const std::optional<Error>& error, Time now) {
  int ended = 0;
  ChangeOpen(txn, target_kind, target, reached, [&](Operation& operation) {
    txn.EraseRaw(kOpenKind, Words(target_kind, target, operation.key()));
    End(txn, operation, error, now);
    ++ended;
    return true;
  });
  return ended;
}

void NoteProgress(Txn& txn, std::string_view target_kind, std::string_view target, int64_t version,
                  int percent) {
  ChangeOpen(txn, target_kind, target, version, [&](Operation& operation) {
    int shown = std::clamp(percent, 0, 99);  // 100 is for those that have ended
    if (shown <= operation.progress) return false;
    operation.progress = shown;
    return true;
  });
}

void NoteWarning(Txn& txn, std::string_view target_kind, std::string_view target, int64_t version,
                 const OperationWarning& warning) {
  ChangeOpen(txn, target_kind, target, version, [&](Operation& operation) {
    for (const OperationWarning& known : operation.warnings) {
      if (SameValue(known, warning)) return false;
    }
    operation.warnings.push_back(warning);
    return true;
  });
}

int ForgetEnded(Txn& txn, Time before, int limit) {
  std::vector<RawRow> rows =
      txn.ScanRaw(kEndedKind, {.until = EndedKey(before, ""), .limit = limit});
  for (const RawRow& row : rows) {
    Operation operation = Stored(txn, row.body);
    if (!operation.request_id.empty()) {
      txn.EraseRaw(kRequestKind, Words(operation.scope, operation.request_id));
    }
    txn.Erase<Operation>(row.body);
    txn.EraseRaw(kEndedKind, row.key);
  }
  return static_cast<int>(rows.size());
}

}  // namespace fireweed
