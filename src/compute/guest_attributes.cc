#include "compute/guest_attributes.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/error.h"
#include "compute/metadata_items.h"

namespace fireweed::compute {
namespace {

constexpr size_t kLargestValue = 16 << 10;
constexpr size_t kMostValues = 1000;
constexpr size_t kLongestName = 256;
constexpr std::string_view kSwitch = "enable-guest-attributes";

// All below "hostkeys/" or "", or the one named.
bool IsAskedFor(std::string_view query, std::string_view name) {
  if (query.empty() || query == "/") return true;
  return query.ends_with('/') ? name.starts_with(query) : name == query;
}

}  // namespace

bool GuestAttributesEnabled(const api::compute::Metadata& instance,
                            const api::compute::Metadata& project) {
  auto value = FindMetadata(instance, kSwitch);
  if (!value) value = FindMetadata(project, kSwitch);
  return value && EqualIgnoreCase(*value, "true");
}

bool IsGuestAttributeName(std::string_view name) {
  size_t slash = name.find('/');
  return slash != name.npos && slash > 0 && slash + 1 < name.size() &&
         name.find('/', slash + 1) == name.npos && name.size() <= kLongestName &&
         std::ranges::all_of(name, [](unsigned char c) { return c > ' ' && c != 0x7f; });
}

void PutGuestAttribute(Catalog& catalog, const Key& instance, const std::string& name,
                       std::string_view value) {
  if (value.size() > kLargestValue) throw Failure(Code::kTooLarge, "The value is too large.");
  catalog.Write("guest attribute", [&](Txn& txn) {
    auto stored = txn.Find<GuestAttributes>(instance);
    GuestAttributes guest = stored ? stored->value : GuestAttributes{};
    if (guest.values.size() >= kMostValues && !guest.values.contains(name)) {
      throw Failure(Code::kTooLarge, "Too many guest attributes.");
    }
    guest.values[name] = std::string(value);
    txn.Put(instance, guest);
  });
}

bool DeleteGuestAttribute(Catalog& catalog, const Key& instance, const std::string& name) {
  return Update(catalog, "guest attribute", [&](Txn& txn) {
    auto stored = txn.Find<GuestAttributes>(instance);
    if (!stored || stored->value.values.erase(name) == 0) return false;
    txn.Put(instance, stored->value);
    return true;
  });
}

void GuestAttributesService::Serve(net::Router& router) {
  router.On(api::compute::kGetGuestAttributes, this, &GuestAttributesService::Get);
}

api::compute::GuestAttributes GuestAttributesService::Get(
    const api::compute::GetGuestAttributes& request, const net::Call&) {
  Key key = request.project + "/" + request.zone + "/" + request.name;
  std::string query = request.queryPath.empty() ? request.variableKey : request.queryPath;
  api::compute::GuestAttributes reply{.queryPath = request.queryPath,
                                      .variableKey = request.variableKey};
  catalog_.Read([&](Txn& txn) {
    auto instance = txn.Find<InstanceRecord>(key);
    if (!instance) {
      throw Failure(Code::kNotFound,
                    fmt::format("The resource 'projects/{}/zones/{}/instances/{}' was not found",
                                request.project, request.zone, request.name));
    }
    reply.selfLink = instance->value.resource.selfLink + "/getGuestAttributes";
    auto project = txn.Find<ProjectRecord>(request.project);
    if (!GuestAttributesEnabled(instance->value.resource.metadata,
                                project ? project->value.metadata : api::compute::Metadata{})) {
      throw Failure(Code::kPrecondition, "Guest attributes endpoint access is disabled.");
    }
    auto guest = txn.Find<GuestAttributes>(key);
    if (!guest) return;
    for (const auto& [name, value] : guest->value.values) {
      if (!IsAskedFor(query, name)) continue;
      size_t slash = name.find('/');
      reply.queryValue.items.push_back({name.substr(0, slash), name.substr(slash + 1), value});
    }
  });
  if (reply.queryValue.items.empty()) {
    throw Failure(Code::kNotFound,
                  fmt::format("The resource '{}' of type 'Guest Attribute' was not found.", query));
  }
  if (!request.variableKey.empty()) reply.variableValue = reply.queryValue.items.front().value;
  return reply;
}

}  // namespace fireweed::compute
