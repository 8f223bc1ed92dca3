#include "storage/xml_listing.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/error.h"
#include "storage/xml_request.h"
#include "storage/xml_writer.h"

namespace fireweed::storage {
namespace {

std::string Parameter(const net::Request& request, std::string_view name) {
  return request.Query(name).value_or("");
}

int MaxKeys(const net::Request& request) {
  constexpr int64_t kMost = 1000;
  return static_cast<int>(std::min(NumberQuery(request, "max-keys").value_or(kMost), kMost));
}

void AppendVersion(XmlWriter& out, const ListedVersion& version, const std::string& name,
                   bool versions) {
  const ObjectRow& row = version.row;
  std::string_view element = versions ? "Version" : "Contents";
  out.Open(element).Leaf("Key", name);
  out.Leaf("Generation", std::to_string(row.generation));
  out.Leaf("MetaGeneration", std::to_string(row.metageneration));
  bool latest = row.deleted == Time{};
  if (versions) out.Leaf("IsLatest", latest ? "true" : "false");
  out.Leaf("LastModified", FormatTime(row.updated));
  std::string etag =
      row.md5.empty() ? ObjectEtag(row.generation, row.metageneration) : HexEncode(row.md5);
  out.Leaf("ETag", "\"" + etag + "\"");
  out.Leaf("Size", std::to_string(row.size)).Leaf("StorageClass", row.storage_class);
  if (!latest) out.Leaf("DeletedTime", FormatTime(row.deleted));
  out.Close(element);
}

}  // namespace

XmlListing XmlListing::Of(const net::Request& request) {
  XmlListing listing;
  listing.second_version = Parameter(request, "list-type") == "2";
  listing.encode_names = Parameter(request, "encoding-type") == "url";
  ListingQuery& query = listing.query;
  query.prefix = Parameter(request, "prefix");
  query.delimiter = Parameter(request, "delimiter");
  query.max_results = MaxKeys(request);
  query.versions = request.Query("versions").has_value();
  query.page_token = Parameter(request, "continuation-token");
  listing.marker = Parameter(request, listing.second_version ? "start-after" : "marker");
  const std::string& marker = listing.marker;
  if (marker.empty()) return listing;
  if (std::optional<int64_t> generation = NumberQuery(request, "generation-marker")) {
    query.page_token = PageTokenAfter(marker, *generation);
    return listing;
  }
  // A marker that is a common prefix stands behind everything under it; any other only behind
  // itself.
  bool common = !query.delimiter.empty() && marker.ends_with(query.delimiter);
  query.start_offset = common ? AfterPrefix(marker).value_or(marker) : marker + '\0';
  return listing;
}

std::string XmlListing::Render(std::string_view bucket, const ListingPage& page) const {
  auto name = [&](std::string_view text) {
    return encode_names ? PercentEncode(text) : std::string(text);
  };
  bool truncated = !page.next_page_token.empty();
  XmlWriter out;
  out.Open("ListBucketResult xmlns='http://doc.s3.amazonaws.com/2006-03-01'");
  out.Leaf("Name", bucket).Leaf("Prefix", name(query.prefix));
  if (!query.delimiter.empty()) out.Leaf("Delimiter", name(query.delimiter));
  if (encode_names) out.Leaf("EncodingType", "url");
  if (second_version) {
    out.LeafUnlessEmpty("StartAfter", name(marker));
    out.Leaf("KeyCount", std::to_string(page.items.size() + page.prefixes.size()));
    if (truncated) out.Leaf("NextContinuationToken", page.next_page_token);
  } else {
    out.Leaf("Marker", name(marker));
    std::string last = page.items.empty() ? "" : page.items.back().name;
    if (!page.prefixes.empty()) last = std::max(last, page.prefixes.back());
    if (truncated) out.Leaf("NextMarker", name(last));
    // Within the versions of one name.
    bool within =
        truncated && query.versions && !page.items.empty() && page.items.back().name == last;
    if (within) {
      out.Leaf("NextGenerationMarker", std::to_string(page.items.back().row.generation));
    }
  }
  out.Leaf("MaxKeys", std::to_string(query.max_results));
  out.Leaf("IsTruncated", truncated ? "true" : "false");
  for (const ListedVersion& item : page.items) {
    AppendVersion(out, item, name(item.name), query.versions);
  }
  for (const std::string& prefix : page.prefixes) {
    out.Open("CommonPrefixes").Leaf("Prefix", name(prefix)).Close("CommonPrefixes");
  }
  out.Close("ListBucketResult");
  return out.Take();
}

}  // namespace fireweed::storage
