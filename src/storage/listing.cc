#include "storage/listing.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/error.h"
#include "storage/compact_form.h"
#include "storage/glob.h"

namespace fireweed::storage {
namespace {

constexpr int kMaxPage = 1000;
// Small at first, so that little is read in vain before a seek.
constexpr size_t kFirstScan = 16;
constexpr size_t kLargestScan = 1024;

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
    size_t scan = kFirstScan;
    while (from) {
      std::vector<FoundVersion> batch = source_.Scan(*from, query_.prefix, static_cast<int>(scan));
      bool last = batch.size() < scan;
      size_t before = Shown();
      from = Take(batch);
      if (full_ || ended_ || last) break;
      scan = NextScan(scan, batch.size(), Shown() - before);
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

  // Grows while much of what is read is shown, up to what the rest of the page will take.
  size_t NextScan(size_t scan, size_t read, size_t shown) const {
    if (shown * 4 < read) return kFirstScan;
    size_t room = limit_ - std::min(limit_, Shown());
    size_t enough = (room + 1) * read / shown + 1;
    return std::max(kFirstScan, std::min({enough, scan * 2, kLargestScan}));
  }

  // Shows what it can of a batch and says where to go on: behind it, and behind the common prefix that it ends in.
  std::optional<ListingPoint> Take(std::vector<FoundVersion>& batch) {
    if (batch.empty()) return std::nullopt;
    ListingPoint last{batch.back().name, batch.back().generation};
    for (FoundVersion& version : batch) {
      ended_ = !query_.end_offset.empty() && version.name >= query_.end_offset;
      if (ended_) return std::nullopt;
      if (!IsHidden(version.name) && !TakeOne(version)) return std::nullopt;
    }
    if (!IsHidden(last.name)) return last;
    std::optional<std::string> after = AfterPrefix(shown_prefix_);
    ended_ = !after;
    if (ended_) return std::nullopt;
    return ListingPoint{*after, -1};
  }

  // False: the page is full.
  bool TakeOne(FoundVersion& version) {
    if (glob_ && !glob_->Matches(version.name)) return true;
    std::optional<std::string_view> common = CommonPrefix(version.name);
    // What is hidden does not come here: each version shows itself, a new prefix, or both.
    if (!HasRoom()) return false;
    if (common && shown_prefix_ != *common) ShowPrefix(*common);
    // Both on one page, even one over: the token behind it must not hide either of the two.
    if (!common || IsTrailing(version.name)) Show(version);
    return true;
  }

  // Whether it is shown beside the common prefix that it is itself.
  bool IsTrailing(const std::string& name) const {
    return query_.trailing_delimiter_items && name == shown_prefix_;
  }

  // Whether the common prefix that was shown last stands for it.
  bool IsHidden(const std::string& name) const {
    return !shown_prefix_.empty() && name.starts_with(shown_prefix_) && !IsTrailing(name);
  }

  std::optional<std::string_view> CommonPrefix(const std::string& name) const {
    if (query_.delimiter.empty()) return std::nullopt;
    size_t at = name.find(query_.delimiter, query_.prefix.size());
    if (at == std::string::npos) return std::nullopt;
    return std::string_view(name).substr(0, at + query_.delimiter.size());
  }

  size_t Shown() const { return page_.items.size() + page_.prefixes.size(); }

  bool HasRoom() {
    if (Shown() < limit_) return true;
    const ListedVersion* item = ends_in_prefix_ ? nullptr : &page_.items.back();
    page_.next_page_token = item ? PageTokenAfter(item->name, item->row.generation)
                                 : PrefixToken(page_.prefixes.back());
    full_ = true;
    return false;
  }

  void Show(FoundVersion& version) {
    page_.items.push_back({std::move(version.name), DecodeObjectRow(version.bytes)});
    ends_in_prefix_ = false;
  }

  void ShowPrefix(std::string_view prefix) {
    shown_prefix_ = prefix;
    page_.prefixes.push_back(shown_prefix_);
    ends_in_prefix_ = true;
  }

  NameSource& source_;
  const ListingQuery& query_;
  const size_t limit_;
  std::optional<Glob> glob_;
  ListingPage page_;
  std::string shown_prefix_;     // the common prefix that was shown last
  bool ends_in_prefix_ = false;  // what was shown last is a prefix, no item
  bool full_ = false;            // there is more than fits the page
  bool ended_ = false;           // nothing further can match
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
