// Trainer packages in this daemon's own object store, read as an account may. Any thread; Copy may block.
#pragma once

#include "ml/environments/package_store.h"
#include "storage/object_access.h"

namespace fireweed {

class ObjectPackages final : public ml::PackageStore {
 public:
  explicit ObjectPackages(const storage::ObjectAccess& access) : access_(access) {}

  Result<ml::PackageSight> Find(const std::string& uri, const std::string& account) override;
  Result<> Copy(const std::string& uri, int64_t generation, const std::string& account,
                const std::string& path) override;

 private:
  const storage::ObjectAccess& access_;
};

}  // namespace fireweed
