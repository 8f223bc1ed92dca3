// Ids that order by creation time and never repeat, whatever the wall clock does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/random.h"

namespace fireweed {

class IdSource {
 public:
  // `floor`: the newest time an id was made at before this process started.
  IdSource(const Clock& clock, Random& random, Time floor = {})
      : time_(clock, floor), random_(random) {}

  // A positive 63-bit number, strictly increasing: microseconds since 2020 and ten random bits.
  int64_t NextNumber();
  // A lower-case, sortable word of 26 characters for names of records, drafts and operations.
  std::string NextWord();

 private:
  MonotonicTime time_;
  Random& random_;
};

// When a word of NextWord was made; nullopt for anything that is none.
std::optional<Time> TimeOfWord(std::string_view word);

}  // namespace fireweed
