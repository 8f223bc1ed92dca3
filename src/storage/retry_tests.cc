#include "storage/retry_tests.h"

#include <algorithm>

#include <fmt/format.h>

namespace fireweed::storage {
namespace {

constexpr size_t kMostTests = 10000;
constexpr size_t kIdBytes = 16;

void CheckInstructions(const api::storage::RetryTest& test) {
  if (test.transport != "HTTP") {
    throw Failure(Code::kInvalid, "invalid",
                  fmt::format("The requested transport <{}> is not supported.", test.transport));
  }
  for (const auto& [method, faults] : test.instructions) {
    if (!method.starts_with("storage.")) {
      throw Failure(Code::kInvalid, "invalid",
                    fmt::format("The requested method <{}> for fault injection.", method));
    }
    for (const std::string& fault : faults) {
      if (ParseFault(fault)) continue;
      throw Failure(Code::kInvalid, "invalid",
                    fmt::format("The fault injection request <{}>.", fault));
    }
  }
}

}  // namespace

void RetryTests::Serve(net::Router& router) {
  router.On(api::storage::kListRetryTests, this, &RetryTests::List);
  router.On(api::storage::kInsertRetryTest, this, &RetryTests::Insert);
  router.On(api::storage::kGetRetryTest, this, &RetryTests::Get);
  router.On(api::storage::kDeleteRetryTest, this, &RetryTests::Delete);
}

api::storage::RetryTestList RetryTests::List(const api::Empty&, const net::Call&) {
  return tests_.With([](const Tests& tests) {
    api::storage::RetryTestList list;
    for (const auto& [id, test] : tests) list.retry_test.push_back(test);
    return list;
  });
}

api::storage::RetryTest RetryTests::Insert(const api::storage::InsertRetryTest& request,
                                           const net::Call&) {
  CheckInstructions(request.body);
  api::storage::RetryTest test = request.body;
  test.id = random_.Hex(kIdBytes);
  tests_.With([&](Tests& tests) {
    if (tests.size() >= kMostTests) {
      throw Failure(Code::kExhausted, "There are too many retry tests: delete some.");
    }
    tests[test.id] = test;
  });
  return test;
}

api::storage::RetryTest RetryTests::Find(const std::string& id) const {
  return tests_.With([&](const Tests& tests) {
    auto it = tests.find(id);
    if (it == tests.end()) {
      throw Failure(Code::kNotFound, fmt::format("Retry Test {} does not exist.", id));
    }
    return it->second;
  });
}

api::storage::RetryTest RetryTests::Get(const api::storage::GetRetryTest& request,
                                        const net::Call&) {
  return Find(request.id);
}

api::Empty RetryTests::Delete(const api::storage::GetRetryTest& request, const net::Call&) {
  Find(request.id);
  tests_.With([&](Tests& tests) { tests.erase(request.id); });
  return {};
}

std::optional<Fault> RetryTests::Next(const std::string& test, const std::string& method) const {
  api::storage::RetryTest found = Find(test);
  auto it = found.instructions.find(method);
  if (it == found.instructions.end() || it->second.empty()) return std::nullopt;
  return ParseFault(it->second.front());
}

void RetryTests::Met(const std::string& id, const std::string& method) {
  tests_.With([&](Tests& tests) {
    auto it = tests.find(id);
    if (it == tests.end()) return;
    api::storage::RetryTest& test = it->second;
    auto faults = test.instructions.find(method);
    if (faults == test.instructions.end() || faults->second.empty()) return;
    faults->second.erase(faults->second.begin());
    test.completed = std::all_of(test.instructions.begin(), test.instructions.end(),
                                 [](const auto& entry) { return entry.second.empty(); });
  });
}

}  // namespace fireweed::storage
