// IAM policies as every service shows them: projects, buckets, service accounts, models.
#pragma once

#include <string>
#include <vector>

#include "describe/type.h"

namespace fireweed::api {

struct Expr {
  std::string title, description, expression;
};

struct Binding {
  std::string role;
  std::vector<std::string> members;
  std::optional<Expr> condition;
};

struct Policy {
  std::string kind, resourceId;  // storage shows these
  int32_t version = 1;
  Bytes etag;
  std::vector<Binding> bindings;
};

struct SetIamPolicyBody {
  Policy policy;
  std::string updateMask;
};

struct TestPermissionsBody {
  std::vector<std::string> permissions;
};

}  // namespace fireweed::api

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::Expr> = "Expr";
template <>
inline constexpr auto kFields<api::Expr> = [](auto...) {
  return Fields{F("title", &api::Expr::title), F("description", &api::Expr::description),
                F("expression", &api::Expr::expression)};
};
template <>
inline constexpr std::string_view kTypeName<api::Binding> = "Binding";
template <>
inline constexpr auto kFields<api::Binding> = [](auto...) {
  return Fields{F("role", &api::Binding::role), F("members", &api::Binding::members),
                F("condition", &api::Binding::condition)};
};
template <>
inline constexpr std::string_view kTypeName<api::Policy> = "Policy";
template <>
inline constexpr auto kFields<api::Policy> = [](auto...) {
  return Fields{F("kind", &api::Policy::kind, kOutput),
                F("resourceId", &api::Policy::resourceId, kOutput),
                F("version", &api::Policy::version), F("etag", &api::Policy::etag),
                F("bindings", &api::Policy::bindings)};
};
extern template const Type& TypeOf<api::Policy>();
template <>
inline constexpr std::string_view kTypeName<api::SetIamPolicyBody> = "SetIamPolicyRequest";
template <>
inline constexpr auto kFields<api::SetIamPolicyBody> = [](auto...) {
  return Fields{F("policy", &api::SetIamPolicyBody::policy, kRequired),
                F("updateMask", &api::SetIamPolicyBody::updateMask)};
};
template <>
inline constexpr std::string_view kTypeName<api::TestPermissionsBody> = "TestIamPermissionsRequest";
template <>
inline constexpr auto kFields<api::TestPermissionsBody> =
    [](auto...) { return Fields{F("permissions", &api::TestPermissionsBody::permissions)}; };
}  // namespace fireweed
