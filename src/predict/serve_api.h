// What for: the HTTP face of one served model version: ml v1's predict, TensorFlow Serving's and KServe's paths, health
//   and metrics. Errors are {"error":"..."} everywhere.
// Threads: net's. Small requests to engines that are quick are computed on the I/O thread; others on a pool thread or by
//   the batcher, without a thread that waits.
// Owns: the batcher and the readers. Borrows the engine, the clock and the metrics.
// A failure: Failure by code: 400 kInvalid, 404 kNotFound, 413 kTooLarge, 429 kExhausted, 503 kUnavailable,
//   504 kCancelled, 500 else.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "net/http_message.h"
#include "predict/batcher.h"
#include "predict/engine.h"
#include "predict/request_reader.h"
#include "predict/serve_paths.h"
#include "predict/serving_metrics.h"

namespace fireweed::predict {

struct ServeOptions {
  std::string model = "model", version = "1";
  int64_t max_request_bytes = 16 << 20;
  int64_t max_instances = 100'000;
  int64_t max_pending = 1'024;  // requests taken and not answered; more are told 429
  Duration deadline = std::chrono::seconds(60);
  Batcher::Options batching;
};

class ServeApi final : public net::Dispatcher {
 public:
  ServeApi(Engine& engine, ServeOptions options, const Clock& clock, ServingMetrics& metrics);
  ~ServeApi() override;

  // Computes one made-up instance per signature, so that the first request pays nothing for being first. Throws
  // Failure where the model lacks something that no request could give it.
  void WarmUp();
  // From now on /readyz says no: whoever routes here looks for another.
  void SetDraining() { draining_ = true; }

  std::optional<net::Response> TryInline(const net::Request& request) override;
  net::BodyPlan PlanBody(const net::Request& request) override;
  net::Answer Handle(const net::Request& request) override;
  net::Response RenderError(const net::Request& request, const Error& error) override;

 private:
  struct Asked;  // a request as it was read
  class Pending;

  std::unique_ptr<RequestReader> BorrowReader();
  void ReturnReader(std::unique_ptr<RequestReader> reader);
  void ExpectModel(const ServePath& path) const;
  ServePath Route(const net::Request& request) const;
  Asked Read(const ServePath& path, std::string_view body);
  std::string Render(const Asked& asked, const Outputs& outputs) const;
  net::Response Compute(const Asked& asked, Time since);
  net::Answer Enqueue(Asked asked, Time since, Duration limit);
  net::Response Describe(const ServePath& path) const;
  std::string ServingMetadata() const;
  std::string KserveModel() const;

  Engine& engine_;
  const ServeOptions options_;
  const Clock& clock_;
  ServingMetrics& metrics_;
  std::string labels_;
  std::atomic<bool> draining_{false};
  Guarded<std::vector<std::unique_ptr<RequestReader>>> readers_;
  std::unique_ptr<Batcher> batcher_;
};

}  // namespace fireweed::predict
