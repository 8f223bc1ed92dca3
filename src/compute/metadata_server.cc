#include "compute/metadata_server.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "compute/metadata_items.h"
#include "describe/json_writer.h"
#include "net/errors.h"

namespace fireweed::compute {
namespace {

constexpr std::string_view kRoot = "/computeMetadata/v1/";
constexpr size_t kCachedRows = 1024;
// A poll without a time limit is answered once a day with what there is; clients ask again.
constexpr int64_t kLongestPollMs = 24 * 3600 * 1000;
// A token this close to its end is not handed out again.
constexpr Duration kTokenReserve = std::chrono::minutes(5);
constexpr size_t kMostTokens = 4096;
constexpr std::string_view kEverything = "https://www.googleapis.com/auth/cloud-platform";

net::Response Plain(int status, std::string body, std::string type = "application/text") {
  net::Response response;
  response.status = status;
  response.Add("Metadata-Flavor", "Google");
  response.Add("Server", "Metadata Server for VM");
  response.Add("Content-Type", std::move(type));
  response.body = std::move(body);
  return response;
}

std::string EtagOf(const std::string& body) {
  return HexEncode(Hash(Digest::kSha256, body).substr(0, 8));
}

net::Response Document(std::string body, MetadataForm form) {
  std::string etag = EtagOf(body);
  net::Response response = Plain(
      200, std::move(body), form == MetadataForm::kJson ? "application/json" : "application/text");
  response.Add("ETag", etag);
  return response;
}

net::Response NoSuchEntry() { return Plain(404, "Not Found\n"); }

bool IsTrue(const std::optional<std::string>& value) {
  return value && EqualIgnoreCase(*value, "true");
}

// Scopes a token may have: what was asked for, as far as the instance has it. Nothing asked: all it has.
std::vector<std::string> AllowedScopes(const std::vector<std::string>& has,
                                       std::string_view asked) {
  bool everything = std::ranges::find(has, kEverything) != has.end();
  std::vector<std::string> allowed;
  while (!asked.empty()) {
    size_t comma = asked.find(',');
    std::string scope(Trim(asked.substr(0, comma)));
    asked = comma == std::string_view::npos ? std::string_view() : asked.substr(comma + 1);
    if (everything || std::ranges::find(has, scope) != has.end()) {
      allowed.push_back(std::move(scope));
    }
  }
  return allowed.empty() ? has : allowed;
}

// The "google" claim of an identity token in its full form: which machine this is.
std::string MachineClaim(const InstanceRecord& instance, int64_t project_number) {
  std::optional<Time> created = ParseTime(instance.resource.creationTimestamp);
  JsonWriter out;
  out.BeginObject().Key("compute_engine").BeginObject();
  out.Field("instance_creation_timestamp", created ? ToSeconds(*created) : 0);
  out.Field("instance_id", std::to_string(instance.resource.id));
  out.Field("instance_name", instance.resource.name).Field("project_id", instance.project);
  out.Field("project_number", project_number).Field("zone", instance.zone);
  out.EndObject().EndObject();
  return out.Take();
}

}  // namespace

MetadataServer::MetadataServer(Catalog& catalog, InstanceIdentity& identity, const Clock& clock)
    : catalog_(catalog),
      identity_(identity),
      clock_(clock),
      instances_(catalog, kCachedRows),
      projects_(catalog, kCachedRows),
      guests_(catalog, kCachedRows) {}

net::Response MetadataServer::RenderError(const net::Request&, const Error& error) {
  return Plain(net::WordsFor(error.code).status, error.message + "\n");
}

net::Answer MetadataServer::Handle(const net::Request& request) {
  if (request.Header("X-Forwarded-For")) {
    return Plain(403, "Requests that were forwarded are refused.\n");
  }
  bool read = request.method == "GET" || request.method == "HEAD";
  if (read && request.path == "/") return Plain(200, "computeMetadata/\n");
  bool flavored = request.Header("Metadata-Flavor").value_or("") == "Google" ||
                  IsTrue(std::string(request.Header("X-Google-Metadata-Request").value_or("")));
  if (!flavored) return Plain(403, "Missing Metadata-Flavor:Google header.\n");
  if (request.path == "/computeMetadata/") return Plain(200, "v1/\n");
  std::optional<std::string> path = PercentDecode(request.path);
  bool inside = path && path->starts_with(kRoot);
  if (!inside) return NoSuchEntry();
  const Key& instance = request.origin->instance;
  Question question{.path = path->substr(kRoot.size())};
  constexpr std::string_view kGuest = "instance/guest-attributes/";
  if (!read && question.path.starts_with(kGuest)) {
    return WriteGuestAttribute(instance, question.path.substr(kGuest.size()), request);
  }
  if (!read) return Plain(405, "Method not allowed.\n");
  question.slash = question.path.empty() || question.path.ends_with('/');
  if (question.path.ends_with('/')) question.path.pop_back();
  question.recursive = IsTrue(request.Query("recursive"));
  std::string alt = request.Query("alt").value_or(question.recursive ? "json" : "text");
  question.form = alt == "json" ? MetadataForm::kJson : MetadataForm::kText;
  question.location = fmt::format("{}{}/{}{}", request.BaseUrl(), request.path,
                                  request.query.empty() ? "" : "?", request.query);
  if (std::optional<net::Response> live = Live(instance, question, request))
    return std::move(*live);
  if (IsTrue(request.Query("wait_for_change"))) return Wait(instance, question, request);
  return Answer(instance, question);
}

std::optional<MetadataNode> MetadataServer::Tree(const Key& instance) {
  auto row = instances_.Get(instance);
  if (!row) return std::nullopt;
  auto project = projects_.Get(row->value.project);
  auto guest = guests_.Get(instance);
  return BuildMetadata(
      {.instance = row->value,
       .project_metadata = project ? project->value.metadata : api::compute::Metadata{},
       .guest = guest ? guest->value : GuestAttributes{},
       .project_number = identity_.FindProject(row->value.project).number});
}

net::Response MetadataServer::Answer(const Key& instance, const Question& question) {
  std::optional<MetadataNode> tree = Tree(instance);
  const MetadataNode* node = tree ? FindNode(*tree, question.path) : nullptr;
  if (!node || node->kind == MetadataNode::Kind::kLive) return NoSuchEntry();
  if (!node->is_directory() && question.slash) return NoSuchEntry();
  if (node->is_directory() && !question.slash) {
    net::Response moved = Plain(301, question.location + "\n");
    moved.Add("Location", question.location);
    return moved;
  }
  return Document(RenderMetadata(*node, question.form, question.recursive), question.form);
}

net::Answer MetadataServer::Wait(const Key& instance, const Question& question,
                                 const net::Request& request) {
  net::Response now = Answer(instance, question);
  std::string etag(now.Header("ETag").value_or(""));
  std::optional<std::string> last = request.Query("last_etag");
  if (now.status != 200 || (last && *last != etag)) return now;
  int64_t seconds = 0;
  std::string limit = request.Query("timeout_sec").value_or("0");
  std::from_chars(limit.data(), limit.data() + limit.size(), seconds);
  auto deferred = std::make_shared<net::Deferred>();
  bool limited = seconds > 0 && seconds < kLongestPollMs / 1000;
  deferred->timeout_ms = limited ? seconds * 1000 : kLongestPollMs;
  deferred->on_timeout = [this, instance, question] { return Answer(instance, question); };
  polls_.With([&](auto& polls) { polls[instance].push_back({question, etag, deferred}); });
  // Kept first, looked at second: a change in between is seen by the one or the other.
  Reconcile(instance);
  return deferred;
}

std::vector<std::string_view> MetadataServer::also_watches() const {
  return {kRecordKind<InstanceRecord>, kRecordKind<ProjectRecord>, kRecordKind<GuestAttributes>};
}

std::vector<Key> MetadataServer::Concerns(std::string_view kind, const Key& key) {
  return polls_.With([&](auto& polls) {
    std::vector<Key> concerned;
    bool whole_project = kind == kRecordKind<ProjectRecord>;
    for (const auto& [instance, waiting] : polls) {
      if (whole_project ? instance.starts_with(key + "/") : instance == key) {
        concerned.push_back(instance);
      }
    }
    return concerned;
  });
}

std::optional<Time> MetadataServer::Reconcile(const Key& key) {
  std::vector<Poll> waiting = polls_.With([&](auto& polls) {
    auto found = polls.find(key);
    return found == polls.end() ? std::vector<Poll>() : found->second;
  });
  for (const Poll& poll : waiting) {
    if (poll.deferred->settled()) continue;
    net::Response now = Answer(key, poll.question);
    if (now.Header("ETag").value_or("") != poll.seen_etag) poll.deferred->Complete(std::move(now));
  }
  polls_.With([&](auto& polls) {
    auto found = polls.find(key);
    if (found == polls.end()) return;
    std::erase_if(found->second, [](const Poll& poll) { return poll.deferred->settled(); });
    if (found->second.empty()) polls.erase(found);
  });
  return std::nullopt;
}

size_t MetadataServer::waiting() const {
  return polls_.With([](auto& polls) {
    size_t count = 0;
    for (const auto& [key, waiting] : polls) count += waiting.size();
    return count;
  });
}

// Tokens are not part of the tree: "instance/service-accounts/WHO/token" and ".../identity".
std::optional<net::Response> MetadataServer::Live(const Key& instance, const Question& question,
                                                  const net::Request& request) {
  constexpr std::string_view kAccounts = "instance/service-accounts/";
  if (!question.path.starts_with(kAccounts) || question.slash) return std::nullopt;
  std::string_view rest = std::string_view(question.path).substr(kAccounts.size());
  size_t slash = rest.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  std::string_view who = rest.substr(0, slash), what = rest.substr(slash + 1);
  if (what != "token" && what != "identity") return std::nullopt;
  auto row = instances_.Get(instance);
  if (!row) return NoSuchEntry();
  for (const auto& account : row->value.resource.serviceAccounts) {
    if (who != "default" && who != account.email) continue;
    if (what == "token") return Token(account, request.Query("scopes").value_or(""));
    return Identity(row->value, account.email, request);
  }
  return NoSuchEntry();
}

net::Response MetadataServer::Token(const api::compute::InstanceServiceAccount& account,
                                    std::string_view scopes) {
  std::vector<std::string> allowed = AllowedScopes(account.scopes, scopes);
  // An account without scopes has no token here, though it may still have roles.
  if (allowed.empty()) return Plain(403, "The instance has no scopes.\n");
  std::string name = account.email;
  for (const std::string& scope : allowed) name += " " + scope;
  Time now = clock_.Now();
  std::string id = identity_.AccountId(account.email);
  std::optional<KnownToken> known = tokens_.With([&](auto& tokens) -> std::optional<KnownToken> {
    auto found = tokens.find(name);
    if (found == tokens.end()) return std::nullopt;
    bool same = found->second.account_id == id;  // tokens die with their account
    if (same && found->second.expires - kTokenReserve > now) return found->second;
    tokens.erase(found);
    return std::nullopt;
  });
  if (!known) {
    Result<InstanceToken> minted = identity_.MintToken(account.email, allowed);
    if (!minted.ok()) {
      return Plain(net::WordsFor(minted.error().code).status, minted.error().message + "\n");
    }
    known = {id, minted->token, minted->expires};
    tokens_.With([&](auto& tokens) {
      if (tokens.size() >= kMostTokens) tokens.clear();
      tokens.insert_or_assign(name, *known);
    });
  }
  int64_t left = std::chrono::floor<std::chrono::seconds>(known->expires - now).count();
  JsonWriter out;
  out.BeginObject().Field("access_token", known->token).Field("expires_in", left);
  out.Field("token_type", "Bearer").EndObject();
  return Plain(200, out.Take(), "application/json");
}

net::Response MetadataServer::Identity(const InstanceRecord& instance, const std::string& email,
                                       const net::Request& request) {
  std::string audience = request.Query("audience").value_or("");
  if (audience.empty()) return Plain(400, "non-empty audience parameter required\n");
  std::string format = request.Query("format").value_or("standard");
  if (format != "standard" && format != "full") return Plain(400, "unknown identity format\n");
  InstanceClaims claims{.email = email, .audience = audience};
  if (format == "full")
    claims.google = MachineClaim(instance, identity_.FindProject(instance.project).number);
  Result<std::string> token = identity_.MintIdentity(claims);
  if (!token.ok()) return NoSuchEntry();
  return Plain(200, *token, "text/html");
}

net::Response MetadataServer::WriteGuestAttribute(const Key& instance, const std::string& name,
                                                  const net::Request& request) {
  if (request.method != "PUT" && request.method != "DELETE") {
    return Plain(405, "Method not allowed.\n");
  }
  if (!IsGuestAttributeName(name)) return Plain(400, "Guest attributes are named NAMESPACE/KEY.\n");
  auto row = instances_.Get(instance);
  if (!row) return NoSuchEntry();
  auto project = projects_.Get(row->value.project);
  if (!GuestAttributesEnabled(row->value.resource.metadata,
                              project ? project->value.metadata : api::compute::Metadata{})) {
    return Plain(403, "Guest attributes endpoint access is disabled.\n");
  }
  if (request.method == "DELETE") {
    return DeleteGuestAttribute(catalog_, instance, name) ? Plain(200, "") : NoSuchEntry();
  }
  PutGuestAttribute(catalog_, instance, name, request.body);
  return Plain(200, "");
}

}  // namespace fireweed::compute
