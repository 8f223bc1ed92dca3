#include "net/http_message.h"

#include <mutex>
#include <utility>

#include "base/bytes.h"

namespace fireweed::net {

std::optional<std::string_view> Request::Header(std::string_view name) const {
  for (const RequestHeader& header : headers) {
    if (EqualIgnoreCase(header.name, name)) return header.value;
  }
  return std::nullopt;
}

bool IsQueryName(std::string_view raw, std::string_view name) {
  // Most names are sent as they are.
  if (raw == name) return true;
  return raw.find_first_of("%+") != raw.npos && PercentDecode(raw, Plus::kSpace) == name;
}

std::optional<std::string> Request::Query(std::string_view name) const {
  std::string_view rest = query;
  while (!rest.empty()) {
    size_t end = rest.find('&');
    std::string_view pair = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    size_t equals = pair.find('=');
    if (!IsQueryName(pair.substr(0, equals), name)) continue;
    if (equals == std::string_view::npos) return std::string();
    return PercentDecode(pair.substr(equals + 1), Plus::kSpace);
  }
  return std::nullopt;
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
