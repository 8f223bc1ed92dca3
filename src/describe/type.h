// What for: a described struct is written once, as a table of its fields; everything else that needs to know the
//   fields (JSON, patch, masks, config, discovery documents, random values) is ordinary code over a Type.
// Threads: Types are built once, never change, and may be read by any thread. Nothing here blocks.
//
//   struct Bucket { std::string name; int64_t metageneration = 1; std::map<std::string, std::string> labels; };
//   template <> inline constexpr std::string_view kTypeName<Bucket> = "Bucket";
//   template <> inline constexpr auto kFields<Bucket> = [](auto...) {
//     return Fields{F("name", &Bucket::name, kRequired | kImmutable, "The name of the bucket."),
//                   F("metageneration", &Bucket::metageneration, kOutput),
//                   F("labels", &Bucket::labels)};
//   };  // a template: a file that only includes the table does not pay for it
//
//   enum class Tier { kBasic, kCustom };
//   template <> inline constexpr std::string_view kTypeName<Tier> = "Tier";
//   template <> inline constexpr std::array kEnumNames<Tier>{std::string_view("BASIC"), std::string_view("CUSTOM")};
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/clock.h"
#include "base/error.h"

namespace fireweed {

// Base64 in JSON; compared as bytes, whatever the padding was.
struct Bytes {
  std::string raw;
  friend bool operator==(const Bytes&, const Bytes&) = default;
};

// Any JSON value, kept as compact text: free-form structures and merge-patch bodies. Empty means absent.
struct Json {
  std::string text;
  friend bool operator==(const Json&, const Json&) = default;
};

enum class Kind {
  kBool,
  kInt32,  // a JSON number
  kInt64,  // a JSON string of digits; numbers are accepted
  kDouble,
  kString,
  kBytes,
  kTime,  // RFC 3339
  kJson,
  kEnum,
  kStruct,
  kList,
  kMap,  // string keys
  kOptional,
};

enum FieldFlag : unsigned {
  kRequired = 1 << 0,   // must come with an insert
  kImmutable = 1 << 1,  // a patch or update may not change it
  kOutput = 1 << 2,     // set by the server; ignored in what clients send
  kStored = 1 << 3,     // in the catalog only, never on the wire
  kPath = 1 << 4,       // of a request: from the path
  kQuery = 1 << 5,      // of a request: from the query string
  kBody = 1 << 6,       // of a request: the whole body
  kKeepEmpty = 1 << 7,  // written even when empty
};

struct Type;

struct Field {
  std::string_view name;
  const Type* type = nullptr;
  unsigned flags = 0;
  std::string_view doc;
  size_t offset = 0;

  void* Of(void* object) const { return static_cast<std::byte*>(object) + offset; }
  const void* Of(const void* object) const {
    return static_cast<const std::byte*>(object) + offset;
  }
};

using MapVisitor = std::function<void(const std::string& key, const void* value)>;

// The operations a kind does not have are null.
struct Type {
  Kind kind = Kind::kStruct;
  std::string_view name;                     // of a struct or enum
  std::vector<Field> fields;                 // kStruct
  const Type* element = nullptr;             // kList, kMap, kOptional
  std::vector<std::string_view> enum_names;  // kEnum: name of value i

  void (*reset)(void* value) = nullptr;  // to the type's default
  void (*assign)(void* to, const void* from) = nullptr;
  bool (*equal)(const void* a, const void* b) = nullptr;  // of scalars and enums

  size_t (*count)(const void* value) = nullptr;                // kList, kMap
  const void* (*at)(const void* list, size_t i) = nullptr;     // kList
  void* (*append)(void* list) = nullptr;                       // kList
  void (*each)(const void* map, const MapVisitor&) = nullptr;  // kMap, in key order
  void* (*insert)(void* map, const std::string& key) = nullptr;
  void (*erase)(void* map, const std::string& key) = nullptr;
  const void* (*get)(const void* optional) = nullptr;  // kOptional; null when empty
  void* (*emplace)(void* optional) = nullptr;          // keeps a value that is there

  int (*enum_index)(const void* value) = nullptr;
  void (*set_enum)(void* value, int index) = nullptr;

