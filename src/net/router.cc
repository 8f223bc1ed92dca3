#include "net/router.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "net/errors.h"

namespace fireweed::net {
namespace {

size_t CountSegments(std::string_view path) {
  return static_cast<size_t>(std::count(path.begin(), path.end(), '/'));
}

std::string_view Head(std::string_view path) {
  if (path.empty()) return {};
  path.remove_prefix(1);
  return path.substr(0, path.find('/'));
}

void IndexKey(std::string& out, std::string_view verb, size_t segments, std::string_view head) {
  out.clear();
  out.append(verb);
  out += static_cast<char>('0' + std::min<size_t>(segments, 70));
  out.append(head);
}

bool HasVerb(const api::MethodEntry& method) {
  return method.path.find("}:") != std::string_view::npos;
}

// Resource templates name path or query parameters: "buckets/{bucket}".
std::string Expand(std::string_view pattern,
                   const std::function<std::string(std::string_view)>& value) {
  std::string out;
  while (!pattern.empty()) {
    size_t open = pattern.find('{');
    out.append(pattern.substr(0, open));
    if (open == std::string_view::npos) break;
    size_t close = pattern.find('}', open);
    out += value(pattern.substr(open + 1, close - open - 1));
    pattern.remove_prefix(close + 1);
  }
  return out;
}

}  // namespace

std::string Call::Path(std::string_view name) const {
  for (const auto& [key, raw] : path_values) {
    if (key != name) continue;
    std::optional<std::string> text = PercentDecode(raw);
    if (!text) throw Failure(Code::kInvalid, fmt::format("Broken percent-encoding in '{}'.", raw));
    return *text;
  }
  Abort("a handler asked for a path parameter that its pattern lacks");
}

bool IsGoogleHost(std::string_view host) {
  for (std::string_view domain : {"googleapis.com", "accounts.google.com",
                                  "source.developers.google.com", "cloudproxy.app"}) {
    if (host == domain) return true;
    if (host.size() > domain.size() && host.ends_with(domain) &&
        host[host.size() - domain.size() - 1] == '.') {
      return true;
    }
  }
  return false;
}

bool ServesHost(const api::Service& service, std::string_view host) {
  for (std::string_view name : service.hosts) {
    if (host == name) return true;
    if (name.starts_with("*.") && host.ends_with(name.substr(1))) return true;
    // Regional endpoints put the region and a dash in front: us-central1-ml.googleapis.com.
    if (host.size() > name.size() + 1 && host.ends_with(name) &&
        host[host.size() - name.size() - 1] == '-' && host.find('.') >= host.size() - name.size()) {
      return true;
    }
  }
  return !IsGoogleHost(host);
}

Router::Route& Router::Add(const api::MethodEntry& method) {
  for (auto& route : routes_) {
    if (route->method.id == method.id && route->method.path == method.path &&
        route->method.verb == method.verb) {
      return *route;
    }
  }
  routes_.push_back(std::make_unique<Route>(method));
  Route* route = routes_.back().get();
  if (route->pattern.takes_rest()) {
    takers_.push_back(route);
    // Longer patterns first, and those with a ":verb" before the ones that would take it as well.
    std::ranges::stable_sort(takers_, std::greater(), [](const Route* r) {
      return std::pair(CountSegments(r->method.path), HasVerb(r->method));
    });
    return *route;
  }
  std::string key;
  IndexKey(key, VerbName(method.verb), CountSegments(method.path), route->pattern.head());
  std::vector<Route*>& candidates = by_head_[key];
  candidates.push_back(route);
  // A pattern with a ":verb" stands before one that would take the same segment whole.
  std::stable_partition(candidates.begin(), candidates.end(),
                        [](const Route* r) { return HasVerb(r->method); });
  return *route;
}

void Router::OnRaw(const api::MethodEntry& method, Handler handler) {
  Add(method).handler = std::move(handler);
}
void Router::OnStream(const api::MethodEntry& method, StreamHandler handler) {
  Add(method).stream = std::move(handler);
}
void Router::OnInline(const api::MethodEntry& method, InlineHandler handler) {
  Add(method).inline_handler = std::move(handler);
}
void Router::OnStreamInline(const api::MethodEntry& method, InlineStreamHandler handler) {
  Add(method).inline_stream = std::move(handler);
}
void Router::OnForward(const api::MethodEntry& method, ForwardHandler handler) {
  Add(method).forward = std::move(handler);
}
void Router::Alias(std::string from, std::string to) {
  aliases_.emplace_back(std::move(from), std::move(to));
}
void Router::Settle(const api::Service& service, std::string_view parameter, SettleName settle) {
  settlings_.push_back({&service, parameter, std::move(settle)});
}

void Router::Find(const Request& request, Match& match) const {
  std::string_view path = request.path;
  for (const auto& [from, to] : aliases_) {
    if (!path.starts_with(from)) continue;
    match.rewritten = to + std::string(path.substr(from.size()));
    path = match.rewritten;
    break;
  }
  auto serves = [&](Route* route) {
    return ServesHost(*route->method.service, request.host) &&
           route->pattern.Match(path, match.values);
  };
  std::string key;
  auto find_indexed = [&](std::string_view verb) -> Route* {
    for (std::string_view head : {Head(path), std::string_view()}) {
      IndexKey(key, verb, CountSegments(path), head);
      auto it = by_head_.find(key);
      if (it == by_head_.end()) continue;
      auto route = std::ranges::find_if(it->second, serves);
      if (route != it->second.end()) return *route;
    }
    return nullptr;
  };
  auto find_taker = [&](std::string_view verb) -> Route* {
    auto route = std::ranges::find_if(takers_, [&](Route* taker) {
      return VerbName(taker->method.verb) == verb && serves(taker);
    });
    return route == takers_.end() ? nullptr : *route;
  };
  // HEAD goes to its own route, or to the route of GET: the session leaves out the body.
  const bool head = request.method == "HEAD";
  match.route = find_indexed(request.method);
  if (!match.route && head) match.route = find_indexed("GET");
  if (!match.route) match.route = find_taker(request.method);
  if (!match.route && head) match.route = find_taker("GET");
}

Router::Match Router::FindOrThrow(const Request& request) const {
  Match match;
  Find(request, match);
  if (match.route) return match;
  throw Failure(Code::kNotFound, fmt::format("There is no method {} {}{} here.", request.method,
                                             request.host, request.path.substr(0, 200)));
}

void Router::SettleNames(Match& match) const {
  for (const Settling& one : settlings_) {
    if (one.service != match.route->method.service) continue;
    for (auto& [key, raw] : match.values) {
      if (key != one.parameter) continue;
      match.settled = one.settle(std::string(raw));
      raw = match.settled;
      return;
    }
  }
}

std::string Router::Resource(const Route& route, const Request& request,
                             const PathValues& values) const {
  return Expand(route.method.resource, [&](std::string_view name) -> std::string {
    for (const auto& [key, raw] : values) {
      if (key == name) return PercentDecode(raw).value_or(std::string(raw));
    }
    return request.QueryOnly(name).value_or("");
  });
}

void Router::Authorize(const Route& route, const Request& request, const PathValues& values,
                       const Caller& caller) const {
  if (route.method.permission.empty() || route.method.judge == api::Judge::kHandler) return;
  Require(access_, caller, route.method.permission, Resource(route, request, values));
}

std::shared_ptr<const Caller> Router::Identify(const Route& route, const Request& request) const {
  if (route.method.service->anonymous) return std::make_shared<const Caller>();
  return access_.Identify(request);
}

std::shared_ptr<const Caller> Router::AdmitInline(const Route& route, const Request& request,
                                                  const PathValues& values) const {
  std::shared_ptr<const Caller> caller = access_.IdentifyInline(request);
  if (!caller || route.method.permission.empty()) return caller;
  std::optional<bool> may =
      access_.MayInline(*caller, route.method.permission, Resource(route, request, values));
  // The slow path explains a refusal.
  return may && *may ? caller : nullptr;
}

template <class Reply>
Reply Router::ServeInline(const Request& request,
                          std::function<Reply(const Call&)> Route::*handler) {
  Match match;
  Find(request, match);
  if (!match.route || !(match.route->*handler)) return {};
  Route& route = *match.route;
  std::shared_ptr<const Caller> caller = AdmitInline(route, request, match.values);
  if (!caller) return {};
  Reply reply = (route.*handler)(Call{request, *caller, match.values, route.method});
  if (reply) route.requests.fetch_add(1, std::memory_order_relaxed);
  return reply;
}

std::unique_ptr<BodySink> Router::TryOpenInline(const Request& request) {
  return ServeInline(request, &Route::inline_stream);
}

std::optional<Response> Router::TryInline(const Request& request) {
  return ServeInline(request, &Route::inline_handler);
}

std::shared_ptr<Forwarding> Router::TryForward(const Request& request) {
  return ServeInline(request, &Route::forward);
}

BodyPlan Router::PlanBody(const Request& request) {
  Match match;
  Find(request, match);
  if (match.route && match.route->stream) return TakeStream{};
  return TakeWhole{};
}

template <class Reply>
Reply Router::Serve(const Request& request, const Caller* caller,
                    std::function<Reply(const Call&)> Route::*handler) {
  Match match = FindOrThrow(request);
  Route& route = *match.route;
  route.requests.fetch_add(1, std::memory_order_relaxed);
  try {
    SettleNames(match);
    std::shared_ptr<const Caller> identified = caller ? nullptr : Identify(route, request);
    const Caller& asking = caller ? *caller : *identified;
    Authorize(route, request, match.values, asking);
    return (route.*handler)(Call{request, asking, match.values, route.method});
  } catch (...) {
    route.errors.fetch_add(1, std::memory_order_relaxed);
    throw;
  }
}

Answer Router::Handle(const Request& request) { return Serve(request, nullptr, &Route::handler); }

Answer Router::HandleAs(const Request& request, const Caller& caller) {
  return Serve(request, &caller, &Route::handler);
}

std::unique_ptr<BodySink> Router::OpenBody(const Request& request) {
  return Serve(request, nullptr, &Route::stream);
}

Response Router::RenderError(const Request& request, const Error& error) {
  Match match;
  Find(request, match);
  bool xml = match.route && match.route->method.service->xml_errors;
  return xml ? XmlError(error) : JsonError(error);
}

std::string_view Router::MethodOf(const Request& request) const {
  Match match;
  Find(request, match);
  return match.route ? match.route->method.id : std::string_view();
}

std::vector<api::MethodEntry> Router::methods() const {
  std::vector<api::MethodEntry> entries;
  for (const auto& route : routes_) entries.push_back(route->method);
  return entries;
}

std::vector<std::pair<std::string, std::string>> Router::Collisions() const {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (size_t i = 0; i < routes_.size(); ++i) {
    for (size_t j = i + 1; j < routes_.size(); ++j) {
      const Route &a = *routes_[i], &b = *routes_[j];
      if (a.method.verb == b.method.verb && a.pattern.Collides(b.pattern)) {
        pairs.emplace_back(a.method.id, b.method.id);
      }
    }
  }
  return pairs;
}

std::vector<Router::RouteCounters> Router::counters() const {
  std::vector<RouteCounters> out;
  for (const auto& route : routes_) {
    out.push_back({std::string(route->method.id), route->requests.load(), route->errors.load()});
  }
  return out;
}

namespace {

// What a refusal calls the thing: Google's clients show these words to people.
std::string ThingOf(std::string_view permission, std::string_view resource) {
  if (!permission.starts_with("storage.")) return std::string(resource) + ".";
  bool project = resource.starts_with("projects/");
  bool object = permission.starts_with("storage.objects.") && permission != "storage.objects.list";
  return fmt::format(
      "the Google Cloud {}. Permission '{}' denied on resource (or it may not exist).",
      project ? "project" : (object ? "Storage object" : "Storage bucket"), permission);
}

}  // namespace

void Refuse(const Caller& caller, std::string_view permission, std::string_view resource) {
  std::string thing = ThingOf(permission, resource);
  if (caller.anonymous() && !permission.starts_with("storage.")) {
    throw Failure(Code::kUnauthenticated, "required",
                  "Request is missing required authentication credential. Expected OAuth 2 access "
                  "token, login cookie or other valid authentication credential.");
  }
  if (caller.anonymous()) {
    throw Failure(Code::kUnauthenticated, "required",
                  fmt::format("Anonymous caller does not have {} access to {}", permission, thing));
  }
  throw Failure(Code::kDenied,
                fmt::format("{} does not have {} access to {}", caller.email, permission, thing));
}

void Require(AccessControl& access, const Caller& caller, std::string_view permission,
             std::string_view resource) {
  if (!access.May(caller, permission, resource)) Refuse(caller, permission, resource);
}

}  // namespace fireweed::net
