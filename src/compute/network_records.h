// Networks and what belongs to them, as rows.
#pragma once

#include "api/compute/firewall.h"
#include "api/compute/network.h"
#include "catalog/record.h"
#include "compute/stored_record.h"

namespace fireweed::compute {

using NetworkRecord = StoredRecord<api::compute::Network>;
using SubnetworkRecord = StoredRecord<api::compute::Subnetwork>;
using FirewallRecord = StoredRecord<api::compute::Firewall>;
using RouteRecord = StoredRecord<api::compute::Route>;
using AddressRecord = StoredRecord<api::compute::Address>;

}  // namespace fireweed::compute

namespace fireweed {
template <>
inline constexpr std::string_view kRecordKind<compute::NetworkRecord> = "compute.network";
template <>
inline constexpr std::string_view kRecordKind<compute::SubnetworkRecord> = "compute.subnetwork";
template <>
inline constexpr std::string_view kRecordKind<compute::FirewallRecord> = "compute.firewall";
template <>
inline constexpr std::string_view kRecordKind<compute::RouteRecord> = "compute.route";
template <>
inline constexpr std::string_view kRecordKind<compute::AddressRecord> = "compute.address";
}  // namespace fireweed
