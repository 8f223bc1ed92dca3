#include "client/endpoint.h"

#include <fmt/format.h>

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

std::optional<Endpoint> ReadEndpoint(const std::string& state) {
  auto disk = MakeRealDisk();
  Result<bool> there = disk->Exists(state + "/" + kEndpointFile);
  if (there.ok() && !*there) return std::nullopt;
  return DecodeJson<Endpoint>(ReadStateFile(state, kEndpointFile));
}

AuthorizedUser ReadOwner(const std::string& state) {
  return DecodeJson<AuthorizedUser>(ReadStateFile(state, kOwnerFile));
}

}  // namespace fireweed
