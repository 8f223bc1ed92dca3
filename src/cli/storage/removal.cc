#include "cli/storage/removal.h"

#include <fmt/format.h>

#include "api/storage/bucket.h"
#include "cli/storage/transfer_pool.h"
#include "cli/storage/wildcard.h"

namespace fireweed::cli {
namespace {

namespace storage = api::storage;

}  // namespace

bool Removal::AddOne(TransferPool& pool, const RemoteEntry& entry, bool exact_generation) {
  ++found_;
  storage::DeleteObject request;
  request.bucket = entry.url.bucket;
  request.object = entry.url.name;
  if (exact_generation) request.generation = entry.object.generation;
  request.ifGenerationMatch = options_.if_generation_match;
  request.ifMetagenerationMatch = options_.if_metageneration_match;
  return pool.Add([this, request, url = entry.url.Text()] {
    session_.Say("Removing " + url);
    Retry retry(session_.stop());
    int tries = 0;
    retry.Run([&] {
      try {
        ++tries;
        session_.client().rest().Call(storage::kDeleteObject, request);
      } catch (const Failure& failure) {
        // The answer to an earlier try may have been lost.
        if (tries == 1 || failure.error().code != Code::kNotFound) throw;
      }
    });
  });
}

bool Removal::AddMatches(TransferPool& pool, const StorageUrl& url) {
  Versions versions = options_.all_versions ? Versions::kAll : Versions::kLive;
  bool more = true;
  auto below = [&](const std::string& bucket, const std::string& prefix) {
    // A whole bucket goes with its old versions: it could not be removed otherwise.
    Versions which = prefix.empty() ? Versions::kAll : versions;
    WalkPrefix(session_.client(), bucket, prefix, which, [&](const RemoteEntry& entry) {
      return more = AddOne(pool, entry, which == Versions::kAll);
    });
  };
  if (HasWildcard(url.name) || HasWildcard(url.bucket)) {
    ExpandRemote(session_.client(), url, session_.project(), versions,
                 [&](const RemoteEntry& entry) {
                   if (!entry.prefix) return more = AddOne(pool, entry, versions == Versions::kAll);
                   if (options_.recursive) below(entry.url.bucket, entry.url.name);
                   return more;
                 });
    return more;
  }
  if (!url.name.empty() && !url.name.ends_with('/') && versions == Versions::kLive) {
    auto object = session_.client().Find(url.bucket, url.name, url.generation);
    if (object) more = AddOne(pool, {url, false, *object}, url.generation.has_value());
  } else if (!url.name.empty() && versions == Versions::kAll) {
    WalkPrefix(session_.client(), url.bucket, url.name, versions, [&](const RemoteEntry& entry) {
      return entry.url.name != url.name || (more = AddOne(pool, entry, true));
    });
  }
  if (!options_.recursive || !more) return more;
  below(url.bucket, url.name.empty() || url.name.ends_with('/') ? url.name : url.name + "/");
  return more;
}

void Removal::RemoveBucket(const std::string& name) {
  session_.Say(fmt::format("Removing gs://{}/", name));
  storage::GetBucket request;
  request.bucket = name;
  session_.client().rest().Call(storage::kDeleteBucket, request);
}

int64_t Removal::Run(const std::vector<std::string>& texts) {
  std::vector<std::string> buckets;
  TransferPool pool({session_.transfer().threads, session_.transfer().continue_on_error,
                     [this](const Error& error) { session_.SayFailure(error); }},
                    session_.stop());
  int64_t missing = 0;
  for (const std::string& text : texts) {
    StorageUrl url = StorageUrl::Parse(text);
    if (!url.remote())
      throw Failure(Code::kInvalid, fmt::format("{}: rm removes gs:// only", text));
    if (url.IsBucket() && !options_.recursive) {
      throw Failure(Code::kInvalid,
                    fmt::format("{} is a bucket: say -r to remove it with all it holds", text));
    }
    std::vector<StorageUrl> roots{url};
    if (url.IsBucket()) {
      roots.clear();
      for (const std::string& name :
           ExpandBuckets(session_.client(), url.bucket, session_.project())) {
        roots.push_back(StorageUrl::Remote(name, ""));
        buckets.push_back(name);
      }
    }
    int64_t before = found_;
    for (const StorageUrl& root : roots) {
      if (!AddMatches(pool, root)) break;
    }
    if (found_ > before || (url.IsBucket() && !roots.empty())) continue;
    Error error{Code::kNotFound, "", fmt::format("{} matched no objects", text)};
    if (!session_.transfer().continue_on_error) throw Failure(error);
    session_.SayFailure(error);
    ++missing;
  }
  int64_t failures = pool.Finish() + missing;
  if (failures > 0) return failures;
  for (const std::string& bucket : buckets) RemoveBucket(bucket);
  return 0;
}

}  // namespace fireweed::cli
