// What for: objects in gs://, seen and read as an account, so that a job's service reads no more than the job itself may.
// Who calls: actions, on threads that may block. Any number at once.
// A failure: kDenied and kNotFound are the store's own word; kUnavailable may pass.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace fireweed::net {
class HttpClient;
}  // namespace fireweed::net

namespace fireweed::ml {

struct ObjectSight {
  std::string name;
  int64_t generation = 0, size = 0;
};

class AccountObjects {
 public:
  using Sink = std::function<void(std::span<const std::byte>)>;
  virtual ~AccountObjects() = default;
  // Every live object whose name begins with the prefix, by name.
  virtual Result<std::vector<ObjectSight>> List(const std::string& account,
                                                const std::string& bucket,
                                                const std::string& prefix) = 0;
  // The bytes of one generation from `offset` on, as they are stored. An offset at the end: nothing.
  virtual Result<> Read(const std::string& account, const std::string& bucket,
                        const ObjectSight& object, int64_t offset, const Sink& sink) = 0;
};

// Over the daemon's own API, by a token of the account: the store decides as it does for everybody.
class HttpAccountObjects final : public AccountObjects {
 public:
  // `token`: mints one for the account. `address`: "127.0.0.1:8080", asked for with every call, since the daemon may not
  // listen yet when this is made.
  HttpAccountObjects(std::function<Result<std::string>(const std::string& account)> token,
                     std::function<std::string()> address);
  ~HttpAccountObjects() override;

  Result<std::vector<ObjectSight>> List(const std::string& account, const std::string& bucket,
                                        const std::string& prefix) override;
  Result<> Read(const std::string& account, const std::string& bucket, const ObjectSight& object,
                int64_t offset, const Sink& sink) override;

 private:
  Result<std::string> Get(const std::string& account, const std::string& target, int64_t offset,
                          const Sink& sink);

  const std::function<Result<std::string>(const std::string&)> token_;
  const std::function<std::string()> address_;
  const std::unique_ptr<net::HttpClient> http_;
};

// "gs://bucket/a/b" as bucket and name; no bucket where the text is no such address.
struct ObjectPlace {
  std::string bucket, name;
};
ObjectPlace ParseObjectPlace(std::string_view url);

}  // namespace fireweed::ml
