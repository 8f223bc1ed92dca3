#include "storage/acl_entity.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/error.h"

namespace fireweed::storage {
namespace {

struct TeamPair {
  std::string_view team, member;  // "owners", "projectOwner"
};
constexpr std::array<TeamPair, 3> kTeams{
    {{"owners", "projectOwner"}, {"editors", "projectEditor"}, {"viewers", "projectViewer"}}};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsNumber(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsDigit);
}

bool IsDomain(std::string_view text) {
  return !text.empty() && text.size() <= 253 && text.find("..") == std::string_view::npos &&
         text.front() != '.' && text.back() != '.' &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return IsDigit(c) || IsLetter(c) || c == '-' || c == '.'; });
}

// What mailboxes are really called; quoting and the odder signs of RFC 5322 are not.
bool IsEmail(std::string_view text) {
  size_t at = text.find('@');
  if (at == std::string_view::npos || at == 0) return false;
  std::string_view local = text.substr(0, at);
  return IsDomain(text.substr(at + 1)) && std::all_of(local.begin(), local.end(), [](char c) {
           return IsDigit(c) || IsLetter(c) ||
                  std::string_view("._%+-'").find(c) != std::string_view::npos;
         });
}

// The rest of `text` behind `head`; empty when it does not begin so.
std::string_view After(std::string_view text, std::string_view head) {
  return text.starts_with(head) ? text.substr(head.size()) : std::string_view();
}

// "project-owners-4711" in two halves; an empty team when it is none.
struct Team {
  std::string_view team, number;
};
Team TeamOf(std::string_view entity) {
  for (const TeamPair& pair : kTeams) {
    std::string_view number = After(entity, fmt::format("project-{}-", pair.team));
    if (IsNumber(number)) return {pair.team, number};
  }
  return {};
}

}  // namespace

bool IsPublicEntity(std::string_view entity) {
  return entity == "allUsers" || entity == "allAuthenticatedUsers";
}

std::string NormalEntity(std::string_view entity) {
  if (IsPublicEntity(entity) || !TeamOf(entity).team.empty()) return std::string(entity);
  bool sound = IsEmail(After(entity, "user-")) || IsEmail(After(entity, "group-")) ||
               IsDomain(After(entity, "domain-"));
  if (!sound) {
    throw Failure(Code::kInvalid, "invalid",
                  fmt::format("Invalid entity '{}': entities are user-EMAIL, group-EMAIL, "
                              "domain-NAME, project-owners|editors|viewers-NUMBER, allUsers or "
                              "allAuthenticatedUsers.",
                              entity.substr(0, 300)));
  }
  return ToLower(entity);
}

std::string MemberOf(std::string_view entity, const ProjectNames& home) {
  if (IsPublicEntity(entity)) return std::string(entity);
  if (Team team = TeamOf(entity); !team.team.empty()) {
    bool own = team.number == std::to_string(home.number);
    for (const TeamPair& pair : kTeams) {
      if (pair.team == team.team) {
        return fmt::format("{}:{}", pair.member, own ? home.id : team.number);
      }
    }
  }
  if (std::string_view email = After(entity, "user-"); !email.empty()) {
    bool account = email.ends_with(".gserviceaccount.com");
    return (account ? "serviceAccount:" : "user:") + std::string(email);
  }
  size_t dash = entity.find('-');
  return fmt::format("{}:{}", entity.substr(0, dash), entity.substr(dash + 1));
}

std::string EntityOf(std::string_view member, const ProjectNames& home) {
  if (IsPublicEntity(member)) return std::string(member);
  size_t colon = member.find(':');
  if (colon == std::string_view::npos) return {};
  std::string_view kind = member.substr(0, colon), rest = member.substr(colon + 1);
  for (const TeamPair& pair : kTeams) {
    if (kind != pair.member) continue;
    if (rest == home.id) return fmt::format("project-{}-{}", pair.team, home.number);
    return IsNumber(rest) ? fmt::format("project-{}-{}", pair.team, rest) : std::string();
  }
  if (kind == "user" || kind == "serviceAccount") return fmt::format("user-{}", rest);
  if (kind == "group" || kind == "domain") return fmt::format("{}-{}", kind, rest);
  return {};
}

void CompleteEntity(api::storage::AccessEntry& entry) {
  std::string_view entity = entry.entity;
  for (std::string_view kind : {"user-", "group-"}) {
    if (std::string_view email = After(entity, kind); !email.empty()) entry.email = email;
  }
  if (std::string_view domain = After(entity, "domain-"); !domain.empty()) entry.domain = domain;
  if (Team team = TeamOf(entity); !team.team.empty()) {
    entry.projectTeam = api::storage::ProjectTeam{std::string(team.number), std::string(team.team)};
  }
}

}  // namespace fireweed::storage
