#include "storage/lifecycle_controller.h"

namespace fireweed::storage {
namespace {

bool IsLive(const ObjectRow& row) { return row.deleted == Time{}; }

// What the row has no member for is read only where it is set.
VersionFacts FactsOf(const ListedVersion& version, const api::storage::Object& object,
                     int32_t newer) {
  const ObjectRow& row = version.row;
  VersionFacts facts;
  facts.name = version.name;
  facts.storage_class = row.storage_class;
  facts.live = IsLive(row);
  facts.created = row.created;
  facts.noncurrent_since = row.deleted;
  facts.custom_time = object.customTime;
  facts.newer_versions = newer;
  facts.held = object.temporaryHold.value_or(false) || object.eventBasedHold.value_or(false) ||
               !object.retention.text.empty();
  return facts;
}

}  // namespace

LifecycleController::Page LifecycleController::ReadPage(const Key& bucket,
                                                        const std::string& from) const {
  ListingQuery query;
  query.versions = true;
  query.start_offset = from;
  query.max_results = kPage;
  ListingPage listed = store_.List(bucket, query);
  Page page{std::move(listed.items), ""};
  if (listed.next_page_token.empty() || page.versions.empty()) return page;
  // The last name may go on behind the page: it is looked at whole the next time.
  std::string last = page.versions.back().name;
  if (page.versions.front().name == last) {
    page.next = last + '\1';
    return page;
  }
  std::erase_if(page.versions, [&](const ListedVersion& version) { return version.name == last; });
  page.next = std::move(last);
  return page;
}

std::optional<Time> LifecycleController::Reconcile(const Key& bucket) {
  std::optional<Row<api::storage::Bucket>> row =
      Query(catalog_, [&](Txn& txn) { return txn.Find<api::storage::Bucket>(bucket); });
  if (!row || row->value.lifecycle.rule.empty()) {
    reached_.With([&](auto& reached) { reached.erase(bucket); });
    return std::nullopt;
  }
  Place place = reached_.With([&](const auto& reached) {
    auto it = reached.find(bucket);
    bool same = it != reached.end() && it->second.version == row->version;
    return same ? it->second : Place{row->version};
  });
  if (place.due > clock_.Now()) return place.due;
  auto action = [this, bucket, rules = ParseLifecycle(row->value.lifecycle), place]() mutable {
    TakePage(bucket, rules, place);
    reached_.With([&](auto& reached) { reached[bucket] = std::move(place); });
  };
  actions_.Submit(kind(), bucket, std::move(action));
  return std::nullopt;  // its end makes the bucket due
}

void LifecycleController::TakePage(const Key& bucket, const std::vector<LifecycleRule>& rules,
                                   Place& place) {
  if (!place.in_uploads) {
    Page page = ReadPage(bucket, place.name);
    Apply(bucket, rules, page);
    place.in_uploads = page.next.empty();
    place.name = std::move(page.next);
  } else if (AbortUploads(bucket, rules, place)) {
    place = {place.version, clock_.Now() + kEvery};
  }
}

void LifecycleController::Apply(const Key& bucket, const std::vector<LifecycleRule>& rules,
                                const Page& page) {
  Time now = clock_.Now();
  // From the newest version of a name to the oldest.
  int32_t newer = 0;
  for (size_t i = page.versions.size(); i-- > 0;) {
    const ListedVersion& version = page.versions[i];
    bool same_name = i + 1 < page.versions.size() && page.versions[i + 1].name == version.name;
    newer = same_name ? newer + 1 : 0;
    api::storage::Object object = ToObject(version.row, bucket, version.name);
    Take(bucket, version, PlanVersion(rules, FactsOf(version, object, newer), now));
  }
}

bool LifecycleController::AbortUploads(const Key& bucket, const std::vector<LifecycleRule>& rules,
                                       Place& place) {
  Time now = clock_.Now();
  PartPage<ListedUpload> page = uploads_.List(bucket, "", place.name, place.upload, kPage);
  for (const ListedUpload& listed : page.items) {
    const std::string& name = listed.upload.metadata.name;
    try {
      if (PlanAbort(rules, name, listed.upload.created, now)) {
        uploads_.Abort({bucket, name, listed.id});
      }
    } catch (const Failure& failure) {
      if (failure.error().code != Code::kNotFound) throw;  // ended meanwhile
    }
    place.name = name;
    place.upload = listed.id;
  }
  return !page.truncated;
}

void LifecycleController::Take(const Key& bucket, const ListedVersion& version,
                               const LifecycleStep& step) {
  using Kind = LifecycleStep::Kind;
  if (step.kind == Kind::kNothing) return;
  api::storage::ObjectConditions unchanged;
  unchanged.ifGenerationMatch = version.row.generation;
  unchanged.ifMetagenerationMatch = version.row.metageneration;
  // Without a generation the live version is archived where the bucket keeps old ones.
  ObjectAddress address{bucket, version.name, std::nullopt};
  if (!IsLive(version.row)) address.generation = version.row.generation;
  try {
    if (step.kind == Kind::kDelete) {
      store_.Delete(address, unchanged);
    } else {
      store_.SetStorageClass(address, unchanged, step.storage_class);
    }
    log_.Debug("lifecycle", {{"bucket", bucket},
                             {"object", version.name},
                             {"generation", version.row.generation},
                             {"class", step.storage_class}});
  } catch (const Failure& failure) {
    Code code = failure.error().code;
    // Changed meanwhile, or kept by a retention policy: the next round looks again.
    if (code != Code::kPrecondition && code != Code::kNotFound && code != Code::kDenied) throw;
  }
}

}  // namespace fireweed::storage
