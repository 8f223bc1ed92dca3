// Where the archive of an image lies: "gs://B/O", or the same as an https address of Cloud Storage.
#pragma once

#include <string>
#include <string_view>

namespace fireweed::compute {

struct RawSource {
  std::string bucket, object;
};

// Throws Failure(kInvalid) for anything else.
RawSource ParseRawSource(std::string_view text);

}  // namespace fireweed::compute
