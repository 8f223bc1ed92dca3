// What for: from a request to the function that serves it. Routes are tables (api/method.h); a request is a
//   described struct filled from path, query and body; permissions are checked before the function runs.
// Threads: routes are added before the first request; after that everything is read-only. Handlers run on pool
//   threads, inline handlers on I/O threads.
// May block: Handle as long as its handler; TryInline and PlanBody never.
// Owns: the routes. Borrows AccessControl and the services behind the handlers.
// A failure: handlers throw Failure; the server asks RenderError for the shape.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/method.h"
#include "describe/field_mask.h"
#include "describe/json_codec.h"
#include "net/access.h"
#include "net/http_message.h"
#include "net/pattern.h"

namespace fireweed::net {

// One request on its way through a handler. Lives as long as the handler runs.
struct Call {
  const Request& http;
  const Caller& caller;
  const PathValues& path_values;
  const api::MethodEntry& method;

  // A path parameter, decoded. REQUIRES: the pattern has it. Throws Failure on a broken escape.
  std::string Path(std::string_view name) const;
};

using Handler = std::function<Answer(const Call&)>;
using StreamHandler = std::function<std::unique_ptr<BodySink>(const Call&)>;
using InlineHandler = std::function<std::optional<Response>(const Call&)>;
using ForwardHandler = std::function<std::shared_ptr<Forwarding>(const Call&)>;
using InlineStreamHandler = std::function<std::unique_ptr<BodySink>(const Call&)>;

// Fills a described request from path, query and body, by the kPath, kQuery and kBody flags.
void FillRequest(const Type& type, void* request, const Call& call);
// Encodes a described reply, cut down to `fields=`.
Response EncodeReply(const Type& type, const void* reply, const Call& call);

class Router final : public Dispatcher {
 public:
  explicit Router(AccessControl& access) : access_(access) {}

  // A method of a table, served by a member function Res F(const Req&, const Call&).
  template <class Req, class Res, class Service>
  void On(const api::Method<Req, Res>& method, Service* service,
          Res (Service::*function)(const Req&, const Call&)) {
    OnRaw(method.entry(), [service, function](const Call& call) -> Answer {
      Req request{};
      FillRequest(TypeOf<Req>(), &request, call);
      Res reply = (service->*function)(request, call);
      return EncodeReply(TypeOf<Res>(), &reply, call);
    });
  }
  // The same for a function that makes its own answer: media, long polls, redirects.
  template <class Req, class Res, class Service>
  void On(const api::Method<Req, Res>& method, Service* service,
          Answer (Service::*function)(const Req&, const Call&)) {
    OnRaw(method.entry(), [service, function](const Call& call) -> Answer {
      Req request{};
      FillRequest(TypeOf<Req>(), &request, call);
      return (service->*function)(request, call);
    });
  }
  void OnRaw(const api::MethodEntry& method, Handler handler);
  void OnStream(const api::MethodEntry& method, StreamHandler handler);
  // A short cut for a method that already has a handler: tried first, on the I/O thread.
  void OnInline(const api::MethodEntry& method, InlineHandler handler);
  // The same for a streamed body that is small and has arrived whole; null goes to the pool.
  void OnStreamInline(const api::MethodEntry& method, InlineStreamHandler handler);
  // The same for a request that is passed on; null goes to the pool, whose handler may answer with a Forwarding as well.
  void OnForward(const api::MethodEntry& method, ForwardHandler handler);
  // Requests whose path begins with `from` are routed as if it began with `to` ("/compute/beta/").
  void Alias(std::string from, std::string to);
  // Where a thing has several names: what a path parameter of a service's methods says is replaced by what `settle`
  // makes of it, before permissions are looked at and the handler runs. Called on pool threads; may block, and throw
  // Failure. Not asked for inline and streamed requests.
  using SettleName = std::function<std::string(const std::string& name)>;
  void Settle(const api::Service& service, std::string_view parameter, SettleName settle);

  std::optional<Response> TryInline(const Request& request) override;
  std::shared_ptr<Forwarding> TryForward(const Request& request) override;
  BodyPlan PlanBody(const Request& request) override;
  Answer Handle(const Request& request) override;
  // As Handle, for a caller who was identified already: one API that speaks through another.
  Answer HandleAs(const Request& request, const Caller& caller);
  std::unique_ptr<BodySink> OpenBody(const Request& request) override;
  std::unique_ptr<BodySink> TryOpenInline(const Request& request) override;
  Response RenderError(const Request& request, const Error& error) override;

  // The id of the method that serves a request ("storage.objects.get"); empty where none does. Any
  // thread; does not block.
  std::string_view MethodOf(const Request& request) const;

  // Every route, for discovery documents, API docs and the test that no two collide.
  std::vector<api::MethodEntry> methods() const;
  // Pairs of method ids that match one path on one host; empty in a sound program.
  std::vector<std::pair<std::string, std::string>> Collisions() const;

  struct RouteCounters {
    std::string id;
    int64_t requests, errors;
  };
  std::vector<RouteCounters> counters() const;

 private:
  struct Route {
    api::MethodEntry method;
    Pattern pattern;
    Handler handler;
    StreamHandler stream;
    InlineHandler inline_handler;
    InlineStreamHandler inline_stream;
    ForwardHandler forward;
    std::atomic<int64_t> requests{0}, errors{0};
    Route(const api::MethodEntry& entry) : method(entry), pattern(entry.path) {}
  };
  struct Match {
    Route* route = nullptr;
    PathValues values;
    std::string rewritten;  // keeps an aliased path alive
    std::string settled;    // the same for a name that was replaced
  };
  struct Settling {
    const api::Service* service;
    std::string_view parameter;
    SettleName settle;
  };

  Route& Add(const api::MethodEntry& method);
  void Find(const Request& request, Match& match) const;
  Match FindOrThrow(const Request& request) const;
  void SettleNames(Match& match) const;
  std::string Resource(const Route& route, const Request& request, const PathValues& values) const;
  std::shared_ptr<const Caller> Identify(const Route& route, const Request& request) const;
  // Who may do this, from memory alone; null when that cannot be told here, or the answer is no.
  std::shared_ptr<const Caller> AdmitInline(const Route& route, const Request& request,
                                            const PathValues& values) const;
  void Authorize(const Route& route, const Request& request, const PathValues& values,
                 const Caller& caller) const;
  // A short cut of the route for this request; nothing where it has none.
  template <class Reply>
  Reply ServeInline(const Request& request, std::function<Reply(const Call&)> Route::*handler);
  // The handler of the route for this request, once the caller is known (null: not yet) and may ask for it.
  template <class Reply>
  Reply Serve(const Request& request, const Caller* caller,
              std::function<Reply(const Call&)> Route::*handler);

  AccessControl& access_;
  std::vector<std::unique_ptr<Route>> routes_;
  std::unordered_map<std::string, std::vector<Route*>> by_head_;  // "GET storage 4" -> candidates
  std::vector<Route*> takers_;                                    // patterns that take the rest
  std::vector<std::pair<std::string, std::string>> aliases_;
  std::vector<Settling> settlings_;
};

// Whether a request for `host` may be served by `service`: one of its names, a regional or bucket-prefixed form
// of one, or a host that is no Google name at all (the daemon's own address serves everything).
bool ServesHost(const api::Service& service, std::string_view host);
bool IsGoogleHost(std::string_view host);

}  // namespace fireweed::net
