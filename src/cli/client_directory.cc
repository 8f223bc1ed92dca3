#include "cli/client_directory.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/disk.h"
#include "cli/doctor.h"
#include "cli/ini_file.h"
#include "cli/stand_ins.h"
#include "describe/json_codec.h"
#include "describe/json_writer.h"

namespace fireweed::cli {
namespace {

std::string ReadIfThere(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::pair<std::string, std::string> SplitAddress(const std::string& address) {
  size_t colon = address.rfind(':');
  return {address.substr(0, colon), address.substr(colon + 1)};
}

// One statement on the credential store; throws with SQLite's own words.
void Execute(sqlite3* db, const char* sql, const std::vector<std::string>& values = {}) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(db, sql, -1, &statement, nullptr) != SQLITE_OK) {
    throw Failure(Code::kInternal, fmt::format("credential store: {}", sqlite3_errmsg(db)));
  }
  for (size_t i = 0; i < values.size(); ++i) {
    sqlite3_bind_text(statement, static_cast<int>(i + 1), values[i].data(),
                      static_cast<int>(values[i].size()), SQLITE_TRANSIENT);
  }
  int result = sqlite3_step(statement);
  sqlite3_finalize(statement);
  if (result != SQLITE_DONE && result != SQLITE_ROW) {
    throw Failure(Code::kInternal, fmt::format("credential store: {}", sqlite3_errmsg(db)));
  }
}

std::filesystem::path RealDirectory(const std::string& program) {
  std::error_code ignored;
  return std::filesystem::weakly_canonical(program, ignored).parent_path();
}

}  // namespace

bool GsutilStandsAlone(const std::string& path) {
  std::string gcloud = FindProgram(path, "gcloud"), gsutil = FindProgram(path, "gsutil");
  if (gcloud.empty()) return true;
  if (gsutil.empty()) return false;
  std::filesystem::path place = RealDirectory(gsutil);
  // gcloud itself may be a wrapper elsewhere: then the tree that gsutil lies in tells.
  return place != RealDirectory(gcloud) &&
         !std::filesystem::exists(place.parent_path() / "platform/gsutil");
}

std::string SystemBundle() {
  for (const char* path : {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
                           "/etc/ssl/cert.pem", "/etc/ssl/ca-bundle.pem"}) {
    if (access(path, R_OK) == 0) return path;
  }
  return "";
}

void ClientDirectory::WriteFile(const std::string& name, const std::string& contents) {
  std::string path = spec_.path + "/" + name;
  std::string parent = std::filesystem::path(path).parent_path();
  auto disk = MakeRealDisk();
  disk->MakeDirectories(parent).value();
  std::string draft = path + ".draft";
  if (disk->Exists(draft).value()) disk->Remove(draft).value();
  auto file = disk->Open(draft, OpenMode::kCreateNew).value();
  file->WriteAt(0, AsBytes(contents)).value();
  file.reset();
  disk->Rename(draft, path).value();
}

std::string ClientDirectory::Bundle(const std::string& base) {
  std::string source = base.empty() ? SystemBundle() : base;
  std::string name =
      fmt::format("ca/{}.pem", HexEncode(Hash(Digest::kSha256, source)).substr(0, 12));
  std::string contents = ReadIfThere(source);
  if (!contents.empty() && contents.back() != '\n') contents += '\n';
  if (contents.find(spec_.authority_pem) == std::string::npos) contents += spec_.authority_pem;
  std::string path = spec_.path + "/" + name;
  if (ReadIfThere(path) != contents) WriteFile(name, contents);
  return path;
}

std::string ClientDirectory::AccountJson() const { return EncodeJson(spec_.owner); }

void ClientDirectory::WriteGcloud() {
  WriteFile("gcloud/active_config", "default");
  std::string name = "gcloud/configurations/config_default";
  IniFile config = IniFile::Parse(ReadIfThere(spec_.path + "/" + name));
  const Endpoint& endpoint = spec_.endpoint;
  config.SetDefault("core", "account", spec_.owner.account);
  config.SetDefault("core", "project", endpoint.default_project);
  config.Set("core", "custom_ca_certs_file", Bundle(""));
  config.SetDefault("core", "disable_usage_reporting", "true");
  config.Set("core", "check_gce_metadata", "false");
  // Two kinds of credentials at once are an error of gsutil's.
  if (spec_.gsutil_stands_alone)
    config.Set("core", "pass_credentials_to_gsutil", "false");
  else
    config.Remove("core", "pass_credentials_to_gsutil");
  config.SetDefault("compute", "zone", endpoint.zone);
  config.SetDefault("compute", "region", endpoint.zone.substr(0, endpoint.zone.rfind('-')));
  config.SetDefault("component_manager", "disable_update_check", "true");
  config.SetDefault("survey", "disable_prompts", "true");
  // Seconds between two looks at a job's lines; a minute by default, and there is no quota to be mindful of here.
  config.SetDefault("ml_engine", "polling_interval", "2");
  if (!spec_.local_python.empty()) {
    config.SetDefault("ml_engine", "local_python", spec_.local_python);
  }
  auto [host, port] = SplitAddress(endpoint.http);
  for (const auto& [key, value] : std::initializer_list<std::pair<const char*, std::string>>{
           {"type", "http"},
           {"address", host},
           {"port", port},
           {"username", kProxyUser},
           {"password", spec_.proxy_secret}}) {
    if (spec_.use_proxy)
      config.Set("proxy", key, value);
    else
      config.Remove("proxy", key);
  }
  WriteFile(name, config.Text());
}

