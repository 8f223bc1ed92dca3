#include "ml/ml_fixture.h"

#include <fmt/format.h>

#include "identity/tokens.h"

namespace fireweed::ml {

MlFixture::Plane::Plane(MlFixture& all)
    : queue(all.base.catalog, all.base.plane->loop,
            {.capacity = all.capacity,
             .catalogue = all.base.catalogue,
             .quotas = all.base.quotas,
             .say = [&all](const JobRecord&, const JobLine& line) { all.lines.push_back(line); }},
            all.base.clock, all.base.log),
      jobs(all.base.catalog,
           {.replicas = {.catalogue = all.base.catalogue,
                         .ids = all.base.ids,
                         .own_network = all.own_network},
            .environments = all.environments,
            .collector = all.collector,
            .say = [&all](const JobRecord&, const JobLine& line) { all.lines.push_back(line); },
            .last_lines =
                [](const JobRecord&, const std::string&, const std::string& task) {
                  return std::vector<std::string>{"Traceback of " + task};
                },
            .seal = [&all](const JobRecord& job) { all.sealed.insert(job.job.jobId); },
            .rules = all.rules},
           all.base.clock, all.base.log),
      service({all.base.catalog, all.projects, all.base.access, all.base.catalogue, all.base.ids,
               all.base.clock, all.base.random, all.base.log,
               [&all](const JobRecord&, const JobLine& line) { all.lines.push_back(line); },
               &all.runtimes, all.reads_behind, all.strict, all.base.quotas}),
      project_service(all.base.catalog, all.projects, all.base.catalogue, all.base.clock,
                      all.base.random),
      router(all.base.access) {
  all.base.plane->loop.Add(queue);
  all.base.plane->loop.Add(all.base.wrap(jobs));
  service.Serve(router);
  project_service.Serve(router);
  all.base.plane->loop.WakeAll();
}

MlFixture::MlFixture(MachineDriver* inner, uint64_t seed, const std::vector<std::string>& cards)
    : base(&driver, seed, cards) {
  driver.SetInner(inner ? *inner : base.fake);
  net::Caller owner{.principal = "user:ann@example.com", .email = "ann@example.com"};
  base.catalog.Write(
      "project", [&](Txn& txn) { projects.Create(txn, "my-project", "my-project", {}, owner); });
  for (const std::string& type : cards) {
    base.cards.push_back(
        {.type = type, .devices = {fmt::format("/dev/card{}", base.cards.size())}});
    ++capacity.cards[type];
  }
  if (!cards.empty()) base.Restart();
  plane = std::make_unique<Plane>(*this);
}

void MlFixture::Restart() {
  plane.reset();
  base.Restart();
  plane = std::make_unique<Plane>(*this);
}

compute::Reply MlFixture::Ask(std::string_view method, std::string_view target,
                              std::string_view body, const char* who) {
  net::Origin origin;
  net::Request request;
  request.method = method;
  request.target = target;
  request.path = target.substr(0, target.find('?'));
  if (size_t q = target.find('?'); q != target.npos) request.query = target.substr(q + 1);
  request.host = "ml.googleapis.com";
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

std::string MlFixture::JobBody(const std::string& id, const std::string& training,
                               const std::string& more) {
  return fmt::format(
      R"({{"jobId":"{}"{}{},"trainingInput":{{"region":"us-central1","packageUris":["gs://b/trainer-0.1.tar.gz"],)"
      R"("pythonModule":"trainer.task"{}{}}}}})",
      id, more.empty() ? "" : ",", more, training.empty() ? "" : ",", training);
}

JobRecord MlFixture::Job(const std::string& id) {
  auto row = Query(base.catalog, [&](Txn& txn) { return txn.Find<JobRecord>("my-project/" + id); });
  if (!row) Abort("no such job");
  return row->value;
}

std::vector<compute::InstanceRecord> MlFixture::Instances() {
  std::vector<compute::InstanceRecord> all;
  for (auto& row : Query(base.catalog, [&](Txn& txn) {
         return txn.Scan<compute::InstanceRecord>({.prefix = "my-project/"});
       })) {
    all.push_back(std::move(row.value));
  }
  return all;
}

compute::Reply MlFixture::Instance(size_t i, std::string_view method, const std::string& what) {
  compute::InstanceRecord record = Instances().at(i);
  return base.Ask(method, fmt::format("/compute/v1/projects/{}/zones/{}/instances/{}{}",
                                      record.project, record.zone, record.resource.name, what));
}

std::vector<std::string> MlFixture::LinesOf(const std::string& task) const {
  std::vector<std::string> texts;
  for (const JobLine& line : lines) {
    if (line.task == task) texts.push_back(line.message);
  }
  return texts;
}

}  // namespace fireweed::ml
