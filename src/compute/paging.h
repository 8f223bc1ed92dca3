// One page of a list: filter, maxResults and pageToken, the same for tables and for catalog rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/compute/service.h"
#include "base/bytes.h"
#include "catalog/catalog.h"
#include "compute/filter.h"

namespace fireweed::compute {

inline constexpr int32_t kLargestPage = 500;

// What an aggregated list says of a scope that has nothing to show.
inline api::compute::Warning NoResultsIn(const std::string& scope) {
  return {.code = "NO_RESULTS_ON_PAGE",
          .message = "There are no results for scope '" + scope + "' on this page.",
          .data = {{"scope", scope}}};
}

// What a list request asks for. Tokens are keys of the last item shown, opaque to clients.
class PageRequest {
 public:
  PageRequest(const std::string& filter, int32_t max_results, const std::string& token)
      : filter(filter), limit(static_cast<size_t>(std::clamp(max_results, 1, kLargestPage))) {
    if (token.empty()) return;
    after = Base64Decode(token);
    if (!after) throw Failure(Code::kInvalid, "Invalid value for field 'pageToken'.");
  }
  // From any of the list requests of the API.
  template <class List>
  explicit PageRequest(const List& list)
      : PageRequest(list.filter, list.maxResults, list.pageToken) {
    if (!list.orderBy.empty() && list.orderBy != "name") {
      throw Failure(Code::kInvalid, "Invalid value for field 'orderBy': only 'name' is supported.");
    }
  }

  const Filter filter;
  const size_t limit;
  std::optional<std::string> after;
};

template <class T>
struct PageOf {
  std::vector<std::pair<Key, T>> items;  // in key order
  std::string next;                      // page token; empty at the end

  std::vector<T> Values() && {
    std::vector<T> values;
    for (auto& [key, value] : items) values.push_back(std::move(value));
    return values;
  }
};

// A page of a table that is small and in memory. REQUIRES: `all` in key order.
template <class T>
PageOf<T> PageOfTable(const PageRequest& request, std::vector<std::pair<Key, T>> all) {
  PageOf<T> page;
  for (auto& [key, value] : all) {
    if (request.after && key <= *request.after) continue;
    if (!request.filter.Matches(value)) continue;
    if (page.items.size() == request.limit) {
      page.next = Base64Encode(page.items.back().first, Base64::kUrl);
      break;
    }
    page.items.emplace_back(std::move(key), std::move(value));
  }
  return page;
}

// A page of the rows of Record under a prefix, each shown as `show(record)`; rows for which it gives nothing are
// passed over.
template <class Record, class T>
PageOf<T> PageOfRows(Txn& txn, const std::string& prefix, const PageRequest& request,
                     const std::function<std::optional<T>(const Record&)>& show) {
  PageOf<T> page;
  ScanRange range{.prefix = prefix, .after = request.after, .limit = kLargestPage};
  while (true) {
    std::vector<Row<Record>> rows = txn.Scan<Record>(range);
    for (const Row<Record>& row : rows) {
      std::optional<T> shown = show(row.value);
      if (!shown || !request.filter.Matches(*shown)) continue;
      if (page.items.size() == request.limit) {
        page.next = Base64Encode(page.items.back().first, Base64::kUrl);
        return page;
      }
      page.items.emplace_back(row.key, *std::move(shown));
    }
    if (std::ssize(rows) < range.limit) return page;
    range.after = rows.back().key;
  }
}

}  // namespace fireweed::compute
