#include "cli/storage/copy_run.h"

#include <unistd.h>

#include <fmt/format.h>

#include "cli/storage/transfer_pool.h"
#include "cli/storage/wildcard.h"

namespace fireweed::cli {
namespace {

namespace storage = api::storage;

[[noreturn]] void NothingThere(const StorageUrl& url) {
  throw Failure(Code::kNotFound,
                fmt::format("{} matched no objects or files", url.local() ? url.name : url.Text()));
}

[[noreturn]] void NeedsRecursion(const std::string& what) {
  throw Failure(Code::kInvalid, fmt::format("{} is a directory: say -r to copy all of it", what));
}

}  // namespace

void CopyRun::AddContainer(const StorageUrl& url) {
  if (!options_.recursive) NeedsRecursion(url.local() ? url.name : url.Text());
  sources_.push_back({{url, true}, {}});
}

void CopyRun::FindLocal(const StorageUrl& url) {
  bool pattern = HasWildcard(url.name) && !LookAt(url.name).exists;
  std::vector<std::string> paths =
      pattern ? ExpandLocal(url.name) : std::vector<std::string>{url.name};
  size_t before = sources_.size();
  for (const std::string& path : paths) {
    LocalFacts facts = LookAt(path);
    if (!facts.exists) continue;
    if (!facts.directory) {
      sources_.push_back({{StorageUrl::Local(path), false}, {}});
    } else if (options_.recursive || !pattern) {
      AddContainer(StorageUrl::Local(path));
    } else {
      session_.Say(fmt::format("skipping the directory {} (say -r to copy it)", path));
    }
  }
  if (sources_.size() == before) NothingThere(url);
}

void CopyRun::FindOneRemote(const StorageUrl& url) {
  if (url.IsBucket()) return AddContainer(url);
  if (!url.name.ends_with('/')) {
    auto found = session_.client().Find(url.bucket, url.name, url.generation);
    if (found) {
      sources_.push_back({{url, false}, *found});
      return;
    }
  }
  if (!IsRemoteDirectory(session_.client(), url)) NothingThere(url);
  AddContainer(url);
}

void CopyRun::FindRemote(const StorageUrl& url) {
  if (!HasWildcard(url.name) && !HasWildcard(url.bucket)) return FindOneRemote(url);
  size_t before = sources_.size();
  bool skipped = false;
  if (url.name.empty()) {
    for (const std::string& bucket :
         ExpandBuckets(session_.client(), url.bucket, session_.project()))
      AddContainer(StorageUrl::Remote(bucket, ""));
  } else {
    Versions versions = options_.all_versions ? Versions::kAll : Versions::kLive;
    ExpandRemote(session_.client(), url, session_.project(), versions,
                 [&](const RemoteEntry& entry) {
                   if (!entry.prefix) {
                     sources_.push_back({{entry.url, false}, entry.object});
                   } else if (options_.recursive) {
                     sources_.push_back({{entry.url, true}, {}});
                   } else {
                     skipped = true;
                     session_.Say(fmt::format("skipping {} (say -r to copy it)", entry.url.Text()));
                   }
                   return true;
                 });
  }
  if (sources_.size() == before && !skipped) NothingThere(url);
}

void CopyRun::FindSources(const StorageUrl& url) {
  switch (url.kind) {
    case StorageUrl::Kind::kStream: sources_.push_back({{url, false}, {}}); return;
    case StorageUrl::Kind::kLocal: return FindLocal(url);
    case StorageUrl::Kind::kRemote: return FindRemote(url);
  }
}

CopyTarget CopyRun::FindTarget(const StorageUrl& url) {
  if (HasWildcard(url.bucket) || (url.remote() && HasWildcard(url.name))) {
    throw Failure(Code::kInvalid, fmt::format("{}: a destination has no wildcards", url.Text()));
  }
  bool any_container = false;
  for (const Source& source : sources_) any_container |= source.root.container;
  TargetFacts facts;
  if (url.local()) {
    LocalFacts local = LookAt(url.name);
    facts.is_directory = local.directory;
    facts.is_file = local.exists && !local.directory;
  } else if (url.remote() && !url.name.empty() && !url.name.ends_with('/')) {
    facts.is_directory = IsRemoteDirectory(session_.client(), url);
  }
  return PlanTarget(url, facts, sources_.size(), any_container);
}

int64_t CopyRun::Run(const std::vector<std::string>& sources, const std::string& destination) {
  for (const std::string& text : sources) FindSources(StorageUrl::Parse(text));
  CopyTarget target = FindTarget(StorageUrl::Parse(destination));
  for (const Source& source : sources_) {
    if (source.root.url.local() && target.url.local()) {
      throw Failure(Code::kInvalid, "both ends are local: one of them must be gs://...");
    }
  }
  TransferPool pool({session_.transfer().threads, session_.transfer().continue_on_error,
                     [this](const Error& error) { session_.SayFailure(error); }},
                    session_.stop());
  for (const Source& source : sources_) {
    if (!AddSource(pool, source, target)) break;
  }
  session_.progress().AllListed();
  return pool.Finish();
}

bool CopyRun::AddSource(TransferPool& pool, const Source& source, const CopyTarget& target) {
  if (source.root.container) return AddContents(pool, source, target);
  const storage::Object* object = source.root.url.remote() ? &source.object : nullptr;
  return AddOne(pool, source, "", source.root.url, object, target);
}

bool CopyRun::AddContents(TransferPool& pool, const Source& source, const CopyTarget& target) {
  bool more = true;
  const StorageUrl& root = source.root.url;
  if (root.local()) {
    WalkDirectory(
        root.name,
        [&](const LocalFile& file) {
          return more = AddOne(pool, source, file.relative, StorageUrl::Local(file.path), nullptr,
                               target);
        },
        [&](const std::string& path) {
          session_.Say(fmt::format("skipping {}: neither a file nor a directory", path));
        });
    return more;
  }
  std::string prefix = root.name.empty() || root.name.ends_with('/') ? root.name : root.name + "/";
  WalkPrefix(session_.client(), root.bucket, prefix,
             options_.all_versions ? Versions::kAll : Versions::kLive,
             [&](const RemoteEntry& entry) {
               std::string relative = entry.url.name.substr(prefix.size());
               if (relative.empty()) return true;  // the marker of the folder itself
               return more = AddOne(pool, source, relative, entry.url, &entry.object, target);
             });
  return more;
}

bool CopyRun::AddOne(TransferPool& pool, const Source& source, std::string_view relative,
                     const StorageUrl& from, const storage::Object* object,
                     const CopyTarget& target) {
  int64_t size = object ? object->size : from.local() ? LookAt(from.name).size : 0;
  session_.progress().Expect(size);
  std::optional<storage::Object> kept;
  if (object) kept = *object;
  // A name that cannot be kept fails this one file, not the listing.
  return pool.Add([this, root = source.root, relative = std::string(relative), from, kept, target] {
    StorageUrl to = PlanDestination(root, relative, target);
    Copy(from, kept ? &*kept : nullptr, to);
  });
}

void CopyRun::Copy(const StorageUrl& from, const storage::Object* object, const StorageUrl& to) {
  if (from == to)
    throw Failure(Code::kInvalid,
                  fmt::format("source and destination are the same: {}", from.Text()));
  if (options_.no_clobber && to.local() && LookAt(to.name).exists) {
    session_.Say(fmt::format("skipping existing {}", to.name));
    return session_.progress().FileDone();
  }
  session_.Say(
      fmt::format("{} {} to {}", options_.move ? "Moving" : "Copying", from.Text(), to.Text()));
  ObjectSettings settings = options_.settings;
  if (options_.no_clobber) settings.if_generation_match = 0;
  try {
    if (to.stream()) {
      session_.downloader().DownloadStream(*object, STDOUT_FILENO, "standard output");
    } else if (to.local()) {
      if (!object) throw Failure(Code::kInvalid, "standard input can only go to gs://...");
      session_.downloader().DownloadFile(*object, to.name, options_.preserve);
    } else if (object) {
      CopyRemote(*object, to);
    } else if (from.stream()) {
      session_.uploader().UploadStream(STDIN_FILENO, to, settings);
    } else {
      session_.uploader().UploadFile(from.name, to, settings, options_.preserve);
    }
  } catch (const Failure& failure) {
    if (!options_.no_clobber || failure.error().code != Code::kPrecondition) {
      Error error = failure.error();
      error.message = fmt::format("{}: {}", from.Text(), error.message);
      throw Failure(error);
    }
    session_.Say(fmt::format("skipping existing {}", to.Text()));
    return session_.progress().FileDone();
  }
  session_.progress().FileDone();
  if (options_.move) RemoveSource(from, object);
}

void CopyRun::CopyRemote(const storage::Object& from, const StorageUrl& to) {
  storage::CopyObject request;
  request.sourceBucket = from.bucket;
  request.sourceObject = from.name;
  request.sourceGeneration = from.generation;
  request.destinationBucket = to.bucket;
  request.destinationObject = to.name;
  request.destinationPredefinedAcl = options_.settings.PredefinedAcl();
  request.ifGenerationMatch = options_.settings.if_generation_match;
  if (options_.no_clobber) request.ifGenerationMatch = 0;
  request.ifMetagenerationMatch = options_.settings.if_metageneration_match;
  if (options_.settings.ChangesMetadata()) {
    // A body replaces all of the metadata, so it starts as the source's.
    JsonTree all = JsonTree::Parse(EncodeJson(from, Audience::kWire)), body = JsonTree::Object();
    for (const char* name : {"contentType", "cacheControl", "contentEncoding", "contentDisposition",
                             "contentLanguage", "metadata"}) {
      if (const JsonTree* value = all.Find(name)) body[name] = *value;
    }
    options_.settings.Apply(body);
    request.body.text = body.Compact();
  }
  Retry retry(session_.stop());
  int64_t counted = 0;
  retry.Run([&] {
    session_.client().Copy(request, [&](int64_t done) {
      session_.progress().Add(done - counted);
      counted = done;
    });
  });
}

void CopyRun::RemoveSource(const StorageUrl& from, const storage::Object* object) {
  if (!object) {
    if (from.local() && unlink(from.name.c_str()) != 0)
      throw Failure(ErrnoError(errno, "remove " + from.name));
    return;
  }
  // Only what was copied: not what someone has written there meanwhile.
  storage::DeleteObject request;
  request.bucket = object->bucket;
  request.object = object->name;
  request.ifGenerationMatch = object->generation;
  session_.client().rest().Call(storage::kDeleteObject, request);
}

}  // namespace fireweed::cli
