// What for: git over HTTPS at source.developers.google.com/p/PROJECT/r/REPO: who may do what is decided here, git's own
//   http-backend does the rest.
// Who calls: the router, on pool threads. May block for git, a piece at a time.
// Bounded: `most_at_once` exchanges, each of which keeps a pool thread while it waits for git; more are refused.
// A failure: 401 that asks for Basic credentials, as git wants it; otherwise Failure.
#pragma once

#include <memory>
#include <string>

#include "api/source/source.h"
#include "base/guarded.h"
#include "base/log.h"
#include "catalog/catalog.h"
#include "net/router.h"
#include "source/cgi.h"
#include "source/git_exchange.h"
#include "source/repo_store.h"

namespace fireweed::source {

class GitService {
 public:
  struct Options {
    int most_at_once = 4;
    Duration patience = std::chrono::minutes(10);  // without a byte from or to git
    int64_t largest_request = int64_t{4} << 30;    // bytes of a push
  };
  GitService(const Catalog& catalog, const RepoStore& store, net::AccessControl& access,
             Logger& log, Options options);
  void Serve(net::Router& router);

 private:
  net::Answer Refs(const net::Call& call);
  std::unique_ptr<net::BodySink> Open(const net::Call& call, std::string_view service);
  // Checks the caller; throws Failure. `service` is git-upload-pack or git-receive-pack.
  CgiRequest Allowed(const net::Call& call, std::string_view service);
  std::unique_ptr<GitExchange> Start(const CgiRequest& request);

  // Constant after construction.
  const Catalog& catalog_;
  const RepoStore& store_;
  net::AccessControl& access_;
  Logger& log_;
  const Options options_;

  const std::shared_ptr<Guarded<int>> running_;  // shared with the permits of exchanges
};

}  // namespace fireweed::source
