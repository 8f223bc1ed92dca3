#include "bin/object_packages.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/unique_fd.h"

namespace fireweed {
namespace {

net::Caller AccountCaller(const std::string& account) {
  net::Caller caller;
  caller.principal = "serviceAccount:" + account;
  caller.email = account;
  return caller;
}

storage::ObjectAddress AddressOf(const std::string& uri) {
  constexpr std::string_view kScheme = "gs://";
  size_t slash = uri.find('/', kScheme.size());
  bool good = uri.starts_with(kScheme) && slash != uri.npos && slash > kScheme.size() &&
              slash + 1 < uri.size();
  if (!good) {
    throw Failure(Code::kInvalid, fmt::format("'{}' is not gs://BUCKET/OBJECT.", uri));
  }
  return {uri.substr(kScheme.size(), slash - kScheme.size()), uri.substr(slash + 1), {}};
}

Result<> CopyTo(const storage::ObjectBytes& bytes, const std::string& path) {
  constexpr size_t kChunk = 1 << 20;
  UniqueFd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!fd) return ErrnoError(errno, path);
  std::vector<std::byte> buffer(kChunk);
  for (int64_t offset = 0; offset < bytes.size();) {
    Result<size_t> got = bytes.ReadAt(offset, buffer);
    if (!got.ok()) return got.error();
    std::string_view left = AsText(std::span(buffer).first(*got));
    offset += static_cast<int64_t>(left.size());
    while (!left.empty()) {
      ssize_t n = write(fd.get(), left.data(), left.size());
      if (n <= 0) return ErrnoError(errno, path);
      left.remove_prefix(static_cast<size_t>(n));
    }
  }
  return Done{};
}

}  // namespace

Result<ml::PackageSight> ObjectPackages::Find(const std::string& uri, const std::string& account) {
  try {
    storage::ObjectRow row =
        access_.Find(AccountCaller(account), "storage.objects.get", AddressOf(uri));
    std::string sum = row.md5.empty() ? fmt::format("{:08x}", row.crc32c) : HexEncode(row.md5);
    return ml::PackageSight{row.generation, fmt::format("{}:{}", sum, row.size)};
  } catch (const Failure& failure) {
    return failure.error();
  }
}

Result<> ObjectPackages::Copy(const std::string& uri, int64_t generation,
                              const std::string& account, const std::string& path) {
  try {
    storage::ObjectAddress address = AddressOf(uri);
    address.generation = generation;
    return CopyTo(*access_.Open(AccountCaller(account), address).bytes, path);
  } catch (const Failure& failure) {
    return failure.error();
  }
}

}  // namespace fireweed
