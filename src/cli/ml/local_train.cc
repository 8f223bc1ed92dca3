#include "cli/ml/local_train.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "base/error.h"
#include "base/process.h"
#include "base/unique_fd.h"
#include "describe/json_writer.h"

namespace fireweed::cli {
namespace {

constexpr int kGraceMs = 10'000;  // from TERM to KILL for those who are left

struct Member {
  std::string type;
  int index = 0;
};

std::vector<Member> ClusterOf(const LocalTrain& train) {
  std::vector<Member> members{{"chief", 0}};
  for (int i = 0; i < train.ps_count; ++i) members.push_back({"ps", i});
  for (int i = 0; i < train.worker_count; ++i) members.push_back({"worker", i});
  return members;
}

void WriteCluster(JsonWriter& out, const std::vector<Member>& members,
                  const std::vector<uint16_t>& ports) {
  out.Key("cluster").BeginObject();
  for (const char* type : {"chief", "ps", "worker"}) {
    bool begun = false;
    for (size_t i = 0; i < members.size(); ++i) {
      if (members[i].type != type) continue;
      if (!std::exchange(begun, true)) out.Key(type).BeginArray();
      out.String(fmt::format("localhost:{}", ports[i]));
    }
    if (begun) out.EndArray();
  }
  out.EndObject();
}

std::vector<std::string> TrainerArgs(const LocalTrain& train) {
  std::vector<std::string> args = train.args;
  if (!train.job_dir.empty()) args.insert(args.end(), {"--job-dir", train.job_dir});
  return args;
}

LocalTask MakeTask(const LocalTrain& train, const Member* self, const std::vector<Member>& members,
                   const std::vector<uint16_t>& ports) {
  std::vector<std::string> args = TrainerArgs(train);
  JsonWriter out;
  out.BeginObject().Field("environment", "cloud");
  WriteCluster(out, members, ports);
  out.Key("task").BeginObject();
  if (self) out.Field("type", self->type).Field("index", self->index);
  out.EndObject().Key("job").BeginObject().Field("job_name", train.module);
  out.Key("args").BeginArray();
  for (const std::string& arg : args) out.String(arg);
  out.EndArray().EndObject().EndObject();
  LocalTask task{.name = self ? fmt::format("{}-{}", self->type, self->index) : "master",
                 .argv = {train.interpreter, "-m", train.module},
                 .tf_config = out.Take()};
  task.argv.insert(task.argv.end(), args.begin(), args.end());
  std::filesystem::path package = std::filesystem::absolute(train.package_path).lexically_normal();
  if (!package.has_filename()) package = package.parent_path();
  task.directory = package.parent_path().string();
  return task;
}

struct Running {
  pid_t pid = -1;
  UniqueFd end;  // readable once it has ended
};

Running Start(const LocalTask& task) {
  std::fflush(stdout);
  pid_t parent = getpid(), pid = fork();
  if (pid < 0) throw Failure(ErrnoError(errno, "fork"));
  if (pid == 0) {
    // A training run must not outlive whoever started it.
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(1);
    // NOHOUSE(getenv): the environment of the program that is started
    setenv("TF_CONFIG", task.tf_config.c_str(), 1);
    std::vector<char*> argv;
    for (const std::string& word : task.argv) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    if (chdir(task.directory.c_str()) == 0) execvp(argv[0], argv.data());
    fmt::print(stderr, "fireweed: {}: {}\n", task.argv[0], std::strerror(errno));
    _exit(127);
  }
  return {pid, UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)))};
}

int Await(Running& running) {
  int status = 0;
  while (waitpid(running.pid, &status, 0) < 0) {
    if (errno != EINTR) return 1;
  }
  running.pid = -1;
  return ShellExitCode(status);
}

void End(Running& running) {
  if (running.pid < 0) return;
  kill(running.pid, SIGTERM);
  pollfd ended{running.end.get(), POLLIN, 0};
  if (poll(&ended, 1, kGraceMs) <= 0) kill(running.pid, SIGKILL);
  Await(running);
}

}  // namespace

size_t PortsFor(const LocalTrain& train) { return train.distributed ? ClusterOf(train).size() : 0; }

std::vector<LocalTask> PlanLocalTrain(const LocalTrain& train, const std::vector<uint16_t>& ports) {
  if (!train.distributed) return {MakeTask(train, nullptr, {}, {})};
  std::vector<Member> members = ClusterOf(train);
  std::vector<LocalTask> tasks;
  for (const Member& member : members) tasks.push_back(MakeTask(train, &member, members, ports));
  for (int i = 0; i < train.evaluator_count; ++i) {
    Member evaluator{"evaluator", i};  // no member of the cluster
    tasks.push_back(MakeTask(train, &evaluator, members, ports));
  }
  return tasks;
}

int RunLocalTasks(const std::vector<LocalTask>& tasks) {
  std::vector<Running> running;
  for (const LocalTask& task : tasks) running.push_back(Start(task));
  int code = Await(running.front());
  // An evaluator exports what the chief has trained: it ends by itself. Parameter servers never do.
  for (size_t i = 1; i < tasks.size(); ++i) {
    if (tasks[i].name.starts_with("evaluator") && code == 0) Await(running[i]);
  }
  for (Running& left : running) End(left);
  return code;
}

}  // namespace fireweed::cli
