#include "storage/access_fixture.h"

#include "identity/tokens.h"

namespace fireweed::storage {

std::shared_ptr<const net::Caller> CallerAccess::Identify(const net::Request& request) {
  std::string_view principal = request.Header("X-Caller").value_or(identity::kOwnerPrincipal);
  auto caller = std::make_shared<net::Caller>();
  if (principal == "none") return caller;
  caller->principal = principal;
  caller->email = principal.substr(principal.find(':') + 1);
  return caller;
}

AccessFixture::AccessFixture() {
  control = &callers_;
  Restart();
}

// The services go before the access control that they ask.
AccessFixture::~AccessFixture() {
  router.reset();
  service.reset();
}

Reply AccessFixture::As(const std::string& caller, std::string method, std::string target,
                        std::string body) {
  return Send(std::move(method), std::move(target), std::move(body), {{"X-Caller", caller}});
}

void AccessFixture::MakeBucket(const std::string& name, const std::string& more) {
  Reply made =
      Send("POST", "/storage/v1/b?project=my-project", R"({"name":")" + name + "\"" + more + "}");
  if (made.status != 200) Abort("no bucket: " + made.body);
  Reply cat = Upload(name, "cat", "meow");
  if (cat.status != 200) Abort("no object: " + cat.body);
}

int64_t AccessFixture::ProjectNumber() {
  return Query(catalog, [&](Txn& txn) { return projects.Find(txn, "my-project")->projectNumber; });
}

}  // namespace fireweed::storage
