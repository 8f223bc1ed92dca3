// The catalog's hot paths on a real file system: commits (with the syncs they share), finds, scans
// and cached rows. TMPDIR chooses the file system. "Disk" in a name: SQLite over base/disk.h
// instead of its own file layer, to know what the seam costs.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <stdlib.h>

#include "base/disk.h"
#include "base/log.h"
#include "catalog/row_cache.h"
#include "catalog/sqlite_catalog.h"
#include "catalog/sqlite_disk_vfs.h"

namespace fireweed {

struct Blank {
  std::string text;
};
template <>
struct RecordCodec<Blank> {
  static constexpr std::string_view kKind = "row";
  static std::string Encode(const Blank& blank) { return blank.text; }
  static Blank Decode(std::string_view body) { return {std::string(body)}; }
};

namespace {

constexpr int kRows = 100'000;
constexpr int kBodyBytes = 300;  // a small described struct

std::string KeyOf(uint64_t i) {
  std::string digits = std::to_string(i % kRows);
  return "project/bucket-" + std::string(6 - digits.size(), '0') + digits;
}

// Keys in an order that is not the tree's.
uint64_t Scatter(uint64_t i) { return i * 7919; }

class Scratch {
 public:
  enum class Layer { kSystem, kDisk };
  explicit Scratch(Layer layer) {
    path_ = (std::filesystem::temp_directory_path() / "catalog-bench-XXXXXX").string();
    if (mkdtemp(path_.data()) == nullptr) Abort("no scratch directory");
    SqliteCatalogOptions options{.path = path_ + "/catalog.db"};
    if (layer == Layer::kDisk) {
      disk_ = MakeRealDisk();
      vfs_ = std::make_unique<SqliteDiskVfs>(*disk_);
      options.vfs = vfs_->name();
    }
    catalog_ = std::make_unique<SqliteCatalog>(options, logger_);
    cache_ = std::make_unique<RowCache<Blank>>(*catalog_, kRows);
  }
  ~Scratch() {
    catalog_.reset();
    std::filesystem::remove_all(path_);
  }
  SqliteCatalog& catalog() { return *catalog_; }
  RowCache<Blank>& cache() { return *cache_; }

  void Fill() {
    std::string body(kBodyBytes, 'x');
    for (int first = 0; first < kRows; first += 5000) {
      catalog_->Write("fill", [&](Txn& txn) {
        for (int i = first; i < first + 5000; ++i) txn.PutRaw("row", KeyOf(i), body, {});
      });
    }
  }

