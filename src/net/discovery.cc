#include "net/discovery.h"

#include <set>

#include <fmt/format.h>

#include "net/discovery_paths.h"
#include "net/errors.h"

namespace fireweed::net {
namespace {

using api::MethodEntry;

constexpr std::string_view kEverywhere[] = {"*.googleapis.com"};
constexpr api::Service kDiscovery{.name = "discovery",
                                  .version = "v1",
                                  .title = "API Discovery Service",
                                  .hosts = kEverywhere,
                                  .documented = false};

MethodEntry DiscoveryRoute(std::string_view path, std::string_view id) {
  return {&kDiscovery,           api::Verb::kGet,      path, id, "", "",
          &TypeOf<api::Empty>(), &TypeOf<api::Empty>()};
}

const Type& Bare(const Type& type) { return type.kind == Kind::kOptional ? *type.element : type; }

std::string SchemaName(const Type& type) { return std::string(type.name); }

// "type", "format" and the like of one value; nested structs become references.
void DescribeValue(const Type& type, JsonWriter& out, std::set<const Type*>& wanted) {
  const Type& bare = Bare(type);
  switch (bare.kind) {
    case Kind::kBool: out.Field("type", "boolean"); return;
    case Kind::kInt32: out.Field("type", "integer").Field("format", "int32"); return;
    case Kind::kInt64: out.Field("type", "string").Field("format", "int64"); return;
    case Kind::kDouble: out.Field("type", "number").Field("format", "double"); return;
    case Kind::kString: out.Field("type", "string"); return;
    case Kind::kBytes: out.Field("type", "string").Field("format", "byte"); return;
    case Kind::kTime: out.Field("type", "string").Field("format", "date-time"); return;
    case Kind::kJson: out.Field("type", "any"); return;
    case Kind::kEnum:
      out.Field("type", "string").Key("enum").BeginArray();
      for (std::string_view name : bare.enum_names) out.String(name);
      out.EndArray();
      return;
    case Kind::kStruct:
      wanted.insert(&bare);
      out.Field("$ref", SchemaName(bare));
      return;
    case Kind::kList:
      out.Field("type", "array").Key("items").BeginObject();
      DescribeValue(*bare.element, out, wanted);
      out.EndObject();
      return;
    case Kind::kMap:
      out.Field("type", "object").Key("additionalProperties").BeginObject();
      DescribeValue(*bare.element, out, wanted);
      out.EndObject();
      return;
    case Kind::kOptional: return;
  }
}

void DescribeSchema(const Type& type, JsonWriter& out, std::set<const Type*>& wanted) {
  out.Key(SchemaName(type)).BeginObject();
  out.Field("id", SchemaName(type)).Field("type", "object").Key("properties").BeginObject();
  for (const Field& field : type.fields) {
    if (field.flags & kStored) continue;
    out.Key(field.name).BeginObject();
    DescribeValue(*field.type, out, wanted);
    if (!field.doc.empty()) out.Field("description", field.doc);
    if (field.flags & kOutput) out.Field("readOnly", true);
    out.EndObject();
  }
  out.EndObject().EndObject();
}

// The fields of a request that are in its path, and those in its query.
void DescribeParameters(const MethodEntry& method, const DocumentedPath& path, JsonWriter& out) {
  std::set<const Type*> unused;
  std::vector<std::string> order;
  auto describe = [&](const Type& type, std::string_view doc, std::string_view place,
                      bool required) {
    const Type& bare = Bare(type);
    bool repeated = bare.kind == Kind::kList;
    DescribeValue(repeated ? *bare.element : bare, out, unused);
    if (repeated) out.Field("repeated", true);
    if (!doc.empty()) out.Field("description", doc);
    out.Field("location", place);
    if (required) out.Field("required", true);
  };
  out.Key("parameters").BeginObject();
  for (const PathParameter& parameter : path.parameters) {
    const Field* field = nullptr;
    for (const Field& one : method.request->fields) {
      if ((one.flags & kPath) && one.name == parameter.field) field = &one;
    }
    out.Key(parameter.name).BeginObject();
    describe(field ? *field->type : TypeOf<std::string>(), field ? field->doc : "", "path", true);
    if (!parameter.pattern.empty()) out.Field("pattern", parameter.pattern);
    out.EndObject();
    order.push_back(parameter.name);
  }
  for (const Field& field : method.request->fields) {
    if (!(field.flags & kQuery)) continue;
    bool required = field.flags & kRequired;
    out.Key(field.name).BeginObject();
    describe(*field.type, field.doc, "query", required);
    out.EndObject();
    if (required) order.emplace_back(field.name);
  }
  out.EndObject();
  out.Key("parameterOrder").BeginArray();
  for (const std::string& name : order) out.String(name);
  out.EndArray();
}

const Type* BodyType(const MethodEntry& method) {
  for (const Field& field : method.request->fields) {
    if ((field.flags & kBody) && Bare(*field.type).kind == Kind::kStruct) return &Bare(*field.type);
    // A patch is kept as raw JSON; what it patches is what comes back.
    if ((field.flags & kBody) && field.type->kind == Kind::kJson) return method.response;
  }
  if (IsUpload(method)) return method.response;
  // Clients refuse to send a body, even an empty one, where none is described.
  return method.verb == api::Verb::kPost ? &TypeOf<api::Empty>() : nullptr;
}

bool HasSchema(const Type* type) {
  return type && !type->name.empty() && type->kind == Kind::kStruct;
}

void DescribeUpload(const DocumentedPath& path, JsonWriter& out) {
  out.Field("supportsMediaUpload", true).Key("mediaUpload").BeginObject();
  out.Key("accept").BeginArray().String("*/*").EndArray().Key("protocols").BeginObject();
  for (const char* protocol : {"simple", "resumable"}) {
    std::string prefix = std::string_view(protocol) == "resumable" ? "/resumable" : "";
    out.Key(protocol).BeginObject().Field("multipart", true);
    out.Field("path", prefix + "/upload/" + path.path).EndObject();
  }
  out.EndObject().EndObject();
}

void DescribeMethod(const MethodEntry& method, JsonWriter& out, std::set<const Type*>& wanted) {
  DocumentedPath path = PathInDocuments(method);
  out.BeginObject().Field("id", IdInDocuments(method)).Field("path", path.path);
  out.Field("httpMethod", VerbName(method.verb));
  DescribeParameters(method, path, out);
  const Type* body = BodyType(method);
  if (HasSchema(body)) {
    wanted.insert(body);
    out.Key("request").BeginObject().Field("$ref", SchemaName(*body)).EndObject();
  }
  if (HasSchema(method.response) && method.response != &TypeOf<api::NoContent>()) {
    wanted.insert(method.response);
    out.Key("response").BeginObject().Field("$ref", SchemaName(*method.response)).EndObject();
  }
  if (IsUpload(method)) DescribeUpload(path, out);
  if (method.media_download)
    out.Field("supportsMediaDownload", true).Field("useMediaDownloadService", true);
  out.Key("scopes")
      .BeginArray()
      .String("https://www.googleapis.com/auth/cloud-platform")
      .EndArray();
  out.EndObject();
}

// The words of method ids as a tree: "storage.buckets.get" is method "get" of resource "buckets".
struct Resource {
  std::map<std::string, MethodEntry> methods;
  std::map<std::string, Resource> children;
};

void DescribeResource(const Resource& resource, JsonWriter& out, std::set<const Type*>& wanted) {
  if (!resource.methods.empty()) {
    out.Key("methods").BeginObject();
    for (const auto& [name, method] : resource.methods) {
      out.Key(name);
      DescribeMethod(method, out, wanted);
    }
    out.EndObject();
  }
  if (resource.children.empty()) return;
  out.Key("resources").BeginObject();
  for (const auto& [name, child] : resource.children) {
    out.Key(name).BeginObject();
    DescribeResource(child, out, wanted);
    out.EndObject();
  }
  out.EndObject();
}

Resource Tree(const api::Service& service, const std::vector<MethodEntry>& methods) {
  Resource root;
  for (const MethodEntry& method : methods) {
    if (method.service != &service) continue;
    std::string_view rest = IdInDocuments(method);
    if (rest.starts_with(service.name) && rest.size() > service.name.size()) {
      rest.remove_prefix(service.name.size() + 1);
    }
    Resource* node = &root;
    for (size_t dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.')) {
      node = &node->children[std::string(rest.substr(0, dot))];
      rest.remove_prefix(dot + 1);
    }
    node->methods.emplace(std::string(rest), method);
  }
  return root;
}

void DescribeCommonParameters(JsonWriter& out) {
  out.Key("parameters").BeginObject();
  for (const auto& [name, text] : std::initializer_list<std::pair<const char*, const char*>>{
           {"alt", "Data format for the response."},
           {"fields", "Selector specifying a subset of fields to include in the response."},
           {"key", "API key."},
           {"oauth_token", "OAuth 2.0 token for the current user."},
           {"prettyPrint", "Returns response with indentations and line breaks."},
           {"quotaUser", "Available to use for quota purposes."},
           {"userIp", "Deprecated."},
           {"userProject", "The project to be billed for this request."}}) {
    bool flag = std::string_view(name) == "prettyPrint";
    out.Key(name).BeginObject().Field("type", flag ? "boolean" : "string");
    out.Field("description", text).Field("location", "query").EndObject();
  }
  out.EndObject();
}

std::string RootUrl(const api::Service& service) {
  std::string_view host = service.hosts.empty() ? "fireweed.internal" : service.hosts.front();
  return fmt::format("https://{}/", host);
}

}  // namespace

std::string DiscoveryDocument(const api::Service& service, const std::vector<MethodEntry>& methods,
                              const std::string& root_url) {
  JsonWriter out;
  out.BeginObject().Field("kind", "discovery#restDescription").Field("discoveryVersion", "v1");
  out.Field("id", fmt::format("{}:{}", service.name, service.version));
  out.Field("name", service.name).Field("version", service.version).Field("title", service.title);
  out.Field("description", service.title).Field("protocol", "rest");
  out.Field("rootUrl", root_url).Field("servicePath", "").Field("basePath", "");
  out.Field("baseUrl", root_url);
  out.Field("batchPath", fmt::format("batch/{}/{}", service.name, service.version));
  DescribeCommonParameters(out);
  out.Key("auth").BeginObject().Key("oauth2").BeginObject().Key("scopes").BeginObject();
  out.Key("https://www.googleapis.com/auth/cloud-platform").BeginObject();
  out.Field("description", "See, edit, configure and delete your data").EndObject();
  out.EndObject().EndObject().EndObject();
  std::set<const Type*> wanted;
  DescribeResource(Tree(service, methods), out, wanted);
  out.Key("schemas").BeginObject();
  std::set<std::string> done;
  while (true) {
    // Describing one schema may ask for more.
    const Type* next = nullptr;
    for (const Type* type : wanted) {
      if (!type->name.empty() && !done.count(SchemaName(*type))) next = type;
    }
    if (!next) break;
    done.insert(SchemaName(*next));
    DescribeSchema(*next, out, wanted);
  }
  out.EndObject().EndObject();
  return out.Take();
}

void Discovery::Serve() {
  router_.OnRaw(DiscoveryRoute("/discovery/v1/apis", "discovery.apis.list"),
                [this](const Call& call) { return Directory(call); });
  router_.OnRaw(DiscoveryRoute("/discovery/v1/apis/{api}/{version}/rest", "discovery.apis.getRest"),
                [this](const Call& call) { return Rest(call.Path("api"), call.Path("version")); });
  // Where the first clients of the ML service were told to look: an object of a public bucket.
  router_.OnRaw(DiscoveryRoute("/cloud-ml/discovery/ml_v1_discovery.json", "discovery.mlObject"),
                [this](const Call&) { return Rest("ml", "v1"); });
  router_.OnRaw(DiscoveryRoute("/$discovery/rest", "discovery.ofHost"),
                [this](const Call& call) { return OfHost(call); });
}

std::string Discovery::Document(std::string_view name, std::string_view version) const {
  std::vector<MethodEntry> methods = router_.methods();
  for (const MethodEntry& method : methods) {
    const api::Service& service = *method.service;
    if (service.name == name && service.version == version && service.documented) {
      return DiscoveryDocument(service, methods, RootUrl(service));
    }
  }
  return "";
}

Answer Discovery::Rest(std::string_view name, std::string_view version) const {
  std::string document = Document(name, version);
  if (document.empty()) {
    throw Failure(Code::kNotFound, fmt::format("There is no API {} {} here.", name, version));
  }
  return JsonResponse(200, std::move(document));
}

// https://ml.googleapis.com/$discovery/rest?version=v1: the API is the one this host serves.
Answer Discovery::OfHost(const Call& call) const {
  std::string version = call.http.Query("version").value_or("v1");
  for (const MethodEntry& method : router_.methods()) {
    const api::Service& service = *method.service;
    if (!service.documented || service.version != version) continue;
    for (std::string_view host : service.hosts) {
      if (host == call.http.host && host != "www.googleapis.com")
        return Rest(service.name, version);
    }
  }
  throw Failure(Code::kNotFound,
                fmt::format("There is no API of version {} at {}.", version, call.http.host));
}

Answer Discovery::Directory(const Call&) const {
  JsonWriter out;
  out.BeginObject().Field("kind", "discovery#directoryList").Field("discoveryVersion", "v1");
  out.Key("items").BeginArray();
  std::set<const api::Service*> seen;
  for (const MethodEntry& method : router_.methods()) {
    const api::Service& service = *method.service;
    if (!service.documented || !seen.insert(&service).second) continue;
    out.BeginObject().Field("kind", "discovery#directoryItem");
    out.Field("id", fmt::format("{}:{}", service.name, service.version));
    out.Field("name", service.name).Field("version", service.version).Field("title", service.title);
    out.Field("discoveryRestUrl",
              fmt::format("{}$discovery/rest?version={}", RootUrl(service), service.version));
    out.Field("preferred", true).EndObject();
  }
  out.EndArray().EndObject();
  return JsonResponse(200, out.Take());
}

}  // namespace fireweed::net
