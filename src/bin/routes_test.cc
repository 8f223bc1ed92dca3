// The whole route table of the daemon: no two routes may match one path, and all describe themselves.
#include <gtest/gtest.h>

#include "base/ids.h"
#include "base/log.h"
#include "base/memory_disk.h"
#include "base/sim_clock.h"
#include "blob/memory_blob_store.h"
#include "catalog/memory_catalog.h"
#include "compute/catalog_identity.h"
#include "compute/disks_service.h"
#include "compute/guest_attributes.h"
#include "compute/images_service.h"
#include "compute/instance_settings.h"
#include "compute/instances_service.h"
#include "compute/networks_service.h"
#include "compute/operations_service.h"
#include "compute/projects_service.h"
#include "identity/access.h"
#include "identity/account_service.h"
#include "identity/admin_service.h"
#include "identity/credentials_service.h"
#include "identity/oauth_service.h"
#include "identity/project_service.h"
#include "identity/service_usage.h"
#include "logs/log_store.h"
#include "logs/logging_service.h"
#include "net/batch.h"
#include "net/discovery.h"
#include "source/git_service.h"
#include "source/repos_service.h"
#include "storage/service.h"

namespace fireweed {
namespace {

struct AllServices {
  AllServices() {
    project_service.Serve(router);
    account_service.Serve(router);
    credentials_service.Serve(router);
    oauth_service.Serve(router);
    service_usage.Serve(router);
    admin_service.Serve(router);
    logging.Serve(router);
    storage.Serve(router);
    source_repos.Serve(router);
    git.Serve(router);
    images.Serve(router);
    disks.Serve(router);
    networks.Serve(router);
    projects_service.Serve(router);
    catalogue_service.Serve(router);
    instances.Serve(router);
    guest_attributes.Serve(router);
    settings.Serve(router);
    operations.Serve(router);
    batch.Serve();
    discovery.Serve();
  }

  SimClock clock;
  SeededRandom random{1};
  NullLogger log;
  IdSource ids{clock, random};
  MemoryCatalog catalog;
  MemoryBlobStore blobs{ids};
  identity::Access access{catalog, clock, random};
  identity::Tokens tokens{catalog, clock, random};
  identity::Projects projects{clock, random, {}};
  identity::SigningKeys keys{catalog, clock, random};
  identity::ProjectService project_service{catalog, projects, access, log};
  identity::AccountService account_service{catalog, clock, random, projects, access, log};
  identity::CredentialsService credentials_service{catalog, tokens, keys, log};
  identity::OAuthService oauth_service{catalog, clock, tokens, keys, log};
  identity::ServiceUsage service_usage{catalog, projects, log};
  identity::AdminService admin_service{catalog, clock, random, tokens, log};
  MemoryDisk disk;
  logs::LogStore log_store{disk, "state/logs"};
  logs::LoggingService logging{{log_store, catalog, access, ids, clock,
                                [](const std::string& name, const net::Caller&) { return name; }}};
  storage::StorageService storage{{catalog, blobs, projects, access, clock, random, log}};
  source::RepoStore repo_store{"/nonexistent"};
  source::ReposService source_repos{catalog, repo_store, projects, access, ids, clock, log};
  source::GitService git{catalog, repo_store, access, log, {}};
  compute::CatalogIdentity accounts{catalog, projects, tokens, keys};
  compute::Catalogue catalogue{{}};
  compute::ImagesService images{catalog, access, accounts, ids, clock};
  compute::DisksService disks{catalog, access, accounts, catalogue, {}, ids, clock};
  compute::NetworksService networks{catalog, ids, clock};
  compute::ProjectQuotas quotas{catalog, catalogue, {}};
  compute::ProjectsService projects_service{catalog, accounts, quotas, ids, clock};
  compute::CatalogueService catalogue_service{catalogue, quotas};
  compute::InstancesService instances{catalog, access, catalogue, accounts, ids, clock, {}};
  compute::InstanceSettings settings{catalog, access, catalogue, accounts, ids, clock, false};
  OperationWaiters waiters{catalog};
  compute::GuestAttributesService guest_attributes{catalog};
  compute::OperationsService operations{catalog, waiters};
  net::Router router{access};
  net::Batch batch{router};
  net::Discovery discovery{router};
};

TEST(Routes, NoTwoMatchOnePath) {
  AllServices services;
  for (const auto& [a, b] : services.router.Collisions()) ADD_FAILURE() << a << " and " << b;
  EXPECT_GT(services.router.methods().size(), 100u);
}

TEST(Routes, EveryServiceDescribesItself) {
  AllServices services;
  for (const char* name : {"storage", "compute", "iam", "cloudresourcemanager", "serviceusage"}) {
    std::string document = services.discovery.Document(name, "v1");
    EXPECT_NE(document.find("\"resources\""), std::string::npos) << name;
    EXPECT_NE(document.find("\"schemas\""), std::string::npos) << name;
  }
  EXPECT_NE(services.discovery.Document("logging", "v2").find("LogEntry"), std::string::npos);
}

}  // namespace
}  // namespace fireweed
