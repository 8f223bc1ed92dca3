#include "cli/storage/sync_run.h"

#include <unistd.h>

#include <algorithm>
#include <regex>

#include <fmt/format.h>

#include "cli/storage/local_bytes.h"
#include "cli/storage/transfer_pool.h"
#include "cli/storage/wildcard.h"

namespace fireweed::cli {
namespace {

namespace storage = api::storage;

class Exclusion {
 public:
  explicit Exclusion(const std::vector<std::string>& patterns) {
    for (const std::string& pattern : patterns) {
      try {
        expressions_.emplace_back(pattern);
      } catch (const std::regex_error&) {
        throw Failure(Code::kInvalid, fmt::format("-x: '{}' is no regular expression", pattern));
      }
    }
  }
  bool Covers(const std::string& name) const {
    for (const std::regex& expression : expressions_) {
      if (std::regex_search(name, expression, std::regex_constants::match_continuous)) return true;
    }
    return false;
  }

 private:
  std::vector<std::regex> expressions_;
};

const SyncEntry* FindEntry(const std::vector<SyncEntry>& entries, const std::string& name) {
  auto found = std::lower_bound(
      entries.begin(), entries.end(), name,
      [](const SyncEntry& entry, const std::string& wanted) { return entry.name < wanted; });
  return found != entries.end() && found->name == name ? &*found : nullptr;
}

}  // namespace

void SyncRun::ListLocal(Side& side, bool must_exist) {
  LocalFacts facts = LookAt(side.root.name);
  if (!facts.exists && !must_exist) return;
  if (!facts.directory)
    throw Failure(Code::kNotFound, fmt::format("{} is no directory", side.root.name));
  Exclusion excluded(options_.exclude);
  WalkDirectory(
      side.root.name,
      [&](const LocalFile& file) {
        // Our own downloads that were cut off are no part of the tree.
        bool part = file.relative.ends_with(".part") &&
                    file.relative.substr(file.relative.rfind('/') + 1).starts_with('.');
        bool deeper = file.relative.find('/') != std::string::npos;
        if (part || (deeper && !options_.recursive) || excluded.Covers(file.relative)) return true;
        side.entries.push_back({file.relative, file.size, file.mtime,
                                [path = file.path] { return CrcTextOfFile(path); }});
        return true;
      },
      [&](const std::string& path) { session_.Say(fmt::format("skipping {}", path)); });
  // The walk goes directory by directory; the store sorts whole names.
  std::sort(side.entries.begin(), side.entries.end(),
            [](const SyncEntry& a, const SyncEntry& b) { return a.name < b.name; });
}

void SyncRun::ListRemote(Side& side) {
  if (HasWildcard(side.root.bucket) || HasWildcard(side.root.name))
    throw Failure(Code::kInvalid, "rsync takes no wildcards");
  if (!side.root.name.empty() && !side.root.name.ends_with('/')) side.root.name += '/';
  Exclusion excluded(options_.exclude);
  auto visit = [&](const RemoteEntry& entry) {
    std::string relative = entry.url.name.substr(side.root.name.size());
    if (entry.prefix || relative.empty() || relative.ends_with('/') || excluded.Covers(relative))
      return true;
    // Without a kept time the bytes decide.
    side.entries.push_back({relative, entry.object.size, MtimeOf(entry.object),
                            [sum = entry.object.crc32c] { return sum; }});
    side.objects.push_back(entry.object);
    return true;
  };
  if (options_.recursive)
    WalkPrefix(session_.client(), side.root.bucket, side.root.name, Versions::kLive, visit);
  else
    ListLevel(session_.client(), side.root.bucket, side.root.name, Versions::kLive, visit);
}

SyncRun::Side SyncRun::List(const StorageUrl& root, bool must_exist) {
  Side side{root, {}, {}};
  if (root.stream()) throw Failure(Code::kInvalid, "rsync takes directories, not streams");
  if (root.local())
    ListLocal(side, must_exist);
  else
    ListRemote(side);
  return side;
}

int64_t SyncRun::CopyAll(const std::vector<SyncAction>& actions, const Side& from, const Side& to) {
  CopyOptions copy;
  copy.settings = options_.settings;
  copy.preserve = true;
  CopyRun copies(session_, copy);
  TransferPool pool({session_.transfer().threads, session_.transfer().continue_on_error,
                     [this](const Error& error) { session_.SayFailure(error); }},
                    session_.stop());
  for (const SyncAction& action : actions) {
    if (action.kind == SyncAction::Kind::kCopy)
      session_.progress().Expect(FindEntry(from.entries, action.name)->size);
  }
  session_.progress().AllListed();
  for (const SyncAction& action : actions) {
    if (action.kind != SyncAction::Kind::kCopy) continue;
    const SyncEntry* entry = FindEntry(from.entries, action.name);
    const storage::Object* object = nullptr;
    if (from.root.remote())
      object = &from.objects[static_cast<size_t>(entry - from.entries.data())];
    bool added = pool.Add([&copies, &from, &to, object, name = action.name] {
      if (to.root.local() && !IsSafeRelativePath(name))
        throw Failure(Code::kInvalid, fmt::format("{} cannot become a path", name));
      copies.Copy(from.root.Under(name), object, to.root.Under(name));
    });
    if (!added) break;
  }
  return pool.Finish();
}

int64_t SyncRun::DeleteAll(const std::vector<SyncAction>& actions, const Side& to) {
  TransferPool pool({session_.transfer().threads, session_.transfer().continue_on_error,
                     [this](const Error& error) { session_.SayFailure(error); }},
                    session_.stop());
  for (const SyncAction& action : actions) {
    if (action.kind != SyncAction::Kind::kDelete) continue;
    StorageUrl url = to.root.Under(action.name);
    bool added = pool.Add([this, url] {
      session_.Say("Removing " + url.Text());
      if (url.local()) {
        if (unlink(url.name.c_str()) != 0) throw Failure(ErrnoError(errno, "remove " + url.name));
        return;
      }
      storage::DeleteObject request;
      request.bucket = url.bucket;
      request.object = url.name;
      session_.client().rest().Call(storage::kDeleteObject, request);
    });
    if (!added) break;
  }
  return pool.Finish();
}

int64_t SyncRun::Run(const std::string& source, const std::string& destination) {
  StorageUrl from_url = StorageUrl::Parse(source), to_url = StorageUrl::Parse(destination);
  if (from_url.local() && to_url.local())
    throw Failure(Code::kInvalid, "both ends are local: one of them must be gs://...");
  Side from = List(from_url, true), to = List(to_url, false);
  std::vector<SyncAction> actions = PlanSync(from.entries, to.entries, options_.rules);
  if (options_.dry_run) {
    for (const SyncAction& action : actions) {
      bool copy = action.kind == SyncAction::Kind::kCopy;
      std::string to_text = to.root.Under(action.name).Text();
      fmt::print("Would {}\n",
                 copy ? fmt::format("copy {} to {}", from.root.Under(action.name).Text(), to_text)
                      : "remove " + to_text);
    }
    return 0;
  }
  int64_t failures = CopyAll(actions, from, to);
  // What is missing here may not have arrived there: nothing is deleted after a failure.
  if (failures > 0) return failures;
  return DeleteAll(actions, to);
}

}  // namespace fireweed::cli
