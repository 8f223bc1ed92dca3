// What for: immutable bytes by id. Dumb on purpose: names, generations and preconditions are the
//   object index's business. Order makes it crash-safe: bytes synced, then the row committed; what
//   no row refers to is swept.
// Who calls: storage, on pool threads; any number at once. A writer is used by one thread at a
//   time; a reader by any number.
// May block: yes.
// Owns: the bytes. A writer that is destroyed without Commit leaves its draft to be resumed or swept.
// A failure: nothing is visible that was not committed; kExhausted when the disk is full. A writer
//   that failed once fails ever after with the same error; its draft can be resumed from what was
//   durable.
//
// A writer *holds* its id for as long as it lives, also after Commit, and nothing that is held is
// swept. So keep the writer until the row that refers to the blob (or, for a resumable upload, to
// the draft) is committed. Once an id is neither held nor referred to, nobody may begin to refer to
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/disk.h"
#include "base/result.h"

namespace fireweed {

using BlobId = std::string;  // a sortable lower-case word, safe as a file name

struct BlobInfo {
  BlobId id;
  int64_t size = 0;
  uint32_t crc32c = 0;
  std::string md5;  // 16 raw bytes
};

class BlobWriter {  // a draft: invisible until Commit
 public:
  virtual ~BlobWriter() = default;
  virtual const BlobId& id() const = 0;
  virtual int64_t size() const = 0;  // appended so far
  virtual Result<> Append(std::span<const std::byte> bytes) = 0;
  // How much is durable by now: what Resume goes on from after a crash. Whoever tells a client "I
  // have N bytes" calls this first.
  virtual Result<int64_t> Sync() = 0;
  // Durable when it returns. Afterwards only id, size and Sums work.
  virtual Result<BlobInfo> Commit() = 0;
  // Of what was appended so far, before the promise of Commit.
  virtual BlobInfo Sums() const = 0;
};

class BlobReader {
 public:
  virtual ~BlobReader() = default;
  virtual int64_t size() const = 0;
  // Reads up to out.size() bytes; fewer only at the end.
  virtual Result<size_t> ReadAt(int64_t offset, std::span<std::byte> out) const = 0;
  // The file behind it for sendfile, or null.
  virtual std::shared_ptr<const File> file() const { return nullptr; }
};

struct BlobListing {
  BlobId id;
  bool draft = false;
  bool held = false;  // a writer of it was alive when it was listed
  Time created;
};

class BlobStore {
 public:
  virtual ~BlobStore() = default;
  virtual Result<std::unique_ptr<BlobWriter>> Create() = 0;
  // Goes on with a draft, also after a crash, from what its last successful Sync said. kNotFound:
  // no such draft; kExists: it was committed already, Open it; kUnavailable: another writer has it.
  virtual Result<std::unique_ptr<BlobWriter>> Resume(const BlobId& draft) = 0;
  // kNotFound for a draft.
  virtual Result<std::shared_ptr<BlobReader>> Open(const BlobId& id) const = 0;
  // A blob or a draft; gone already is success. Readers that have it open go on. A crash may bring
  // it back: it is swept again.
  virtual Result<> Drop(const BlobId& id) = 0;
  // As long as the token lives, Drop puts off what it is asked and says that it is done: whoever copies blobs
  // finds all that a row referred to when it began. A crash forgets what was put off; it is swept. The token
  // goes before the store. Null where nothing is put off.
  virtual std::shared_ptr<const void> PauseDrops() { return nullptr; }
  // Only as long as it is a draft: a blob of this id is left alone. kUnavailable while a writer has it.
  virtual Result<> DropDraft(const BlobId& draft) = 0;
  // kExhausted when new bytes would be refused for want of room. Quick: no more than a look at the disk.
  virtual Result<> CheckRoom() const { return Done{}; }
  // Every blob and draft that is there, for sweep and fsck, in no order. `each` may call the store.
  virtual Result<> List(const std::function<void(const BlobListing&)>& each) const = 0;
};

}  // namespace fireweed
