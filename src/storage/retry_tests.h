// What for: faults in a row, per method, as clients have ordered them (POST /retry_test); a request
//   that carries the test's id meets the next one.
// Threads: any number at once. Never blocks but for its lock.
// Owns: the tests, in memory: they are gone when the daemon ends, like the clients they were for.
// A failure: Failure(kInvalid) on an instruction nobody knows, kNotFound on a test nobody made.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "api/storage/retry_test.h"
#include "base/guarded.h"
#include "base/random.h"
#include "net/router.h"
#include "storage/fault.h"

namespace fireweed::storage {

class RetryTests {
 public:
  explicit RetryTests(Random& random) : random_(random) {}

  void Serve(net::Router& router);

  // The next fault of a method; nothing when all were met.
  std::optional<Fault> Next(const std::string& test, const std::string& method) const;
  // It was met: the one behind it is next.
  void Met(const std::string& test, const std::string& method);

 private:
  using Tests = std::map<std::string, api::storage::RetryTest>;

  api::storage::RetryTestList List(const api::Empty& request, const net::Call& call);
  api::storage::RetryTest Insert(const api::storage::InsertRetryTest& request,
                                 const net::Call& call);
  api::storage::RetryTest Get(const api::storage::GetRetryTest& request, const net::Call& call);
  api::Empty Delete(const api::storage::GetRetryTest& request, const net::Call& call);
  api::storage::RetryTest Find(const std::string& id) const;

  Random& random_;
  Guarded<Tests> tests_;
};

}  // namespace fireweed::storage
