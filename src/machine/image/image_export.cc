#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/bytes.h"
#include "base/process.h"
#include "base/unique_fd.h"
#include "describe/json_writer.h"
#include "machine/image/image_archive.h"
#include "machine/image/image_archive_format.h"
#include "machine/kept/state_file.h"

namespace fireweed {
namespace {

namespace fs = std::filesystem;

#if defined(__aarch64__)
constexpr std::string_view kArchitecture = "arm64";
#else
constexpr std::string_view kArchitecture = "amd64";
#endif
constexpr std::chrono::hours kLimit{2};

struct Blob {
  std::string digest;
  int64_t size = 0;
};
struct Layer {
  Blob blob;
  std::string content;  // digest of the tar before it was compressed
};

Result<> RunOrFail(std::vector<std::string> argv, std::string_view input = {}) {
  std::string name = argv[0];
  Result<ProgramOutcome> done = RunProgram({.argv = std::move(argv)}, kLimit, input);
  if (!done.ok()) return done.error();
  if (!done->ok()) return Error{Code::kUnavailable, "", name + ": " + done->error};
  return Done{};
}

// Names below `root` in an order in which every directory precedes what it holds, cut into lists whose files have
// about `layer_bytes`. The same tree is always cut in the same way.
Result<std::vector<std::string>> CutIntoLists(const std::string& root, int64_t layer_bytes) {
  std::vector<std::pair<std::string, int64_t>> names;
  std::error_code failed;
  for (auto it = fs::recursive_directory_iterator(root, failed);
       !failed && it != fs::recursive_directory_iterator(); it.increment(failed)) {
    fs::file_type type = it->symlink_status().type();
    std::string name = it->path().lexically_relative(root);
    if (name.starts_with("dev/") || type == fs::file_type::socket) continue;
    names.emplace_back(name, type == fs::file_type::regular ? it->file_size() : 0);
  }
  if (failed) return ErrnoError(failed.value(), root);
  std::sort(names.begin(), names.end());
  std::vector<std::string> lists(1);
  int64_t bytes = 0;
  for (const auto& [name, size] : names) {
    if (bytes > 0 && bytes + size > layer_bytes) {
      lists.emplace_back();
      bytes = 0;
    }
    lists.back() += "./" + name + '\0';
    bytes += size;
  }
  return lists;
}

class LayoutWriter {
 public:
  LayoutWriter(std::string image, std::string directory)
      : image_(std::move(image)),
        directory_(std::move(directory)),
        blobs_(directory_ + "/blobs/sha256/") {}

  Result<ExportedImage> Write(const LayerProgress& progress, int64_t layer_bytes) {
    if (Result<> made = MakeStateDirectory(blobs_, 0755); !made.ok()) return made.error();
    Result<std::vector<std::string>> lists = CutIntoLists(image_, layer_bytes);
    if (!lists.ok()) return lists.error();
    int all = static_cast<int>(lists->size());
    std::vector<Layer> layers;
    for (int i = 0; i < all; ++i) {
      if (progress) progress(i, all);
      Result<Layer> layer = WriteLayer((*lists)[i]);
      if (!layer.ok()) return layer.error();
      layers.push_back(*std::move(layer));
    }
    if (progress) progress(all, all);
    return Finish(layers);
  }

 private:
  // Finished layers are found by the names in them: their tree never changes.
  Result<Layer> WriteLayer(const std::string& list) {
    std::string note = directory_ + "/." + HexEncode(Hash(Digest::kSha256, image_ + '\0' + list));
    std::istringstream earlier(ReadStateFile(note).value_or(""));
    Layer layer;
    if (earlier >> layer.blob.digest >> layer.blob.size >> layer.content &&
        FileSize(BlobPath(layer.blob.digest)) == layer.blob.size) {
      return layer;
    }
    std::string plain = directory_ + "/.layer", packed = plain + ".gz";
    Result<> made =
        RunOrFail({"tar", "--create", "--file=" + plain, "--directory=" + image_, "--null",
                   "--no-recursion", "--files-from=-", "--numeric-owner", "--format=pax",
                   "--pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime",
                   "--xattrs", "--xattrs-include=*"},
                  list);
    if (!made.ok()) return made.error();
    Result<std::string> content = FileDigest(plain);
    if (!content.ok()) return content.error();
    if (Result<> done = RunOrFail({"gzip", "--no-name", "--force", plain}); !done.ok())
      return done.error();
    Result<std::string> digest = FileDigest(packed);
    if (!digest.ok()) return digest.error();
    layer = {{*digest, FileSize(packed)}, *content};
    if (rename(packed.c_str(), BlobPath(*digest).c_str()) != 0) return ErrnoError(errno, packed);
    std::string words = *digest + " " + std::to_string(layer.blob.size) + " " + *content + "\n";
    if (Result<> noted = WriteStateFile(note, words); !noted.ok()) return noted.error();
    return layer;
  }

