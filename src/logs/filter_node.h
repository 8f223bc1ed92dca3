// The tree of a parsed filter and what it says about an entry. Pure; any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/logging/entry.h"
#include "base/linear_regex.h"
#include "logs/entry_fields.h"

namespace fireweed::logs {

enum class Comparator {
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kMore,
  kMoreEqual,
  kHas,
  kFinds,
  kFindsNot
};

class FilterNode {
 public:
  virtual ~FilterNode() = default;
  virtual bool Matches(const api::logging::LogEntry& entry) const = 0;
};
using FilterNodePtr = std::unique_ptr<const FilterNode>;

class AllOf final : public FilterNode {
 public:
  explicit AllOf(std::vector<FilterNodePtr> parts) : parts_(std::move(parts)) {}
  bool Matches(const api::logging::LogEntry& entry) const override;
  const std::vector<FilterNodePtr>& parts() const { return parts_; }

 private:
  std::vector<FilterNodePtr> parts_;
};

class AnyOf final : public FilterNode {
 public:
  explicit AnyOf(std::vector<FilterNodePtr> parts) : parts_(std::move(parts)) {}
  bool Matches(const api::logging::LogEntry& entry) const override;

 private:
  std::vector<FilterNodePtr> parts_;
};

class Not final : public FilterNode {
 public:
  explicit Not(FilterNodePtr part) : part_(std::move(part)) {}
  bool Matches(const api::logging::LogEntry& entry) const override {
    return !part_->Matches(entry);
  }

 private:
  FilterNodePtr part_;
};

// field OP value
class Comparison final : public FilterNode {
 public:
  // Throws Failure(kInvalid) on a bad regular expression, severity or time.
  Comparison(std::vector<std::string> path, Comparator op, std::string value);
  bool Matches(const api::logging::LogEntry& entry) const override;

  const std::vector<std::string>& path() const { return path_; }
  Comparator op() const { return op_; }
  const std::string& value() const { return value_; }

 private:
  // Whether one value satisfies the comparison, or for a negative one its opposite.
  bool Holds(const FieldValue& field) const;

  std::vector<std::string> path_;
  Comparator op_;
  std::string value_;
  std::optional<LinearRegex> regex_;
};

// A bare word: anywhere in the entry, without regard to case.
class Anywhere final : public FilterNode {
 public:
  explicit Anywhere(std::string word);
  bool Matches(const api::logging::LogEntry& entry) const override;

 private:
  std::string word_;  // lower case
};

}  // namespace fireweed::logs
