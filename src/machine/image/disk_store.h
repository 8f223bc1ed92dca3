// What for: where disks and image layers lie on this machine, and who may touch them when.
//
//   ROOT/disks/NAME/upper, work     a disk: what was written, as the writable layer of an overlay or, for a data
//                                   disk, as it is
//   ROOT/layers/NAME/               a read-only layer of images
//   ROOT/layers/NAME.part/          one that is being made
//
// Threads: any. May block: yes, all but the paths.
// Who owns: the caller's records say which names exist; Sweep removes the others. A name is recorded before it is
//   made here, so whatever has no record is a leftover.
// A failure: Result; half-made things are left to the next try or to Sweep.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "machine/image/layer_copy.h"

namespace fireweed {

class DiskStore {
 public:
  explicit DiskStore(std::string root) : root_(std::move(root)) {}

  std::string DiskDirectory(const std::string& disk) const { return root_ + "/disks/" + disk; }
  std::string LayerDirectory(const std::string& layer) const { return root_ + "/layers/" + layer; }

  // Makes the directories of a disk, where they are not there.
  Result<> MakeDisk(const std::string& disk);

  // What was written on a disk becomes a layer, durably. Nothing written: zero bytes and no layer. A layer of this
  // name that is there already is taken as it is: an earlier try had finished it. kCancelled: Stop was called.
  Result<LayerCopy> MakeLayer(const std::string& disk, const std::string& layer);

  // A layer that `fill` makes in an empty directory; then as MakeLayer.
  Result<> FillLayer(const std::string& layer,
                     const std::function<Result<>(const std::string& directory)>& fill);

  // Keeps a disk from being started on while it is read: AwaitFree blocks as long as anybody holds it.
  class Hold {
   public:
    Hold(DiskStore& store, std::string disk);
    ~Hold();
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    DiskStore& store_;
    const std::string disk_;
  };
  void AwaitFree(const std::string& disk);

  // Removes disks and layers that `known` does not name; it is asked after the directories were listed. How many.
  struct Names {
    std::set<std::string> disks, layers;
  };
  Result<int> Sweep(const std::function<Names()>& known);
  // Ends sweeps and copies at the next file, and every later one at once: a stopping daemon does not wait for large
  // trees. What a sweep leaves has no record, so the next start's removes it; a copy is kCancelled, and is begun anew.
  // Any thread; does not block.
  void Stop() { stopping_ = true; }

 private:
  bool HasLayer(const std::string& layer) const;

  const std::string root_;
  std::atomic<bool> stopping_{false};
  std::mutex mu_;
  std::condition_variable freed_;
  std::multiset<std::string> held_;  // guarded by mu_
};

}  // namespace fireweed
