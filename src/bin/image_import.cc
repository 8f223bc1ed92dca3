#include "bin/image_import.h"

#include "compute/raw_source.h"
#include "machine/image/root_archive.h"

namespace fireweed {

Result<ContainerConfig> ImportRootTree(const storage::ObjectStore& store, const std::string& source,
                                       const std::string& directory) {
  try {
    compute::RawSource place = compute::ParseRawSource(source);
    storage::OpenedObject object = store.Open({place.bucket, place.object, {}}, {});
    int64_t offset = 0;
    auto read = [&](std::span<std::byte> out) -> Result<size_t> {
      if (offset >= object.bytes->size()) return size_t{0};
      Result<size_t> size = object.bytes->ReadAt(offset, out);
      if (size.ok()) offset += static_cast<int64_t>(*size);
      return size;
    };
    return UnpackRoot(read, directory);
  } catch (const Failure& failure) {
    return failure.error();
  }
}

}  // namespace fireweed
