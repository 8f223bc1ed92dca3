// One page of a list: filter, maxResults, orderBy and pageToken, the same for tables and for catalog rows.
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
#include "compute/refusals.h"

namespace fireweed::compute {

inline constexpr int32_t kLargestPage = 500;

// What an aggregated list says of a scope that has nothing to show.
inline api::compute::Warning NoResultsIn(const std::string& scope) {
  return {.code = "NO_RESULTS_ON_PAGE",
          .message = "There are no results for scope '" + scope + "' on this page.",
          .data = {{"scope", scope}}};
}

// Where an item stands in a list: lists are in the order of keys, or the newest first and then in that of keys.
struct PagePlace {
  std::string time;  // empty where lists are in the order of keys
  Key key;
  bool IsAfter(const PagePlace& other) const {
    return time != other.time ? time < other.time : key > other.key;
  }
};

// What a list request asks for. Tokens are places of the last item shown, opaque to clients.
class PageRequest {
 public:
  // From any of the list requests of the API.
  template <class List>
  explicit PageRequest(const List& list)
      : filter(list.filter),
        limit(LimitOf(list.maxResults)),
        newest_first(IsNewestFirst(list.orderBy)),
        after(ParseToken(list.pageToken, newest_first)) {}

  // The place of an item as this request orders them.
  template <class T>
  PagePlace PlaceOf(const Key& key, const T& item) const {
    std::string time;
    if constexpr (requires { item.creationTimestamp; }) time = item.creationTimestamp;
    if constexpr (requires { item.insertTime; }) time = item.insertTime;
    if (time.empty()) time = kTimeless;
    return {newest_first ? std::move(time) : "", key};
  }
  static std::string Token(const PagePlace& place) {
    return Base64Encode(place.time + kBetween + place.key, Base64::kUrl);
  }

  const Filter filter;
  const size_t limit;
  const bool newest_first;
  const std::optional<PagePlace> after;

 private:
  static constexpr char kBetween = '\n';
  static constexpr const char* kTimeless = "-";

  static size_t LimitOf(int32_t max_results) {
    if (max_results < 0 || max_results > kLargestPage) {
      InvalidField("maxResults", std::to_string(max_results), "Must be between 0 and 500.");
    }
    return static_cast<size_t>(max_results == 0 ? kLargestPage : max_results);
  }
  static bool IsNewestFirst(const std::string& order) {
    if (order == "creationTimestamp desc") return true;
    if (order.empty() || order == "name") return false;
    InvalidField("orderBy", order, "Only 'name' and 'creationTimestamp desc' are supported.");
  }
  // A token that was given out for another order is none.
  static std::optional<PagePlace> ParseToken(const std::string& token, bool newest_first) {
    if (token.empty()) return std::nullopt;
    std::string text = Base64Decode(token).value_or("");
    size_t between = text.find(kBetween);
    if (between == text.npos || (between > 0) != newest_first) {
      InvalidField("pageToken", token, "It is no token of such a list.");
    }
    return PagePlace{text.substr(0, between), text.substr(between + 1)};
  }
};

template <class T>
struct PageOf {
  std::vector<std::pair<Key, T>> items;  // in the order that was asked for
  std::string next;                      // page token; empty at the end

  // Moves the values out; keys and `next` stay.
  std::vector<T> TakeValues() {
    std::vector<T> values;
    for (auto& [key, value] : items) values.push_back(std::move(value));
    return values;
  }
};

// A page of a table that is small and in memory. REQUIRES: `all` in key order.
template <class T>
PageOf<T> PageOfTable(const PageRequest& request, std::vector<std::pair<Key, T>> all) {
  auto place = [&](const std::pair<Key, T>& one) { return request.PlaceOf(one.first, one.second); };
  if (request.newest_first) {
    std::ranges::stable_sort(all, std::ranges::greater(),
                             [&](const auto& one) { return place(one).time; });
  }
  PageOf<T> page;
  for (auto& one : all) {
    if (request.after && !place(one).IsAfter(*request.after)) continue;
    if (!request.filter.Matches(one.second)) continue;
    if (page.items.size() == request.limit) {
      page.next = PageRequest::Token(place(page.items.back()));
      break;
    }
    page.items.push_back(std::move(one));
  }
  return page;
}

// A page of the rows of Record under a prefix, each shown as `show(record)`; rows for which it gives nothing are
// passed over.
template <class Record, class T>
PageOf<T> PageOfRows(Txn& txn, const std::string& prefix, const PageRequest& request,
                     const std::function<std::optional<T>(const Record&)>& show) {
  PageOf<T> page;
  ScanRange range{.prefix = prefix, .limit = kLargestPage};
  // Rows come in the order of keys; any other has to see them all first.
  if (!request.newest_first && request.after) range.after = request.after->key;
  txn.ForEach<Record>(range, [&](const Row<Record>& row) {
    std::optional<T> shown = show(row.value);
    if (!shown || !request.filter.Matches(*shown)) return true;
    if (!request.newest_first && page.items.size() == request.limit) {
      const auto& [key, last] = page.items.back();
      page.next = PageRequest::Token(request.PlaceOf(key, last));
      return false;
    }
    page.items.emplace_back(row.key, *std::move(shown));
    return true;
  });
  return request.newest_first ? PageOfTable(request, std::move(page.items)) : page;
}

}  // namespace fireweed::compute
