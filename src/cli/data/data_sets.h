// The data sets of the guides: what they are called, how look-alikes are made, where the originals are published.
// A look-alike has the files, columns, sizes and shares of the original and is about as hard to learn; no row of it is
// anybody's. The same seed gives the same bytes on every machine.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fireweed::cli {

// Takes one file after the other.
using EmitFile = std::function<void(const std::string& name, const std::string& contents)>;

struct DataSet {
  std::string_view name;
  std::string_view about;
  std::string_view directory;           // of the originals, where they have been collected
  std::vector<std::string_view> files;  // of the original
  std::vector<std::string_view>
      publishers;  // an address for each file, or one archive with all of them
  void (*make)(uint64_t seed, const EmitFile& emit);
};

std::span<const DataSet> DataSets();

void MakeIris(uint64_t seed, const EmitFile& emit);
void MakeCensus(uint64_t seed, const EmitFile& emit);
void MakeTaxi(uint64_t seed, const EmitFile& emit);
void MakeCifar10(uint64_t seed, const EmitFile& emit);

}  // namespace fireweed::cli
