#include "compute/compute_fixture.h"

#include <cstdlib>

#include <fmt/format.h>

#include "base/error.h"

namespace fireweed::compute {

std::string Reply::Field(std::string_view name) const {
  std::string key = fmt::format("\"{}\":", name);
  size_t at = body.find(key);
  if (at == std::string::npos) return "";
  at += key.size();
  if (body[at] == '"') return body.substr(at + 1, body.find('"', at + 1) - at - 1);
  return body.substr(at, body.find_first_of(",}]", at) - at);
}

std::shared_ptr<const net::Caller> OpenAccess::Identify(const net::Request& request) {
  auto caller = std::make_shared<net::Caller>();
  if (auto header = request.Header("Authorization")) {
    caller->email = std::string(header->substr(7));
    caller->principal = "user:" + caller->email;
  }
  return caller;
}

ComputeFixture::Plane::Plane(ComputeFixture& all)
    : loop(all.catalog, all.clock, all.log),
      pool(loop),
      waiters(all.catalog),
      boot_disks(all.catalog, all.store, [&all](const auto&) { return all.image; }),
      controller(
          all.catalog, loop, pool,
          {.driver = all.driver,
           .sockets = all.sockets,
           .images = [this](const InstanceRecord& record) { return boot_disks.Find(record); },
           .volumes =
               [this](const InstanceRecord& record, const api::compute::AttachedDisk& disk) {
                 return boot_disks.Volume(record, disk);
               },
           .console_directory = all.consoles,
           .ids = all.ids,
           .preemption = all.preemption,
           .look_every = Duration(0),
           .cards = all.cards},
          all.clock, all.log),
      image_controller(
          all.catalog, pool, all.store,
          [&all](const std::string& source, const std::string& directory) {
            return all.import(source, directory);
          },
          all.clock, all.log),
      disk_controller(all.catalog, pool, all.store, all.log),
      instances(all.catalog, all.access, all.catalogue, all.identity, all.ids, all.clock,
                {.console_directory = all.consoles, .quotas = all.quotas}),
      bulk(all.catalog, {all.access, all.identity}, all.catalogue, all.ids, all.clock,
           {.console_directory = all.consoles, .quotas = all.quotas}),
      bulk_controller(all.catalog, all.ids, all.clock),
      life(all.catalog, all.catalogue, all.quotas, all.ids, all.clock),
      group_controller(all.catalog, all.catalogue, all.identity, all.ids, all.clock, all.log,
                       {.quotas = all.quotas}),
      templates(all.catalog, {all.access, all.identity}, all.catalogue, all.ids, all.clock),
      managers(all.catalog, {all.access, all.identity}, all.ids, all.clock),
      groups(all.catalog, all.ids, all.clock),
      settings(all.catalog, all.access, all.catalogue, all.identity, all.ids, all.clock, false),
      operations(all.catalog, waiters),
      images(all.catalog, all.access, all.identity, all.ids, all.clock),
      disks(all.catalog, all.access, all.identity, all.catalogue, all.quotas, all.ids, all.clock),
      networks(all.catalog, all.ids, all.clock),
      project_quotas(all.catalog, all.catalogue, all.quotas),
      projects(all.catalog, all.identity, project_quotas, all.ids, all.clock),
      tables(all.catalogue, project_quotas),
      guest_attributes(all.catalog),
      router(all.access) {
  loop.Add(all.wrap(controller));
  loop.Add(all.wrap(group_controller));
  loop.Add(bulk_controller);
  loop.Add(image_controller);
  loop.Add(disk_controller);
  loop.Add(waiters);
  instances.Serve(router);
  bulk.Serve(router);
  life.Serve(router);
  templates.Serve(router);
  managers.Serve(router);
  groups.Serve(router);
  settings.Serve(router);
  operations.Serve(router);
  images.Serve(router);
  disks.Serve(router);
  networks.Serve(router);
  projects.Serve(router);
  tables.Serve(router);
  guest_attributes.Serve(router);
  loop.WakeAll();
}

namespace {

std::string MakeTemporary(const char* name) {
  std::string pattern =
      std::filesystem::temp_directory_path() / (std::string("fireweed-") + name + "-XXXXXX");
  if (!mkdtemp(pattern.data())) Abort("no temporary directory");
  return pattern;
}

}  // namespace

ComputeFixture::ComputeFixture(MachineDriver* other, uint64_t seed,
                               std::vector<std::string> accelerators)
    : random(seed),
      driver(other ? *other : fake),
      catalogue({.cpus = 4, .memory_mb = 8192, .accelerators = std::move(accelerators)}),
      consoles(MakeTemporary("compute")),
      disk_root(MakeTemporary("disks")),
      store(disk_root) {
  plane = std::make_unique<Plane>(*this);
}

ComputeFixture::~ComputeFixture() {
  plane.reset();
  std::filesystem::remove_all(consoles);
  std::filesystem::remove_all(disk_root);
}

void ComputeFixture::Restart() {
  sockets.open.clear();
  plane.reset();
  plane = std::make_unique<Plane>(*this);
}

Reply ComputeFixture::Ask(std::string_view method, std::string_view target, std::string_view body,
                          const char* who) {
  net::Origin origin;
  net::Request request;
  request.method = method;
  request.target = target;
  request.path = target.substr(0, target.find('?'));
  if (size_t q = target.find('?'); q != target.npos) request.query = target.substr(q + 1);
  request.host = "compute.googleapis.com";
  request.body = body;
  request.origin = &origin;
  if (who) request.headers.push_back({"Authorization", who});
  net::Response response;
  try {
    response = std::get<net::Response>(plane->router.Handle(request));
  } catch (const Failure& failure) {
    response = plane->router.RenderError(request, failure.error());
  }
  return {response.status, std::get<std::string>(response.body)};
}

std::shared_ptr<net::Deferred> ComputeFixture::Wait(std::string_view target) {
  net::Origin origin;
  net::Request request;
  request.method = "POST";
  request.target = request.path = target;
  request.host = "compute.googleapis.com";
  request.origin = &origin;
  request.headers.push_back({"Authorization", "Bearer ann@example.com"});
  net::Answer answer = plane->router.Handle(request);
  auto* deferred = std::get_if<std::shared_ptr<net::Deferred>>(&answer);
  return deferred ? *deferred : nullptr;
}

void ComputeFixture::Settle() {
  do {
    plane->loop.RunDue();
    while (plane->pool.size() > 0) plane->pool.Run(0);
    std::optional<Time> next = plane->loop.RunDue();
    if (plane->pool.size() == 0 && (!next || *next > clock.Now())) return;
  } while (true);
}

void ComputeFixture::SettleUntil(Time until) {
  while (true) {
    Settle();
    std::optional<Time> next = plane->loop.RunDue();
    if (!next || *next > until) return;
    clock.JumpTo(*next);
  }
}

std::string ComputeFixture::InsertBody(const std::string& name, const std::string& labels) {
  return fmt::format(
      R"({{"name":"{}","machineType":"https://compute.googleapis.com/compute/v1/projects/p/zones/us-east1-b/machineTypes/n1-standard-1",)"
      R"("canIpForward":false,"deletionProtection":false,"disks":[{{"autoDelete":true,"boot":true,"mode":"READ_WRITE",)"
      R"("type":"PERSISTENT","initializeParams":{{"sourceImage":"https://compute.googleapis.com/compute/v1/projects/)"
      R"(debian-cloud/global/images/family/debian-12"}}}}],"metadata":{{"items":[{{"key":"WORD","value":"rose"}}]}},)"
      R"("networkInterfaces":[{{"network":"projects/p/global/networks/default","accessConfigs":[)"
      R"({{"name":"external-nat","type":"ONE_TO_ONE_NAT"}}]}}],"scheduling":{{"automaticRestart":false,"preemptible":true}},)"
      R"("serviceAccounts":[{{"email":"default","scopes":["https://www.googleapis.com/auth/cloud-platform"]}}],)"
      R"("labels":{},"tags":{{"items":[]}}}})",
      name, labels);
}

}  // namespace fireweed::compute
