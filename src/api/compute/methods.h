// Every route of Compute Engine, for those who bind or list them all.
#pragma once

#include "api/compute/bulk_insert.h"                     // IWYU pragma: export
#include "api/compute/catalogue_methods.h"               // IWYU pragma: export
#include "api/compute/disk_methods.h"                    // IWYU pragma: export
#include "api/compute/image_methods.h"                   // IWYU pragma: export
#include "api/compute/instance_group_manager_methods.h"  // IWYU pragma: export
#include "api/compute/instance_groups.h"                 // IWYU pragma: export
#include "api/compute/instance_life_methods.h"           // IWYU pragma: export
#include "api/compute/instance_methods.h"                // IWYU pragma: export
#include "api/compute/instance_settings_methods.h"       // IWYU pragma: export
#include "api/compute/instance_templates.h"              // IWYU pragma: export
#include "api/compute/network_methods.h"                 // IWYU pragma: export
#include "api/compute/operation_methods.h"               // IWYU pragma: export
#include "api/compute/project_methods.h"                 // IWYU pragma: export