 private:
  std::string path_;
  NullLogger logger_;
  std::unique_ptr<Disk> disk_;
  std::unique_ptr<SqliteDiskVfs> vfs_;
  std::unique_ptr<SqliteCatalog> catalog_;
  std::unique_ptr<RowCache<Blank>> cache_;
};

// Made by the first thread of a run; the others begin only after it, and it ends after them.
std::unique_ptr<Scratch> scratch;
SqliteCatalog::Counters before;

template <Scratch::Layer layer>
void SetUp(const benchmark::State&) {
  scratch = std::make_unique<Scratch>(layer);
  scratch->Fill();
  before = scratch->catalog().counters();
}
void TearDown(const benchmark::State&) { scratch.reset(); }

void Commit(benchmark::State& state) {
  std::string body(kBodyBytes, 'y');
  uint64_t i = Scatter(static_cast<uint64_t>(state.thread_index()) * 1'000'003);
  for (auto _ : state) {
    std::string key = KeyOf(Scatter(++i));
    scratch->catalog().Write("bench", [&](Txn& txn) { txn.PutRaw("row", key, body, {}); });
  }
  state.SetItemsProcessed(state.iterations());
  if (state.thread_index() == 0) {
    SqliteCatalog::Counters after = scratch->catalog().counters();
    state.counters["bodies_per_sync"] = static_cast<double>(after.bodies - before.bodies) /
                                        static_cast<double>(after.commits - before.commits);
    state.counters["checkpoints"] = static_cast<double>(after.checkpoints - before.checkpoints);
  }
}

// How long single commits take, checkpoints included: nobody may be made to wait for the log to be
// copied.
void CommitTail(benchmark::State& state) {
  std::string body(kBodyBytes, 'y');
  std::vector<double> millis;
  uint64_t i = 0;
  for (auto _ : state) {
    std::string key = KeyOf(Scatter(++i));
    auto start = std::chrono::steady_clock::now();
    scratch->catalog().Write("bench", [&](Txn& txn) { txn.PutRaw("row", key, body, {}); });
    std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    millis.push_back(took.count());
  }
  std::sort(millis.begin(), millis.end());
  auto share = [&](double part) { return millis[static_cast<size_t>(part * (millis.size() - 1))]; };
  state.counters["p50_ms"] = share(0.5);
  state.counters["p99_ms"] = share(0.99);
  state.counters["p999_ms"] = share(0.999);
  state.counters["max_ms"] = millis.back();
  SqliteCatalog::Counters after = scratch->catalog().counters();
  state.counters["checkpoints"] = static_cast<double>(after.checkpoints - before.checkpoints);
}

void Find(benchmark::State& state) {
  uint64_t i = static_cast<uint64_t>(state.thread_index()) * 31;
  for (auto _ : state) {
    std::string key = KeyOf(Scatter(++i));
    auto row = Query(scratch->catalog(), [&](Txn& txn) { return txn.FindRaw("row", key); });
    benchmark::DoNotOptimize(row);
  }
  state.SetItemsProcessed(state.iterations());
}

void Scan(benchmark::State& state) {
  uint64_t i = 0;
  ScanRange range{.limit = static_cast<int>(state.range(0)), .backwards = state.range(1) != 0};
  for (auto _ : state) {
    range.from = KeyOf(Scatter(++i) % (kRows / 2));
    auto rows = Query(scratch->catalog(), [&](Txn& txn) { return txn.ScanRaw("row", range); });
    benchmark::DoNotOptimize(rows);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void CachedRow(benchmark::State& state) {
  std::string key = KeyOf(17);
  scratch->cache().Get(key);
  for (auto _ : state) benchmark::DoNotOptimize(scratch->cache().Peek(key));
  state.SetItemsProcessed(state.iterations());
}

constexpr auto kOwn = SetUp<Scratch::Layer::kSystem>;
constexpr auto kOverDisk = SetUp<Scratch::Layer::kDisk>;

BENCHMARK(Commit)->Name("Commit")->Setup(kOwn)->Teardown(TearDown)->UseRealTime();
BENCHMARK(Commit)->Name("Commit")->Threads(64)->Setup(kOwn)->Teardown(TearDown)->UseRealTime();
BENCHMARK(Commit)->Name("CommitOverDisk")->Setup(kOverDisk)->Teardown(TearDown)->UseRealTime();
BENCHMARK(Commit)
    ->Name("CommitOverDisk")
    ->Threads(64)
    ->Setup(kOverDisk)
    ->Teardown(TearDown)
    ->UseRealTime();
BENCHMARK(CommitTail)->Setup(kOwn)->Teardown(TearDown)->UseRealTime();
BENCHMARK(Find)
    ->Name("Find")
    ->Threads(1)
    ->Threads(2)
    ->Threads(8)
    ->Setup(kOwn)
    ->Teardown(TearDown)
    ->UseRealTime();
BENCHMARK(Find)->Name("FindOverDisk")->Setup(kOverDisk)->Teardown(TearDown);
BENCHMARK(Scan)->Args({100, 0})->Args({100, 1})->Args({1000, 0})->Setup(kOwn)->Teardown(TearDown);
BENCHMARK(CachedRow)->Threads(1)->Threads(2)->Setup(kOwn)->Teardown(TearDown)->UseRealTime();

}  // namespace
}  // namespace fireweed
