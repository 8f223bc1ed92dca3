#include "net/discovery_paths.h"

#include <algorithm>

#include <fmt/format.h>

namespace fireweed::net {
namespace {

constexpr std::string_view kUpload = "/upload";

std::vector<std::string> Segments(const api::MethodEntry& method) {
  std::vector<std::string> segments;
  std::string_view path = method.path;
  if (IsUpload(method)) path.remove_prefix(kUpload.size());
  path.remove_prefix(1);
  while (true) {
    // Slashes inside of braces belong to the pattern: "{parent=projects/*}".
    size_t close = path.starts_with('{') ? path.find('}') : 0;
    size_t end = path.find('/', close);
    segments.emplace_back(path.substr(0, end));
    if (end == std::string_view::npos) return segments;
    path.remove_prefix(end + 1);
  }
}

bool IsParameter(std::string_view segment) { return segment.starts_with('{'); }

// "name" of "{name}", "{name=**}" and "{name}:verb".
std::string NameIn(std::string_view segment) {
  return std::string(segment.substr(1, segment.find_first_of("=}") - 1));
}

// ":verb" of "{name}:verb"; else empty.
std::string VerbIn(std::string_view segment) {
  size_t colon = segment.find(':', IsParameter(segment) ? segment.find('}') : 0);
  return colon == std::string_view::npos ? "" : std::string(segment.substr(colon));
}

bool IsAboutPolicies(std::string_view id) {
  return id.ends_with("IamPolicy") || id.ends_with("testIamPermissions");
}

// "instances" -> "instance", "addresses" -> "address".
std::string Singular(std::string_view collection) {
  if (collection.ends_with("sses")) return std::string(collection.substr(0, collection.size() - 2));
  if (collection.ends_with("s")) return std::string(collection.substr(0, collection.size() - 1));
  return std::string(collection);
}

// Compute calls a thing by its kind, and in a few methods "resource".
std::string NameByKind(const api::MethodEntry& method, std::string_view collection) {
  bool labels = method.id.ends_with(".setLabels") && method.id != "compute.instances.setLabels";
  if (labels || IsAboutPolicies(method.id) || method.id.ends_with(".setDeletionProtection")) {
    return "resource";
  }
  return collection == "imageFamilyViews" ? "family" : Singular(collection);
}

// Names that follow no rule; empty for the others.
std::string_view OddName(std::string_view id) {
  if (id == "storage.projects.serviceAccount.get") return "projectId";
  return id == "logging.projects.logs.delete" ? "logName" : "";
}

DocumentedPath SegmentBySegment(const api::MethodEntry& method) {
  DocumentedPath out;
  std::vector<std::string> segments = Segments(method);
  for (size_t i = 0; i < segments.size(); ++i) {
    std::string shown = segments[i];
    if (IsParameter(segments[i])) {
      std::string field = NameIn(segments[i]);
      bool kind = method.service->path_names == api::PathNames::kByKind && field == "name" && i > 0;
      std::string name(OddName(method.id));
      if (name.empty()) name = kind ? NameByKind(method, segments[i - 1]) : field;
      bool several = segments[i].find('=') != std::string::npos;
      shown = fmt::format("{{{}{}}}{}", several ? "+" : "", name, VerbIn(segments[i]));
      out.parameters.push_back({name, "", field});
    }
    out.path += (i > 0 ? "/" : "") + shown;
  }
  return out;
}

// Older methods call what they look into "name" as well.
bool SaysNameOfParents(std::string_view id) {
  return id.starts_with("iam.") || id.starts_with("iamcredentials.") ||
         id.ends_with(".operations.list") || id == "sourcerepo.projects.repos.list";
}

// "/v1/projects/{project}/jobs/{job}:cancel" -> "v1/{+name}:cancel"; ".../jobs" -> "v1/{+parent}/jobs".
DocumentedPath ByResourceName(const api::MethodEntry& method) {
  std::vector<std::string> segments = Segments(method);
  auto is_parameter = [](const std::string& segment) { return IsParameter(segment); };
  if (std::ranges::none_of(segments, is_parameter)) return SegmentBySegment(method);
  const std::string& last = segments.back();
  bool whole = IsParameter(last);
  std::string name(OddName(method.id));
  if (name.empty()) name = "name";
  if (IsAboutPolicies(method.id)) {
    name = "resource";
  } else if (!whole && !SaysNameOfParents(method.id)) {
    name = "parent";
  }
  std::string pattern;
  for (size_t i = 1; i + (whole ? 0 : 1) < segments.size(); ++i) {
    bool several = segments[i].find("=**}") != std::string::npos;
    std::string any = several ? ".*" : "[^/]+";
    pattern += (i > 1 ? "/" : "") + (IsParameter(segments[i]) ? any : segments[i]);
  }
  if (IdInDocuments(method) != method.id) pattern = "projects/.*";
  return {fmt::format("{}/{{+{}}}{}", segments[0], name, whole ? VerbIn(last) : "/" + last),
          {{name, "^" + pattern + "$", ""}}};
}

}  // namespace

bool IsUpload(const api::MethodEntry& method) {
  return method.path.starts_with(kUpload) && method.verb == api::Verb::kPost;
}

std::string_view IdInDocuments(const api::MethodEntry& method) {
  if (!method.id.starts_with("ml.projects.models.")) return method.id;
  if (method.id.ends_with(".predict")) return "ml.projects.predict";
  if (method.id.ends_with(".explain")) return "ml.projects.explain";
  return method.id;
}

DocumentedPath PathInDocuments(const api::MethodEntry& method) {
  if (method.service->path_names == api::PathNames::kByResource) return ByResourceName(method);
  return SegmentBySegment(method);
}

}  // namespace fireweed::net
