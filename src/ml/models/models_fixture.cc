#include "ml/models/models_fixture.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "net/errors.h"

namespace fireweed::ml {

std::shared_ptr<const net::Caller> OpenAccess::Identify(const net::Request&) {
  net::Caller caller;
  caller.principal = "user:ann@example.com";
  caller.email = "ann@example.com";
  return std::make_shared<const net::Caller>(caller);
}

Models::Models() {
  std::string name = testing::TempDir() + "fireweed-models-XXXXXX";
  directory_ = mkdtemp(name.data());
  net::Caller ann;
  ann.principal = "user:ann@example.com";
  catalog_.Write("test", [&](Txn& txn) { projects_.Create(txn, "project-one", "One", {}, ann); });
  Restart();
}

Models::~Models() {
  parts_.reset();
  std::filesystem::remove_all(directory_);
}

Models::Parts::Parts(Models& test)
    : loop(test.catalog_, test.clock_, test.log_),
      waiters(test.catalog_),
      pool(loop),
      table([this](const std::string& key) { loop.Wake("ml.version", key); }),
      models(test.catalog_, test.projects_, test.access_, test.ids_, test.clock_, test.log_),
      versions(test.catalog_, test.access_, waiters, test.ids_, test.clock_, test.log_),
      gateway(test.catalog_, table, test.clock_, {.most_at_once = 4, .most_bytes = 1000}),
      router(test.access_),
      controller(test.catalog_, loop, pool, test.World(), table, {}, test.clock_, test.log_) {
  models.Serve(router);
  versions.Serve(router);
  gateway.Serve(router);
  loop.Add(waiters);
  loop.Add(controller);
  controller.RemoveForgotten();
  loop.WakeAll();
}

ServingWorld Models::World() {
  return {.driver = driver_,
          .directory = directory_,
          .fetch = [this](const VersionRecord& record, const std::string& directory) -> Result<> {
            if (fetch_fails_) return *fetch_fails_;
            std::ofstream(directory + "/model.bst") << record.resource.deploymentUri;
            ++fetched_;
            return Done{};
          },
          .describe = [this](const VersionRecord&, const ServingPlace&) -> Result<MachineSpec> {
            MachineSpec spec;
            spec.labels = labels_;
            return spec;
          },
          .ready = [this](const std::string&) { return ready_; }};
}

void Models::Restart() {
  parts_.reset();
  parts_ = std::make_unique<Parts>(*this);
}

void Models::Settle() {
  for (int i = 0; i < 200; ++i) {
    parts_->loop.RunDue();
    if (parts_->pool.size() == 0) return;
    parts_->pool.Run(0);
  }
  FAIL() << "does not come to rest";
}

void Models::Pass(Duration time) {
  clock_.JumpTo(clock_.Now() + time);
  Settle();
}

net::Answer Models::Send(std::string_view method, std::string_view path, std::string_view body,
                         std::string_view query) {
  request_ = {};
  request_.method = method;
  request_.path = path;
  request_.query = query;
  request_.body = body;
  request_.host = "localhost";
  request_.origin = &origin_;
  try {
    return parts_->router.Handle(request_);
  } catch (const Failure& failure) {
    return net::JsonError(failure.error());
  }
}

Models::Reply Models::Ask(std::string_view method, std::string_view path, std::string_view body,
                          std::string_view query) {
  net::Answer answer = Send(method, path, body, query);
  Reply reply;
  auto take = [&](net::Response response) {
    reply.status = response.status;
    reply.text = std::get<std::string>(response.body);
    reply.body = JsonTree::Parse(reply.text);
  };
  if (auto* now = std::get_if<net::Response>(&answer)) {
    take(std::move(*now));
  } else if (auto* later = std::get_if<std::shared_ptr<net::Deferred>>(&answer)) {
    (*later)->OnComplete(take);
    Settle();
    if (reply.status == 0) Pass(std::chrono::milliseconds(10));
    if (reply.status == 0) take((*later)->on_timeout());
  }
  return reply;
}

void Models::MakeModel(const std::string& name) {
  Reply made = Ask("POST", "/v1/projects/project-one/models", R"({"name":")" + name + "\"}");
  ASSERT_EQ(made.status, 200) << made.text;
}

Models::Reply Models::MakeVersion(const std::string& name, const std::string& more) {
  std::string body =
      R"({"name":")" + name + R"(","deploymentUri":"gs://b/m","framework":"XGBOOST")" + more + "}";
  return Ask("POST", "/v1/projects/project-one/models/census/versions", body);
}

std::string Models::StateOf(const std::string& name) {
  return Ask("GET", "/v1/projects/project-one/models/census/versions/" + name).body.TextOf("state");
}

std::shared_ptr<ServingTarget> Models::Target(const std::string& version) {
  return parts_->table.Find("project-one/census/" + version);
}

std::shared_ptr<net::Forwarding> Models::Predict(const std::string& where, std::string_view body) {
  net::Answer answer = Send("POST", "/v1/projects/project-one/models/" + where + ":predict", body);
  auto* way = std::get_if<std::shared_ptr<net::Forwarding>>(&answer);
  if (way != nullptr) return *way;
  refusal_ = std::get<std::string>(std::get<net::Response>(answer).body);
  return nullptr;
}

}  // namespace fireweed::ml
