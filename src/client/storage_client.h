// What for: objects in and out of the store over the JSON API, streamed.
// Threads: any number at once. May block: yes, on the network and in the sinks and sources handed in.
// Owns: its RestClient. Memory: a buffer per call, whatever the object's size.
// A failure: Failure as the server worded it; kUnavailable where trying again may help.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "api/storage/object.h"
#include "client/rest_client.h"
#include "describe/json_tree.h"
#include "net/http_message.h"

namespace fireweed {

struct UploadSpec {
  std::string bucket, name;
  JsonTree metadata;  // contentType, crc32c, metadata, ...: an Object resource
  std::string predefined_acl;
  std::optional<int64_t> if_generation_match, if_metageneration_match;
};

// How far a resumable upload has come.
struct UploadState {
  bool done = false;
  int64_t persisted = 0;        // bytes the server has, when not done
  api::storage::Object object;  // when done
};

class StorageClient {
 public:
  using Sink = std::function<void(std::span<const std::byte>)>;

  StorageClient(const Endpoint& endpoint, AuthorizedUser owner)
      : rest_(endpoint, std::move(owner)) {}

  RestClient& rest() { return rest_; }

  // nullopt when there is no such object.
  std::optional<api::storage::Object> Find(const std::string& bucket, const std::string& name,
                                           std::optional<int64_t> generation = std::nullopt);
  // Every object with the prefix, a page at a time in memory; `visit` returns false to stop. Prefixes up to a
  // delimiter come as objects of which only the name is set.
  void List(api::storage::ListObjects request,
            const std::function<bool(const api::storage::Object&)>& visit);
  // The bytes of a gzip-encoded object as whoever made it meant them; all of them, or nothing.
  void ReadDecoded(const api::storage::Object& object, const Sink& sink);
  // Stored bytes from `offset` on, as they are stored: a gzip-encoded object is not decoded.
  void Read(const api::storage::Object& object, int64_t offset, std::optional<int64_t> length,
            const Sink& sink);
  // The whole object at once.
  api::storage::Object Upload(const UploadSpec& spec, std::string_view bytes);

  // Resumable uploads: the address of a new one, its state, and more bytes for it. `total` is the object's
  // size, nullopt while unknown; `source` is null for a question. kNotFound and kGone: begin again.
  std::string StartUpload(const UploadSpec& spec);
  UploadState AskUpload(const std::string& session, std::optional<int64_t> total);
  UploadState ContinueUpload(const std::string& session, int64_t offset, int64_t length,
                             std::optional<int64_t> total, net::ByteSource* source);

  // Server-side copy, in as many steps as the server wants. `progress` hears the bytes done so far.
  api::storage::Object Copy(api::storage::CopyObject request,
                            const std::function<void(int64_t)>& progress);

 private:
  UploadState StateOf(const net::ClientResponse& response);
  static std::string UploadTarget(const UploadSpec& spec, std::string_view type);

  RestClient rest_;
};

}  // namespace fireweed
