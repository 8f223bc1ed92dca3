#include "identity/roles.h"

#include <algorithm>
#include <array>

namespace fireweed::identity {
namespace {

using Patterns = std::span<const std::string_view>;

constexpr std::string_view kEverything[] = {"*"};
// What only an owner does: handing out rights, keys and tokens of others, and the house itself.
constexpr std::string_view kOwnersOnly[] = {"*.setIamPolicy",
                                            "resourcemanager.projects.create",
                                            "resourcemanager.projects.delete",
                                            "resourcemanager.projects.undelete",
                                            "iam.serviceAccounts.getAccessToken",
                                            "iam.serviceAccounts.getOpenIdToken",
                                            "iam.serviceAccounts.signBlob",
                                            "iam.serviceAccounts.signJwt",
                                            "fireweed.*"};
constexpr std::string_view kReads[] = {"*.get",
                                       "*.list",
                                       "*.getIamPolicy",
                                       "compute.*.get*",
                                       "compute.*.aggregatedList",
                                       "logging.logEntries.list",
                                       "logging.logs.list",
                                       "ml.operations.*",
                                       "serviceusage.services.use"};
constexpr std::string_view kNotForViewers[] = {"fireweed.*", "logging.privateLogEntries.list"};
constexpr std::string_view kBrowses[] = {"resourcemanager.projects.get",
                                         "resourcemanager.projects.list",
                                         "resourcemanager.projects.getIamPolicy"};

constexpr std::string_view kStorageAll[] = {"storage.*", "resourcemanager.projects.get",
                                            "resourcemanager.projects.list"};
constexpr std::string_view kObjectAll[] = {"storage.objects.*", "storage.multipartUploads.*",
                                           "storage.folders.*", "storage.managedFolders.*"};
constexpr std::string_view kObjectUse[] = {"storage.objects.*", "storage.multipartUploads.*",
                                           "storage.folders.*"};
constexpr std::string_view kNoObjectPolicy[] = {"storage.objects.*IamPolicy"};
constexpr std::string_view kObjectCreate[] = {
    "storage.objects.create", "storage.folders.create", "storage.multipartUploads.create",
    "storage.multipartUploads.abort", "storage.multipartUploads.listParts"};
constexpr std::string_view kObjectView[] = {"storage.objects.get", "storage.objects.list",
                                            "storage.folders.get", "storage.folders.list"};
constexpr std::string_view kBucketView[] = {"storage.buckets.get", "storage.buckets.list"};
constexpr std::string_view kLegacyBucketRead[] = {"storage.buckets.get", "storage.objects.list",
                                                  "storage.multipartUploads.list"};
constexpr std::string_view kLegacyBucketWrite[] = {
    "storage.buckets.get",  "storage.objects.create",  "storage.objects.delete",
    "storage.objects.list", "storage.objects.restore", "storage.multipartUploads.*"};
constexpr std::string_view kLegacyBucketOwn[] = {
    "storage.buckets.get",          "storage.buckets.update",      "storage.buckets.getIamPolicy",
    "storage.buckets.setIamPolicy", "storage.objects.create",      "storage.objects.delete",
    "storage.objects.list",         "storage.objects.restore",     "storage.multipartUploads.*",
    "storage.objects.getIamPolicy", "storage.objects.setIamPolicy"};
constexpr std::string_view kLegacyObjectRead[] = {"storage.objects.get"};
constexpr std::string_view kLegacyObjectOwn[] = {
    "storage.objects.get", "storage.objects.update", "storage.objects.getIamPolicy",
    "storage.objects.setIamPolicy", "storage.objects.overrideUnlockedRetention"};
constexpr std::string_view kHmacAdmin[] = {"storage.hmacKeys.*"};
constexpr std::string_view kKmsAll[] = {"cloudkms.*"};
constexpr std::string_view kKmsUse[] = {"cloudkms.cryptoKeyVersions.useToEncrypt",
                                        "cloudkms.cryptoKeyVersions.useToDecrypt"};
constexpr std::string_view kKmsView[] = {"cloudkms.*.get", "cloudkms.*.list"};

constexpr std::string_view kComputeAll[] = {
    "compute.*", "resourcemanager.projects.get", "resourcemanager.projects.list",
    "serviceusage.services.get", "serviceusage.services.list"};
constexpr std::string_view kInstanceAll[] = {"compute.instances.*",
                                             "compute.instanceGroups.*",
                                             "compute.instanceTemplates.*",
                                             "compute.instanceGroupManagers.*",
                                             "compute.disks.*",
                                             "compute.images.get",
                                             "compute.images.getFromFamily",
                                             "compute.images.list",
                                             "compute.images.useReadOnly",
                                             "compute.machineTypes.*",
                                             "compute.acceleratorTypes.*",
                                             "compute.diskTypes.*",
                                             "compute.networks.get",
                                             "compute.networks.list",
                                             "compute.networks.use*",
                                             "compute.subnetworks.get",
                                             "compute.subnetworks.list",
                                             "compute.subnetworks.use*",
                                             "compute.projects.get",
                                             "compute.regions.*",
                                             "compute.zones.*",
                                             "compute.*Operations.get",
                                             "compute.*Operations.list",
                                             "resourcemanager.projects.get",
                                             "resourcemanager.projects.list"};
constexpr std::string_view kComputeView[] = {"compute.*.get",
                                             "compute.*.list",
                                             "compute.*.get*",
                                             "compute.*.aggregatedList",
                                             "resourcemanager.projects.get",
                                             "resourcemanager.projects.list"};
constexpr std::string_view kNetworkAll[] = {
    "compute.networks.*",    "compute.subnetworks.*",   "compute.firewalls.*",
    "compute.addresses.*",   "compute.routes.*",        "compute.globalAddresses.*",
    "compute.instances.get", "compute.instances.list",  "compute.regions.*",
    "compute.zones.*",       "compute.*Operations.get", "compute.*Operations.list"};
constexpr std::string_view kImageAll[] = {"compute.images.*", "compute.snapshots.*",
                                          "compute.disks.*", "compute.*Operations.get",
                                          "compute.*Operations.list"};
constexpr std::string_view kImageUse[] = {"compute.images.get", "compute.images.list",
                                          "compute.images.getFromFamily",
                                          "compute.images.useReadOnly"};
constexpr std::string_view kOsLogin[] = {"compute.instances.osLogin", "compute.instances.get",
                                         "compute.instances.list", "compute.projects.get"};
constexpr std::string_view kOsAdminLogin[] = {
    "compute.instances.osLogin", "compute.instances.osAdminLogin", "compute.instances.get",
    "compute.instances.list", "compute.projects.get"};
constexpr std::string_view kTunnelUse[] = {"iap.tunnelInstances.accessViaIAP"};

constexpr std::string_view kMlAll[] = {"ml.*", "resourcemanager.projects.get"};
constexpr std::string_view kMlDevelop[] = {
    "ml.jobs.create",       "ml.jobs.get",         "ml.jobs.list",
    "ml.jobs.getIamPolicy", "ml.models.create",    "ml.models.get",
    "ml.models.list",       "ml.models.predict",   "ml.versions.get",
    "ml.versions.list",     "ml.versions.predict", "ml.operations.get",
    "ml.operations.list",   "ml.locations.*",      "ml.projects.getConfig",
    "ml.studies.*",         "ml.trials.*",         "resourcemanager.projects.get"};
constexpr std::string_view kMlView[] = {"ml.*.get", "ml.*.list", "ml.projects.getConfig",
                                        "resourcemanager.projects.get"};
constexpr std::string_view kMlAgent[] = {"ml.*",
                                         "storage.*",
                                         "logging.logEntries.create",
                                         "logging.logEntries.route",
                                         "compute.images.get",
                                         "compute.images.useReadOnly",
                                         "iam.serviceAccounts.get",
                                         "resourcemanager.projects.get",
                                         "serviceusage.services.use",
                                         "source.repos.get"};
constexpr std::string_view kMlModelAll[] = {"ml.models.*", "ml.versions.*", "ml.operations.*"};
constexpr std::string_view kMlModelUse[] = {"ml.models.get", "ml.models.predict", "ml.versions.get",
                                            "ml.versions.list", "ml.versions.predict"};
constexpr std::string_view kMlJobOwn[] = {"ml.jobs.*"};
constexpr std::string_view kMlOperationOwn[] = {"ml.operations.*"};

constexpr std::string_view kLoggingAll[] = {"logging.*", "resourcemanager.projects.get"};
constexpr std::string_view kLogWrite[] = {"logging.logEntries.create", "logging.logEntries.route"};
constexpr std::string_view kLogView[] = {"logging.*.get", "logging.*.list",
                                         "resourcemanager.projects.get"};
constexpr std::string_view kPrivateLogs[] = {"logging.privateLogEntries.list"};

constexpr std::string_view kAccountAll[] = {
    "iam.serviceAccounts.create",   "iam.serviceAccounts.delete",
    "iam.serviceAccounts.disable",  "iam.serviceAccounts.enable",
    "iam.serviceAccounts.get",      "iam.serviceAccounts.getIamPolicy",
    "iam.serviceAccounts.list",     "iam.serviceAccounts.setIamPolicy",
    "iam.serviceAccounts.update",   "resourcemanager.projects.get",
    "resourcemanager.projects.list"};
constexpr std::string_view kAccountCreate[] = {
    "iam.serviceAccounts.create", "iam.serviceAccounts.get", "iam.serviceAccounts.list"};
constexpr std::string_view kAccountView[] = {
    "iam.serviceAccounts.get", "iam.serviceAccounts.getIamPolicy", "iam.serviceAccounts.list",
    "iam.serviceAccountKeys.get", "iam.serviceAccountKeys.list"};
constexpr std::string_view kAccountUse[] = {"iam.serviceAccounts.actAs", "iam.serviceAccounts.get",
                                            "iam.serviceAccounts.list"};
constexpr std::string_view kTokenCreate[] = {"iam.serviceAccounts.get",
                                             "iam.serviceAccounts.list",
                                             "iam.serviceAccounts.getAccessToken",
                                             "iam.serviceAccounts.getOpenIdToken",
                                             "iam.serviceAccounts.implicitDelegation",
                                             "iam.serviceAccounts.signBlob",
                                             "iam.serviceAccounts.signJwt"};
constexpr std::string_view kIdTokenCreate[] = {"iam.serviceAccounts.getOpenIdToken"};
constexpr std::string_view kKeyAll[] = {"iam.serviceAccountKeys.*", "iam.serviceAccounts.get",
                                        "iam.serviceAccounts.list"};
constexpr std::string_view kReviewIam[] = {"*.getIamPolicy", "iam.*.get", "iam.*.list",
                                           "resourcemanager.projects.get",
                                           "resourcemanager.projects.list"};
constexpr std::string_view kProjectIam[] = {"resourcemanager.projects.get",
                                            "resourcemanager.projects.getIamPolicy",
                                            "resourcemanager.projects.setIamPolicy"};
constexpr std::string_view kProjectCreate[] = {"resourcemanager.projects.create"};
constexpr std::string_view kProjectDelete[] = {"resourcemanager.projects.delete"};

constexpr std::string_view kUsageAll[] = {"serviceusage.*"};
constexpr std::string_view kUsageView[] = {"serviceusage.*.get", "serviceusage.*.list"};
constexpr std::string_view kUsageUse[] = {"serviceusage.services.use", "serviceusage.services.get",
                                          "serviceusage.services.list"};
constexpr std::string_view kSourceAll[] = {"source.*"};
constexpr std::string_view kSourceWrite[] = {"source.repos.get", "source.repos.list",
                                             "source.repos.update"};
constexpr std::string_view kSourceRead[] = {"source.repos.get", "source.repos.list"};

constexpr Role kRoles[] = {
    {"roles/owner", "Owner", "Everything in the project, its policy included.", kEverything, {}},
    {"roles/editor", "Editor", "View, create, update and delete most resources.", kEverything,
     kOwnersOnly},
    {"roles/viewer", "Viewer", "View resources without changing them.", kReads, kNotForViewers},
    {"roles/browser", "Browser", "View projects and their policies.", kBrowses, {}},

    {"roles/storage.admin",
     "Storage Admin",
     "Full control of buckets and objects.",
     kStorageAll,
     {}},
    {"roles/storage.objectAdmin",
     "Storage Object Admin",
     "Full control of objects.",
     kObjectAll,
     {}},
    {"roles/storage.objectUser", "Storage Object User", "Create, read, update and delete objects.",
     kObjectUse, kNoObjectPolicy},
    {"roles/storage.objectCreator",
     "Storage Object Creator",
     "Create objects; neither see nor replace them.",
     kObjectCreate,
     {}},
    {"roles/storage.objectViewer",
     "Storage Object Viewer",
     "Read and list objects.",
     kObjectView,
     {}},
    {"roles/storage.bucketViewer",
     "Storage Bucket Viewer",
     "See buckets and their settings.",
     kBucketView,
     {}},
    {"roles/storage.hmacKeyAdmin",
     "Storage HMAC Key Admin",
     "Full control of HMAC keys.",
     kHmacAdmin,
     {}},
    {"roles/storage.legacyBucketReader",
     "Storage Legacy Bucket Reader",
     "See a bucket and list its objects.",
     kLegacyBucketRead,
     {}},
    {"roles/storage.legacyBucketWriter",
     "Storage Legacy Bucket Writer",
     "Create, replace and delete objects, and list them.",
     kLegacyBucketWrite,
     {}},
    {"roles/storage.legacyBucketOwner",
     "Storage Legacy Bucket Owner",
     "Change a bucket and its policy; create, replace, delete and list objects.",
     kLegacyBucketOwn,
     {}},
    {"roles/storage.legacyObjectReader",
     "Storage Legacy Object Reader",
     "Read objects.",
     kLegacyObjectRead,
     {}},
    {"roles/storage.legacyObjectOwner",
     "Storage Legacy Object Owner",
     "Read and change objects and their policies.",
     kLegacyObjectOwn,
     {}},

    {"roles/cloudkms.admin", "Cloud KMS Admin", "Create and change keys, without using them.",
     kKmsAll, kKmsUse},
    {"roles/cloudkms.cryptoKeyEncrypterDecrypter",
     "Cloud KMS CryptoKey Encrypter/Decrypter",
     "Keep data under a key.",
     kKmsUse,
     {}},
    {"roles/cloudkms.viewer", "Cloud KMS Viewer", "See keys.", kKmsView, {}},

    {"roles/compute.admin",
     "Compute Admin",
     "Full control of all compute resources.",
     kComputeAll,
     {}},
    {"roles/compute.instanceAdmin",
     "Compute Instance Admin (beta)",
     "Full control of instances and their disks.",
     kInstanceAll,
     {}},
    {"roles/compute.instanceAdmin.v1",
     "Compute Instance Admin (v1)",
     "Full control of instances, groups, disks and templates.",
     kInstanceAll,
     {}},
    {"roles/compute.viewer", "Compute Viewer", "See compute resources.", kComputeView, {}},
    {"roles/compute.networkAdmin",
     "Compute Network Admin",
     "Full control of networks.",
     kNetworkAll,
     {}},
    {"roles/compute.storageAdmin",
     "Compute Storage Admin",
     "Full control of images, snapshots and disks.",
     kImageAll,
     {}},
    {"roles/compute.imageUser", "Compute Image User", "See and use images.", kImageUse, {}},
    {"roles/compute.osLogin", "Compute OS Login", "Log in to instances as a user.", kOsLogin, {}},
    {"roles/compute.osAdminLogin",
     "Compute OS Admin Login",
     "Log in to instances as an administrator.",
     kOsAdminLogin,
     {}},
    {"roles/iap.tunnelResourceAccessor",
     "IAP-secured Tunnel User",
     "Reach instances through a tunnel.",
     kTunnelUse,
     {}},

    {"roles/ml.admin",
     "AI Platform Admin",
     "Full control of jobs, models and versions.",
     kMlAll,
     {}},
    {"roles/ml.developer",
     "AI Platform Developer",
     "Create and see jobs and models, and ask for predictions.",
     kMlDevelop,
     {}},
    {"roles/ml.viewer", "AI Platform Viewer", "See jobs, models and versions.", kMlView, {}},
    {"roles/ml.serviceAgent",
     "AI Platform Service Agent",
     "What jobs and models of a project may do unless they act as another account.",
     kMlAgent,
     {}},
    {"roles/ml.modelOwner",
     "AI Platform Model Owner",
     "Full control of models and versions.",
     kMlModelAll,
     {}},
    {"roles/ml.modelUser",
     "AI Platform Model User",
     "See models and ask for predictions.",
     kMlModelUse,
     {}},
    {"roles/ml.jobOwner", "AI Platform Job Owner", "Full control of jobs.", kMlJobOwn, {}},
    {"roles/ml.operationOwner",
     "AI Platform Operation Owner",
     "Full control of operations.",
     kMlOperationOwn,
     {}},

    {"roles/logging.admin", "Logging Admin", "Full control of logging.", kLoggingAll, {}},
    {"roles/logging.logWriter", "Logs Writer", "Write log entries.", kLogWrite, {}},
    {"roles/logging.viewer", "Logs Viewer", "Read log entries.", kLogView, kPrivateLogs},
    {"roles/logging.privateLogViewer",
     "Private Logs Viewer",
     "Read all log entries.",
     kLogView,
     {}},

    {"roles/iam.serviceAccountAdmin",
     "Service Account Admin",
     "Create and manage service accounts.",
     kAccountAll,
     {}},
    {"roles/iam.serviceAccountCreator",
     "Create Service Accounts",
     "Create service accounts.",
     kAccountCreate,
     {}},
    {"roles/iam.serviceAccountViewer",
     "View Service Accounts",
     "See service accounts.",
     kAccountView,
     {}},
    {"roles/iam.serviceAccountUser",
     "Service Account User",
     "Run things as a service account.",
     kAccountUse,
     {}},
    {"roles/iam.serviceAccountTokenCreator",
     "Service Account Token Creator",
     "Get tokens and signatures of service accounts.",
     kTokenCreate,
     {}},
    {"roles/iam.serviceAccountOpenIdTokenCreator",
     "Service Account OpenID Connect Token Creator",
     "Get identity tokens of service accounts.",
     kIdTokenCreate,
     {}},
    {"roles/iam.serviceAccountKeyAdmin",
     "Service Account Key Admin",
     "Create and delete keys of service accounts.",
     kKeyAll,
     {}},
    {"roles/iam.securityReviewer", "Security Reviewer", "See all policies.", kReviewIam, {}},
    {"roles/resourcemanager.projectIamAdmin",
     "Project IAM Admin",
     "Change project policies.",
     kProjectIam,
     {}},
    {"roles/resourcemanager.projectCreator",
     "Project Creator",
     "Create projects.",
     kProjectCreate,
     {}},
    {"roles/resourcemanager.projectDeleter",
     "Project Deleter",
     "Delete projects.",
     kProjectDelete,
     {}},

    {"roles/serviceusage.serviceUsageAdmin",
     "Service Usage Admin",
     "Enable and disable services.",
     kUsageAll,
     {}},
    {"roles/serviceusage.serviceUsageViewer",
     "Service Usage Viewer",
     "See enabled services.",
     kUsageView,
     {}},
    {"roles/serviceusage.serviceUsageConsumer",
     "Service Usage Consumer",
     "Use enabled services.",
     kUsageUse,
     {}},
    {"roles/source.admin",
     "Source Repository Administrator",
     "Full control of repositories.",
     kSourceAll,
     {}},
    {"roles/source.writer", "Source Repository Writer", "Read and push.", kSourceWrite, {}},
    {"roles/source.reader", "Source Repository Reader", "Read and clone.", kSourceRead, {}},
};

constexpr std::string_view kOwnServices[] = {
    "storage", "compute",      "ml",     "logging",         "iam",
    "iap",     "serviceusage", "source", "resourcemanager", "cloudkms"};

struct Scope {
  std::string_view name;  // after kScopePrefix
  Patterns allows;
  Patterns withholds;
};

constexpr std::string_view kScopePrefix = "https://www.googleapis.com/auth/";
constexpr std::string_view kStorageScope[] = {"storage.*"};
constexpr std::string_view kStorageNoPolicy[] = {"storage.*.setIamPolicy"};
constexpr std::string_view kStorageReads[] = {"storage.*.get", "storage.*.list",
                                              "storage.multipartUploads.listParts"};
constexpr std::string_view kComputeScope[] = {"compute.*"};
constexpr std::string_view kComputeReads[] = {"compute.*.get", "compute.*.list", "compute.*.get*",
                                              "compute.*.aggregatedList"};
constexpr std::string_view kLoggingScope[] = {"logging.*"};
constexpr std::string_view kLoggingReads[] = {"logging.*.get", "logging.*.list"};
constexpr std::string_view kIamScope[] = {"iam.*"};
constexpr std::string_view kSourceScope[] = {"source.*"};

constexpr Scope kScopes[] = {
    {"cloud-platform", kEverything, {}},
    {"cloud-platform.read-only", kReads, {}},
    {"devstorage.full_control", kStorageScope, {}},
    {"devstorage.read_write", kStorageScope, kStorageNoPolicy},
    {"devstorage.read_only", kStorageReads, {}},
    {"devstorage.write_only", kObjectCreate, {}},
    {"compute", kComputeScope, {}},
    {"compute.readonly", kComputeReads, {}},
    {"logging.admin", kLoggingScope, {}},
    {"logging.read", kLoggingReads, {}},
    {"logging.write", kLogWrite, {}},
    {"iam", kIamScope, {}},
    {"service.management", kUsageAll, {}},
    {"service.management.readonly", kUsageView, {}},
    {"cloudplatformprojects", kProjectIam, {}},
    {"cloudplatformprojects.readonly", kBrowses, {}},
    {"cloud.source", kSourceScope, {}},
    {"source.full_control", kSourceScope, {}},
    {"source.read_write", kSourceWrite, {}},
    {"source.read_only", kSourceRead, {}},
};

bool MatchesAny(Patterns patterns, std::string_view permission) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](std::string_view pattern) { return MatchesPattern(pattern, permission); });
}

}  // namespace