  const Field* Find(std::string_view field) const;
};

template <class T>
inline constexpr std::string_view kTypeName = "";
template <class T>
inline constexpr auto kFields = nullptr;
template <class E>
inline constexpr auto kEnumNames = nullptr;

// One row of a struct's table.
struct FieldRow {
  std::string_view name;
  const Type& (*type)();
  unsigned flags;
  std::string_view doc;
  size_t offset;
  const void* owner;  // tells the tables of different structs apart
};
using Fields = std::vector<FieldRow>;

template <class T>
const Type& TypeOf();

namespace describe_internal {

template <class T>
inline constexpr char kOwner = 0;

}  // namespace describe_internal

// A row for a member of the struct itself, or of a base of T.
template <class T = void, class Object, class Member>
FieldRow F(std::string_view name, Member Object::*member, unsigned flags = 0,
           std::string_view doc = {}) {
  using Owner = std::conditional_t<std::is_void_v<T>, Object, T>;
  // Only addresses are taken: there is no object here.
  alignas(Owner) std::byte place[sizeof(Owner)];
  const Member& there = reinterpret_cast<Owner*>(place)->*member;
  size_t offset = static_cast<size_t>(reinterpret_cast<const std::byte*>(&there) - place);
  return {name, &TypeOf<Member>, flags, doc, offset, &describe_internal::kOwner<Owner>};
}

// The rows of a struct followed by more.
Fields Join(Fields rows, const Fields& more);

namespace describe_internal {

template <class T>
struct IsList : std::false_type {};
template <class T>
struct IsList<std::vector<T>> : std::true_type {};
template <class T>
struct IsMap : std::false_type {};
template <class T>
struct IsMap<std::map<std::string, T>> : std::true_type {};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <class T>
constexpr bool kDescribed = !std::is_same_v<std::remove_cv_t<decltype(kFields<T>)>, std::nullptr_t>;

template <class T>
bool EqualScalar(const void* a, const void* b) {
  return *static_cast<const T*>(a) == *static_cast<const T*>(b);
}

template <class T>
void DescribeScalar(Type& type) {
  type.equal = &EqualScalar<T>;
  if constexpr (std::is_same_v<T, bool>)
    type.kind = Kind::kBool;
  else if constexpr (std::is_same_v<T, int32_t>)
    type.kind = Kind::kInt32;
  else if constexpr (std::is_same_v<T, int64_t>)
    type.kind = Kind::kInt64;
  else if constexpr (std::is_same_v<T, double>)
    type.kind = Kind::kDouble;
  else if constexpr (std::is_same_v<T, std::string>)
    type.kind = Kind::kString;
  else if constexpr (std::is_same_v<T, Bytes>)
    type.kind = Kind::kBytes;
  else if constexpr (std::is_same_v<T, Json>)
    type.kind = Kind::kJson;
  else if constexpr (std::is_same_v<T, Time>)
    type.kind = Kind::kTime;
  else
    static_assert(sizeof(T) == 0, "this type has no description: give it kFields or kEnumNames");
}

template <class T>
void DescribeList(Type& type) {
  using E = typename T::value_type;
  static_assert(!std::is_same_v<E, bool>, "a list of bool cannot be described");
  type.kind = Kind::kList;
  type.element = &TypeOf<E>();
  type.count = [](const void* v) { return static_cast<const T*>(v)->size(); };
  type.at = [](const void* v, size_t i) -> const void* { return &(*static_cast<const T*>(v))[i]; };
  type.append = [](void* v) -> void* { return &static_cast<T*>(v)->emplace_back(); };
}

template <class T>
void DescribeMap(Type& type) {
  type.kind = Kind::kMap;
  type.element = &TypeOf<typename T::mapped_type>();
  type.count = [](const void* v) { return static_cast<const T*>(v)->size(); };
  type.each = [](const void* v, const MapVisitor& visit) {
    for (const auto& [key, value] : *static_cast<const T*>(v)) visit(key, &value);
  };
  type.insert = [](void* v, const std::string& key) -> void* {
    return &(*static_cast<T*>(v))[key];
  };
  type.erase = [](void* v, const std::string& key) { static_cast<T*>(v)->erase(key); };
}

template <class T>
void DescribeOptional(Type& type) {
  type.kind = Kind::kOptional;
  type.element = &TypeOf<typename T::value_type>();
  type.get = [](const void* v) -> const void* {
    const T& optional = *static_cast<const T*>(v);
    return optional ? &*optional : nullptr;
  };
  type.emplace = [](void* v) -> void* {
    T& optional = *static_cast<T*>(v);
    return optional ? &*optional : &optional.emplace();
  };
}

template <class T>
void DescribeEnum(Type& type) {
  type.kind = Kind::kEnum;
  type.equal = &EqualScalar<T>;
  type.name = kTypeName<T>;
  type.enum_names.assign(kEnumNames<T>.begin(), kEnumNames<T>.end());
  type.enum_index = [](const void* v) { return static_cast<int>(*static_cast<const T*>(v)); };
  type.set_enum = [](void* v, int index) { *static_cast<T*>(v) = static_cast<T>(index); };
}

// Ends the program, naming the struct, where a row is of another struct than `owner`.
void DescribeStruct(Type& type, std::string_view name, const Fields& rows, const void* owner);

template <class T>
void Fill(Type& type) {
  type.reset = [](void* v) { *static_cast<T*>(v) = T{}; };
  type.assign = [](void* to, const void* from) {
    *static_cast<T*>(to) = *static_cast<const T*>(from);
  };
  if constexpr (kDescribed<T>)
    DescribeStruct(type, kTypeName<T>, kFields<T>(), &kOwner<T>);
  else if constexpr (std::is_enum_v<T>)
    DescribeEnum<T>(type);
  else if constexpr (IsList<T>::value)
    DescribeList<T>(type);
  else if constexpr (IsMap<T>::value)
    DescribeMap<T>(type);
  else if constexpr (IsOptional<T>::value)
    DescribeOptional<T>(type);
  else
    DescribeScalar<T>(type);
}

// Where a Type is made at first use and kept for good.
class TypeSlot {
 public:
  const Type& Get(void (*fill)(Type&)) {
    const Type* type = ready_.load(std::memory_order_acquire);
    return type != nullptr ? *type : Make(fill);
  }

