// What for: project rows. Every service asks Ensure in the transaction that makes something in a project.
// Who calls: services, inside catalog transactions, any thread. Nothing blocks beyond the transaction.
// A failure: Failure, which rolls the transaction back.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "api/crm/project.h"
#include "base/clock.h"
#include "base/random.h"
#include "catalog/catalog.h"
#include "net/access.h"

namespace fireweed::identity {

struct ProjectOptions {
  bool auto_create =
      true;  // projects.auto: an id nobody made is made on first use by the local owner
};

class Projects {
 public:
  Projects(const Clock& clock, Random& random, ProjectOptions options)
      : clock_(clock), random_(random), options_(options) {}

  // The project, made here if it may be. `project` is an id or a number. kNotFound when there is none and the
  // caller may not make it, kDenied when it is being deleted.
  api::crm::Project Ensure(Txn& txn, std::string_view project, const net::Caller& caller) const;

  // By id or number, in whatever state.
  std::optional<api::crm::Project> Find(Txn& txn, std::string_view id_or_number) const;

  // With its number, its policy (the creator owns it) and its default compute service account, who is an editor.
  // kExists when the id is taken, kInvalid when it is no id.
  api::crm::Project Create(Txn& txn, std::string_view id, std::string_view name,
                           const std::map<std::string, std::string>& labels,
                           const net::Caller& creator) const;

  // Whether asking for an id nobody made would make it.
  bool WouldCreate(const net::Caller& caller) const;

 private:
  int64_t FreeNumber(Txn& txn) const;

  const Clock& clock_;
  Random& random_;
  const ProjectOptions options_;
};

// 6 to 30 lower-case letters, digits and dashes, a letter first and no dash last.
bool IsProjectId(std::string_view id);

}  // namespace fireweed::identity
