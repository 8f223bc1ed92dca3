#include "blob/sweep.h"

#include <algorithm>

namespace fireweed {
namespace {

enum class Verdict {
  kKeep,
  kDrop,
  kDropDraft,  // only if it is one still: its upload may have ended since it was listed
};

Verdict Judge(const BlobListing& listing, bool referenced, const SweepRules& rules, Time now) {
  // Ids run ahead of a clock that was set back.
  Duration age = std::max(Duration{0}, now - listing.created);
  if (!referenced) return age < rules.keep_unreferenced ? Verdict::kKeep : Verdict::kDrop;
  return listing.draft && age > rules.keep_drafts ? Verdict::kDropDraft : Verdict::kKeep;
}

}  // namespace

Result<SweepReport> Sweep(BlobStore& store, const std::function<bool(const BlobId&)>& is_referenced,
                          const SweepRules& rules, Time now) {
  SweepReport report;
  Result<> listed = store.List([&](const BlobListing& listing) {
    ++report.seen;
    if (listing.held) {
      ++report.held;
      return;
    }
    Verdict verdict = Judge(listing, is_referenced(listing.id), rules, now);
    if (verdict == Verdict::kKeep) return;
    Result<> dropped =
        verdict == Verdict::kDrop ? store.Drop(listing.id) : store.DropDraft(listing.id);
    ++(!dropped ? report.failed : listing.draft ? report.dropped_drafts : report.dropped_blobs);
  });
  if (!listed) return listed.error();
  return report;
}

}  // namespace fireweed
