#include "storage/xml_listing.h"

#include <algorithm>
#include <charconv>

#include "base/bytes.h"
#include "base/error.h"

namespace fireweed::storage {
namespace {

// Elements one after another; text is escaped.
class XmlText {
 public:
  XmlText& Open(std::string_view name) {
    out_.append("<").append(name).append(">");
    return *this;
  }
  XmlText& Close(std::string_view name) {
    out_.append("</").append(name).append(">");
    return *this;
  }
  XmlText& Leaf(std::string_view name, std::string_view text) {
    Open(name);
    out_ += XmlEscape(text);
    return Close(name);
  }
  std::string Take() { return std::move(out_); }

 private:
  std::string out_ = "<?xml version='1.0' encoding='UTF-8'?>";
};

std::string Parameter(const net::Request& request, std::string_view name) {
  return request.Query(name).value_or("");
}

int MaxKeys(const net::Request& request) {
  std::string text = Parameter(request, "max-keys");
  if (text.empty()) return 1000;
  int number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) {
    throw Failure(Code::kInvalid, "InvalidArgument", "max-keys is no number.");
  }
  return number;
}

void AppendVersion(XmlText& out, const ListedVersion& version, const std::string& name) {
  const ObjectRow& row = version.row;
  out.Open("Contents").Leaf("Key", name);
  out.Leaf("Generation", std::to_string(row.generation));
  out.Leaf("MetaGeneration", std::to_string(row.metageneration));
  out.Leaf("LastModified", FormatTime(row.updated));
  std::string etag =
      row.md5.empty() ? ObjectEtag(row.generation, row.metageneration) : HexEncode(row.md5);
  out.Leaf("ETag", "\"" + etag + "\"");
  out.Leaf("Size", std::to_string(row.size));
  if (row.deleted != Time{}) out.Leaf("DeletedTime", FormatTime(row.deleted));
  out.Close("Contents");
}

}  // namespace

std::string XmlEscape(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\r': out += "&#13;"; break;
      default: out += c;
    }
  }
  return out;
}

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
  XmlText out;
  out.Open("ListBucketResult xmlns='http://doc.s3.amazonaws.com/2006-03-01'");
  out.Leaf("Name", bucket).Leaf("Prefix", name(query.prefix));
  if (!query.delimiter.empty()) out.Leaf("Delimiter", name(query.delimiter));
  if (encode_names) out.Leaf("EncodingType", "url");
  if (second_version) {
    out.Leaf("KeyCount", std::to_string(page.items.size() + page.prefixes.size()));
    if (truncated) out.Leaf("NextContinuationToken", page.next_page_token);
  } else {
    out.Leaf("Marker", name(marker));
    std::string last = page.items.empty() ? "" : page.items.back().name;
    if (!page.prefixes.empty()) last = std::max(last, page.prefixes.back());
    if (truncated) out.Leaf("NextMarker", name(last));
  }
  out.Leaf("IsTruncated", truncated ? "true" : "false");
  for (const ListedVersion& item : page.items) AppendVersion(out, item, name(item.name));
  for (const std::string& prefix : page.prefixes) {
    out.Open("CommonPrefixes").Leaf("Prefix", name(prefix)).Close("CommonPrefixes");
  }
  out.Close("ListBucketResult");
  return out.Take();
}

}  // namespace fireweed::storage
