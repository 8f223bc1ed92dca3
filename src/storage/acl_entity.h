// Who an entry of an access control list speaks of: "user-EMAIL", "group-EMAIL", "domain-NAME",
// "project-owners-NUMBER" (editors, viewers), "allUsers", "allAuthenticatedUsers"; and the same as a
// policy's member. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/storage/access_control.h"

namespace fireweed::storage {

// The project a bucket is in, by both of its names: lists say the number, policies the id.
struct ProjectNames {
  std::string_view id;
  int64_t number = 0;
};

// As it is kept: emails and domains in lower case. Failure(kInvalid) when it is no entity.
std::string NormalEntity(std::string_view entity);

bool IsPublicEntity(std::string_view entity);  // allUsers, allAuthenticatedUsers

// "user-ann@x" as "user:ann@x" and back. Teams of the bucket's own project are named by its id.
// An empty entity where a member has none ("deleted:...").
std::string MemberOf(std::string_view entity, const ProjectNames& home);
std::string EntityOf(std::string_view member, const ProjectNames& home);

// Fills what follows from the entity: email, domain, team.
void CompleteEntity(api::storage::AccessEntry& entry);

}  // namespace fireweed::storage
