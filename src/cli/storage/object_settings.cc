#include "cli/storage/object_settings.h"

#include <charconv>

#include <fmt/format.h>

#include "base/bytes.h"
#include "cli/grammar.h"

namespace fireweed::cli {
namespace {

constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
    {"avro", "application/avro"},
    {"bmp", "image/bmp"},
    {"css", "text/css"},
    {"csv", "text/csv"},
    {"gif", "image/gif"},
    {"gz", "application/gzip"},
    {"h5", "application/x-hdf5"},
    {"htm", "text/html"},
    {"html", "text/html"},
    {"jpeg", "image/jpeg"},
    {"jpg", "image/jpeg"},
    {"js", "text/javascript"},
    {"json", "application/json"},
    {"jsonl", "application/json"},
    {"log", "text/plain"},
    {"md", "text/markdown"},
    {"mp3", "audio/mpeg"},
    {"mp4", "video/mp4"},
    {"parquet", "application/vnd.apache.parquet"},
    {"pdf", "application/pdf"},
    {"png", "image/png"},
    {"py", "text/x-python"},
    {"sh", "text/x-sh"},
    {"svg", "image/svg+xml"},
    {"tar", "application/x-tar"},
    {"tsv", "text/tab-separated-values"},
    {"txt", "text/plain"},
    {"wav", "audio/wav"},
    {"webp", "image/webp"},
    {"whl", "application/zip"},
    {"xml", "application/xml"},
    {"yaml", "application/yaml"},
    {"yml", "application/yaml"},
    {"zip", "application/zip"},
};

}  // namespace

std::string_view ContentTypeOf(std::string_view path) {
  std::string_view base = path.substr(path.rfind('/') + 1);
  size_t dot = base.rfind('.');
  if (dot != std::string_view::npos && dot > 0) {
    std::string extension = ToLower(base.substr(dot + 1));
    for (const auto& [known, type] : kTypes) {
      if (known == extension) return type;
    }
  }
  return "application/octet-stream";
}

std::optional<int64_t> MtimeOf(const api::storage::Object& object) {
  auto found = object.metadata.find(std::string(kMtimeKey));
  if (found == object.metadata.end()) return std::nullopt;
  int64_t seconds = 0;
  const std::string& text = found->second;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc()) return std::nullopt;
  return seconds;
}

void ObjectSettings::AddTo(Command& command) {
  command.AddOption("--content-type", content_type, "Type of the object (default: by its name)");
  command.AddOption("--cache-control", cache_control, "Cache-Control of its downloads");
  command.AddOption("--content-encoding", content_encoding, "How its bytes are encoded: gzip");
  command.AddOption("--content-disposition", content_disposition, "Content-Disposition");
  command.AddOption("--content-language", content_language, "Content-Language");
  command.AddOption("-s,--storage-class", storage_class, "STANDARD, NEARLINE, COLDLINE, ARCHIVE");
  command.AddOption("--custom-metadata", custom_metadata, "KEY=VALUE,...")
      ->Split(',')
      ->OneWordEach();
  command.AddOption("-a,--predefined-acl", predefined_acl, "private, publicRead, ...");
  command.AddOption("--if-generation-match", if_generation_match,
                    "Only if this is the destination's generation; 0: only if there is none");
  command.AddOption("--if-metageneration-match", if_metageneration_match,
                    "Only if this is the destination's metageneration");
}

std::string ObjectSettings::PredefinedAcl() const {
  std::string word;
  bool upper = false;
  for (char c : predefined_acl) {
    if (c != '-') word += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    upper = c == '-';
  }
  return word;
}

bool ObjectSettings::ChangesMetadata() const {
  return content_type || cache_control || content_encoding || content_disposition ||
         content_language || storage_class || !custom_metadata.empty();
}

void ObjectSettings::Apply(JsonTree& object) const {
  const std::pair<std::string_view, const std::optional<std::string>&> fields[] = {
      {"contentType", content_type},         {"cacheControl", cache_control},
      {"contentEncoding", content_encoding}, {"contentDisposition", content_disposition},
      {"contentLanguage", content_language}, {"storageClass", storage_class}};
  for (const auto& [name, value] : fields) {
    if (value) object[name] = JsonTree::Text(*value);
  }
  for (const std::string& pair : custom_metadata) {
    size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw Failure(Code::kInvalid, fmt::format("--custom-metadata: '{}' is not KEY=VALUE", pair));
    }
    object["metadata"][pair.substr(0, equals)] = JsonTree::Text(pair.substr(equals + 1));
  }
}

UploadSpec ObjectSettings::Spec(const std::string& bucket, const std::string& name,
                                std::string_view path, std::optional<int64_t> mtime) const {
  UploadSpec spec{bucket,
                  name,
                  JsonTree::Object(),
                  PredefinedAcl(),
                  if_generation_match,
                  if_metageneration_match};
  spec.metadata["contentType"] = JsonTree::Text(ContentTypeOf(path));
  if (mtime) spec.metadata["metadata"][kMtimeKey] = JsonTree::Text(std::to_string(*mtime));
  Apply(spec.metadata);
  return spec;
}

}  // namespace fireweed::cli
