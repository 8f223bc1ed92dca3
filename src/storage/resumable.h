// What for: uploads in several requests. What was promised to a client (its upload, and how much of
//   it is here) survives a restart: the upload is a catalog row, its bytes a draft of the blob
//   store.
// Who calls: Uploads, on pool threads. One request at a time goes on with an upload: a later one takes
//   over, and the earlier is told to try again (503).
// May block: yes.
// Owns: writers of uploads that were lately active, so that the next chunk need not read the draft
//   again.
// A failure: Failure; kNotFound for an upload nobody knows makes clients begin anew.
//
//   start -> row -> chunks (draft grows; synced and noted in the row before 308) -> commit of the
//   blob -> object and row "complete" in one transaction. An upload that comes in one piece never
//   notes its draft: one sync of its bytes, one of its row. A crash after the commit of a noted
//   draft leaves a blob that the row refers to: the next request finishes the job. One that was not
//   noted is swept, and the client begins again.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "api/storage/upload.h"
#include "base/clock.h"
#include "base/guarded.h"
#include "base/random.h"
#include "catalog/record.h"
#include "net/router.h"
#include "storage/byte_range.h"
#include "storage/object_store.h"
#include "storage/upload_target.h"

namespace fireweed::storage {

// Key: the upload id, a secret word.
struct UploadRecord : api::storage::ObjectConditions {
  std::string bucket;
  api::storage::Object metadata;
  std::string predefined_acl, owner;
  std::string draft;  // blob id; empty before the first bytes are noted, and once complete
  std::optional<int64_t> total;  // as announced with the start or with bytes
  Time created;
  std::optional<int64_t> generation;  // of the object, once complete
  bool may_replace = true;            // as in NewObject
};

class ResumableUploads {
 public:
  ResumableUploads(ObjectStore& store, Catalog& catalog, BlobStore& blobs, const Clock& clock,
                   Random& random)
      : store_(store), catalog_(catalog), blobs_(blobs), clock_(clock), random_(random) {}

  std::unique_ptr<net::BodySink> Start(UploadTarget target, const net::Call& call);
  // How the object that an upload became is answered; without one as the JSON API does.
  using Finished = std::function<net::Response(const ObjectRow& row)>;
  std::unique_ptr<net::BodySink> Continue(const api::storage::UploadObject& request,
                                          const net::Call& call, Finished finished = nullptr);
  // A new upload's id. `total`: its size, where the client has said it.
  std::string Begin(const UploadTarget& target, std::optional<int64_t> total);
  // Nothing is left of it. kNotFound when there is none.
  void Cancel(const std::string& id);
  // Ends uploads that began before `limit`; complete ones are forgotten.
  void ExpireBefore(Time limit);

 private:
  class StartSink;
  class ChunkSink;

  // What a request has of an upload while it goes on with it.
  struct Attempt {
    explicit Attempt(std::string upload) : id(std::move(upload)) {}
    const std::string id;
    std::mutex mu;
    // All guarded by mu.
    bool over = false;  // nobody takes it over any more, and whose it was touches nothing
    UploadRecord record;
    std::optional<int64_t> total;  // to be noted with the bytes
    std::unique_ptr<BlobWriter> writer;
  };

  // One request's turn at an upload. A later request takes it over: a client that lost its connection goes on at once,
  // while the server still waits for bytes of the old one.
  class Turn {
   public:
    // Ends the turn of the request before, whose bytes are left when this returns.
    Turn(ResumableUploads& uploads, const std::string& id);
    ~Turn();
    Turn(const Turn&) = delete;

    // For as long as the attempt is used. kUnavailable when another request took over.
    std::unique_lock<std::mutex> Hold() const;
    Attempt& attempt() const { return *attempt_; }

   private:
    ResumableUploads& uploads_;
    const std::shared_ptr<Attempt> attempt_;
  };

  // A writer that stays open between two chunks.
  struct OpenWriter {
    std::string upload;
    std::unique_ptr<BlobWriter> writer;
  };

  UploadRecord Find(const std::string& id) const;
  // Ends an attempt and leaves its bytes, unless it is over already.
  void End(Attempt& attempt);
  // Leaves the bytes so that a later request goes on with them; how many there are. Like the next,
  // under the attempt's lock.
  int64_t Suspend(Attempt& attempt);
  int64_t SyncAndNote(Attempt& attempt);
  std::unique_ptr<BlobWriter> TakeWriter(const std::string& id, const UploadRecord& record);
  void KeepWriter(const std::string& id, std::unique_ptr<BlobWriter> writer);
  // Writes down where the bytes are, once they are durable.
  void NoteDraft(const std::string& id, const BlobId& draft, std::optional<int64_t> total);
  ObjectRow Complete(const std::string& id, const UploadRecord& record, const BlobInfo& info,
                     const DeclaredSums& declared);
  // Sums of a blob that was committed by a process that then ended.
  BlobInfo SumsOfCommitted(const BlobId& blob) const;
  void Forget(const std::string& id);

  ObjectStore& store_;
  Catalog& catalog_;
  BlobStore& blobs_;
  const Clock& clock_;
  Random& random_;
  Guarded<std::list<OpenWriter>> open_;                             // last used first
  Guarded<std::map<std::string, std::shared_ptr<Attempt>>> turns_;  // the latest of each upload
};

}  // namespace fireweed::storage

namespace fireweed {
template <>
inline constexpr auto kFields<storage::UploadRecord> = [](auto...) {
  return Join(
      Fields{F("bucket", &storage::UploadRecord::bucket),
             F("metadata", &storage::UploadRecord::metadata),
             F("predefinedAcl", &storage::UploadRecord::predefined_acl),
             F("owner", &storage::UploadRecord::owner), F("draft", &storage::UploadRecord::draft),
             F("total", &storage::UploadRecord::total),
             F("created", &storage::UploadRecord::created),
             F("generation", &storage::UploadRecord::generation),
             F("mayReplace", &storage::UploadRecord::may_replace)},
      api::storage::ConditionFields<storage::UploadRecord>());
};
template <>
inline constexpr std::string_view kRecordKind<storage::UploadRecord> = "upload";
}  // namespace fireweed
