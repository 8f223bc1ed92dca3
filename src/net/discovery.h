// The API describes itself: Google-style discovery documents, generated from the route and field
// tables, at every address where API clients, old or new, look for them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "net/router.h"

namespace fireweed::net {

// The document of one service. `root_url` ends in '/': "https://storage.googleapis.com/".
std::string DiscoveryDocument(const api::Service& service,
                              const std::vector<api::MethodEntry>& methods,
                              const std::string& root_url);

class Discovery {
 public:
  // Serves what `router` serves when a request comes: routes may still be added after this.
  explicit Discovery(Router& router) : router_(router) {}
  void Serve();
  // The whole document by service name and version; empty when there is none such.
  std::string Document(std::string_view name, std::string_view version) const;

 private:
  Answer Directory(const Call& call) const;
  Answer Rest(std::string_view name, std::string_view version) const;
  Answer OfHost(const Call& call) const;

  Router& router_;
};

}  // namespace fireweed::net
