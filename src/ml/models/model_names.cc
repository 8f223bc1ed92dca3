#include "ml/models/model_names.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/bytes.h"
#include "describe/json_codec.h"
#include "describe/json_tree.h"
#include "identity/records.h"
#include "net/errors.h"

namespace fireweed::ml {
namespace {

constexpr size_t kLongestName = 128;
constexpr std::string_view kScopePrefix = "ml:";

// google.rpc.Code of an error.
int32_t RpcCode(Code code) {
  switch (code) {
    case Code::kCancelled: return 1;
    case Code::kInvalid: return 3;
    case Code::kNotFound: return 5;
    case Code::kExists: return 6;
    case Code::kDenied: return 7;
    case Code::kExhausted: return 8;
    case Code::kPrecondition: return 9;
    case Code::kUnavailable: return 14;
    default: return 13;
  }
}

bool IsLabelText(std::string_view text, size_t most) {
  return text.size() <= most && std::ranges::all_of(text, [](unsigned char c) {
           return std::islower(c) || std::isdigit(c) || c == '-' || c == '_' || c >= 0x80;
         });
}

std::string OperationType(std::string_view verb) {
  if (verb == "create_version") return "CREATE_VERSION";
  if (verb == "delete_version") return "DELETE_VERSION";
  if (verb == "delete_model") return "DELETE_MODEL";
  if (verb == "update_model") return "UPDATE_MODEL";
  if (verb == "update_version") return "UPDATE_VERSION";
  return "OPERATION_TYPE_UNSPECIFIED";
}

JsonTree ResponseOf(Txn& txn, const Operation& operation, const JsonTree& version) {
  JsonTree response = JsonTree::Object();
  bool made = operation.verb == "create_version" || operation.verb == "update_version";
  if (made && !version.IsNull()) {
    response = version;
    response["@type"] = JsonTree::Text("type.googleapis.com/google.cloud.ml.v1.Version");
  } else if (auto row = operation.verb == "update_model" ? txn.Find<ModelRecord>(operation.target)
                                                         : std::nullopt) {
    response = JsonTree::Parse(EncodeJson(ShowModel(txn, row->value), Audience::kWire));
    response["@type"] = JsonTree::Text("type.googleapis.com/google.cloud.ml.v1.Model");
  } else {
    response["@type"] = JsonTree::Text("type.googleapis.com/google.protobuf.Empty");
  }
  return response;
}

}  // namespace

void RequireModelName(std::string_view field, std::string_view name) {
  bool good =
      !name.empty() && name.size() <= kLongestName &&
      std::isalpha(static_cast<unsigned char>(name[0])) &&
      std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
  if (good) return;
  throw Failure(Code::kInvalid,
                fmt::format("Field: {} Error: The name '{}' should start with a letter and contain "
                            "only letters, numbers and underscores, at most {} of them.",
                            field, name, kLongestName));
}

void RequireLabels(const std::map<std::string, std::string>& labels) {
  constexpr size_t kMostLabels = 64, kLongestKey = 63, kLongestValue = 63;
  for (const auto& [key, value] : labels) {
    if (!key.empty() && IsLabelText(key, kLongestKey) && IsLabelText(value, kLongestValue))
      continue;
    throw Failure(Code::kInvalid,
                  fmt::format("Field: labels Error: Invalid label '{}={}'.", key, value));
  }
  if (labels.size() > kMostLabels) {
    throw Failure(Code::kInvalid, "Field: labels Error: There may be at most 64 labels.");
  }
}

bool IsProjectNumber(std::string_view project) {
  return !project.empty() && std::isdigit(static_cast<unsigned char>(project[0]));
}

std::string ProjectIdOf(Txn& txn, const std::string& project) {
  if (!IsProjectNumber(project)) return project;
  auto row = txn.Find<identity::ProjectNumberRecord>(project);
  return row ? row->value.project : project;
}

ModelRecord LoadModel(Txn& txn, const std::string& project, const std::string& model) {
  auto row = txn.Find<ModelRecord>(ProjectIdOf(txn, project) + "/" + model);
  if (row) return std::move(row->value);
  throw Failure(Code::kNotFound,
                fmt::format("Field: name Error: The model resource: \"{}\" was not found. Please "
                            "create the Cloud ML model resource first by using 'gcloud ai-platform "
                            "models create {}'.",
                            model, model));
}

VersionRecord LoadVersion(Txn& txn, const std::string& project, const std::string& model,
                          const std::string& version) {
  auto row = txn.Find<VersionRecord>(ProjectIdOf(txn, project) + "/" + model + "/" + version);
  if (row) return std::move(row->value);
  LoadModel(txn, project, model);
  throw Failure(Code::kNotFound,
                fmt::format("Field: name Error: The version resource: \"{}\" of the model \"{}\" "
                            "was not found.",
                            version, model));
}

std::vector<VersionRecord> VersionsOf(Txn& txn, const ModelRecord& model) {
  std::vector<VersionRecord> versions;
  txn.ForEach<VersionRecord>({.prefix = model.key() + "/"}, [&](Row<VersionRecord>& row) {
    versions.push_back(std::move(row.value));
  });
  return versions;
}

VersionRecord ChooseDefault(Txn& txn, ModelRecord& model, const std::string& version) {
  VersionRecord record = LoadVersion(txn, model.project, model.name, version);
  if (record.deleting || record.resource.state != api::ml::VersionState::kReady) {
    throw Failure(Code::kInvalid, "failedPrecondition",
                  "Field: name Error: Only a version that is READY can be the default.");
  }
  model.default_version = record.name;
  return record;
}

std::vector<std::string> MaskPaths(std::string_view mask) {
  std::vector<std::string> paths;
  while (!Trim(mask).empty()) {
    std::string_view field = mask.substr(0, mask.find(','));
    mask.remove_prefix(std::min(mask.size(), field.size() + 1));
    std::string& path = paths.emplace_back();
    bool begins = false;  // a word, after an underscore
    bool key = false;     // of a map: it is spelt as it is
    for (unsigned char c : Trim(field)) {
      if (key || c != '_') path += static_cast<char>(begins ? std::toupper(c) : c);
      begins = !key && c == '_';
      key = key || path == "labels." || path == "trafficSplit.";
    }
  }
  if (!paths.empty()) return paths;
  throw Failure(Code::kInvalid, "Field: update_mask Error: The update mask is required.");
}

Bytes EtagOf(int64_t generation) {
  Bytes etag;
  for (int shift = 56; shift >= 0; shift -= 8) etag.raw += static_cast<char>(generation >> shift);
  return etag;
}

void CheckEtag(const Bytes& given, int64_t generation) {
  if (given.raw.empty() || given == EtagOf(generation)) return;
  throw Failure(Code::kExists, "aborted",
                "There were concurrent changes: the etag is not the present one. Read the resource "
                "again.");
}

api::ml::Version ShowVersion(const VersionRecord& record, const ModelRecord& model) {
  api::ml::Version shown = record.resource;
  shown.name = record.resource_name();
  shown.isDefault = model.default_version == record.name;
  shown.etag = EtagOf(record.generation);
  if (record.deleting) shown.state = api::ml::VersionState::kDeleting;
  return shown;
}

api::ml::Model ShowModel(Txn& txn, const ModelRecord& record) {
  api::ml::Model shown = record.resource;
  shown.name = record.resource_name();
  shown.etag = EtagOf(record.generation);
  if (record.default_version.empty()) return shown;
  auto row = txn.Find<VersionRecord>(record.key() + "/" + record.default_version);
  if (row) shown.defaultVersion = ShowVersion(row->value, record);
  return shown;
}

std::string OperationScope(std::string_view project) {
  return fmt::format("{}{}", kScopePrefix, project);
}

api::LongRunningOperation ShowMlOperation(Txn& txn, const Operation& operation) {
  std::string project = operation.scope.substr(kScopePrefix.size());
  api::LongRunningOperation shown;
  shown.name = fmt::format("projects/{}/operations/{}", project, operation.id);
  JsonTree metadata = JsonTree::Object();
  metadata["@type"] = JsonTree::Text("type.googleapis.com/google.cloud.ml.v1.OperationMetadata");
  metadata["createTime"] = JsonTree::Text(FormatTime(operation.started));
  metadata["startTime"] = JsonTree::Text(FormatTime(operation.started));
  if (operation.ended) metadata["endTime"] = JsonTree::Text(FormatTime(*operation.ended));
  metadata["operationType"] = JsonTree::Text(OperationType(operation.verb));
  std::string_view target = operation.target;
  std::string_view model = target.substr(target.find('/') + 1);
  model = model.substr(0, model.find('/'));
  metadata["modelName"] = JsonTree::Text(fmt::format("projects/{}/models/{}", project, model));
  JsonTree version;
  auto owner = txn.Find<ModelRecord>(fmt::format("{}/{}", project, model));
  if (auto row = txn.Find<VersionRecord>(target); row && owner) {
    version = JsonTree::Parse(EncodeJson(ShowVersion(row->value, owner->value), Audience::kWire));
    metadata["version"] = version;
  }
  shown.metadata.text = metadata.Compact();
  shown.done = operation.ended.has_value();
  if (!shown.done) return shown;
  if (operation.error) {
    shown.error = {RpcCode(operation.error->ToError().code), operation.error->message};
  } else {
    shown.response.text = ResponseOf(txn, operation, version).Compact();
  }
  return shown;
}

}  // namespace fireweed::ml
