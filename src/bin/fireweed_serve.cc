// One model version behind HTTP, in a process of its own: what may crash here costs nobody else. Says where it listens on
// standard output once it is ready; ends on SIGTERM after the requests at hand; a model that cannot be loaded ends it with one
// line "fireweed-serve: REASON" and status 1.
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error.h"
#include "base/log.h"
#include "net/http_server.h"
#include "predict/load_engine.h"
#include "predict/serve_api.h"

namespace fireweed {
namespace {

constexpr std::chrono::milliseconds kDrainLimit{30'000};

struct Flags {
  std::string model_dir, framework, listen = "127.0.0.1:0";
  std::string log_level = "info";
  int ready_fd = -1, io_threads = 0;
  double batch_budget_ms = 0, deadline_s = 60;
  bool check = false, library_only = false;
  predict::ServeOptions serve;
  predict::EngineSettings engine;
};

void AddEngineFlags(CLI::App& app, Flags& flags) {
  app.add_option("--model-dir", flags.model_dir, "Directory of the model")->required();
  app.add_option("--framework", flags.framework,
                 "XGBOOST, TENSORFLOW, SCIKIT_LEARN or CUSTOM; by the files where absent");
  app.add_option("--xgboost-library", flags.engine.xgboost.library,
                 "A libxgboost.so; trees are computed without it where they can be");
  app.add_flag("--xgboost-library-only", flags.library_only,
               "Compute with XGBoost's library even where it is not needed");
  app.add_option("--tensorflow", flags.engine.tensorflow.package,
                 "Directory of an installed tensorflow package");
  app.add_option("--tensorflow-threads", flags.engine.tensorflow.threads, "Threads of one batch");
  app.add_option("--python", flags.engine.python.interpreter, "Interpreter of Python models");
  app.add_option("--python-workers", flags.engine.python.workers, "Python processes");
  app.add_option("--prediction-class", flags.engine.python.prediction_class,
                 "module.Class of a custom prediction routine");
  app.add_option("--package", flags.engine.python.packages,
                 "Package with modules of the model (.tar.gz, .whl, a directory); repeatable");
}

void AddServingFlags(CLI::App& app, Flags& flags) {
  app.add_option("--listen", flags.listen, "HOST:PORT or unix:PATH; port 0 picks one");
  app.add_option("--model", flags.serve.model, "Name of the model in paths and metrics");
  app.add_option("--version-name", flags.serve.version, "Name of the version");
  app.add_option("--max-request-bytes", flags.serve.max_request_bytes, "Larger bodies: 413");
  app.add_option("--max-instances", flags.serve.max_instances, "Of one request");
  app.add_option("--max-pending", flags.serve.max_pending, "Requests at a time; more: 429");
  app.add_option("--max-batch", flags.serve.batching.max_rows, "Instances computed together");
  app.add_option("--batch-budget-ms", flags.batch_budget_ms,
                 "How long a request may wait for company while the engine is idle");
  app.add_option("--deadline", flags.deadline_s, "Seconds until a request is answered 504");
  app.add_option("--io-threads", flags.io_threads, "Threads that serve connections");
  app.add_option("--ready-fd", flags.ready_fd, "Descriptor to write \"ready\" to");
  app.add_option("--log-level", flags.log_level, "debug, info, warning or error");
  app.add_flag("--check", flags.check, "Load the model, compute one instance, and end");
}

Duration Seconds(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

void Complete(Flags& flags) {
  if (!flags.framework.empty()) {
    flags.engine.framework = predict::ParseFramework(flags.framework);
    if (!flags.engine.framework) {
      throw Failure(Code::kInvalid, fmt::format("'{}' is no framework: XGBOOST, TENSORFLOW, "
                                                "SCIKIT_LEARN or CUSTOM",
                                                flags.framework));
    }
  }
  flags.engine.xgboost.use_forest = !flags.library_only;
  flags.serve.deadline = Seconds(flags.deadline_s);
  flags.engine.python.answer_limit = flags.serve.deadline;
  flags.serve.batching.budget = Seconds(flags.batch_budget_ms / 1000);
  if (flags.io_threads <= 0) {
    flags.io_threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  }
}

LogLevel LevelOf(std::string_view name) {
  for (LogLevel level : {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning}) {
    if (LogLevelName(level) == name) return level;
  }
  return LogLevel::kError;
}

struct Place {
  UniqueFd socket;
  std::string text;  // as --listen takes it, with the port that was picked
};

Place Listen(const std::string& where) {
  constexpr std::string_view kUnix = "unix:";
  if (where.starts_with(kUnix)) return {net::ListenUnix(where.substr(kUnix.size())), where};
  size_t colon = where.rfind(':');
  int port = -1;
  if (colon != std::string::npos) port = std::atoi(where.c_str() + colon + 1);
  if (port < 0 || port > 65535) {
    throw Failure(Code::kInvalid, fmt::format("'{}' is neither HOST:PORT nor unix:PATH", where));
  }
  std::string host = where.substr(0, colon);
  UniqueFd socket = net::ListenTcp(host, static_cast<uint16_t>(port));
  std::string text = fmt::format("{}:{}", host, net::LocalPort(socket.get()));
  return {std::move(socket), std::move(text)};
}

void SayReady(const Flags& flags, const std::string& where) {
  fmt::print("listening on {}\n", where);
  fflush(stdout);
  if (flags.ready_fd < 0) return;
  [[maybe_unused]] ssize_t written = write(flags.ready_fd, "ready\n", 6);
  close(flags.ready_fd);
}

int Run(Flags& flags) {
  Complete(flags);
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  sigaddset(&stop, SIGINT);
  pthread_sigmask(SIG_BLOCK, &stop, nullptr);
  SystemClock clock;
  FdLogger log(STDERR_FILENO, clock, LevelOf(flags.log_level));
  std::unique_ptr<predict::Engine> engine =
      predict::LoadEngine(flags.model_dir, flags.engine, clock);
  predict::ServingMetrics metrics;
  predict::ServeApi api(*engine, flags.serve, clock, metrics);
  api.WarmUp();
  log.Info("model loaded", {{"model", flags.serve.model},
                            {"version", flags.serve.version},
                            {"what", engine->traits().description}});
  if (flags.check) return 0;
  net::HttpServer server({flags.io_threads, 4, {}}, clock, log);
  Place place = Listen(flags.listen);
  net::ListenerConfig listener;
  listener.socket = std::move(place.socket);
  listener.dispatcher = &api;
  server.Open(std::move(listener));
  SayReady(flags, place.text);
  int signal = 0;
  sigwait(&stop, &signal);
  pthread_sigmask(SIG_UNBLOCK, &stop, nullptr);
  api.SetDraining();
  server.Drain(kDrainLimit);
  return 0;
}

}  // namespace
}  // namespace fireweed

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  setenv("TF_CPP_MIN_LOG_LEVEL", "2", 0);
  setenv("OMP_NUM_THREADS", "1", 0);
  fireweed::Flags flags;
  CLI::App app{"Serves one model version over HTTP.", "fireweed-serve"};
  fireweed::AddEngineFlags(app, flags);
  fireweed::AddServingFlags(app, flags);
  CLI11_PARSE(app, argc, argv);
  try {
    return fireweed::Run(flags);
  } catch (const std::exception& failure) {
    fmt::print(stderr, "fireweed-serve: {}\n", failure.what());
    return 1;
  }
}
