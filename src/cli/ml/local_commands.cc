// `fireweed ai-platform local train` in gcloud's grammar.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include <fmt/format.h>

#include "base/error.h"
#include "base/unique_fd.h"
#include "cli/compute/compute_commands.h"
#include "cli/grammar.h"
#include "cli/ml/local_train.h"
#include "cli/ml/ml_commands.h"

namespace fireweed::cli {
namespace {

// Ports that are free now: all are held until all are chosen, so that no two are the same.
std::vector<uint16_t> FreePorts(size_t count) {
  std::vector<UniqueFd> held;
  std::vector<uint16_t> ports;
  while (ports.size() < count) {
    UniqueFd& fd = held.emplace_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* any = reinterpret_cast<sockaddr*>(&address);
    if (!fd || bind(fd.get(), any, size) != 0 || getsockname(fd.get(), any, &size) != 0) {
      throw Failure(ErrnoError(errno, "choosing a port"));
    }
    ports.push_back(ntohs(address.sin_port));
  }
  return ports;
}

// The interpreter of the daemon's runtime where it was built, else the shell's own.
std::string Interpreter(const Settings& settings) {
  std::string of_runtime = settings.State() + "/python";
  return access(of_runtime.c_str(), X_OK) == 0 ? of_runtime : "python3";
}

void Train(LocalTrain& train, const Settings& settings) {
  std::error_code none;
  std::string marker = train.package_path + "/__init__.py";
  if (!std::filesystem::exists(marker, none)) {
    throw Failure(Code::kInvalid,
                  fmt::format("[{}] is not a valid Python package because it does not contain an "
                              "`__init__.py` file. Please create one and try again.",
                              train.package_path));
  }
  if (train.interpreter.empty()) train.interpreter = Interpreter(settings);
  int code = RunLocalTasks(PlanLocalTrain(train, FreePorts(PortsFor(train))));
  if (code != 0) throw Exit{code};
}

}  // namespace

void AddLocalCommands(Command& root, Settings& settings) {
  Command& group = GroupOf(root, "local", "Run a trainer on this machine, without the service");
  Command* command =
      group.AddCommand("train", "Run a trainer locally with the environment of a training job");
  auto train = std::make_shared<LocalTrain>();
  command->AddOption("--package-path", train->package_path, "Directory of the trainer's package")
      ->Required();
  command->AddOption("--module-name", train->module, "Module to run, such as trainer.task")
      ->Required();
  command->AddOption("--job-dir", train->job_dir, "Handed to the trainer as --job-dir");
  command->AddFlag("--distributed", train->distributed,
                   "Run a cluster: a chief, parameter servers and workers, one process each");
  command->AddOption("--worker-count", train->worker_count, "Workers of the cluster")
      ->Between(0, 64);
  command
      ->AddOption("--parameter-server-count", train->ps_count, "Parameter servers of the cluster")
      ->Between(0, 64);
  command->AddOption("--evaluator-count", train->evaluator_count, "Evaluators beside the cluster")
      ->Between(0, 1);
  command->AddOption("--python", train->interpreter,
                     "Interpreter; by default that of the daemon's runtime where it was built");
  command->AddOption("args", train->args, "After --: arguments of the trainer");
  command->OnRun([train, &settings] { Train(*train, settings); });
}

}  // namespace fireweed::cli