  Result<Blob> WriteBlob(const std::string& text) {
    Blob blob{"sha256:" + HexEncode(Hash(Digest::kSha256, text)),
              static_cast<int64_t>(text.size())};
    if (Result<> done = WriteStateFile(BlobPath(blob.digest), text); !done.ok())
      return done.error();
    return blob;
  }

  Result<ExportedImage> Finish(const std::vector<Layer>& layers) {
    JsonWriter config;
    config.BeginObject().Field("architecture", kArchitecture).Field("os", "linux");
    config.Key("config").BeginObject().EndObject();
    config.Key("rootfs").BeginObject().Field("type", "layers").Key("diff_ids").BeginArray();
    for (const Layer& layer : layers) config.String(layer.content);
    config.EndArray().EndObject().EndObject();
    Result<Blob> config_blob = WriteBlob(config.Take());
    if (!config_blob.ok()) return config_blob.error();

    ExportedImage exported{.layers = static_cast<int>(layers.size())};
    JsonWriter manifest;
    manifest.BeginObject().Field("schemaVersion", int64_t{2}).Field("mediaType", kManifestType);
    manifest.Key("config");
    Describe(manifest, *config_blob, "application/vnd.oci.image.config.v1+json");
    manifest.Key("layers").BeginArray();
    for (const Layer& layer : layers) {
      Describe(manifest, layer.blob, "application/vnd.oci.image.layer.v1.tar+gzip");
      exported.bytes += layer.blob.size;
    }
    manifest.EndArray().Key("annotations").BeginObject();
    manifest.Field(kNameAnnotation, fs::path(image_).filename().string());
    manifest.Field(kBindsAnnotation, ReadStateFile(image_ + ".binds").value_or(""));
    manifest.EndObject().EndObject();
    Result<Blob> blob = WriteBlob(manifest.Take());
    if (!blob.ok()) return blob.error();
    exported.digest = blob->digest;

    JsonWriter index;
    index.BeginObject().Field("schemaVersion", int64_t{2}).Key("manifests").BeginArray();
    Describe(index, *blob, kManifestType);
    index.EndArray().EndObject();
    for (const auto& [name, text] :
         {std::pair("oci-layout", std::string(R"({"imageLayoutVersion":"1.0.0"})")),
          std::pair("index.json", index.Take())}) {
      if (Result<> done = WriteStateFile(directory_ + "/" + name, text); !done.ok())
        return done.error();
    }
    return exported;
  }

  static void Describe(JsonWriter& out, const Blob& blob, std::string_view type) {
    out.BeginObject().Field("mediaType", type).Field("digest", blob.digest);
    out.Field("size", blob.size).EndObject();
  }
  static int64_t FileSize(const std::string& path) {
    std::error_code absent;
    auto size = fs::file_size(path, absent);
    return absent ? -1 : static_cast<int64_t>(size);
  }
  std::string BlobPath(const std::string& digest) const {
    return blobs_ + digest.substr(std::min<size_t>(7, digest.size()));
  }

  const std::string image_, directory_, blobs_;
};

// Notes on layers are for the next try only.
void RemoveNotes(const std::string& directory) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory, ignored)) {
    if (entry.path().filename().string().starts_with('.')) fs::remove(entry.path(), ignored);
  }
}

}  // namespace

Result<ExportedImage> ExportImage(const std::string& image, const std::string& to,
                                  const LayerProgress& progress, int64_t layer_bytes) {
  bool as_directory = to.ends_with('/') || fs::is_directory(to);
  std::string directory = as_directory ? to : to + ".part";
  Result<ExportedImage> exported = LayoutWriter(image, directory).Write(progress, layer_bytes);
  if (!exported.ok()) return exported;
  if (as_directory) {
    RemoveNotes(directory);
    return exported;
  }
  std::string draft = directory + "/.file";
  Result<> packed = RunOrFail({"tar", "--create", "--file=" + draft, "--directory=" + directory,
                               "--numeric-owner", "--owner=0", "--group=0", "--mtime=@0",
                               "--sort=name", "oci-layout", "index.json", "blobs"});
  if (!packed.ok()) return packed.error();
  UniqueFd file(open(draft.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file || fsync(file.get()) != 0) return ErrnoError(errno, draft);
  if (rename(draft.c_str(), to.c_str()) != 0) return ErrnoError(errno, to);
  if (Result<> removed = RemoveTree(directory); !removed.ok()) return removed.error();
  return exported;
}

}  // namespace fireweed
