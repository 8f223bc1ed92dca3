#include "client/endpoint.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/disk.h"
#include "describe/json_codec.h"

namespace fireweed {

std::string ReadStateFile(const std::string& state, const std::string& name) {
  std::string path = state + "/" + name;
  auto disk = MakeRealDisk();
  Result<std::unique_ptr<File>> file = disk->Open(path, OpenMode::kRead);
  if (!file.ok() && file.error().code == Code::kDenied) {
    throw Failure(Code::kDenied, fmt::format("{} belongs to another user: run this as the user who "
                                             "started the daemon",
                                             path));
  }
  if (!file.ok()) {
    throw Failure(
        file.error().code,
        fmt::format("{} is not there; has `fireweed up` been run with this state directory?",
                    path));
  }
  std::string text(static_cast<size_t>((*file)->Size().value()), '\0');
  text.resize((*file)->ReadAt(0, std::as_writable_bytes(std::span(text))).value());
  return text;
}

void WriteStateFile(const std::string& state, const std::string& name, std::string_view contents) {
  auto disk = MakeRealDisk();
  std::string path = state + "/" + name;
  std::string directory = path.substr(0, path.rfind('/'));
  disk->MakeDirectories(directory).value();
  std::string draft = path + ".draft";
  if (disk->Exists(draft).value()) disk->Remove(draft).value();
  std::unique_ptr<File> file = disk->Open(draft, OpenMode::kCreateNew).value();
  file->WriteAt(0, AsBytes(contents)).value();
  file->Sync().value();
  file.reset();
  disk->Rename(draft, path).value();
  disk->SyncDirectory(directory).value();
}

std::optional<Endpoint> ReadEndpoint(const std::string& state) {
  auto disk = MakeRealDisk();
  Result<bool> there = disk->Exists(state + "/" + kEndpointFile);
  if (there.ok() && !*there) return std::nullopt;
  return DecodeJson<Endpoint>(ReadStateFile(state, kEndpointFile));
}

void WriteEndpoint(const std::string& state, const Endpoint& endpoint) {
  WriteStateFile(state, kEndpointFile, EncodeJson(endpoint));
}

AuthorizedUser ReadOwner(const std::string& state) {
  return DecodeJson<AuthorizedUser>(ReadStateFile(state, kOwnerFile));
}

}  // namespace fireweed
