#include "compute/raw_source.h"

#include "compute/refusals.h"

namespace fireweed::compute {

RawSource ParseRawSource(std::string_view text) {
  std::string_view rest = text;
  bool known = false;
  for (std::string_view prefix :
       {"gs://", "https://storage.googleapis.com/", "http://storage.googleapis.com/",
        "https://www.googleapis.com/storage/v1/b/", "https://storage.cloud.google.com/"}) {
    if (!rest.starts_with(prefix)) continue;
    rest.remove_prefix(prefix.size());
    known = true;
    break;
  }
  size_t slash = rest.find('/');
  if (!known || slash == 0 || slash == rest.npos || slash + 1 == rest.size()) {
    InvalidField("resource.rawDisk.source", text,
                 "The URL is malformed. It must be gs://BUCKET/OBJECT or an address of Cloud "
                 "Storage.");
  }
  RawSource source{std::string(rest.substr(0, slash)), std::string(rest.substr(slash + 1))};
  if (text.find("/storage/v1/b/") != text.npos && source.object.starts_with("o/")) {
    source.object.erase(0, 2);
  }
  return source;
}

}  // namespace fireweed::compute
