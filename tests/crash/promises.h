// What a run has promised so far to those who called it, and what may be found of what is under way.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/guarded.h"

namespace fireweed::crash {

struct UploadPromise {
  std::string name;     // of the object it becomes
  std::string content;  // of the whole object
  int64_t durable = 0;  // bytes that the client was told to forget
  bool may_have_ended = false;
  bool must_have_ended = false;
};

struct Promises {
  using Content = std::optional<std::string>;        // nullopt: no such object
  std::map<std::string, std::set<Content>> objects;  // by name, what may be found
  std::map<std::string, UploadPromise> uploads;      // by key
  std::set<int64_t> counts{0};  // what may be found; all rows of the count show the same
};

// Kept beside the run, not on its disk. Any thread; never held over a call that reaches the disk, so that
// it can be read from inside one.
class Notary {
 public:
  Notary() = default;
  explicit Notary(Promises promises) : promises_(std::move(promises)) {}

  // About to change: from now on either may be found.
  void May(const std::string& name, Promises::Content content) {
    promises_.With([&](Promises& p) {
      auto& possible = p.objects[name];
      if (possible.empty()) possible.insert(std::nullopt);
      possible.insert(std::move(content));
    });
  }
  // Acknowledged: nothing else may be found.
  void Must(const std::string& name, Promises::Content content) {
    promises_.With([&](Promises& p) { p.objects[name] = {std::move(content)}; });
  }
  void MayCount(int64_t count) {
    promises_.With([&](Promises& p) { p.counts.insert(count); });
  }
  void MustCount(int64_t count) {
    promises_.With([&](Promises& p) { p.counts = {count}; });
  }
  template <class Change>
  void Upload(const std::string& key, const Change& change) {
    promises_.With([&](Promises& p) { change(p.uploads[key]); });
  }
  Promises Copy() const {
    return promises_.With([](const Promises& p) { return p; });
  }

 private:
  Guarded<Promises> promises_;
};

}  // namespace fireweed::crash
