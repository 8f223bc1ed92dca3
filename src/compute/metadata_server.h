// What for: http://metadata.google.internal for every instance. Who asks is known by the socket (Origin), so an
//   instance can only ever see itself.
// Threads: requests on pool threads. As a controller it is woken on the control thread when an instance's or a
//   project's record changes, and answers the polls that wait for that.
// May block: for the catalog, and for identity when a token is made.
// Owns: the waiting polls, and tokens it handed out, which it hands out again until they are about to expire.
// A failure: plain text with the status, as the cloud's server answers.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "catalog/catalog.h"
#include "catalog/row_cache.h"
#include "compute/instance_identity.h"
#include "compute/metadata_tree.h"
#include "compute/records.h"
#include "control/controller.h"
#include "net/http_message.h"

namespace fireweed::compute {

class MetadataServer final : public net::Dispatcher, public Controller {
 public:
  // Made before the catalog's first Write (it caches rows).
  MetadataServer(Catalog& catalog, InstanceIdentity& identity, const Clock& clock);

  net::Answer Handle(const net::Request& request) override;
  net::Response RenderError(const net::Request& request, const Error& error) override;

  // A kind of no records: it only listens to others'.
  std::string_view kind() const override { return "compute.metadata-poll"; }
  std::vector<std::string_view> also_watches() const override;
  std::vector<Key> Concerns(std::string_view kind, const Key& key) override;
  std::optional<Time> Reconcile(const Key& key) override;
  std::optional<std::vector<Key>> start_keys() const override { return std::vector<Key>(); }

  size_t waiting() const;

 private:
  // What a request asks for, apart from whose.
  struct Question {
    std::string path;  // decoded, below "/computeMetadata/v1/", without a slash at the end
    bool slash = false;
    bool recursive = false;
    MetadataForm form = MetadataForm::kText;
    std::string location;  // where a directory without its slash is sent
  };
  struct Poll {
    Question question;
    std::string seen_etag;
    std::shared_ptr<net::Deferred> deferred;
  };
  struct KnownToken {
    std::string account_id, token;
    Time expires;
  };

  std::optional<MetadataNode> Tree(const Key& instance);
  net::Response Answer(const Key& instance, const Question& question);
  net::Answer Wait(const Key& instance, const Question& question, const net::Request& request);
  std::optional<net::Response> Live(const Key& instance, const Question& question,
                                    const net::Request& request);
  net::Response Token(const api::compute::InstanceServiceAccount& account, std::string_view scopes);
  net::Response Identity(const InstanceRecord& instance, const std::string& email,
                         const net::Request& request);
  net::Response WriteGuestAttribute(const Key& instance, const std::string& name,
                                    const net::Request& request);

  // Constant after construction.
  Catalog& catalog_;
  InstanceIdentity& identity_;
  const Clock& clock_;

  RowCache<InstanceRecord> instances_;
  RowCache<ProjectRecord> projects_;
  RowCache<GuestAttributes> guests_;
  Guarded<std::map<std::string, KnownToken>> tokens_;  // by account and scopes
  mutable Guarded<std::map<Key, std::vector<Poll>>> polls_;
};

}  // namespace fireweed::compute
