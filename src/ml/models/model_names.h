// How models, versions and operations are named and found, in the words of the API. Pure but for the transaction given.
// A failure: Failure with the message that clients know.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/long_running_operation.h"
#include "catalog/catalog.h"
#include "control/operations.h"
#include "ml/models/records.h"

namespace fireweed::ml {

// A letter, then letters, digits and underscores; at most 128.
void RequireModelName(std::string_view field, std::string_view name);
// Keys and values as everywhere: lower-case letters, digits, dashes and underscores, at most 63 and 64 of them.
void RequireLabels(const std::map<std::string, std::string>& labels);

// Numbers are digits, ids begin with a letter.
bool IsProjectNumber(std::string_view project);
// The id of a project that is named by its id or its number; what is not known stays as it is.
std::string ProjectIdOf(Txn& txn, const std::string& project);

// Projects by id or number.
ModelRecord LoadModel(Txn& txn, const std::string& project, const std::string& model);
VersionRecord LoadVersion(Txn& txn, const std::string& project, const std::string& model,
                          const std::string& version);
std::vector<VersionRecord> VersionsOf(Txn& txn, const ModelRecord& model);
// Makes a version of a model its default, in the record given: kNotFound when there is none such, kInvalid when it is
// not READY.
VersionRecord ChooseDefault(Txn& txn, ModelRecord& model, const std::string& version);

// The fields of an update mask, "a,b_c.d" as "a" and "bC.d": the API documents both spellings. kInvalid when it is empty.
std::vector<std::string> MaskPaths(std::string_view mask);

// As the API shows them. `versions` are those of the model, for its default.
api::ml::Version ShowVersion(const VersionRecord& record, const ModelRecord& model);
api::ml::Model ShowModel(Txn& txn, const ModelRecord& record);
Bytes EtagOf(int64_t generation);
// kExists (409) when a client says an etag that is not the present one.
void CheckEtag(const Bytes& given, int64_t generation);

// Where operations of the ml API are listed. No compute scope begins like it.
std::string OperationScope(std::string_view project);
// "projects/P/operations/ID" with its metadata; the version is shown while it is there.
api::LongRunningOperation ShowMlOperation(Txn& txn, const Operation& operation);

}  // namespace fireweed::ml
