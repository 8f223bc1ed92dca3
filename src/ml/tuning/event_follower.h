// What for: follows the event files below one directory of gs:// and keeps the values of one metric. A file is read on from
//   where the last whole record ended, also in a newer generation, since writers append by writing anew; a file that
//   has become shorter, or does not go on as it did, is read from its beginning.
// Threads: one at a time. May block: on the store. Memory: a record, and kMostKept values a file.
// A failure: of the store, as it says; damage inside a file is told by damage(), and the file is left alone until it changes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ml/account_objects.h"
#include "records/hypertune.h"
#include "records/record_io.h"

namespace fireweed::ml {

class EventFollower {
 public:
  static constexpr size_t kMostKept = 16384;
  static constexpr size_t kLargestRecord = 64 << 20;  // graphs are in there, too

  EventFollower(AccountObjects& objects, std::string account, const std::string& directory,
                std::string tag);

  // Reads what is new.
  Result<> Follow();
  std::vector<records::Measurement> Measurements() const;
  // What is wrong with a file; empty: nothing.
  const std::string& damage() const { return damage_; }
  int64_t bytes_read() const { return bytes_read_; }

 private:
  struct FileSight {
    int64_t generation = 0;
    int64_t consumed = 0;  // whole records until there were read
    std::vector<records::Measurement> measurements;
  };

  Result<> FollowFile(const ObjectSight& object, FileSight& file);
  // False: damaged, with `damage_` set.
  Result<bool> ReadOn(const ObjectSight& object, FileSight& file);
  void Take(std::string_view record, FileSight& file) const;

  AccountObjects& objects_;
  const std::string account_, tag_;
  const ObjectPlace place_;
  std::map<std::string, FileSight> files_;
  std::string damage_;
  int64_t bytes_read_ = 0;
};

}  // namespace fireweed::ml
