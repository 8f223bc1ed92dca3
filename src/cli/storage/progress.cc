#include "cli/storage/progress.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/format/transforms.h"

namespace fireweed::cli {
namespace {

std::string TimeText(double seconds) {
  int64_t whole = static_cast<int64_t>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

}  // namespace

std::string ProgressLine(const ProgressState& state) {
  constexpr int kWidth = 20;
  double share =
      state.bytes_total > 0
          ? static_cast<double>(state.bytes_done) / static_cast<double>(state.bytes_total)
      : state.files_total > 0
          ? static_cast<double>(state.files_done) / static_cast<double>(state.files_total)
          : 0;
  share = std::clamp(share, 0.0, 1.0);
  int marks = static_cast<int>(share * kWidth);
  std::string line = fmt::format(
      "[{}{}] {:3}% {}/{}{} files, {}/{}", std::string(static_cast<size_t>(marks), '#'),
      std::string(static_cast<size_t>(kWidth - marks), '-'), static_cast<int>(share * 100),
      state.files_done, state.files_total, state.complete ? "" : "+", SizeText(state.bytes_done),
      SizeText(state.bytes_total));
  if (state.seconds < 0.5) return line;
  double rate = static_cast<double>(state.bytes_done) / state.seconds;
  line += fmt::format(", {}/s", SizeText(static_cast<int64_t>(rate)));
  if (state.complete && rate > 0 && state.bytes_done < state.bytes_total) {
    double left = static_cast<double>(state.bytes_total - state.bytes_done) / rate;
    line += fmt::format(", {} left", TimeText(left));
  }
  return line;
}

Progress::Progress(const Clock& clock, bool draw)
    : clock_(clock), start_(clock.Now()), drawn_(draw) {
  if (drawn_) thread_ = std::thread([this] { Draw(); });
}

Progress::~Progress() {
  if (!drawn_) return;
  {
    std::lock_guard lock(mu_);
    ended_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void Progress::Expect(int64_t bytes) {
  ++files_total_;
  bytes_total_ += bytes;
}
void Progress::Add(int64_t bytes) { bytes_done_ += bytes; }
void Progress::FileDone() { ++files_done_; }

void Progress::Say(const std::string& text) {
  std::lock_guard lock(mu_);
  // Back to the margin and over what was drawn there.
  fmt::print(stderr, "{}{}\n", drawn_ ? "\r\x1b[K" : "", text);
}

ProgressState Progress::state() const {
  std::chrono::duration<double> passed = clock_.Now() - start_;
  return {files_done_, files_total_, bytes_done_, bytes_total_, passed.count(), complete_};
}

void Progress::Draw() {
  constexpr std::chrono::milliseconds kBetween{200};
  std::unique_lock lock(mu_);
  while (!changed_.wait_for(lock, kBetween, [&] { return ended_; })) {
    fmt::print(stderr, "\r\x1b[K{}", ProgressLine(state()));
    std::fflush(stderr);
  }
  fmt::print(stderr, "\r\x1b[K");
}

}  // namespace fireweed::cli
