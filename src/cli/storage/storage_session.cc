#include "cli/storage/storage_session.h"

#include <fmt/format.h>

namespace fireweed::cli {
namespace {

std::string TrackerDirectory(const Context& context) {
  auto cache = context.environment.find("XDG_CACHE_HOME");
  bool set = cache != context.environment.end() && !cache->second.empty();
  if (!set && context.home.empty()) return "";
  return (set ? cache->second : context.home + "/.cache") + "/fireweed/uploads";
}

}  // namespace

StorageSession::StorageSession(const Settings& settings, const TransferOptions& transfer)
    : settings_(settings),
      transfer_(transfer),
      endpoint_(settings.Daemon()),
      client_(endpoint_, ReadOwner(settings.State())),
      progress_(clock_, settings.context->terminal && !transfer.quiet && !settings.json),
      uploader_(client_, UploadTracker(TrackerDirectory(*settings.context), endpoint_.daemon_id),
                stop_, progress_),
      downloader_(client_, stop_, progress_) {}

void StorageSession::Say(const std::string& text) {
  if (!transfer_.quiet && !settings_.json) progress_.Say(text);
}

void StorageSession::SayFailure(const Error& error) { progress_.Say("fireweed: " + error.message); }

}  // namespace fireweed::cli
