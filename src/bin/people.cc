#include "bin/people.h"

#include "client/endpoint.h"

namespace fireweed {

People::People(Ground& given)
    : ground(given),
      access(ground.catalog, ground.clock, ground.random),
      tokens(ground.catalog, ground.clock, ground.random),
      projects(ground.clock, ground.random,
               {.auto_create = ground.options.config.projects.automatic}),
      signing_keys(ground.catalog, ground.clock, ground.random),
      project_service(ground.catalog, projects, access, ground.log),
      account_service(ground.catalog, ground.clock, ground.random, projects, access, ground.log),
      credentials_service(ground.catalog, tokens, signing_keys, ground.log),
      oauth_service(ground.catalog, ground.clock, tokens, signing_keys, ground.log),
      service_usage(ground.catalog, projects, ground.log),
      admin_service(ground.catalog, ground.clock, ground.random, tokens, ground.log) {}

void People::Serve(net::Router& router) {
  project_service.Serve(router);
  account_service.Serve(router);
  credentials_service.Serve(router);
  oauth_service.Serve(router);
  service_usage.Serve(router);
  admin_service.Serve(router);
}

std::string People::ProjectId(const std::string& name, const net::Caller& caller) {
  auto known = Query(ground.catalog, [&](Txn& txn) { return projects.Find(txn, name); });
  if (known) return known->projectId;
  return fireweed::Update(ground.catalog, "project first use",
                          [&](Txn& txn) { return projects.Ensure(txn, name, caller).projectId; });
}

void People::PrepareOwner() {
  std::string path = ground.state.Path(kOwnerFile);
  std::string old = ReadIfThere(*ground.disk, path);
  std::string now = tokens.EnsureOwner(old);
  if (now != old) WriteDurably(*ground.disk, path, now);
  net::Caller owner;
  owner.principal = identity::kOwnerPrincipal;
  owner.email = identity::kOwnerEmail;
  const std::string& id = ground.options.config.projects.default_project;
  auto there = Query(ground.catalog, [&](Txn& txn) { return projects.Find(txn, id); });
  if (there) return;
  ground.catalog.Write("default project",
                       [&](Txn& txn) { projects.Create(txn, id, id, {}, owner); });
}

}  // namespace fireweed
