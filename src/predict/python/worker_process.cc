#include "predict/python/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include <fmt/format.h>

#include "base/error.h"

namespace fireweed::predict {
namespace {

constexpr size_t kHead = 4;
constexpr size_t kMostAnswer = 256 << 20;

void MakeNonBlocking(const UniqueFd& fd) {
  fcntl(fd.get(), F_SETFL, fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

size_t FrameSize(std::string_view head) {
  size_t size = 0;
  for (size_t i = 0; i < kHead; ++i) size = size << 8 | static_cast<uint8_t>(head[i]);
  return size;
}

std::string Framed(std::string_view request) {
  std::string frame;
  for (int shift = 24; shift >= 0; shift -= 8) {
    frame += static_cast<char>(request.size() >> shift & 0xff);
  }
  return frame.append(request);
}

}  // namespace

WorkerProcess::WorkerProcess(const Command& command, const Clock& clock)
    : command_(command), clock_(clock) {}

void WorkerProcess::Start() {
  ProgramSpec spec;
  spec.argv = command_.argv;
  spec.environment = command_.environment;
  spec.new_session = true;
  Result<ChildProgram> spawned = ChildProgram::Spawn(spec);
  if (!spawned) {
    throw Failure(Code::kInvalid, fmt::format("Python cannot be started ({}): {}", command_.argv[0],
                                              spawned.error().message));
  }
  child_.emplace(std::move(*spawned));
  MakeNonBlocking(child_->input);
  MakeNonBlocking(child_->output);
  MakeNonBlocking(child_->error);
  Frame frame = Exchange("", command_.start_limit);
  if (frame.kind == 'R') return;
  child_.reset();
  throw Failure(Code::kInvalid, fmt::format("the model cannot be loaded: {}", frame.text));
}

std::string WorkerProcess::Ask(std::string_view request) {
  Frame frame = Exchange(Framed(request), command_.answer_limit);
  if (frame.kind == 'P') return std::move(frame.text);
  throw Failure(frame.kind == 'I' ? Code::kInvalid : Code::kInternal,
                fmt::format("Prediction failed: {}", frame.text));
}

void WorkerProcess::Ended() {
  int code = child_->Wait();
  child_.reset();
  throw Failure(Code::kUnavailable,
                fmt::format("the Python worker ended ({}) while it computed; it is being restarted",
                            code > 128 ? fmt::format("signal {}", code - 128)
                                       : fmt::format("exit {}", code)));
}

// What the model prints is for whoever reads our log.
void WorkerProcess::PassOnErrors() {
  std::array<char, 4096> bytes;
  while (true) {
    ssize_t count = read(child_->error.get(), bytes.data(), bytes.size());
    if (count <= 0) return;
    [[maybe_unused]] ssize_t ignored =
        write(STDERR_FILENO, bytes.data(), static_cast<size_t>(count));
  }
}

// False at the end of the stream.
bool WorkerProcess::Read(std::string& in) {
  std::array<char, 65536> bytes;
  while (true) {
    ssize_t count = read(child_->output.get(), bytes.data(), bytes.size());
    if (count == 0) return false;
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    in.append(bytes.data(), static_cast<size_t>(count));
  }
}

WorkerProcess::Frame WorkerProcess::Exchange(std::string_view out, Duration limit) {
  std::string in;
  Time deadline = clock_.Now() + limit;
  while (true) {
    bool open = Read(in);
    PassOnErrors();
    if (in.size() >= kHead) {
      size_t size = FrameSize(in);
      bool absurd = size == 0 || size > kMostAnswer;
      if (!absurd && in.size() >= kHead + size) return {in[kHead], in.substr(kHead + 1, size - 1)};
      if (absurd) open = false;
    }
    if (!open) Ended();
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - clock_.Now());
    if (left.count() <= 0) {
      child_.reset();  // kills it
      throw Failure(Code::kUnavailable,
                    "the Python worker took too long and was ended; it is being restarted");
    }
    std::array<pollfd, 3> waits{{{child_->output.get(), POLLIN, 0},
                                 {child_->error.get(), POLLIN, 0},
                                 {out.empty() ? -1 : child_->input.get(), POLLOUT, 0}}};
    poll(waits.data(), waits.size(), static_cast<int>(std::min<int64_t>(left.count(), 60'000)));
    if ((waits[1].revents & POLLHUP) != 0 && (waits[1].revents & POLLIN) == 0)
      child_->error.reset();
    if (waits[2].revents != 0 && !child_->Feed(out) && (waits[2].revents & POLLERR) != 0) out = {};
  }
}

}  // namespace fireweed::predict
