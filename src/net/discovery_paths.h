// What Google's discovery documents call the parts of a path. Our patterns take every path apart ("projects/{project}/jobs/{job}");
// many of Google's documents have one parameter for all that names a thing ("{+name}") or what it is in ("{+parent}"), and code
// written for them passes just that. Pure.
#pragma once

#include <string>
#include <vector>

#include "api/method.h"

namespace fireweed::net {

struct PathParameter {
  std::string name;
  std::string pattern;  // "^projects/[^/]+$", of one that takes several segments; else empty
  std::string field;    // the request's field it is, where it is one
};

struct DocumentedPath {
  std::string path;  // "v1/{+parent}/jobs"
  std::vector<PathParameter> parameters;
};

DocumentedPath PathInDocuments(const api::MethodEntry& method);

// What takes an object's bytes: described by the path without "/upload".
bool IsUpload(const api::MethodEntry& method);

// The id there. One method of theirs may be several of ours, and then has the path of any: ml.projects.predict.
std::string_view IdInDocuments(const api::MethodEntry& method);

}  // namespace fireweed::net
