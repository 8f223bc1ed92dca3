// Faults on demand, for people who test their own retry code, in the vocabulary that Google's
// storage testbench made common. Served only where the configuration says so.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "api/storage/service.h"

namespace fireweed::api::storage {

struct RetryTest {
  std::string id;
  // Per method ("storage.objects.get") the faults to come, first one first ("return-503").
  std::map<std::string, std::vector<std::string>> instructions;
  bool completed = false;  // every fault was met
  std::string transport = "HTTP";
};
struct RetryTestList {
  std::vector<RetryTest> retry_test;
};
struct InsertRetryTest {
  RetryTest body;
};
struct GetRetryTest {
  std::string id;
};

}  // namespace fireweed::api::storage

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::storage::RetryTest> = "RetryTest";
template <>
inline constexpr auto kFields<api::storage::RetryTest> = [](auto...) {
  return Fields{F("id", &api::storage::RetryTest::id, kOutput),
                F("instructions", &api::storage::RetryTest::instructions, kKeepEmpty),
                F("completed", &api::storage::RetryTest::completed, kOutput),
                F("transport", &api::storage::RetryTest::transport)};
};
template <>
inline constexpr std::string_view kTypeName<api::storage::RetryTestList> = "RetryTests";
template <>
inline constexpr auto kFields<api::storage::RetryTestList> = [](auto...) {
  return Fields{F("retry_test", &api::storage::RetryTestList::retry_test, kKeepEmpty)};
};
template <>
inline constexpr auto kFields<api::storage::InsertRetryTest> =
    [](auto...) { return Fields{F("body", &api::storage::InsertRetryTest::body, kBody)}; };
template <>
inline constexpr auto kFields<api::storage::GetRetryTest> =
    [](auto...) { return Fields{F("id", &api::storage::GetRetryTest::id, kPath)}; };
}  // namespace fireweed

namespace fireweed::api::storage {

inline constexpr Method<Empty, RetryTestList> kListRetryTests{kStorage, Verb::kGet, "/retry_tests",
                                                              "storage.retryTests.list"};
inline constexpr Method<InsertRetryTest, RetryTest> kInsertRetryTest{
    kStorage, Verb::kPost, "/retry_test", "storage.retryTests.insert"};
inline constexpr Method<GetRetryTest, RetryTest> kGetRetryTest{
    kStorage, Verb::kGet, "/retry_test/{id}", "storage.retryTests.get"};
inline constexpr Method<GetRetryTest, Empty> kDeleteRetryTest{
    kStorage, Verb::kDelete, "/retry_test/{id}", "storage.retryTests.delete"};

}  // namespace fireweed::api::storage
