#include "describe/type.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace fireweed {

const Field* Type::Find(std::string_view field) const {
  for (const Field& candidate : fields) {
    if (candidate.name == field) return &candidate;
  }
  return nullptr;
}

Fields Join(Fields rows, const Fields& more) {
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

namespace describe_internal {
namespace {

// Types are made rarely and inside each other: one lock for all.
std::recursive_mutex& MakingTypes() {
  static auto* mutex =
      new std::recursive_mutex;  // never destroyed: other statics may use it at exit
  return *mutex;
}

}  // namespace

void DescribeStruct(Type& type, std::string_view name, const Fields& rows, const void* owner) {
  type.kind = Kind::kStruct;
  type.name = name;
  type.fields.reserve(rows.size());
  for (const FieldRow& row : rows) {
    if (row.owner != owner) {
      std::fprintf(stderr, "describe: field %.*s of %.*s is a base's: write F<T>(...)\n",
                   static_cast<int>(row.name.size()), row.name.data(),
                   static_cast<int>(name.size()), name.data());
      std::abort();
    }
    type.fields.push_back({row.name, &row.type(), row.flags, row.doc, row.offset});
  }
}

const Type& TypeSlot::Make(void (*fill)(Type&)) {
  std::lock_guard lock(MakingTypes());
  if (const Type* ready = ready_.load(std::memory_order_relaxed)) return *ready;
  // A struct that contains itself (through a list) sees its own Type while it is being filled, which is enough: only
  // the address is taken.
  if (filling_ != nullptr) return *filling_;
  filling_ = new Type;  // never destroyed, as the lock
  fill(*filling_);
  ready_.store(filling_, std::memory_order_release);
  return *filling_;
}

}  // namespace describe_internal

namespace {

bool SameMaps(const Type& type, const void* a, const void* b) {
  std::vector<std::pair<const std::string*, const void*>> entries;
  type.each(a,
            [&](const std::string& key, const void* value) { entries.emplace_back(&key, value); });
  size_t i = 0;
  bool same = true;
  type.each(b, [&](const std::string& key, const void* value) {
    same = same && *entries[i].first == key && SameValue(*type.element, entries[i].second, value);
    ++i;
  });
  return same;
}

}  // namespace

bool SameValue(const Type& type, const void* a, const void* b) {
  switch (type.kind) {
    case Kind::kStruct:
      for (const Field& field : type.fields) {
        if (!SameValue(*field.type, field.Of(a), field.Of(b))) return false;
      }
      return true;
    case Kind::kList:
      if (type.count(a) != type.count(b)) return false;
      for (size_t i = 0; i < type.count(a); ++i) {
        if (!SameValue(*type.element, type.at(a, i), type.at(b, i))) return false;
      }
      return true;
    case Kind::kMap: return type.count(a) == type.count(b) && SameMaps(type, a, b);
    case Kind::kOptional: {
      const void* left = type.get(a);
      const void* right = type.get(b);
      if (left == nullptr || right == nullptr) return left == right;
      return SameValue(*type.element, left, right);
    }
    default: return type.equal(a, b);
  }
}

template const Type& TypeOf<bool>();
template const Type& TypeOf<int32_t>();
template const Type& TypeOf<int64_t>();
template const Type& TypeOf<double>();
template const Type& TypeOf<std::string>();
template const Type& TypeOf<Bytes>();
template const Type& TypeOf<Json>();
template const Type& TypeOf<Time>();
template const Type& TypeOf<std::vector<std::string>>();
template const Type& TypeOf<std::map<std::string, std::string>>();
template const Type& TypeOf<std::optional<bool>>();
template const Type& TypeOf<std::optional<int32_t>>();
template const Type& TypeOf<std::optional<int64_t>>();
template const Type& TypeOf<std::optional<std::string>>();
template const Type& TypeOf<std::optional<Time>>();

}  // namespace fireweed
