#include "bin/model_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include <fmt/format.h>

#include "base/unique_fd.h"

namespace fireweed {
namespace {

namespace fs = std::filesystem;

struct Place {
  std::string bucket, name;
};

Place ParsePlace(const std::string& uri) {
  constexpr size_t kScheme = 5;
  size_t slash = uri.find('/', kScheme);
  Place place{uri.substr(kScheme, slash - kScheme), ""};
  if (slash != std::string::npos) place.name = uri.substr(slash + 1);
  while (place.name.ends_with('/')) place.name.pop_back();
  return place;
}

// A name below the directory that stays below it.
bool IsBelow(const fs::path& name) {
  for (const fs::path& part : name) {
    if (part == ".." || part == "." || part == "/") return false;
  }
  return !name.empty();
}

void CopyObject(const storage::ObjectStore& store, const std::string& bucket,
                const std::string& name, const fs::path& path) {
  fs::create_directories(path.parent_path());
  UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file) throw Failure(ErrnoError(errno, path.string()));
  // Whoever serves it is another user, whatever the daemon's own mask says.
  fchmod(file.get(), 0644);
  storage::OpenedObject object = store.Open({bucket, name, {}}, {});
  std::vector<std::byte> buffer(1 << 20);
  for (int64_t offset = 0; offset < object.bytes->size();) {
    size_t count = object.bytes->ReadAt(offset, buffer).value();
    if (count == 0)
      throw Failure(Code::kUnavailable, "the object is shorter than it says: " + name);
    for (size_t done = 0; done < count;) {
      ssize_t written = write(file.get(), buffer.data() + done, count - done);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) throw Failure(ErrnoError(errno, path.string()));
      done += static_cast<size_t>(written);
    }
    offset += static_cast<int64_t>(count);
  }
  if (fdatasync(file.get()) != 0) throw Failure(ErrnoError(errno, path.string()));
}

void RequireReader(net::AccessControl& access, const ModelOrder& order, const std::string& bucket) {
  net::Caller reader;
  reader.principal = "serviceAccount:" + order.account;
  reader.email = order.account;
  for (const char* permission : {"storage.objects.list", "storage.objects.get"}) {
    if (access.May(reader, permission, "buckets/" + bucket)) continue;
    throw Failure(Code::kDenied,
                  fmt::format("The account {} may not read {}: it needs {} there. Grant it with "
                              "`gsutil iam ch serviceAccount:{}:objectViewer gs://{}`.",
                              order.account, order.uri, permission, order.account, bucket));
  }
}

int64_t CopyDirectory(const storage::ObjectStore& store, const ModelOrder& order,
                      const Place& place, const std::string& directory) {
  int64_t files = 0, bytes = 0;
  storage::ListingQuery query;
  query.prefix = place.name.empty() ? "" : place.name + "/";
  do {
    storage::ListingPage page = store.List(place.bucket, query);
    for (const storage::ListedVersion& item : page.items) {
      std::string below = item.name.substr(query.prefix.size());
      if (below.empty() || below.ends_with('/')) continue;
      if (!IsBelow(below)) {
        throw Failure(Code::kInvalid, fmt::format("'{}' is no name of a file.", item.name));
      }
      bytes += item.row.size;
      if (bytes > order.most_bytes) {
        throw Failure(Code::kTooLarge, fmt::format("The model in {} is larger than {} bytes.",
                                                   order.uri, order.most_bytes));
      }
      CopyObject(store, place.bucket, item.name, fs::path(directory) / below);
      ++files;
    }
    query.page_token = page.next_page_token;
  } while (!query.page_token.empty());
  return files;
}

Result<> OpenDirectories(const std::string& directory) {
  constexpr auto kOpen = static_cast<fs::perms>(0755);
  fs::permissions(directory, kOpen);
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (entry.is_directory()) fs::permissions(entry.path(), kOpen);
  }
  return Done{};
}

}  // namespace

Result<> CopyModel(const storage::ObjectStore& store, net::AccessControl& access,
                   const ModelOrder& order, const std::string& directory) {
  try {
    Place place = ParsePlace(order.uri);
    RequireReader(access, order, place.bucket);
    if (CopyDirectory(store, order, place, directory) > 0) return OpenDirectories(directory);
    std::string name = fs::path(place.name).filename();
    if (name.empty()) throw Failure(Code::kNotFound, "There are no files in " + order.uri + ".");
    try {
      CopyObject(store, place.bucket, place.name, fs::path(directory) / name);
    } catch (const Failure& failure) {
      if (failure.error().code != Code::kNotFound) throw;
      throw Failure(Code::kNotFound, "There are no files in " + order.uri + ".");
    }
    return OpenDirectories(directory);
  } catch (const Failure& failure) {
    return failure.error();
  } catch (const fs::filesystem_error& failure) {
    return ErrnoError(failure.code().value(), directory);
  }
}

}  // namespace fireweed
