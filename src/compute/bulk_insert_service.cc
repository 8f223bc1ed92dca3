#include "compute/bulk_insert_service.h"

#include <algorithm>

#include <fmt/format.h>

#include "compute/bulk_record.h"
#include "compute/insert_instance.h"
#include "compute/labels.h"
#include "compute/operations_service.h"
#include "describe/json_codec.h"

namespace fireweed::compute {
namespace {

using api::compute::BulkInsertBody;

constexpr int64_t kMostAtOnce = 1000;  // as the original

[[noreturn]] void Refuse(const std::string& field, const std::string& why) {
  throw Failure(Code::kInvalid, "invalid",
                fmt::format("Invalid value for field 'resource.{}': {}", field, why));
}

std::vector<std::string> GivenNames(const BulkInsertBody& body) {
  std::vector<std::string> names;
  for (const auto& [key, properties] : body.perInstanceProperties) {
    names.push_back(properties.name.empty() ? key : properties.name);
  }
  if (static_cast<int64_t>(names.size()) != body.count) {
    Refuse("count", fmt::format("{} names are given for {} instances.", names.size(), body.count));
  }
  return names;
}

}  // namespace

std::vector<std::string> BulkNames(const BulkInsertBody& body,
                                   const std::function<bool(const std::string&)>& taken) {
  if (!body.perInstanceProperties.empty()) return GivenNames(body);
  size_t first = body.namePattern.find('#');
  if (first == std::string::npos) Refuse("namePattern", "It must have a '#' for each digit.");
  size_t last = body.namePattern.find_last_of('#');
  size_t width = last - first + 1;
  if (body.namePattern.substr(first, width).find_first_not_of('#') != std::string::npos) {
    Refuse("namePattern", "All its '#' must stand together.");
  }
  std::vector<std::string> names;
  for (int64_t number = 1; static_cast<int64_t>(names.size()) < body.count; ++number) {
    std::string digits = fmt::format("{:0{}}", number, width);
    if (digits.size() > width) Refuse("namePattern", "It has too few '#' for that many instances.");
    std::string name = body.namePattern;
    name.replace(first, width, digits);
    if (!taken(name)) names.push_back(std::move(name));
  }
  return names;
}

void BulkInsertService::Serve(net::Router& router) {
  router.On(api::compute::kBulkInsert, this, &BulkInsertService::Insert);
  router.On(api::compute::kBulkInsertRegional, this, &BulkInsertService::InsertRegional);
}

// A template with the request's own properties over it.
TemplateRecord BulkInsertService::Source(Txn& txn, const api::compute::BulkInsert& request) const {
  const BulkInsertBody& body = request.body;
  TemplateRecord source;
  if (!body.sourceInstanceTemplate.empty()) {
    source = FindTemplate(txn, request.project, body.sourceInstanceTemplate);
  }
  if (!body.instanceProperties) return source;
  api::compute::InstanceProperties properties =
      source.resource.properties.value_or(api::compute::InstanceProperties{});
  PatchJson(properties, EncodeJson(*body.instanceProperties));
  source.resource.properties = properties;
  return source;
}

api::compute::Operation BulkInsertService::Insert(const api::compute::BulkInsert& request,
                                                  const net::Call& call) {
  const BulkInsertBody& body = request.body;
  if (body.count < 1 || body.count > kMostAtOnce) {
    Refuse("count", fmt::format("'{}'. It must be from 1 to {}.", body.count, kMostAtOnce));
  }
  int64_t least = body.minCount.value_or(body.count);
  if (least < 1 || least > body.count) Refuse("minCount", "It must be from 1 to count.");
  TemplateRecord source = Query(catalog_, [&](Txn& txn) { return Source(txn, request); });
  const auto properties = source.resource.properties.value_or(api::compute::InstanceProperties{});
  RequireMaking(rights_, call.caller, request.project, properties);
  CheckLabelsAndTags(properties);
  InsertContext context{
      .catalogue = catalogue_,
      .default_account =
          rights_.identity.EnsureProject(request.project, call.caller).default_account,
      .now = clock_.Now(),
      .strict = rules_.strict};

  BulkRecord bulk{request.project, request.zone, fmt::format("{}", ids_.NextNumber()), {}, least};
  OperationTarget whole{request.project, "zones/" + request.zone, kRecordKind<BulkRecord>,
                        bulk.key(), 1};
  Operation asked = NewOperation(ids_, whole, "bulkInsert", request.requestId, call.caller);
  asked.group = bulk.group;
  Operation begun = Update(catalog_, "instance bulk insert", [&](Txn& txn) {
    if (auto earlier = FindRetried(txn, asked)) return *earlier;
    bulk.operations.clear();  // a transaction may run twice
    std::vector<std::string> names = BulkNames(body, [&](const std::string& name) {
      return txn.Find<InstanceRecord>(request.project + "/" + request.zone + "/" + name)
          .has_value();
    });
    QuotaLedger ledger(txn, catalogue_, rules_.quotas);
    for (const std::string& name : names) {
      api::compute::InsertInstance one{.project = request.project, .zone = request.zone};
      one.body = InstanceFrom(source, name);
      Key key = request.project + "/" + request.zone + "/" + name;
      context.id = ids_.NextNumber();
      Result<InstanceRecord> record = InsertInstance(
          txn,
          {.request = one, .context = context, .ledger = &ledger, .creator = call.caller.email},
          ids_);
      if (!record.ok()) {
        if (static_cast<int64_t>(bulk.operations.size()) < least) throw Failure(record.error());
        break;
      }
      Operation insert = NewOperation(ids_,
                                      {request.project, "zones/" + request.zone,
                                       kRecordKind<InstanceRecord>, key, 1, context.id},
                                      "insert", "", call.caller);
      insert.group = bulk.group;
      if (bulk.operations.empty()) SetWarnings(asked, record->warnings);
      bulk.operations.push_back(Begin(txn, insert, context.now).key());
    }
    txn.Put(bulk.key(), bulk, 0);
    return Begin(txn, asked, context.now);
  });
  return ShowOperation(begun);
}

api::compute::Operation BulkInsertService::InsertRegional(
    const api::compute::BulkInsertRegional& request, const net::Call& call) {
  std::vector<std::string> zones = Catalogue::ZoneNames();
  auto zone = std::find_if(zones.begin(), zones.end(), [&](const std::string& name) {
    return name.starts_with(request.region + "-");
  });
  if (zone == zones.end()) {
    throw Failure(Code::kNotFound,
                  fmt::format("The resource 'projects/{}/regions/{}' was not found",
                              request.project, request.region));
  }
  return Insert({request.project, *zone, request.requestId, request.body}, call);
}

}  // namespace fireweed::compute
