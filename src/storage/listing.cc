#include "storage/listing.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/error.h"
#include "storage/compact_form.h"
#include "storage/glob.h"

namespace fireweed::storage {
namespace {

constexpr int kMaxPage = 1000;
// Grows while much of what is read is shown, so that little is read in vain before a seek.
constexpr int kFirstScan = 16;
constexpr int kLargestScan = 1024;

enum TokenKind : uint64_t { kAfterVersion = 1, kAfterCommonPrefix = 2 };

std::string PrefixToken(std::string_view prefix) {
  CompactWriter out;
  out.Number(kAfterCommonPrefix);
  out.Text(prefix);
  return Base64Encode(out.Take(), Base64::kUrl);
}

// Where the page behind a token begins; nothing when it can only be empty.
std::optional<ListingPoint> PointOfToken(std::string_view token) {
  std::optional<std::string> bytes = Base64Decode(token);
  try {
    if (bytes) {
      CompactReader in(*bytes);
      uint64_t kind = in.Number();
      std::string name(in.Text());
      if (kind == kAfterVersion) return ListingPoint{name, static_cast<int64_t>(in.Number())};
      if (kind == kAfterCommonPrefix && !name.empty()) {
        std::optional<std::string> after = AfterPrefix(name);
        if (!after) return std::nullopt;
        return ListingPoint{*after, -1};
      }
    }
  } catch (const Failure&) {
    // Cut short: refused below like any other text that is no token.
  }
  throw Failure(Code::kInvalid, "invalid", "Invalid page token.");
}

class Lister {
 public:
  Lister(NameSource& source, const ListingQuery& query)
      : source_(source),
        query_(query),
        limit_(static_cast<size_t>(std::clamp(query.max_results, 1, kMaxPage))) {
    if (!query.match_glob.empty()) glob_.emplace(query.match_glob);
  }

  ListingPage Run() {
    std::optional<ListingPoint> from = Start();
    int scan = kFirstScan;
    while (from) {
      std::vector<ListedVersion> batch = source_.Scan(*from, query_.prefix, scan);
      bool last = batch.size() < static_cast<size_t>(scan);
      size_t shown = page_.items.size() + page_.prefixes.size();
      from = Take(batch);
      if (full_ || ended_ || last) break;
      shown = page_.items.size() + page_.prefixes.size() - shown;
      scan = shown * 4 >= batch.size() ? std::min(scan * 2, kLargestScan) : kFirstScan;
    }
    return std::move(page_);
  }

 private:
  std::optional<ListingPoint> Start() {
    ListingPoint start{std::max(query_.prefix, query_.start_offset), -1};
    if (query_.page_token.empty()) return start;
    std::optional<ListingPoint> point = PointOfToken(query_.page_token);
    if (point && point->name < start.name) return start;
    if (point && point->after_generation >= 0) {
      // The page before ended with an item that is a common prefix as well: both were shown there.
      if (std::optional<std::string_view> common = CommonPrefix(point->name))
        shown_prefix_ = *common;
    }
    return point;
  }

  // Shows what it can of a batch and says where to go on: behind it, and behind the common prefix that it ends in.
  std::optional<ListingPoint> Take(std::vector<ListedVersion>& batch) {
    std::optional<ListingPoint> next;
    bool inside = false;  // the last one is hidden by the prefix that was shown last
    for (ListedVersion& version : batch) {
      if (!query_.end_offset.empty() && version.name >= query_.end_offset) {
        ended_ = true;
        return std::nullopt;
      }
      next = ListingPoint{version.name, version.row.generation};
      inside = inside && version.name.starts_with(shown_prefix_);
      if (glob_ && !glob_->Matches(version.name)) continue;
      inside = false;
      std::optional<std::string_view> common = CommonPrefix(version.name);
      if (!common) {
        if (!Show(std::move(version))) return std::nullopt;
        continue;
      }
      std::string prefix(*common);
      bool fresh = shown_prefix_ != prefix;
      if (!ShowPrefix(prefix)) return std::nullopt;
      if (query_.trailing_delimiter_items && version.name == prefix) {
        // On the page of its prefix, even one over: the token behind it must not hide either of the
        // two.
        if (!fresh && !HasRoom()) return std::nullopt;
        ShowAnyway(std::move(version));
        continue;
      }
      inside = true;
    }
    if (!inside) return next;
    std::optional<std::string> after = AfterPrefix(shown_prefix_);
    if (!after) {
      ended_ = true;
      return std::nullopt;
    }
    return ListingPoint{*after, -1};
  }

  std::optional<std::string_view> CommonPrefix(const std::string& name) const {
    if (query_.delimiter.empty()) return std::nullopt;
    size_t at = name.find(query_.delimiter, query_.prefix.size());
    if (at == std::string::npos) return std::nullopt;
    return std::string_view(name).substr(0, at + query_.delimiter.size());
  }

  bool HasRoom() {
    if (page_.items.size() + page_.prefixes.size() < limit_) return true;
    page_.next_page_token = std::move(token_);
    full_ = true;
    return false;
  }

  bool Show(ListedVersion version) {
    if (!HasRoom()) return false;
    ShowAnyway(std::move(version));
    return true;
  }

  void ShowAnyway(ListedVersion version) {
    token_ = PageTokenAfter(version.name, version.row.generation);
    page_.items.push_back(std::move(version));
  }

  bool ShowPrefix(const std::string& prefix) {
    if (shown_prefix_ == prefix) return true;
    if (!HasRoom()) return false;
    token_ = PrefixToken(prefix);
    shown_prefix_ = prefix;
    page_.prefixes.push_back(prefix);
    return true;
  }

  NameSource& source_;
  const ListingQuery& query_;
  const size_t limit_;
  std::optional<Glob> glob_;
  ListingPage page_;
  std::string token_;         // behind what was shown last
  std::string shown_prefix_;  // the common prefix that was shown last
  bool full_ = false;         // there is more than fits the page
  bool ended_ = false;        // nothing further can match
};

}  // namespace

ListingPage MakeListing(NameSource& source, const ListingQuery& query) {
  return Lister(source, query).Run();
}

std::string PageTokenAfter(std::string_view name, int64_t generation) {
  CompactWriter out;
  out.Number(kAfterVersion);
  out.Text(name);
  out.Number(static_cast<uint64_t>(generation));
  return Base64Encode(out.Take(), Base64::kUrl);
}

std::optional<std::string> AfterPrefix(std::string_view prefix) {
  std::string after(prefix);
  while (!after.empty() && static_cast<uint8_t>(after.back()) == 0xff) after.pop_back();
  if (after.empty()) return std::nullopt;
  after.back() = static_cast<char>(static_cast<uint8_t>(after.back()) + 1);
  return after;
}

}  // namespace fireweed::storage
