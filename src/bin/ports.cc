#include "bin/ports.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/bytes.h"
#include "describe/json_codec.h"
#include "net/http_server.h"

namespace fireweed {
namespace {

// Below the range that the kernel hands to outgoing connections, so that nothing takes the port while
// the daemon is down.
constexpr int kLowestPort = 20000, kHighestPort = 32000, kTries = 100;

struct Wanted {
  std::string host;
  int port;
};

Wanted Split(const std::string& address) {
  size_t colon = address.rfind(':');
  return {address.substr(0, colon), std::stoi(address.substr(colon + 1))};
}

UniqueFd PickFree(const std::string& host, Random& random) {
  for (int i = 0; i < kTries; ++i) {
    int port = kLowestPort + static_cast<int>(random.Below(kHighestPort - kLowestPort));
    try {
      return net::ListenTcp(host, static_cast<uint16_t>(port));
    } catch (const Failure&) {
      continue;  // taken; the last resort below reports what is really wrong
    }
  }
  return net::ListenTcp(host, 0);
}

UniqueFd OpenOne(const std::string& flag, const Wanted& wanted, int kept, Random& random) {
  int port = wanted.port != 0 ? wanted.port : kept;
  if (port == 0) return PickFree(wanted.host, random);
  try {
    return net::ListenTcp(wanted.host, static_cast<uint16_t>(port));
  } catch (const Failure& failure) {
    throw Failure(failure.error().code, fmt::format("{}; choose another with {} HOST:PORT",
                                                    failure.error().message, flag));
  }
}

KeptPorts ReadKept(Disk& disk, const std::string& path) {
  Result<std::unique_ptr<File>> file = disk.Open(path, OpenMode::kRead);
  if (!file.ok()) return {};
  std::string text(static_cast<size_t>((*file)->Size().value()), '\0');
  (*file)->ReadAt(0, std::as_writable_bytes(std::span(text))).value();
  return DecodeJson<KeptPorts>(text);
}

}  // namespace

void WriteDurably(Disk& disk, const std::string& path, std::string_view contents) {
  std::string draft = path + ".draft";
  if (disk.Exists(draft).value()) disk.Remove(draft).value();
  auto file = disk.Open(draft, OpenMode::kCreateNew).value();
  file->WriteAt(0, AsBytes(contents)).value();
  file->Sync().value();
  file.reset();
  disk.Rename(draft, path).value();
  disk.SyncDirectory(std::filesystem::path(path).parent_path()).value();
}

ListeningSockets OpenSockets(const std::string& http, const std::string& https, Disk& disk,
                             const std::string& kept_path, Random& random) {
  KeptPorts kept = ReadKept(disk, kept_path);
  Wanted plain = Split(http), tls = Split(https);
  ListeningSockets sockets;
  sockets.http = OpenOne("--http", plain, kept.http, random);
  sockets.https = OpenOne("--https", tls, kept.https, random);
  KeptPorts now{net::LocalPort(sockets.http.get()), net::LocalPort(sockets.https.get())};
  if (!SameValue(now, kept)) WriteDurably(disk, kept_path, EncodeJson(now));
  sockets.http_address = fmt::format("{}:{}", plain.host, now.http);
  sockets.https_address = fmt::format("{}:{}", tls.host, now.https);
  return sockets;
}

}  // namespace fireweed
