// What for: files of a batch prediction as instances, and predictions as lines. Pure.
// A failure: of one instance it is an outcome, told in the errors file; of a file it is Failure(kInvalid).
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/ml/prediction_job.h"
#include "base/gunzip.h"
#include "base/result.h"
#include "records/record_io.h"

namespace fireweed::ml {

// One instance of a request: its text in the file, and as JSON.
struct BatchInstance {
  std::string source;
  std::string json;  // empty: it is none, and `error` says why
  std::string error;
};

// Takes a file apart as it comes, in pieces of any size. One thread at a time.
class InstanceReader {
 public:
  explicit InstanceReader(api::ml::DataFormat format);

  // What became whole with this piece. Throws Failure for a damaged file.
  std::vector<BatchInstance> Feed(std::string_view piece);
  // No more comes: the last line. Throws Failure for a file that was cut off.
  std::vector<BatchInstance> End();

 private:
  void TakeLines(bool end, std::vector<BatchInstance>& taken);
  void TakeRecords(std::vector<BatchInstance>& taken);

  const api::ml::DataFormat format_;
  std::optional<Gunzip> gunzip_;
  std::optional<records::RecordSplitter> records_;
  std::string pending_;  // of a line
  bool any_ = false;
};

// {"instances":[...],"signature_name":"..."}
std::string BatchRequest(const std::vector<const BatchInstance*>& instances,
                         const std::string& signature);
// The predictions of an answer, each as JSON text. kInvalid when it is an error, or holds another number of them.
Result<std::vector<std::string>> BatchAnswer(std::string_view body, size_t wanted);

// Errors by their words: how often, and one instance that shows each.
class BatchErrors {
 public:
  void Add(const std::string& source, const std::string& why);
  size_t count() const { return count_; }
  // ('instance', 'why', count) a line.
  std::string Text() const;

 private:
  size_t count_ = 0;
  std::map<std::string, std::pair<std::string, size_t>> by_why_;
};

// "prediction.results-00002-of-00010"
std::string ShardName(std::string_view what, size_t shard, size_t shards);

// Whether a name is meant by a path with wildcards: '*' and '?' stay within a directory, "**" does not.
bool MatchesPath(std::string_view pattern, std::string_view name);

}  // namespace fireweed::ml
