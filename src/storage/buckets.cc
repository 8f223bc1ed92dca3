#include "storage/buckets.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "identity/policies.h"
#include "storage/acl.h"
#include "storage/bucket_rules.h"
#include "storage/object_index.h"
#include "storage/preconditions.h"

namespace fireweed::storage {
namespace {

using api::storage::Bucket;

constexpr size_t kCachedBuckets = 4096;
constexpr int kMaxPage = 1000;

std::string Resource(std::string_view bucket) { return "buckets/" + std::string(bucket); }

std::shared_ptr<const std::string> Render(const Bucket& bucket, Projection projection) {
  Bucket shown = ShowBucket(bucket, projection);
  return std::make_shared<const std::string>(EncodeJson(shown, Audience::kWire));
}

api::Policy AsStoragePolicy(api::Policy policy, std::string_view bucket) {
  policy.kind = "storage#policy";
  policy.resourceId = fmt::format("projects/_/buckets/{}", bucket);
  return policy;
}

// What the bucket's list says goes into its policy; other bindings stay.
void BindAcl(Txn& txn, const Bucket& bucket) {
  api::Policy policy = identity::GetPolicy(txn, Resource(bucket.name));
  std::erase_if(policy.bindings, [](const api::Binding& b) { return IsLegacyBucketRole(b.role); });
  for (api::Binding& binding : LegacyBindings(bucket.acl, bucket.project)) {
    policy.bindings.push_back(std::move(binding));
  }
  policy.etag = {};
  identity::SetPolicy(txn, Resource(bucket.name), policy);
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
  router.On(api::storage::kGetStorageLayout, this, &Buckets::Layout);
  router.On(api::storage::kListManagedFolders, this, &Buckets::ManagedFolders);
  router.On(api::storage::kGetBucketPolicy, this, &Buckets::GetPolicy);
  router.On(api::storage::kSetBucketPolicy, this, &Buckets::SetPolicy);
  router.On(api::storage::kTestBucketPermissions, this, &Buckets::TestPermissions);
  router.On(api::storage::kGetProjectServiceAccount, this, &Buckets::ServiceAccount);
}

api::storage::BucketList Buckets::List(const api::storage::ListBuckets& request, const net::Call&) {
  std::optional<std::string> after = Base64Decode(request.pageToken);
  if (!after) throw Failure(Code::kInvalid, "invalid", "Invalid page token.");
  size_t limit = static_cast<size_t>(std::clamp(request.maxResults, 1, kMaxPage));
  Projection projection = ParseProjection(request.projection);
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
      list.items.push_back(
          ShowBucket(FindBucket(txn, row.key.substr(home.size())).value, projection));
    }
  });
  if (list.items.size() > limit) {
    list.items.resize(limit);
    list.nextPageToken = Base64Encode(list.items.back().name, Base64::kUrl);
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
    Bucket made = NewBucket(request, project.projectId, project.projectNumber, call.caller.email,
                            clock_.Now());
    txn.Put(name, made);
    txn.Put(project.projectId + "/" + name, BucketOfProject{});
    identity::CreatePolicy(txn, Resource(name), "projects/" + project.projectId,
                           LegacyBindings(made.acl, made.project));
    return made;
  });
  return ShowBucket(std::move(bucket), ParseProjection(request.projection));
}

Bucket Buckets::Get(const api::storage::GetBucket& request, const net::Call&) {
  rendered_.Get(request.bucket);  // the next request finds it inline
  Bucket bucket = Query(catalog_, [&](Txn& txn) { return FindBucket(txn, request.bucket).value; });
  RequireMetageneration(request.ifMetagenerationMatch, request.ifMetagenerationNotMatch,
                        bucket.metageneration, Purpose::kRead);
  return ShowBucket(std::move(bucket), ParseProjection(request.projection));
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
  }
  std::optional<RowCache<RenderedBucket>::Snapshot> row =
      rendered_.Peek(call.path_values[0].second);
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
  Bucket bucket = fireweed::Update(catalog_, "bucket change", [&](Txn& txn) {
    Bucket before = FindBucket(txn, request.bucket).value;
    RequireMetageneration(request.ifMetagenerationMatch, request.ifMetagenerationNotMatch,
                          before.metageneration, Purpose::kWrite);
    Bucket after = before;
    apply(after, request.body.text);
    // A predefined list wins over the body, which clients send with an empty one.
    if (!request.predefinedAcl.empty()) {
      after.acl =
          PredefinedBucketAcl(request.predefinedAcl, before.projectNumber, call.caller.email);
    }
    if (!request.predefinedDefaultObjectAcl.empty()) {
      after.defaultObjectAcl = PredefinedObjectAcl(request.predefinedDefaultObjectAcl,
                                                   before.projectNumber, call.caller.email);
    }
    SettleChange(before, after, clock_.Now());
    txn.Put(after.name, after);
    if (!SameValue(before.acl, after.acl)) BindAcl(txn, after);
    return after;
  });
  return ShowBucket(std::move(bucket), ParseProjection(request.projection));
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
    identity::ErasePolicy(txn, Resource(bucket.name));
  });
  return {};
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
    return identity::GetPolicy(txn, Resource(request.bucket));
  });
  return AsStoragePolicy(std::move(policy), request.bucket);
}

api::Policy Buckets::SetPolicy(const api::storage::SetBucketPolicy& request, const net::Call&) {
  api::Policy policy = fireweed::Update(catalog_, "bucket policy", [&](Txn& txn) {
    Bucket bucket = FindBucket(txn, request.bucket).value;
    api::Policy set = identity::SetPolicy(txn, Resource(request.bucket), request.body);
    Acl acl = AclOfBindings(set.bindings, bucket.project, bucket.projectNumber);
    if (!SameValue(acl, bucket.acl)) {
      Bucket before = bucket;
      bucket.acl = std::move(acl);
      SettleChange(before, bucket, clock_.Now());
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
  reply.permissions =
      identity::GrantedOf(access_, call.caller, request.permissions, Resource(request.bucket));
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
