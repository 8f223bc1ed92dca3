// The storage services behind a router, without sockets, for their tests. Catalog and blobs outlive
// the services, so that a test can restart them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/sim_clock.h"
#include "blob/memory_blob_store.h"
#include "catalog/memory_catalog.h"
#include "identity/projects.h"
#include "net/router.h"
#include "storage/service.h"

namespace fireweed::storage {

// Everybody is the local owner and may do everything, but for what `refused` names.
class OpenAccess final : public net::AccessControl {
 public:
  std::shared_ptr<const net::Caller> Identify(const net::Request& request) override;
  bool May(const net::Caller& caller, std::string_view permission,
           std::string_view resource) override;
  std::shared_ptr<const net::Caller> IdentifyInline(const net::Request& request) override {
    return Identify(request);
  }
  std::optional<bool> MayInline(const net::Caller& caller, std::string_view permission,
                                std::string_view resource) override {
    return May(caller, permission, resource);
  }
  std::string refused;  // "storage.objects.get buckets/b"
};

struct Reply {
  int status = 0;
  std::vector<net::ResponseHeader> headers;
  std::string body;

  std::string Header(std::string_view name) const;
  // The text of a top-level JSON string field; empty when absent.
  std::string Field(std::string_view name) const;
};

struct Ask {
  std::string method, target, body;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string host = "storage.googleapis.com";
  size_t step = 4096;            // bytes of a streamed body that are written at once
  bool break_off = false;        // the client goes away before the end of its body
  std::function<void()> midway;  // called when the body is written and its end has not come yet
};

class StorageFixture {
 public:
  StorageFixture();

  Reply Send(const Ask& ask);
  Reply Send(std::string method, std::string target, std::string body = "",
             std::vector<std::pair<std::string, std::string>> headers = {});
  // New services over the same rows and blobs: as after the process ended and came back.
  void Restart();

  // Uploads in one request; the reply of the server.
  Reply Upload(std::string_view bucket, std::string_view name, std::string body,
               std::string_view more_query = "");
  std::string Read(std::string_view bucket, std::string_view name);
  // Small ones in the catalog and files of the blob store.
  int64_t BlobCount();

  SimClock clock;
  SeededRandom random{42};
  NullLogger log;
  IdSource ids{clock, random};
  MemoryCatalog catalog;
  MemoryBlobStore blobs{ids};
  identity::Projects projects{clock, random, {.auto_create = true}};
  OpenAccess access;
  StoreOptions options;                   // of the services, from the next Restart on
  net::AccessControl* control = &access;  // whom the services ask, from the next Restart on
  std::unique_ptr<StorageService> service;
  std::unique_ptr<net::Router> router;
  net::Dispatcher* front = nullptr;  // what requests meet first; null: the router

  // The reply as it is, its body not yet read.
  net::Response Open(const Ask& ask);

 private:
  net::Response Dispatch(const net::Request& request, const Ask& ask);
  net::Dispatcher& Front() { return front ? *front : *router; }
};

}  // namespace fireweed::storage
