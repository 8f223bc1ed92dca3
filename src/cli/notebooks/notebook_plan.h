// What for: a notebook as an instance of the public API, and an instance seen as a notebook. A notebook is an instance with
// the label `fireweed-notebook`, a disk of its own that outlives it, and Jupyter as its startup script. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/compute/compute_session.h"
#include "describe/json_tree.h"

namespace fireweed::cli {

inline constexpr std::string_view kNotebookLabel = "fireweed-notebook";
inline constexpr std::string_view kNotebookTag = "datalab";
inline constexpr std::string_view kNotebookDevice = "notebooks";  // /mnt/disks/notebooks
inline constexpr uint16_t kNotebookPort = 8080;

struct NotebookOptions {
  std::string name;
  std::string machine_type = "n1-standard-1";
  std::string disk_name;  // empty: NAME-pd
  std::string disk_size = "200GB";
  std::string image, image_family, image_project;
  std::string repository;             // a git URL, cloned at the first start
  std::vector<std::string> packages;  // beside the usual ones
  std::string wheels;  // gs:// directory that pip takes everything from; empty: pip's own index
  std::string idle_timeout;  // "90m"; empty or 0: never
  std::string service_account, network;

  std::string Disk() const { return disk_name.empty() ? name + "-pd" : disk_name; }
};

// What the startup script reads, and the script. `token` opens the server, `user` signs commits.
JsonTree NotebookMetadata(const NotebookOptions& options, const std::string& token,
                          const std::string& user);
// The body of `instances.insert`. Throws Failure(kInvalid) for a time or size that is none.
JsonTree NotebookInstance(const NotebookOptions& options, const ComputeSession& session,
                          const std::string& token, const std::string& user);

bool IsNotebook(const JsonTree& instance);
// "http://10.0.0.2:8080"; empty where it has no address now.
std::string NotebookServer(const JsonTree& instance);
// The page to open at `server`, with the token that opens it; empty without a server.
std::string NotebookPage(const JsonTree& instance, const std::string& server);
// name, zone, machineType, state, disk, repository, url: what lists and `describe` show.
JsonTree NotebookView(const JsonTree& instance);

}  // namespace fireweed::cli
