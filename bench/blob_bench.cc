// Blobs on the real disk below the temporary directory (TMPDIR chooses another file system): whole
// puts with all their syncs, from one and several threads, and open plus read from the page cache.
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include <benchmark/benchmark.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/random.h"
#include "blob/file_blob_store.h"

namespace fireweed {
namespace {

constexpr size_t kChunkBytes = 256 << 10;  // as an upload hands bytes over

class Bench {
 public:
  Bench() {
    std::string pattern = std::filesystem::temp_directory_path() / "blob_bench.XXXXXX";
    const char* made = mkdtemp(pattern.data());
    if (!made) throw std::runtime_error("no temporary directory");
    root_ = made;
    store_ = FileBlobStore::Open(*disk_, root_, ids_).value();
  }
  ~Bench() { std::filesystem::remove_all(root_); }

  BlobStore& store() { return *store_; }
  BlobInfo Put(std::span<const std::byte> bytes) {
    std::unique_ptr<BlobWriter> writer = store_->Create().value();
    while (!bytes.empty()) {
      size_t count = std::min(bytes.size(), kChunkBytes);
      writer->Append(bytes.first(count)).value();
      bytes = bytes.subspan(count);
    }
    return writer->Commit().value();
  }

 private:
  std::string root_;
  std::unique_ptr<Disk> disk_ = MakeRealDisk();
  SystemClock clock_;
  SystemRandom random_;
  IdSource ids_{clock_, random_};
  std::unique_ptr<BlobStore> store_;
};

void Put(benchmark::State& state) {
  static std::unique_ptr<Bench> shared;
  if (state.thread_index() == 0) shared = std::make_unique<Bench>();
  std::string bytes(static_cast<size_t>(state.range(0)), 'x');
  for (auto _ : state) {
    BlobInfo info = shared->Put(AsBytes(bytes));
    state.PauseTiming();
    shared->store().Drop(info.id).value();
    state.ResumeTiming();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
  if (state.thread_index() == 0) shared.reset();
}
BENCHMARK(Put)->Arg(4 << 10)->UseRealTime()->Threads(1)->Threads(8);
BENCHMARK(Put)->Arg(64 << 20)->UseRealTime()->Unit(benchmark::kMillisecond);

void OpenAndRead(benchmark::State& state) {
  Bench bench;
  std::string bytes(static_cast<size_t>(state.range(0)), 'x');
  BlobId id = bench.Put(AsBytes(bytes)).id;
  for (auto _ : state) {
    std::shared_ptr<BlobReader> reader = bench.store().Open(id).value();
    benchmark::DoNotOptimize(reader->ReadAt(0, std::as_writable_bytes(std::span(bytes))).value());
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(OpenAndRead)->Arg(4 << 10)->Arg(1 << 20);

}  // namespace
}  // namespace fireweed
