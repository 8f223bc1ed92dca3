// Replaces project numbers by project ids in the bodies of requests, so that handlers meet one name of a project only.
// Clients that know their project by its number (guests: the metadata server names zones and accounts with it) may
// write it in any reference: "projects/123/zones/z/machineTypes/m", "https://compute.googleapis.com/…/projects/123/…".
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/router.h"

namespace fireweed::net {

// The id of the project with this number; nullopt if there is none.
using ProjectIdOf = std::function<std::optional<std::string>(const std::string& number)>;

// `json` with project ids in its references, or nullopt if there is nothing to replace. A reference is a whole string
// that begins with "projects/", "//" or "https://" and has no space. Texts that belong to the user (metadata, labels,
// arguments, descriptions, payloads) are left alone. Pure apart from `id_of`.
std::optional<std::string> ResolveProjectNumbers(std::string_view json, const ProjectIdOf& id_of);

// Passes requests to the router, JSON bodies with their project numbers resolved.
//
// Threading: as Dispatcher.
// Blocking: Handle for `id_of`, only if a body names a project by number.
// Ownership: borrows the router and the dispatcher.
// Errors: those of the router.
class ProjectNumbers final : public Dispatcher {
 public:
  // `inner`: the router itself, or what stands before it.
  ProjectNumbers(const Router& router, Dispatcher& inner, ProjectIdOf id_of)
      : router_(router), inner_(inner), id_of_(std::move(id_of)) {}

  Answer Handle(const Request& request) override;

  std::optional<Response> TryInline(const Request& request) override {
    return inner_.TryInline(request);
  }
  std::shared_ptr<Forwarding> TryForward(const Request& request) override {
    return inner_.TryForward(request);
  }
  BodyPlan PlanBody(const Request& request) override { return inner_.PlanBody(request); }
  std::unique_ptr<BodySink> OpenBody(const Request& request) override {
    return inner_.OpenBody(request);
  }
  std::unique_ptr<BodySink> TryOpenInline(const Request& request) override {
    return inner_.TryOpenInline(request);
  }
  Response RenderError(const Request& request, const Error& error) override {
    return inner_.RenderError(request, error);
  }

 private:
  const Router& router_;
  Dispatcher& inner_;
  const ProjectIdOf id_of_;
};

}  // namespace fireweed::net
