// The private directory that `fireweed env` prepares for the real clients: account, credential
// store, proxy, certificate authorities, project and zone, as configuration that `gcloud config set`
// can change. It belongs to the calling user; the user's own configuration is never touched.
#pragma once

#include <string>
#include <vector>

#include "cli/env_plan.h"
#include "client/endpoint.h"

namespace fireweed::cli {

struct ClientDirectorySpec {
  std::string path;
  Endpoint endpoint;
  AuthorizedUser owner;
  std::string proxy_secret;
  std::string authority_pem;  // our CA
  std::string user_wgetrc;    // contents of the file that WGETRC replaces
  // gcloud's wrapper hands gsutil the active account; a gsutil of its own needs the credential in its file.
  bool gsutil_stands_alone = false;
  bool use_proxy = true;
  std::vector<std::string> programs;  // names of stand_ins.h to offer
  std::string program;                // absolute path of fireweed, which they run
  std::string state;                  // absolute path of the daemon's state directory
  std::string local_python;  // for gcloud's local train and predict; empty: the shell's own
};

class ClientDirectory {
 public:
  explicit ClientDirectory(ClientDirectorySpec spec) : spec_(std::move(spec)) {}

  // Writes everything, keeping what the user set with `gcloud config set`. May be repeated.
  // Throws Failure with the path that could not be written.
  void Prepare();
  // A bundle of `base` (the system's when empty) plus our CA; gives its path.
  std::string Bundle(const std::string& base);
  // Holds the programs, for PATH.
  std::string ProgramsDirectory() const { return spec_.path + "/bin"; }

 private:
  void WriteGcloud();
  void WriteCredentialStore();
  void WriteBoto();
  void WritePrograms();
  std::string FallbackAccountJson() const;
  void WriteFile(const std::string& name, const std::string& contents);
  std::string AccountJson() const;

  ClientDirectorySpec spec_;
};

// Whether the gsutil found on `path` (a PATH) is not gcloud's own: no wrapper hands it an account.
bool GsutilStandsAlone(const std::string& path);

// The system's list of certificate authorities; empty when none was found.
std::string SystemBundle();

}  // namespace fireweed::cli
