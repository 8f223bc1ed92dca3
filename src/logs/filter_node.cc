#include "logs/filter_node.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/clock.h"

namespace fireweed::logs {
namespace {

using api::logging::LogEntry;
using Kind = FieldValue::Kind;

// Below, equal or above zero; nullopt when the two cannot be compared.
std::optional<int> Order(const FieldValue& field, const std::string& value) {
  auto sign = [](auto a, auto b) { return a < b ? -1 : a > b ? 1 : 0; };
  switch (field.kind) {
    case Kind::kSeverity: {
      std::optional<int> wanted = SeverityRank(value);
      if (!wanted) return std::nullopt;
      return sign(*SeverityRank(field.text), *wanted);
    }
    case Kind::kTime: {
      std::optional<Time> wanted = ParseTime(value), there = ParseTime(field.text);
      if (!wanted || !there) return std::nullopt;
      return sign(*there, *wanted);
    }
    case Kind::kNumber: {
      double a = 0, b = 0;
      auto read = [](const std::string& text, double& out) {
        auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
        return error == std::errc() && end == text.data() + text.size();
      };
      if (!read(field.text, a) || !read(value, b)) return std::nullopt;
      return sign(a, b);
    }
    case Kind::kBool:
    case Kind::kText: return sign(ToLower(field.text), ToLower(value));
    case Kind::kTree: return std::nullopt;
  }
  return std::nullopt;
}

bool Contains(std::string_view text, std::string_view lower_word) {
  return ToLower(text).find(lower_word) != std::string::npos;
}

bool Has(const FieldValue& field, const std::string& value) {
  if (value == "*") return true;
  if (field.kind == Kind::kNumber || field.kind == Kind::kTime || field.kind == Kind::kBool) {
    return Order(field, value) == 0;
  }
  return Contains(field.text, ToLower(value));
}

// A day alone means its beginning.
std::string WholeTime(std::string value) {
  if (value.size() == std::string_view("2026-11-15").size()) value += "T00:00:00Z";
  return value;
}

bool IsTimeField(const std::vector<std::string>& path) {
  return path.size() == 1 && (path[0] == "timestamp" || path[0] == "receiveTimestamp");
}

}  // namespace

bool AllOf::Matches(const LogEntry& entry) const {
  return std::all_of(parts_.begin(), parts_.end(),
                     [&](const FilterNodePtr& part) { return part->Matches(entry); });
}

bool AnyOf::Matches(const LogEntry& entry) const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [&](const FilterNodePtr& part) { return part->Matches(entry); });
}

Comparison::Comparison(std::vector<std::string> path, Comparator op, std::string value)
    : path_(std::move(path)), op_(op), value_(std::move(value)) {
  if (IsTimeField(path_)) value_ = WholeTime(std::move(value_));
  if (op_ == Comparator::kFinds || op_ == Comparator::kFindsNot) {
    regex_.emplace(value_);
  } else if (path_ == std::vector<std::string>{"severity"} && op_ != Comparator::kHas &&
             !SeverityRank(value_)) {
    throw Failure(Code::kInvalid, fmt::format("Unknown severity in filter: {}", value_));
  } else if (IsTimeField(path_) && op_ != Comparator::kHas && !ParseTime(value_)) {
    throw Failure(Code::kInvalid, fmt::format("Invalid timestamp in filter: {}", value_));
  }
}

// A negative comparison holds where the positive one does not: also for a field that is missing, and for a list only if
// no element equals the value.
bool Comparison::Matches(const LogEntry& entry) const {
  bool negative = op_ == Comparator::kNotEqual || op_ == Comparator::kFindsNot;
  std::vector<FieldValue> fields = FieldsOf(entry, path_);
  bool any = std::ranges::any_of(fields, [&](const FieldValue& field) { return Holds(field); });
  return any != negative;
}

bool Comparison::Holds(const FieldValue& field) const {
  switch (op_) {
    case Comparator::kHas: return Has(field, value_);
    case Comparator::kFinds:
    case Comparator::kFindsNot: return regex_->Finds(field.text);
    default: break;
  }
  std::optional<int> order = Order(field, value_);
  if (!order) return false;
  switch (op_) {
    case Comparator::kEqual:
    case Comparator::kNotEqual: return *order == 0;
    case Comparator::kLess: return *order < 0;
    case Comparator::kLessEqual: return *order <= 0;
    case Comparator::kMore: return *order > 0;
    default: return *order >= 0;
  }
}

Anywhere::Anywhere(std::string word) : word_(ToLower(word)) {}

bool Anywhere::Matches(const LogEntry& entry) const {
  return AnyText(entry, [&](std::string_view text) { return Contains(text, word_); });
}

}  // namespace fireweed::logs
