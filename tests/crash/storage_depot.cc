// The storage service itself, asked through its routes as clients do.
#include <charconv>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "crash/depot.h"
#include "storage/part_uploads.h"
#include "storage/resumable.h"
#include "storage/storage_fixture.h"

namespace fireweed::crash {
namespace {

constexpr const char* kBucket = "crash-bucket";

// Throws unless the status is one of those that were to be expected.
storage::Reply Expect(storage::Reply reply, std::initializer_list<int> good) {
  for (int status : good) {
    if (reply.status == status) return reply;
  }
  throw Failure(Code::kInternal, fmt::format("status {}: {}", reply.status, reply.body));
}

int64_t StoredLength(const storage::Reply& reply) {
  std::string text = reply.Header("X-Goog-Stored-Content-Length");
  int64_t length = 0;
  std::from_chars(text.data(), text.data() + text.size(), length);
  return length;
}

class StorageDepot final : public Depot {
 public:
  StorageDepot(Disk& disk, uint64_t life) : Depot(disk, life) {
    fixture_.service = std::make_unique<storage::StorageService>(storage::StorageParts{
        catalog_, *blobs_, fixture_.projects, fixture_.access, clock_, random_, logger_});
    fixture_.router = std::make_unique<net::Router>(fixture_.access);
    fixture_.service->Serve(*fixture_.router);
    Expect(fixture_.Send("POST", "/storage/v1/b?project=crash-project",
                         fmt::format(R"({{"name":"{}"}})", kBucket)),
           {200, 409});
  }

  void Put(const std::string& name, std::string_view content) override {
    Expect(fixture_.Send("POST", Target("uploadType=media&name=" + name), std::string(content)),
           {200});
  }

  void Remove(const std::string& name) override {
    Expect(fixture_.Send("DELETE", fmt::format("/storage/v1/b/{}/o/{}", kBucket, name)),
           {204, 404});
  }

  UploadKey Begin(const std::string& name) override {
    storage::Reply reply = fixture_.Send("POST", Target("uploadType=resumable&name=" + name));
    return Expect(std::move(reply), {200}).Header("X-GUploader-UploadID");
  }

  int64_t Send(const UploadKey& key, int64_t at, std::string_view piece) override {
    int64_t last = at + static_cast<int64_t>(piece.size()) - 1;
    return StoredLength(
        Expect(Chunk(key, fmt::format("bytes {}-{}/*", at, last), std::string(piece)), {308}));
  }

  void Finish(const UploadKey& key, int64_t total) override {
    Expect(Chunk(key, fmt::format("bytes */{}", total), ""), {200});
  }

  bool HasOtherWays() const override { return true; }

  void PutInParts(const std::string& name, std::string_view content) override {
    std::string path = fmt::format("/{}/{}", kBucket, name);
    std::string started = Expect(fixture_.Send("POST", path + "?uploads"), {200}).body;
    size_t at = started.find("<UploadId>") + 10;
    std::string id = started.substr(at, started.find('<', at) - at);
    std::string part = fmt::format("{}?partNumber=1&uploadId={}", path, id);
    Expect(fixture_.Send("PUT", part, "replaced"), {200});
    Expect(fixture_.Send("PUT", part, std::string(content)), {200});
    Expect(fixture_.Send("PUT", fmt::format("{}?partNumber=2&uploadId={}", path, id), "left out"),
           {200});
    Expect(fixture_.Send("POST", path + "?uploadId=" + id,
                         "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber></Part>"
                         "</CompleteMultipartUpload>"),
           {200});
  }

  void Copy(const std::string& from, const std::string& to) override {
    Expect(fixture_.Send("POST", fmt::format("/storage/v1/b/{0}/o/{1}/rewriteTo/b/{0}/o/{2}",
                                             kBucket, from, to)),
           {200});
  }

  void Move(const std::string& from, const std::string& to) override {
    Expect(
        fixture_.Send("POST", fmt::format("/storage/v1/b/{}/o/{}/moveTo/o/{}", kBucket, from, to)),
        {200});
  }

  void Compose(const std::vector<std::string>& from, const std::string& to) override {
    std::string sources;
    for (const std::string& name : from) {
      sources += fmt::format(R"({}{{"name":"{}"}})", sources.empty() ? "" : ",", name);
    }
    Expect(fixture_.Send("POST", fmt::format("/storage/v1/b/{}/o/{}/compose", kBucket, to),
                         "{\"sourceObjects\":[" + sources + "]}"),
           {200});
  }

  SweepReport Sweep() override { return fixture_.service->Sweep(); }

  std::vector<FoundObject> Objects() override {
    std::vector<FoundObject> objects;
    for (const storage::ListedVersion& item : Versions()) {
      FoundObject& object = objects.emplace_back(FoundObject{item.name, "", std::nullopt});
      storage::Reply reply =
          fixture_.Send("GET", fmt::format("/storage/v1/b/{}/o/{}?alt=media", kBucket, item.name));
      object.content = reply.body;
      if (reply.status != 200) {
        object.problem = fmt::format("status {}", reply.status);
      } else if (static_cast<int64_t>(reply.body.size()) != item.row.size ||
                 Crc32c(AsBytes(reply.body)) != item.row.crc32c ||
                 (!item.row.md5.empty() && Hash(Digest::kMd5, reply.body) != item.row.md5)) {
        object.problem = "other bytes than its row says";
      }
    }
    return objects;
  }

  FoundUpload Look(const UploadKey& key) override {
    storage::Reply reply = Expect(Chunk(key, "bytes */*", ""), {200, 308, 404});
    if (reply.status != 308) return {};
    return {true, StoredLength(reply), std::nullopt};
  }

  std::set<BlobId> ReferredTo() override {
    std::set<BlobId> ids;
    for (const storage::ListedVersion& item : Versions()) {
      for (const storage::ObjectPart& part : item.row.parts) ids.insert(part.blob);
    }
    auto uploads = Query(catalog_, [](Txn& txn) { return txn.Scan<storage::UploadRecord>({}); });
    for (const auto& upload : uploads) {
      if (!upload.value.draft.empty()) ids.insert(upload.value.draft);
    }
    auto parts = Query(catalog_, [](Txn& txn) { return txn.Scan<storage::UploadedPart>({}); });
    for (const auto& part : parts) ids.insert(part.value.blob);
    return ids;
  }

 private:
  static std::string Target(const std::string& query) {
    return fmt::format("/upload/storage/v1/b/{}/o?{}", kBucket, query);
  }
  storage::Reply Chunk(const UploadKey& key, std::string range, std::string body) {
    return fixture_.Send("PUT", Target("uploadType=resumable&upload_id=" + key), std::move(body),
                         {{"Content-Range", std::move(range)}});
  }
  std::vector<storage::ListedVersion> Versions() {
    storage::ListingQuery query;
    query.versions = true;
    return fixture_.service->store().List(kBucket, query).items;
  }

  storage::StorageFixture fixture_;
};

}  // namespace

std::unique_ptr<Depot> MakeStorageDepot(Disk& disk, uint64_t life) {
  return std::make_unique<StorageDepot>(disk, life);
}

}  // namespace fireweed::crash
