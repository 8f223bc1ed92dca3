// The filter language of projects.list: terms "key:value" or "key=value" joined by spaces, AND and OR, with NOT (or "-")
// and parentheses: gcloud puts those around what its user wrote. Values may hold '*', and spaces in quotes. Keys: id, projectId, name, projectNumber, lifecycleState, labels.KEY.
#pragma once

#include <string_view>

#include "api/crm/project.h"

namespace fireweed::identity {

// kInvalid for a filter it does not understand: an ignored term would show more than was asked for.
bool MatchesFilter(const api::crm::Project& project, std::string_view filter);

}  // namespace fireweed::identity
