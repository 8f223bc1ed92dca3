// What identity adds to an authorised GET: who is asking, and may they, from memory. The budget for both together is
// 2 us.
#include <benchmark/benchmark.h>

#include "base/clock.h"
#include "catalog/memory_catalog.h"
#include "identity/access.h"
#include "identity/policies.h"
#include "identity/projects.h"
#include "identity/tokens.h"

namespace fireweed::identity {
namespace {

constexpr std::string_view kResource = "buckets/my-training-bucket";

struct House {
  House()
      : access(catalog, clock, random),
        tokens(catalog, clock, random),
        projects(clock, random, {}) {
    tokens.EnsureOwner("");
    header = "Bearer " + tokens.MintForUser(kOwnerEmail, {}, kUsualLifetime).token;
    request.headers = {{"Host", "storage.googleapis.com"},
                       {"User-Agent", "gcloud/528.0.0 command/gcloud.storage.cp"},
                       {"Accept-Encoding", "gzip, deflate"},
                       {"Accept", "*/*"},
                       {"Connection", "keep-alive"},
                       {"Authorization", header}};
    caller = access.Identify(request);
    catalog.Write("bench", [&](Txn& txn) {
      projects.Ensure(txn, "my-project", *caller);
      CreatePolicy(txn, kResource, "projects/my-project");
    });
    caller = access.Identify(request);  // again: a new service account emptied the table
    access.May(*caller, "storage.objects.get", kResource);
  }
  SystemClock clock;
  SystemRandom random;
  MemoryCatalog catalog;
  Access access;
  Tokens tokens;
  Projects projects;
  std::string header;
  net::Request request;
  std::shared_ptr<const net::Caller> caller;
};

void BM_IdentifyInline(benchmark::State& state) {
  House house;
  for (auto _ : state) benchmark::DoNotOptimize(house.access.IdentifyInline(house.request));
}
BENCHMARK(BM_IdentifyInline);

void BM_MayInline(benchmark::State& state) {
  House house;
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        house.access.MayInline(*house.caller, "storage.objects.get", kResource));
  }
}
BENCHMARK(BM_MayInline);

void BM_IdentifyAndMay(benchmark::State& state) {
  House house;
  for (auto _ : state) {
    auto caller = house.access.IdentifyInline(house.request);
    benchmark::DoNotOptimize(house.access.MayInline(*caller, "storage.objects.get", kResource));
  }
}
BENCHMARK(BM_IdentifyAndMay);

// The first question after a policy change: worked out again from rows in memory.
void BM_MayAfterAPolicyChange(benchmark::State& state) {
  House house;
  bool odd = false;
  for (auto _ : state) {
    state.PauseTiming();
    house.catalog.Write("bench", [&](Txn& txn) {
      api::Policy policy;
      odd = !odd;
      if (odd) policy.bindings = {{"roles/viewer", {"user:ann@x.org"}, {}}};
      SetPolicy(txn, "projects/my-project", policy);
    });
    state.ResumeTiming();
    benchmark::DoNotOptimize(house.access.May(*house.caller, "storage.objects.get", kResource));
  }
}
BENCHMARK(BM_MayAfterAPolicyChange);

}  // namespace
}  // namespace fireweed::identity
