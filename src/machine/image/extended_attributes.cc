#include "machine/image/extended_attributes.h"

#include <sys/xattr.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <string_view>

#include "base/error.h"

namespace fireweed {
namespace {

constexpr std::string_view kOverlay = "trusted.overlay.";
// "opaque" hides what lies below, "redirect" says where a renamed directory's lower half is, "metacopy" that the
// data is below. The rest (where a file came from, link counts) is about the layer it was made in.
constexpr std::string_view kKept[] = {"opaque", "redirect", "metacopy"};

bool Kept(std::string_view name) {
  if (!name.starts_with(kOverlay)) return true;
  name.remove_prefix(kOverlay.size());
  return std::ranges::find(kKept, name) != std::end(kKept);
}

std::string Names(int file) {
  std::string names;
  while (true) {
    ssize_t size = flistxattr(file, nullptr, 0);
    if (size < 0 && errno == ENOTSUP) return "";
    if (size < 0) throw Failure(ErrnoError(errno, "listing attributes"));
    names.resize(static_cast<size_t>(size));
    size = flistxattr(file, names.data(), names.size());
    if (size < 0 && errno == ERANGE) continue;  // more came meanwhile
    if (size < 0) throw Failure(ErrnoError(errno, "listing attributes"));
    names.resize(static_cast<size_t>(size));
    return names;
  }
}

void CopyOne(int from, int to, const char* name) {
  std::string value;
  ssize_t size = fgetxattr(from, name, nullptr, 0);
  if (size < 0 && errno == ENODATA) return;
  if (size < 0) throw Failure(ErrnoError(errno, name));
  value.resize(static_cast<size_t>(size));
  size = fgetxattr(from, name, value.data(), value.size());
  if (size < 0) throw Failure(ErrnoError(errno, name));
  if (fsetxattr(to, name, value.data(), static_cast<size_t>(size), 0) != 0) {
    throw Failure(ErrnoError(errno, name));
  }
}

}  // namespace

void CopyAttributes(int from, int to) {
  std::string names = Names(from);
  for (size_t at = 0; at < names.size();) {
    const char* name = names.c_str() + at;
    at += std::string_view(name).size() + 1;
    if (Kept(name)) CopyOne(from, to, name);
  }
}

}  // namespace fireweed
