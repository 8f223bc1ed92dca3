// Service Usage v1: which APIs a project shows as enabled. Whatever the router serves is enabled until somebody
// disables it; names that we do not serve may be enabled, too (scripts do), and then show in the list. Nothing is
// refused because a service is disabled.
// Handlers run on pool threads and may block for the catalog.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "api/serviceusage/service.h"
#include "base/log.h"
#include "catalog/catalog.h"
#include "identity/projects.h"
#include "net/router.h"

namespace fireweed::identity {

class ServiceUsage {
 public:
  ServiceUsage(Catalog& catalog, const Projects& projects, Logger& log)
      : catalog_(catalog), projects_(projects), log_(log) {}

  // The services that are on the router by the time of a request are the ones we have.
  void Serve(net::Router& router);

 private:
  api::serviceusage::ServiceList List(const api::serviceusage::ListServices& request,
                                      const net::Call& call);
  api::serviceusage::ProjectService Get(const api::serviceusage::NameService& request,
                                        const net::Call& call);
  api::serviceusage::ServiceList BatchGet(const api::serviceusage::BatchGet& request,
                                          const net::Call& call);
  api::LongRunningOperation Enable(const api::serviceusage::NameService& request,
                                   const net::Call& call);
  api::LongRunningOperation Disable(const api::serviceusage::NameService& request,
                                    const net::Call& call);
  api::LongRunningOperation BatchEnable(const api::serviceusage::BatchEnable& request,
                                        const net::Call& call);

  // Name to title, of what the router serves.
  std::map<std::string, std::string> Served() const;
  // All services of a project with their states, by name; makes the project on first use where that is allowed.
  std::map<std::string, api::serviceusage::ProjectService> Load(const std::string& project,
                                                                const net::Call& call);
  std::vector<api::serviceusage::ProjectService> SetState(const std::string& project,
                                                          const std::vector<std::string>& names,
                                                          bool enabled, const net::Call& call);

  Catalog& catalog_;
  const Projects& projects_;
  Logger& log_;
  const net::Router* router_ = nullptr;  // set by Serve
};

}  // namespace fireweed::identity