 private:
  const Type& Make(void (*fill)(Type&));

  std::atomic<const Type*> ready_ = nullptr;
  Type* filling_ = nullptr;  // guarded by the one lock under which Types are made
};

}  // namespace describe_internal

// One Type per C++ type, made at first use. A struct that contains itself (through a list) sees its own Type
// while it is being filled, which is enough: only the address is taken.
template <class T>
const Type& TypeOf() {
  static constinit describe_internal::TypeSlot slot;
  return slot.Get(&describe_internal::Fill<T>);
}

// What nearly every struct is made of, compiled once; a large struct of many users does the same beside its table.
extern template const Type& TypeOf<bool>();
extern template const Type& TypeOf<int32_t>();
extern template const Type& TypeOf<int64_t>();
extern template const Type& TypeOf<double>();
extern template const Type& TypeOf<std::string>();
extern template const Type& TypeOf<Bytes>();
extern template const Type& TypeOf<Json>();
extern template const Type& TypeOf<Time>();
extern template const Type& TypeOf<std::vector<std::string>>();
extern template const Type& TypeOf<std::map<std::string, std::string>>();
extern template const Type& TypeOf<std::optional<bool>>();
extern template const Type& TypeOf<std::optional<int32_t>>();
extern template const Type& TypeOf<std::optional<int64_t>>();
extern template const Type& TypeOf<std::optional<std::string>>();
extern template const Type& TypeOf<std::optional<Time>>();

template <class E>
std::string_view EnumName(E value) {
  size_t index = static_cast<size_t>(value);
  return index < kEnumNames<E>.size() ? kEnumNames<E>[index] : std::string_view("UNKNOWN");
}

// Structs compare field by field, so they need no operator== of their own.
bool SameValue(const Type& type, const void* a, const void* b);

template <class T>
bool SameValue(const T& a, const T& b) {
  return SameValue(TypeOf<T>(), &a, &b);
}

}  // namespace fireweed
