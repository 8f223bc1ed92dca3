// An API is a table: each method is one line, shared by server, client, CLI and discovery documents.
//
//   inline constexpr Service kStorage{.name = "storage", .version = "v1", .title = "Cloud Storage JSON API",
//                                     .hosts = kStorageHosts};
//   inline constexpr Method<GetBucket, Bucket> kGetBucket{
//       kStorage, Verb::kGet, "/storage/v1/b/{bucket}", "storage.buckets.get", "storage.buckets.get",
//       "buckets/{bucket}"};
//
// Patterns match the raw path segment by segment and decode afterwards, so an object name may hold "%2F".
// A segment is literal, "{name}", or "{name}:verb"; "{parent=projects/*}" takes two segments of which the
// first is literal; a last segment "{name=**}" takes the rest, slashes and all, up to what follows it in the
// pattern ("{repo=**}/info/refs"), and such a route gives way to every other.
#pragma once

#include <span>
#include <string_view>

#include "describe/type.h"

namespace fireweed::api {

enum class Verb { kGet, kPost, kPut, kPatch, kDelete, kHead, kOptions };

std::string_view VerbName(Verb verb);

// What discovery documents call the variable parts of a service's paths (net/discovery_paths.h).
enum class PathNames {
  kPlain,       // as the patterns: "b/{bucket}"
  kByKind,      // "{name}" by what it is: "instances/{instance}"
  kByResource,  // a thing's whole name as one: "{+name}", "{+parent}/jobs"
};

struct Service {
  std::string_view name;     // "storage"
  std::string_view version;  // "v1"
  std::string_view title;
  // Host names it answers to; "ml.googleapis.com" also takes "us-central1-ml.googleapis.com".
  std::span<const std::string_view> hosts;
  // Errors in the storage XML API's form instead of JSON.
  bool xml_errors = false;
  // Whether a request body may hold fields nobody knows. Google's newer services refuse them.
  bool refuse_unknown_fields = false;
  // Everybody is anonymous here: the parameters are what is to be judged (token endpoints), so that a bad
  // token among them is the handler's to answer.
  bool anonymous = false;
  // Whether clients are told of it, and how.
  bool documented = true;
  PathNames path_names = PathNames::kPlain;
};

// Who has the last word on a method's permission. With kHandler what is asked for may have a list of its own (an
// object's ACL): on the pool the handler judges, because a refusal by policy is not final there; the inline path
// takes the policy's yes and nothing else.
enum class Judge { kPolicy, kHandler };

// A method without its C++ types: routing, permission checks and discovery need no more.
struct MethodEntry {
  const Service* service = nullptr;
  Verb verb = Verb::kGet;
  std::string_view path;
  std::string_view id;          // "storage.buckets.get"
  std::string_view permission;  // checked before the handler runs; empty: the handler decides
  std::string_view resource;    // whose policy decides: "buckets/{bucket}", "projects/{project}"
  const Type* request = nullptr;
  const Type* response = nullptr;
  Judge judge = Judge::kPolicy;
  bool media_download = false;  // alt=media answers with bytes: for discovery documents
};

template <class Req, class Res>
struct Method {
  using Request = Req;
  using Response = Res;

  const Service& service;
  Verb verb;
  std::string_view path;
  std::string_view id;
  std::string_view permission = {};
  std::string_view resource = {};
  Judge judge = Judge::kPolicy;
  bool media_download = false;

  MethodEntry entry() const {
    return {&service, verb,           path,           id,    permission,
            resource, &TypeOf<Req>(), &TypeOf<Res>(), judge, media_download};
  }
};

struct Empty {};      // takes nothing, or answers "{}"
struct NoContent {};  // answers 204 without a body

}  // namespace fireweed::api

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::Empty> = "Empty";
template <>
inline constexpr auto kFields<api::Empty> = [](auto...) { return Fields{}; };
template <>
inline constexpr std::string_view kTypeName<api::NoContent> = "NoContent";
template <>
inline constexpr auto kFields<api::NoContent> = [](auto...) { return Fields{}; };
}  // namespace fireweed
