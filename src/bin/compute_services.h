// The Compute Engine API: what answers its requests. What acts on them is in machines.h.
#pragma once

#include <vector>

#include "bin/people.h"
#include "compute/bulk_insert_service.h"
#include "compute/catalog_identity.h"
#include "compute/catalogue.h"
#include "compute/disks_service.h"
#include "compute/group_managers_service.h"
#include "compute/guest_attributes.h"
#include "compute/images_service.h"
#include "compute/instance_groups_service.h"
#include "compute/instance_life_service.h"
#include "compute/instance_settings.h"
#include "compute/instance_templates.h"
#include "compute/instances_service.h"
#include "compute/metadata_server.h"
#include "compute/networks_service.h"
#include "compute/projects_service.h"
#include "compute/tunnels_service.h"
#include "machine/host_cards.h"
#include "net/router.h"

namespace fireweed {

struct ComputeServices {
  ComputeServices(Ground& ground, People& people);

  void Serve(net::Router& router);

  compute::CatalogIdentity accounts;
  const std::vector<HostCard> cards;  // what the host has to lend
  compute::Catalogue catalogue;
  compute::ProjectQuotas quotas;
  compute::ImagesService images_service;
  compute::DisksService disks_service;
  compute::NetworksService networks_service;
  compute::ProjectsService compute_projects;
  compute::CatalogueService catalogue_service;
  compute::InstancesService instances_service;
  compute::BulkInsertService bulk_insert;
  compute::InstanceLifeService instance_life;
  compute::InstanceTemplatesService instance_templates;
  compute::GroupManagersService group_managers;
  compute::InstanceGroupsService instance_groups;
  compute::GuestAttributesService guest_attributes;
  compute::InstanceSettings instance_settings;
  compute::TunnelsService tunnels;
  compute::MetadataServer metadata;
};

}  // namespace fireweed
