#include "ml/models/batch_input.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/error.h"
#include "describe/json_tree.h"
#include "describe/json_writer.h"

namespace fireweed::ml {
namespace {

using api::ml::DataFormat;

BatchInstance FromLine(std::string_view line, DataFormat format) {
  BatchInstance instance{.source = std::string(line)};
  try {
    instance.json = JsonTree::Parse(line).Compact();
  } catch (const Failure& failure) {
    // Text that is no JSON is itself the instance.
    if (format == DataFormat::kText) {
      instance.json = JsonTree::Text(line).Compact();
    } else {
      instance.error = failure.what();
    }
  }
  return instance;
}

std::string Quoted(std::string_view text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + "'";
}

}  // namespace

InstanceReader::InstanceReader(DataFormat format) : format_(format) {
  constexpr size_t kLongestRecord = 64 << 20;
  bool packed = format == DataFormat::kTfRecordGzip;
  if (packed) gunzip_.emplace();
  if (packed || format == DataFormat::kTfRecord) records_.emplace(0, kLongestRecord);
}

void InstanceReader::TakeLines(bool end, std::vector<BatchInstance>& taken) {
  size_t at = 0;
  while (at < pending_.size()) {
    size_t line_end = pending_.find('\n', at);
    if (line_end == std::string::npos && !end) break;
    std::string_view line = Trim(std::string_view(pending_).substr(at, line_end - at));
    at = line_end == std::string::npos ? pending_.size() : line_end + 1;
    if (!line.empty()) taken.push_back(FromLine(line, format_));
  }
  pending_.erase(0, at);
}

void InstanceReader::TakeRecords(std::vector<BatchInstance>& taken) {
  while (std::optional<std::string_view> record = records_->Next().value()) {
    JsonTree instance = JsonTree::Object();
    instance["b64"] = JsonTree::Text(Base64Encode(*record));
    taken.push_back({.source = instance.Compact(), .json = instance.Compact()});
  }
}

std::vector<BatchInstance> InstanceReader::Feed(std::string_view piece) {
  std::vector<BatchInstance> taken;
  any_ = any_ || !piece.empty();
  if (!records_) {
    pending_.append(piece);
    TakeLines(false, taken);
    return taken;
  }
  if (!gunzip_) {
    records_->Feed(piece);
    TakeRecords(taken);
    return taken;
  }
  gunzip_->Feed(AsBytes(piece), [&](std::span<const std::byte> plain) {
    records_->Feed(AsText(plain));
    TakeRecords(taken);
  });
  return taken;
}

std::vector<BatchInstance> InstanceReader::End() {
  std::vector<BatchInstance> taken;
  if (!records_) TakeLines(true, taken);
  bool whole = !gunzip_ || !any_ || gunzip_->complete();
  if (!whole || (records_ && records_->pending() > 0)) {
    throw Failure(Code::kInvalid, "The file ends within a record.");
  }
  return taken;
}

std::string BatchRequest(const std::vector<const BatchInstance*>& instances,
                         const std::string& signature) {
  std::string body = "{\"instances\":[";
  for (const BatchInstance* instance : instances) {
    if (body.back() != '[') body += ',';
    body += instance->json;
  }
  body += ']';
  if (!signature.empty()) body += ",\"signature_name\":" + JsonTree::Text(signature).Compact();
  return body + "}";
}

Result<std::vector<std::string>> BatchAnswer(std::string_view body, size_t wanted) try {
  JsonTree answer = JsonTree::Parse(body);
  if (const JsonTree* error = answer.Find("error")) {
    return Error{Code::kInvalid, "", error->IsObject() ? error->TextOf("message") : error->text()};
  }
  const JsonTree* predictions = answer.Find("predictions");
  if (!predictions || predictions->items().size() != wanted) {
    return Error{Code::kInvalid, "",
                 fmt::format("The model gave {} predictions for {} instances.",
                             predictions ? predictions->items().size() : 0, wanted)};
  }
  std::vector<std::string> lines;
  for (const JsonTree& prediction : predictions->items()) lines.push_back(prediction.Compact());
  return lines;
} catch (const Failure& failure) {
  return failure.error();
}

void BatchErrors::Add(const std::string& source, const std::string& why) {
  ++count_;
  auto [entry, is_new] = by_why_.try_emplace(why, source, size_t{0});
  ++entry->second.second;
}

std::string BatchErrors::Text() const {
  std::string text;
  for (const auto& [why, shown] : by_why_) {
    text += fmt::format("({}, {}, {})\n", Quoted(shown.first), Quoted(why), shown.second);
  }
  return text;
}

std::string ShardName(std::string_view what, size_t shard, size_t shards) {
  return fmt::format("prediction.{}-{:05}-of-{:05}", what, shard, shards);
}

bool MatchesPath(std::string_view pattern, std::string_view name) {
  while (!pattern.empty()) {
    if (pattern.starts_with('*')) {
      bool deep = pattern.starts_with("**");
      std::string_view rest = pattern.substr(deep ? 2 : 1);
      for (size_t skip = 0;; ++skip) {
        if (MatchesPath(rest, name.substr(skip))) return true;
        if (skip == name.size() || (!deep && name[skip] == '/')) return false;
      }
    }
    if (name.empty() || (pattern[0] != name[0] && (pattern[0] != '?' || name[0] == '/'))) {
      return false;
    }
    pattern.remove_prefix(1);
    name.remove_prefix(1);
  }
  return name.empty();
}

}  // namespace fireweed::ml
