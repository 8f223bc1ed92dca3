// Resources beside instances, for those who deal with them all.
#pragma once

#include "api/compute/disk.h"      // IWYU pragma: export
#include "api/compute/firewall.h"  // IWYU pragma: export
#include "api/compute/image.h"     // IWYU pragma: export
#include "api/compute/network.h"   // IWYU pragma: export
#include "api/compute/project.h"   // IWYU pragma: export
