// The storage services with identity's real policies, and callers by name: what a test says in X-Caller is who asks
// ("user:ann@x.org", "none"); without it the local owner does.
#pragma once

#include <string>
#include <string_view>

#include "identity/access.h"
#include "storage/storage_fixture.h"

namespace fireweed::storage {

class CallerAccess final : public net::AccessControl {
 public:
  explicit CallerAccess(net::AccessControl& inner) : inner_(inner) {}
  std::shared_ptr<const net::Caller> Identify(const net::Request& request) override;
  bool May(const net::Caller& caller, std::string_view permission,
           std::string_view resource) override {
    return inner_.May(caller, permission, resource);
  }
  std::shared_ptr<const net::Caller> IdentifyInline(const net::Request& request) override {
    return Identify(request);
  }
  std::optional<bool> MayInline(const net::Caller& caller, std::string_view permission,
                                std::string_view resource) override {
    return inner_.MayInline(caller, permission, resource);
  }

 private:
  net::AccessControl& inner_;
};

class AccessFixture : public StorageFixture {
 public:
  AccessFixture();
  ~AccessFixture();

  Reply As(const std::string& caller, std::string method, std::string target,
           std::string body = "");
  // A bucket of project my-project with object "cat" in it.
  void MakeBucket(const std::string& name, const std::string& more = "");
  int64_t ProjectNumber();

 private:
  identity::Access identity_{catalog, clock, random};
  CallerAccess callers_{identity_};
};

}  // namespace fireweed::storage
