// For tests: the services of models behind a router and the controller on a driver without machines, in simulated time.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/ids.h"
#include "base/log.h"
#include "base/random.h"
#include "base/sim_clock.h"
#include "catalog/memory_catalog.h"
#include "control/action_pool.h"
#include "control/operation_waiters.h"
#include "describe/json_tree.h"
#include "identity/projects.h"
#include "machine/fake/fake_driver.h"
#include "ml/models/deploy_controller.h"
#include "ml/models/models_service.h"
#include "ml/models/predict_gateway.h"
#include "ml/models/versions_service.h"

namespace fireweed::ml {

// Everybody is Ann, who may do everything.
class OpenAccess final : public net::AccessControl {
 public:
  std::shared_ptr<const net::Caller> Identify(const net::Request&) override;
  bool May(const net::Caller&, std::string_view, std::string_view) override { return true; }
};

class Models : public testing::Test {
 protected:
  Models();
  ~Models() override;

  // What a daemon holds; Restart makes it anew over the same catalog and driver.
  struct Parts {
    explicit Parts(Models& test);
    ControlLoop loop;
    OperationWaiters waiters;
    QueuedActionPool pool;
    ServingTable table;
    ModelsService models;
    VersionsService versions;
    PredictGateway gateway;
    net::Router router;
    DeployController controller;
  };
  void Restart();
  // Runs what is due by now, and actions.
  void Settle();
  void Pass(Duration time);

  struct Reply {
    int status = 0;
    JsonTree body;
    std::string text;
    bool Has(std::string_view what) const { return text.find(what) != std::string::npos; }
  };
  net::Answer Send(std::string_view method, std::string_view path, std::string_view body = "",
                   std::string_view query = "");
  Reply Ask(std::string_view method, std::string_view path, std::string_view body = "",
            std::string_view query = "");
  void MakeModel(const std::string& name = "census");
  Reply MakeVersion(const std::string& name, const std::string& more = "");
  std::string StateOf(const std::string& name);
  std::shared_ptr<ServingTarget> Target(const std::string& version);
  // Null where it was refused; refusal_ says why.
  std::shared_ptr<net::Forwarding> Predict(const std::string& where, std::string_view body = "{}");

  SimClock clock_;
  SeededRandom random_{7};
  NullLogger log_;
  MemoryCatalog catalog_;
  IdSource ids_{clock_, random_};
  identity::Projects projects_{clock_, random_, {}};
  OpenAccess access_;
  FakeDriver driver_{clock_};
  std::string directory_;
  std::map<std::string, std::string> labels_;
  std::optional<Error> fetch_fails_;
  int fetched_ = 0;
  bool ready_ = true;
  net::Origin origin_;
  net::Request request_;
  std::string refusal_;
  std::unique_ptr<Parts> parts_;

 private:
  ServingWorld World();
};

}  // namespace fireweed::ml
