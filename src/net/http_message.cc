#include "net/http_message.h"

#include <mutex>
#include <utility>

#include "base/bytes.h"

namespace fireweed::net {
namespace {

// Whether a percent-encoded name in a query is this one.
bool IsQueryName(std::string_view raw, std::string_view name) {
  // Most names are sent as they are.
  if (raw == name) return true;
  return raw.find_first_of("%+") != raw.npos && PercentDecode(raw, Plus::kSpace) == name;
}

// The next value of a parameter, still encoded; what lies before it is taken off the query.
std::optional<std::string_view> NextValue(std::string_view& query, std::string_view name) {
  while (!query.empty()) {
    size_t end = query.find('&');
    std::string_view pair = query.substr(0, end);
    query = end == std::string_view::npos ? std::string_view() : query.substr(end + 1);
    size_t equals = pair.find('=');
    if (!IsQueryName(pair.substr(0, equals), name)) continue;
    return equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string_view> Request::Header(std::string_view name) const {
  for (const RequestHeader& header : headers) {
    if (EqualIgnoreCase(header.name, name)) return header.value;
  }
  return std::nullopt;
}

std::optional<std::string> Request::Query(std::string_view name) const {
  std::string_view rest = query;
  std::optional<std::string_view> raw = NextValue(rest, name);
  return raw ? PercentDecode(*raw, Plus::kSpace) : std::nullopt;
}

std::vector<std::string> Request::QueryAll(std::string_view name) const {
  std::vector<std::string> values;
  std::string_view rest = query;
  while (std::optional<std::string_view> raw = NextValue(rest, name)) {
    std::optional<std::string> text = PercentDecode(*raw, Plus::kSpace);
    if (!text)
      throw Failure(Code::kInvalid, "invalidParameter", "Broken percent-encoding in the query.");
    values.push_back(*std::move(text));
  }
  return values;
}

std::optional<std::string> Request::QueryOnly(std::string_view name) const {
  std::vector<std::string> values = QueryAll(name);
  if (values.empty()) return std::nullopt;
  for (const std::string& value : values) {
    if (value == values.front()) continue;
    throw Failure(Code::kInvalid, "invalidParameter",
                  "Parameter given more than once: " + std::string(name));
  }
  return std::move(values.front());
}

std::string Request::BaseUrl() const {
  std::string url = tls ? "https://" : "http://";
  return url.append(authority.empty() ? host : authority);
}

void Response::Set(std::string_view name, std::string value) {
  bool placed = false;
  std::erase_if(headers, [&](ResponseHeader& header) {
    if (!EqualIgnoreCase(header.name, name)) return false;
    if (placed) return true;
    header.value = std::move(value);
    placed = true;
    return false;
  });
  if (!placed) headers.push_back({std::string(name), std::move(value)});
}

std::optional<std::string_view> Response::Header(std::string_view name) const {
  for (const ResponseHeader& header : headers) {
    if (EqualIgnoreCase(header.name, name)) return header.value;
  }
  return std::nullopt;
}

struct Deferred::State {
  std::mutex mu;
  bool settled = false;                  // a response was given, or nobody waits any more
  std::optional<Response> response;      // given before the server asked for it
  std::function<void(Response)> waiter;  // the server, once it has asked
};

std::shared_ptr<Deferred::State> Deferred::MakeState() { return std::make_shared<State>(); }

bool Deferred::Complete(Response response) {
  std::function<void(Response)> waiter;
  {
    std::lock_guard lock(state_->mu);
    if (state_->settled) return false;
    state_->settled = true;
    if (!state_->waiter) {
      state_->response = std::move(response);
      return true;
    }
    waiter = std::move(state_->waiter);
  }
  waiter(std::move(response));
  return true;
}

void Deferred::OnComplete(std::function<void(Response)> then) {
  std::optional<Response> response;
  {
    std::lock_guard lock(state_->mu);
    if (!state_->response) {
      if (!state_->settled) state_->waiter = std::move(then);
      return;
    }
    response = std::exchange(state_->response, std::nullopt);
  }
  then(std::move(*response));
}

void Deferred::Abandon() {
  std::function<void(Response)> waiter;
  std::lock_guard lock(state_->mu);
  state_->settled = true;
  waiter.swap(state_->waiter);
}

bool Deferred::settled() const {
  std::lock_guard lock(state_->mu);
  return state_->settled;
}

std::unique_ptr<BodySink> Dispatcher::OpenBody(const Request&) {
  throw Failure(Code::kInternal, "this request's body cannot be streamed");
}

}  // namespace fireweed::net
