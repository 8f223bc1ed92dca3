// What for: online prediction. Finds the version that a request is for and hands the request to its process, at the ml
//   API's paths, TensorFlow Serving's and the Open Inference Protocol's.
// Threads: on I/O threads from memory alone; what is not there is looked up on the pool.
// May block: on the pool, for the catalog.
// Owns: cached rows. Borrows the table of targets, whose processes the deploy controller keeps.
// A failure: Failure in the API's words; what the model itself says goes back as it is.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "api/ml/predict_methods.h"
#include "base/clock.h"
#include "catalog/catalog.h"
#include "catalog/row_cache.h"
#include "identity/records.h"
#include "ml/models/records.h"
#include "ml/models/serving_target.h"
#include "net/forward.h"
#include "net/router.h"

namespace fireweed::ml {

struct GatewayLimits {
  int64_t most_at_once =
      1024;  // requests of one version, held ones included; more are answered 429
  int64_t most_bytes = 1'572'864;  // of a request's body
  std::chrono::milliseconds wake_limit{60'000};
  std::chrono::milliseconds answer_limit{60'000};
};

// Told of every answer, on an I/O thread; must not block.
struct ServedExchange {
  const VersionRecord& version;
  std::string_view request, response;
  int status = 0;
  Time when{};
};
using ExchangeSink = std::function<void(const ServedExchange&)>;

class PredictGateway {
 public:
  PredictGateway(Catalog& catalog, ServingTable& table, const Clock& clock, GatewayLimits limits,
                 ExchangeSink sink = nullptr);
  void Serve(net::Router& router);

 private:
  using VersionRow = std::shared_ptr<const Row<VersionRecord>>;
  using ModelRow = std::shared_ptr<const Row<ModelRecord>>;
  enum class From { kMemory, kCatalog };

  void ServeAt(net::Router& router, const api::MethodEntry& method, bool versioned,
               std::string path);
  // Null only from memory: it is not there.
  std::shared_ptr<net::Forwarding> Prepare(const net::Call& call, bool versioned,
                                           const std::string& path, From from);
  std::optional<std::string> FindProject(const std::string& name, From from);
  std::optional<VersionRow> FindVersion(const Key& key, From from);
  std::optional<ModelRow> FindModel(const Key& key, From from);
  const std::string& ChooseVersion(const ModelRecord& model);

  // Constant after construction.
  RowCache<identity::ProjectNumberRecord> numbers_;
  RowCache<ModelRecord> models_;
  RowCache<VersionRecord> versions_;
  ServingTable& table_;
  const Clock& clock_;
  const GatewayLimits limits_;
  const ExchangeSink sink_;

  std::atomic<uint32_t> turn_{0};  // of requests that name no version, to share them out
};

}  // namespace fireweed::ml
