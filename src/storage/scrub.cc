#include "storage/scrub.h"

namespace fireweed::storage {

bool Scrub::Pass(const Pace& pace) {
  damaged_.Tidy();
  bool whole = true;
  auto counted = [&](int64_t bytes) {
    bytes_ += bytes;
    return pace(bytes);
  };
  ForEachVersion(catalog_, [&](const StoredVersion& version) {
    // Also between objects without bytes somebody may want to stop.
    if (!pace(0)) return whole = false;
    ObjectVerdict verdict = CheckObject(catalog_, blobs_, version, counted);
    if (verdict.kind == ObjectVerdict::Kind::kStopped) return whole = false;
    if (verdict.kind == ObjectVerdict::Kind::kGone) return true;
    ++objects_;
    Note(version, verdict);
    return true;
  });
  if (whole) ++passes_;
  return whole;
}

void Scrub::Note(const StoredVersion& version, const ObjectVerdict& verdict) {
  if (!verdict.damaged()) {
    if (damaged_.count() > 0) damaged_.Clear(version.row.parts);
    return;
  }
  ++mismatches_;
  log_.Error("object damaged", {{"bucket", version.bucket},
                                {"object", version.name},
                                {"generation", version.row.generation},
                                {"why", verdict.why}});
  damaged_.Mark(version.row.parts, verdict.why);
  if (on_damage_) on_damage_();
}

ScrubCounters Scrub::counters() const {
  return {passes_, objects_, bytes_, mismatches_, damaged_.count()};
}

}  // namespace fireweed::storage
