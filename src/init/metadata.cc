#include "init/metadata.h"

#include <poll.h>

#include <algorithm>
#include <utility>

#include <strings.h>

#include "init/going_down.h"

namespace fireweed {
namespace {

constexpr int kFirstPauseMs = 2;      // the daemon usually listens before process 1 runs
constexpr int kLongestPauseMs = 500;  // while the daemon is being restarted

}  // namespace

std::optional<std::string> AwaitMetadata(const HttpServer& server, const std::string& path) {
  int pause = kFirstPauseMs;
  while (!TermCaught()) {
    std::optional<HttpReply> reply = HttpGet(server, "/computeMetadata/v1/" + path);
    if (reply && reply->status < 500) {
      return reply->status == 200 ? std::optional(std::move(reply->body)) : std::nullopt;
    }
    // Not there yet. Nothing tells this side when it will be: the other one is outside the machine.
    poll(nullptr, 0, pause);
    pause = std::min(pause * 2, kLongestPauseMs);
  }
  return std::nullopt;
}

bool IsTrueWord(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  std::string word(text);
  for (const char* yes : {"true", "yes", "y", "1"}) {
    if (strcasecmp(word.c_str(), yes) == 0) return true;
  }
  return false;
}

bool Lists(std::string_view listing, std::string_view name) {
  while (!listing.empty()) {
    std::string_view line = listing.substr(0, listing.find('\n'));
    if (line == name) return true;
    listing.remove_prefix(std::min(line.size() + 1, listing.size()));
  }
  return false;
}

}  // namespace fireweed
