// What for: a described struct is written once, as a table of its fields; everything else that needs to know the
//   fields (JSON, patch, masks, config, discovery documents, random values) is ordinary code over a Type.
// Threads: Types are built once, never change, and may be read by any thread. Nothing here blocks.
//
//   struct Bucket { std::string name; int64_t metageneration = 1; std::map<std::string, std::string> labels; };
//   template <> inline constexpr std::string_view kTypeName<Bucket> = "Bucket";
//   template <> inline constexpr auto kFields<Bucket> = std::tuple{
//       F("name", &Bucket::name, kRequired | kImmutable, "The name of the bucket."),
//       F("metageneration", &Bucket::metageneration, kOutput),
//       F("labels", &Bucket::labels)};
//
//   enum class Tier { kBasic, kCustom };
//   template <> inline constexpr std::string_view kTypeName<Tier> = "Tier";
//   template <> inline constexpr std::array kEnumNames<Tier>{std::string_view("BASIC"), std::string_view("CUSTOM")};
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
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
  bool (*equal)(const void* a, const void* b) = nullptr;

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

template <class Object, class Member>
struct FieldDefinition {
  std::string_view name;
  Member Object::*member;
  unsigned flags;
  std::string_view doc;
};

template <class Object, class Member>
constexpr FieldDefinition<Object, Member> F(std::string_view name, Member Object::*member,
                                            unsigned flags = 0, std::string_view doc = {}) {
  return {name, member, flags, doc};
}

// The fields of a struct followed by more: lists and rows that extend another type's table by hand stay short.
template <class... A, class... B>
constexpr auto Join(const std::tuple<A...>& a, const std::tuple<B...>& b) {
  return std::tuple_cat(a, b);
}

template <class T>
const Type& TypeOf();

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
bool Equal(const void* a, const void* b);

// Structs compare field by field, so they need no operator== of their own.
template <class T>
bool EqualFields(const T& a, const T& b) {
  return std::apply(
      [&](const auto&... field) {
        return (Equal<std::remove_cvref_t<decltype(a.*field.member)>>(&(a.*field.member),
                                                                      &(b.*field.member)) &&
                ...);
      },
      kFields<T>);
}

template <class T>
bool Equal(const void* left, const void* right) {
  const T& a = *static_cast<const T*>(left);
  const T& b = *static_cast<const T*>(right);
  if constexpr (kDescribed<T>) {
    return EqualFields(a, b);
  } else if constexpr (IsList<T>::value) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
      if (!Equal<typename T::value_type>(&a[i], &b[i])) return false;
    }
    return true;
  } else if constexpr (IsMap<T>::value) {
    if (a.size() != b.size()) return false;
    for (auto i = a.begin(), j = b.begin(); i != a.end(); ++i, ++j) {
      if (i->first != j->first || !Equal<typename T::mapped_type>(&i->second, &j->second))
        return false;
    }
    return true;
  } else if constexpr (IsOptional<T>::value) {
    if (a.has_value() != b.has_value()) return false;
    return !a || Equal<typename T::value_type>(&*a, &*b);
  } else {
    return a == b;
  }
}

template <class T>
void DescribeScalar(Type& type) {
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
  type.name = kTypeName<T>;
  type.enum_names.assign(kEnumNames<T>.begin(), kEnumNames<T>.end());
  type.enum_index = [](const void* v) { return static_cast<int>(*static_cast<const T*>(v)); };
  type.set_enum = [](void* v, int index) { *static_cast<T*>(v) = static_cast<T>(index); };
}

template <class T>
void DescribeStruct(Type& type) {
  type.kind = Kind::kStruct;
  type.name = kTypeName<T>;
  static const T sample{};  // offsets of members are taken from a real object
  std::apply(
      [&](const auto&... field) {
        (type.fields.push_back(
             {field.name, &TypeOf<std::remove_cvref_t<decltype(sample.*field.member)>>(),
              field.flags, field.doc,
              static_cast<size_t>(reinterpret_cast<const std::byte*>(&(sample.*field.member)) -
                                  reinterpret_cast<const std::byte*>(&sample))}),
         ...);
      },
      kFields<T>);
}

template <class T>
void Fill(Type& type) {
  type.reset = [](void* v) { *static_cast<T*>(v) = T{}; };
  type.assign = [](void* to, const void* from) {
    *static_cast<T*>(to) = *static_cast<const T*>(from);
  };
  type.equal = &Equal<T>;
  if constexpr (kDescribed<T>)
    DescribeStruct<T>(type);
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

}  // namespace describe_internal

// One Type per C++ type, made at first use. A struct that contains itself (through a list) sees its own Type
// while it is being filled, which is enough: only the address is taken.
template <class T>
const Type& TypeOf() {
  struct Holder {
    Type type;
    bool filled = false;
  };
  static Holder* holder = new Holder;  // never destroyed: other statics may still use it at exit
  static thread_local bool filling = false;
  if (filling) return holder->type;
  filling = true;
  static const bool once = (describe_internal::Fill<T>(holder->type), holder->filled = true);
  (void)once;
  filling = false;
  return holder->type;
}

template <class E>
std::string_view EnumName(E value) {
  size_t index = static_cast<size_t>(value);
  return index < kEnumNames<E>.size() ? kEnumNames<E>[index] : std::string_view("UNKNOWN");
}

template <class T>
bool SameValue(const T& a, const T& b) {
  return describe_internal::Equal<T>(&a, &b);
}

}  // namespace fireweed