bool MatchesPattern(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0;
  size_t star = std::string_view::npos, star_text = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;  // the last star takes one character more
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool Role::Grants(std::string_view permission) const {
  return MatchesAny(grants, permission) && !MatchesAny(withholds, permission);
}

std::span<const Role> AllRoles() { return kRoles; }

const Role* FindRole(std::string_view name) {
  for (const Role& role : kRoles) {
    if (role.name == name) return &role;
  }
  return nullptr;
}

bool MayBeBound(std::string_view role) {
  if (FindRole(role)) return true;
  constexpr std::string_view kPrefix = "roles/";
  if (!role.starts_with(kPrefix)) return false;
  role.remove_prefix(kPrefix.size());
  size_t dot = role.find('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == role.size()) return false;
  return std::find(std::begin(kOwnServices), std::end(kOwnServices), role.substr(0, dot)) ==
         std::end(kOwnServices);
}

bool ScopesAllow(const std::vector<std::string>& scopes, std::string_view permission) {
  if (scopes.empty()) return true;
  for (std::string_view scope : scopes) {
    if (!scope.starts_with(kScopePrefix)) continue;
    scope.remove_prefix(kScopePrefix.size());
    for (const Scope& known : kScopes) {
      if (known.name == scope && MatchesAny(known.allows, permission) &&
          !MatchesAny(known.withholds, permission)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace fireweed::identity