// gcloud insists on owning its store (it changes the mode), so it is made here, by the calling user.
void ClientDirectory::WriteCredentialStore() {
  std::string path = spec_.path + "/gcloud/credentials.db";
  sqlite3* db = nullptr;
  if (sqlite3_open(path.c_str(), &db) != SQLITE_OK) {
    sqlite3_close(db);
    throw Failure(Code::kInternal, fmt::format("cannot write {}", path));
  }
  std::unique_ptr<sqlite3, int (*)(sqlite3*)> closer(db, sqlite3_close);
  chmod(path.c_str(), 0600);
  Execute(db,
          "CREATE TABLE IF NOT EXISTS \"credentials\" (account_id TEXT PRIMARY KEY, value BLOB)");
  Execute(db, "REPLACE INTO credentials (account_id, value) VALUES (?, ?)",
          {spec_.owner.account, AccountJson()});
}

// A credential that gsutil uses only if it has no other: a gsutil that gcloud does not start gets no
// account from it, and a refresh token in the boto file would conflict with the account that gcloud
// passes to its own gsutil. The token comes from the plain port, because gsutil hides the proxy here.
std::string ClientDirectory::FallbackAccountJson() const {
  JsonWriter out;
  out.BeginObject();
  out.Field("type", "external_account_authorized_user");
  out.Field("audience",
            "//iam.googleapis.com/locations/global/workforcePools/fireweed/providers/local");
  out.Field("client_id", spec_.owner.client_id);
  out.Field("client_secret", spec_.owner.client_secret);
  out.Field("refresh_token", spec_.owner.refresh_token);
  out.Field("token_url", fmt::format("http://{}/token", spec_.endpoint.http));
  out.EndObject();
  return out.Take();
}

void ClientDirectory::WriteBoto() {
  IniFile legacy;
  legacy.Set("Credentials", "gs_oauth2_refresh_token", spec_.owner.refresh_token);
  legacy.Set("OAuth2", "client_id", spec_.owner.client_id);
  legacy.Set("OAuth2", "client_secret", spec_.owner.client_secret);
  WriteFile(fmt::format("gcloud/legacy_credentials/{}/.boto", spec_.owner.account), legacy.Text());

  IniFile boto = spec_.gsutil_stands_alone ? legacy : IniFile();
  if (!spec_.gsutil_stands_alone) {
    WriteFile("gsutil.json", FallbackAccountJson());
    boto.Set("Credentials", "gs_external_account_authorized_user_file",
             spec_.path + "/gsutil.json");
  }
  boto.Set("GSUtil", "state_dir", spec_.path + "/gsutil");
  boto.Set("GSUtil", "default_project_id", spec_.endpoint.default_project);
  boto.Set("GSUtil", "software_update_check_period", "0");
  boto.Set("Boto", "ca_certificates_file", Bundle(""));
  auto [host, port] = SplitAddress(spec_.endpoint.http);
  if (spec_.use_proxy) {
    boto.Set("Boto", "proxy", host);
    boto.Set("Boto", "proxy_port", port);
    boto.Set("Boto", "proxy_user", kProxyUser);
    boto.Set("Boto", "proxy_pass", spec_.proxy_secret);
  } else {
    // gsutil speaks https only, and its certificate check wants a name, not an address.
    boto.Set("Credentials", "gs_json_host", "localhost");
    boto.Set("Credentials", "gs_json_port", SplitAddress(spec_.endpoint.https).second);
    boto.Set("Credentials", "gs_host", "localhost");
    boto.Set("Credentials", "gs_port", SplitAddress(spec_.endpoint.https).second);
    boto.Set("OAuth2", "provider_token_uri", fmt::format("http://{}/token", spec_.endpoint.http));
  }
  WriteFile("boto", boto.Text());
  MakeRealDisk()->MakeDirectories(spec_.path + "/gsutil").value();
}

// Programs that were missing once and are installed now must not be hidden: all that are not wanted go.
void ClientDirectory::WritePrograms() {
  for (const StandIn& program : StandIns()) {
    std::string name(program.name), path = ProgramsDirectory() + "/" + name;
    if (std::find(spec_.programs.begin(), spec_.programs.end(), name) == spec_.programs.end()) {
      std::error_code ignored;
      std::filesystem::remove(path, ignored);
      continue;
    }
    WriteFile("bin/" + name, StandInScript(name, spec_.program, spec_.state));
    chmod(path.c_str(), 0755);
  }
}

void ClientDirectory::Prepare() {
  WriteGcloud();
  WriteCredentialStore();
  WriteBoto();
  WritePrograms();
  WriteFile("adc.json", AccountJson());
  // Libraries exchange the kind above at Google's address only, which takes a proxy.
  WriteFile("adc_direct.json", FallbackAccountJson());
  std::string wgetrc = spec_.user_wgetrc;
  if (!wgetrc.empty() && wgetrc.back() != '\n') wgetrc += '\n';
  WriteFile("wgetrc", wgetrc + fmt::format("ca_certificate = {}\n", Bundle("")));
}

}  // namespace fireweed::cli
