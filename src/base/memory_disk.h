// What for: a Disk in memory that behaves like a page cache over a drive. What was written is seen;
//   what was synced survives. It can be stopped at any single change, and tells what a machine
//   would find after a power cut at that moment; it can also fail a change or be full.
// Who calls: tests and crash rigs, any thread.
// May block: no, except for the watcher.
// Who owns: files keep their contents alive; they may outlive the disk.
// A failure: injected ones only, and misuse that a real file system refuses as well.
//
// Changes are counted from 1: creating a name, write, truncate, sync, rename, remove, each
// directory made, and directory sync. To crash between any two of them is to crash before the
// second.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/disk.h"
#include "base/disk_image.h"

namespace fireweed {

class MemoryDisk final : public Disk {
 public:
  // A change that is about to happen, with the disk locked as it is just before.
  class Moment {
   public:
    virtual ~Moment() = default;
    virtual int64_t call() const = 0;             // its number
    virtual const std::string& what() const = 0;  // "sync blobs/3f/x", for messages
    virtual std::unique_ptr<MemoryDisk> AfterCrash(Loss loss, uint64_t seed = 0) const = 0;
  };

  MemoryDisk();
  ~MemoryDisk() override;

  int64_t calls() const;  // changes so far, the failed ones included
  // The change with this number and every call of any kind after it fail, as if the machine had
  // gone.
  void StopAt(int64_t call);
  // The change with this number fails and has no effect. A failed file sync also forgets, see
  // FileImage.
  void FailAt(int64_t call, Error error);
  // Writes that need more than this in all fail with kExhausted after filling what is left.
  void SetCapacity(int64_t bytes);
  // Called before every change, on the thread that makes it, while no other call can go on. It must
  // not use this disk; it may run whole programs on what AfterCrash gives.
  void Watch(std::function<void(const Moment&)> watcher);

  // The disk as a machine finds it when it starts again, with no faults set. This one is left
  // alone.
  std::unique_ptr<MemoryDisk> AfterCrash(Loss loss, uint64_t seed = 0) const;

  Result<std::unique_ptr<File>> Open(const std::string& path, OpenMode mode) override;
  Result<> Rename(const std::string& from, const std::string& to) override;
  Result<> Remove(const std::string& path) override;
  Result<> MakeDirectories(const std::string& path) override;
  Result<> SyncDirectory(const std::string& path) override;
  Result<std::vector<std::string>> List(const std::string& directory) override;
  Result<bool> Exists(const std::string& path) override;
  Result<int64_t> FreeBytes(const std::string& path) override;

 private:
  struct State;
  class OpenFile;
  class Now;
  explicit MemoryDisk(DiskImage image);
  std::shared_ptr<State> state_;  // shared with open files
};

}  // namespace fireweed
