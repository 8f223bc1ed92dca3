// List filters and the regular expressions in them.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "api/compute/instance.h"
#include "base/error.h"
#include "compute/filter.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(bytes), size);
  fireweed::api::compute::Instance instance;
  instance.name = "my-instance";
  instance.labels = {{"team", "red"}};
  instance.tags.items = {"a", "b"};
  try {
    fireweed::compute::Filter(text).Matches(instance);
  } catch (const fireweed::Failure&) {
  }
  return 0;
}
