#include "storage/buckets.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "identity/policies.h"
#include "storage/acl.h"
#include "storage/bucket_change.h"
#include "storage/bucket_rules.h"
#include "storage/object_acl.h"
#include "storage/object_index.h"
#include "storage/preconditions.h"
#include "storage/retention.h"

namespace fireweed::storage {
namespace {

using api::storage::Bucket;

constexpr size_t kCachedBuckets = 4096;
constexpr int kMaxPage = 1000;

std::shared_ptr<const std::string> Render(const Bucket& bucket, Projection projection) {
  Bucket shown = ShowBucket(bucket, projection);
  return std::make_shared<const std::string>(EncodeJson(shown, Audience::kWire));
}

api::Policy AsStoragePolicy(api::Policy policy, std::string_view bucket) {
  policy.kind = "storage#policy";
  policy.resourceId = fmt::format("projects/_/buckets/{}", bucket);
  return policy;
}

}  // namespace

Buckets::Buckets(Catalog& catalog, const identity::Projects& projects, net::AccessControl& access,
                 const Clock& clock)
    : catalog_(catalog),
      projects_(projects),
      access_(access),
      clock_(clock),
      rendered_(catalog, kCachedBuckets) {}

void Buckets::Serve(net::Router& router) {
  router.On(api::storage::kListBuckets, this, &Buckets::List);
  router.On(api::storage::kInsertBucket, this, &Buckets::Insert);
  router.On(api::storage::kGetBucket, this, &Buckets::Get);
  router.OnInline(api::storage::kGetBucket.entry(),
                  [this](const net::Call& call) { return GetInline(call); });
  router.On(api::storage::kPatchBucket, this, &Buckets::Patch);
  router.On(api::storage::kUpdateBucket, this, &Buckets::Update);
  router.On(api::storage::kDeleteBucket, this, &Buckets::Delete);
  router.On(api::storage::kLockRetentionPolicy, this, &Buckets::LockRetention);
  router.On(api::storage::kGetStorageLayout, this, &Buckets::Layout);
  router.On(api::storage::kListManagedFolders, this, &Buckets::ManagedFolders);
  router.On(api::storage::kGetBucketPolicy, this, &Buckets::GetPolicy);
  router.On(api::storage::kSetBucketPolicy, this, &Buckets::SetPolicy);
  router.On(api::storage::kTestBucketPermissions, this, &Buckets::TestPermissions);
  router.On(api::storage::kGetProjectServiceAccount, this, &Buckets::ServiceAccount);
}

bool Buckets::SeesLists(const net::Caller& caller, const std::string& bucket) const {
  return access_.May(caller, "storage.buckets.getIamPolicy", BucketResource(bucket));
}

Bucket Buckets::Shown(Bucket bucket, const std::string& projection,
                      const net::Caller& caller) const {
  Projection wanted = ParseProjection(projection);
  if (wanted == Projection::kFull && !SeesLists(caller, bucket.name)) wanted = Projection::kNoAcl;
  return ShowBucket(std::move(bucket), wanted);
}

api::storage::BucketList Buckets::List(const api::storage::ListBuckets& request,
                                       const net::Call& call) {
  std::optional<std::string> after = Base64Decode(request.pageToken);
  if (!after) throw Failure(Code::kInvalid, "invalid", "Invalid page token.");
  size_t limit = static_cast<size_t>(std::clamp(request.maxResults, 1, kMaxPage));
  api::storage::BucketList list;
  catalog_.Read([&](Txn& txn) {
    list.items.clear();
    std::optional<api::crm::Project> project = projects_.Find(txn, request.project);
    if (!project) return;
    std::string home = project->projectId + "/";
    ScanRange range;
    range.prefix = home + request.prefix;
    if (!after->empty()) range.after = home + *after;
    range.limit = static_cast<int>(limit) + 1;
    for (const Row<BucketOfProject>& row : txn.Scan<BucketOfProject>(range)) {
      list.items.push_back(FindBucket(txn, row.key.substr(home.size())).value);
    }
  });
  if (list.items.size() > limit) {
    list.items.resize(limit);
    list.nextPageToken = Base64Encode(list.items.back().name, Base64::kUrl);
  }
  for (Bucket& bucket : list.items) {
    bucket = Shown(std::move(bucket), request.projection, call.caller);
  }
  return list;
}

Bucket Buckets::Insert(const api::storage::InsertBucket& request, const net::Call& call) {
  CheckBucketName(request.body.name);
  const std::string& name = request.body.name;
  Bucket bucket = fireweed::Update(catalog_, "bucket insert", [&](Txn& txn) {
    api::crm::Project project = projects_.Ensure(txn, request.project, call.caller);
    if (std::optional<Row<Bucket>> there = txn.Find<Bucket>(name)) {
      bool own = there->value.project == project.projectId;
      throw Failure(
          Code::kExists, "conflict",
          own ? "Your previous request to create the named bucket succeeded and you already own it."
              : "The requested bucket name is not available. The bucket namespace is shared by all "
                "users of the system. Please select a different name and try again.");
    }
    Bucket made = NewBucket(request, project.projectId, project.projectNumber, clock_.Now());
    txn.Put(name, made);
    txn.Put(project.projectId + "/" + name, BucketOfProject{});
    identity::CreatePolicy(txn, BucketResource(name), "projects/" + project.projectId,
                           LegacyBindings(made.acl, AclOf::kBucket, HomeOf(made)));
    if (PreventsPublic(made)) identity::PreventPublic(txn, BucketResource(name), true);
    return made;
  });
  // Lists that were asked for are shown without asking.
  bool lists = !request.predefinedAcl.empty() || !request.body.acl.empty() ||
               !request.body.defaultObjectAcl.empty();
  return ShowBucket(
      std::move(bucket),
      ParseProjection(request.projection, lists ? Projection::kFull : Projection::kNoAcl));
}

Bucket Buckets::Get(const api::storage::GetBucket& request, const net::Call& call) {
  rendered_.Get(request.bucket);  // the next request finds it inline
  Bucket bucket = Query(catalog_, [&](Txn& txn) { return FindBucket(txn, request.bucket).value; });
  RequireMetageneration(request.ifMetagenerationMatch, request.ifMetagenerationNotMatch,
                        bucket.metageneration, Purpose::kRead);
  return Shown(std::move(bucket), request.projection, call.caller);
}

// The fast path answers the plain question only; parameters that change the answer go the long way.
std::optional<net::Response> Buckets::GetInline(const net::Call& call) {
  std::string_view query = call.http.query;
  bool full = false;
  if (!query.empty()) {
    if (query.find("ields=") != query.npos || query.find("ifM") != query.npos ||
        query.find('%') != query.npos) {
      return std::nullopt;
    }
    full = query.find("projection=full") != query.npos;
    if (!full && query.find("projection=") != query.npos &&
        query.find("projection=noAcl") == query.npos) {
      return std::nullopt;
    }
  }
  std::string_view name = call.path_values[0].second;
  if (full) {
    std::optional<bool> lists =
        access_.MayInline(call.caller, "storage.buckets.getIamPolicy", BucketResource(name));
    if (!lists || !*lists) return std::nullopt;
  }
  std::optional<RowCache<RenderedBucket>::Snapshot> row = rendered_.Peek(name);
  if (!row || !*row) return std::nullopt;
  net::Response response;
  response.headers.reserve(3);
  response.Add("Content-Type", "application/json; charset=UTF-8");
  response.Add("Cache-Control", "no-cache, no-store, max-age=0, must-revalidate");
  response.Add("Expires", "Mon, 01 Jan 1990 00:00:00 GMT");
  response.body = full ? (*row)->value.full : (*row)->value.no_acl;
  return response;
}

Bucket Buckets::Change(const api::storage::ChangeBucket& request, const net::Call& call,
                       Apply apply) {
  bool sets_list = !request.predefinedAcl.empty() || !request.predefinedDefaultObjectAcl.empty() ||
                   request.body.text.find("\"acl\"") != std::string::npos ||
                   request.body.text.find("\"defaultObjectAcl\"") != std::string::npos;
  if (sets_list) {
    net::Require(access_, call.caller, "storage.buckets.setIamPolicy",
                 BucketResource(request.bucket));
  }
  Bucket bucket = fireweed::Update(catalog_, "bucket change", [&](Txn& txn) {
    Bucket before = FindBucket(txn, request.bucket).value;
    RequireMetageneration(request.ifMetagenerationMatch, request.ifMetagenerationNotMatch,
                          before.metageneration, Purpose::kWrite);
    Bucket after = before;
    apply(after, request.body.text);
    if (!sets_list) {  // a full update without lists leaves them
      after.acl = before.acl;
      after.defaultObjectAcl = before.defaultObjectAcl;
    }
    if (!request.predefinedAcl.empty() || !request.predefinedDefaultObjectAcl.empty()) {
      RefuseUniform(before, "Cannot use ACL API to update bucket policy");
    }
    // A predefined list wins over the body, which clients send with an empty one.
    if (!request.predefinedAcl.empty()) {
      after.acl = PredefinedBucketAcl(request.predefinedAcl, before.projectNumber);
    }
    if (!request.predefinedDefaultObjectAcl.empty()) {
      after.defaultObjectAcl =
          PredefinedDefaultAcl(request.predefinedDefaultObjectAcl, before.projectNumber);
    }
    return StoreChange(txn, before, std::move(after), clock_.Now());
  });
  return Shown(std::move(bucket), request.projection, call.caller);
}

Bucket Buckets::Patch(const api::storage::ChangeBucket& request, const net::Call& call) {
  return Change(request, call,
                [](Bucket& bucket, std::string_view json) { PatchJson(bucket, json); });
}

Bucket Buckets::Update(const api::storage::ChangeBucket& request, const net::Call& call) {
  return Change(request, call,
                [](Bucket& bucket, std::string_view json) { UpdateJson(bucket, json); });
}

api::NoContent Buckets::Delete(const api::storage::GetBucket& request, const net::Call&) {
  catalog_.Write("bucket delete", [&](Txn& txn) {
    Bucket bucket = FindBucket(txn, request.bucket).value;
    RequireMetageneration(request.ifMetagenerationMatch, request.ifMetagenerationNotMatch,
                          bucket.metageneration, Purpose::kWrite);
    if (!ObjectIndex(txn).IsEmpty(bucket.name)) {
      throw Failure(Code::kExists, "conflict", "The bucket you tried to delete is not empty.");
    }
    txn.Erase<Bucket>(bucket.name);
    txn.Erase<BucketOfProject>(bucket.project + "/" + bucket.name);
    identity::ErasePolicy(txn, BucketResource(bucket.name));
  });
  return {};
}

Bucket Buckets::LockRetention(const api::storage::LockRetentionPolicy& request,
                              const net::Call& call) {
  if (!request.ifMetagenerationMatch) {
    throw Failure(Code::kInvalid, "required", "Required parameter: ifMetagenerationMatch");
  }
  Bucket bucket = fireweed::Update(catalog_, "bucket lock", [&](Txn& txn) {
    Bucket before = FindBucket(txn, request.bucket).value;
    RequireMetageneration(request.ifMetagenerationMatch, std::nullopt, before.metageneration,
                          Purpose::kWrite);
    storage::LockRetention(before);
    return StoreChange(txn, before, before, clock_.Now());
  });
  return Shown(std::move(bucket), "", call.caller);
}

api::storage::StorageLayout Buckets::Layout(const api::storage::BucketName& request,
                                            const net::Call&) {
  Bucket bucket = Query(catalog_, [&](Txn& txn) { return FindBucket(txn, request.bucket).value; });
  api::storage::StorageLayout layout;
  layout.bucket = bucket.name;
  layout.location = bucket.location;
  layout.locationType = bucket.locationType;
  return layout;
}

// Managed folders cannot be made here, so there are none.
api::storage::ManagedFolderList Buckets::ManagedFolders(const api::storage::BucketName& request,
                                                        const net::Call&) {
  catalog_.Read([&](Txn& txn) { FindBucket(txn, request.bucket); });
  return {};
}

api::Policy Buckets::GetPolicy(const api::storage::BucketName& request, const net::Call&) {
  api::Policy policy = Query(catalog_, [&](Txn& txn) {
    FindBucket(txn, request.bucket);
    return identity::GetPolicy(txn, BucketResource(request.bucket));
  });
  return AsStoragePolicy(std::move(policy), request.bucket);
}

api::Policy Buckets::SetPolicy(const api::storage::SetBucketPolicy& request, const net::Call&) {
  api::Policy policy = fireweed::Update(catalog_, "bucket policy", [&](Txn& txn) {
    Bucket bucket = FindBucket(txn, request.bucket).value;
    api::Policy there = identity::GetPolicy(txn, BucketResource(request.bucket));
    if (PreventsPublic(bucket)) RefusePublic(there.bindings, request.body.bindings);
    if (!request.body.etag.raw.empty() && request.body.etag != there.etag) {
      throw Failure(Code::kPrecondition, "conditionNotMet",
                    "At least one of the pre-conditions you specified did not hold.");
    }
    api::Policy set = identity::SetPolicy(txn, BucketResource(request.bucket), request.body);
    // The list says what the legacy roles say, and stays as it is while it does.
    auto members = [&](const Acl& acl) {
      return LegacyBindings(acl, AclOf::kBucket, HomeOf(bucket));
    };
    Acl acl = AclOfBindings(set.bindings, AclOf::kBucket, HomeOf(bucket));
    if (!SameValue(members(acl), members(bucket.acl))) {
      Bucket before = bucket;
      bucket.acl = std::move(acl);
      bucket.metageneration = before.metageneration + 1;
      TouchBucket(bucket, clock_.Now());
      txn.Put(bucket.name, bucket);
    }
    return set;
  });
  return AsStoragePolicy(std::move(policy), request.bucket);
}

api::storage::TestBucketPermissionsReply Buckets::TestPermissions(
    const api::storage::TestBucketPermissions& request, const net::Call& call) {
  catalog_.Read([&](Txn& txn) { FindBucket(txn, request.bucket); });
  api::storage::TestBucketPermissionsReply reply;
  reply.permissions = identity::GrantedOf(access_, call.caller, request.permissions,
                                          BucketResource(request.bucket));
  return reply;
}

api::storage::ProjectServiceAccount Buckets::ServiceAccount(
    const api::storage::GetProjectServiceAccount& request, const net::Call& call) {
  int64_t number = fireweed::Update(catalog_, "project for service account", [&](Txn& txn) {
    return projects_.Ensure(txn, request.project, call.caller).projectNumber;
  });
  api::storage::ProjectServiceAccount account;
  account.email_address =
      fmt::format("service-{}@gs-project-accounts.iam.gserviceaccount.com", number);
  return account;
}

}  // namespace fireweed::storage

namespace fireweed {

storage::RenderedBucket RecordCodec<storage::RenderedBucket>::Decode(std::string_view body) {
  api::storage::Bucket bucket = RecordCodec<api::storage::Bucket>::Decode(body);
  return {storage::Render(bucket, storage::Projection::kNoAcl),
          storage::Render(bucket, storage::Projection::kFull)};
}

}  // namespace fireweed
