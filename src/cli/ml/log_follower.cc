#include "cli/ml/log_follower.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <functional>
#include <utility>

#include <fmt/format.h>

#include "cli/storage/retry.h"

namespace fireweed::cli {
namespace {

// The end of a job is no log line: it is looked for when nothing has been said for so long.
constexpr int kQuietSeconds = 1;
constexpr int kPage = 1000;
constexpr std::chrono::seconds kLate(5), kLatest(15);
constexpr std::chrono::milliseconds kPause(50);

// On a terminal, one line that is rewritten every second while the job is prepared. It is erased before others are
// printed.
class PreparationLine {
 public:
  PreparationLine(bool drawn, const Clock& clock) : drawn_(drawn), clock_(clock) {}
  ~PreparationLine() { Erase(); }
  PreparationLine(const PreparationLine&) = delete;
  PreparationLine& operator=(const PreparationLine&) = delete;

  // True if the entry is shown here and need not be printed.
  bool Take(const JsonTree& entry) {
    std::optional<Preparation> found = drawn_ ? PreparationOf(entry) : std::nullopt;
    if (!found) return false;
    current_ = std::move(found);
    return true;
  }
  void Draw() {
    if (!current_) return;
    winsize size{};
    bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    size_t columns = known ? size.ws_col - 1u : kUsualColumns;
    fmt::print(stderr, "\r\x1b[K{}", PreparationText(*current_, clock_.Now(), columns));
    std::fflush(stderr);
    on_screen_ = true;
  }
  // What is drawn; it is drawn again unless the preparation is over.
  void Erase() {
    if (std::exchange(on_screen_, false)) fmt::print(stderr, "\r\x1b[K");
  }
  void End() {
    Erase();
    current_.reset();
  }

 private:
  static constexpr size_t kUsualColumns = 79;
  const bool drawn_;
  const Clock& clock_;
  std::optional<Preparation> current_;
  bool on_screen_ = false;
};

// Says where the job stands when that changes, for as long as there are no lines to look at.
class StateTeller {
 public:
  StateTeller(MlSession& session, PreparationLine& line) : session_(session), line_(line) {}

  void Tell(const JsonTree& job) {
    std::string state = job.TextOf("state");
    std::string position = state == "QUEUED" ? job.TextOf("jobPosition") : "";
    std::string text = position.empty() ? fmt::format("Job [{}] is {}.", job.TextOf("jobId"), state)
                                        : fmt::format("Job [{}] is {}, number {} in the queue.",
                                                      job.TextOf("jobId"), state, position);
    if (text == last_) return;
    last_ = text;
    line_.Erase();
    session_.Say(text);
  }

 private:
  MlSession& session_;
  PreparationLine& line_;
  std::string last_;
};

bool HasEnded(const JsonTree& job) { return !job.TextOf("endTime").empty(); }

}  // namespace

bool LogFollower::TakePage(EntryQuery& query, bool& news) {
  JsonTree page = ask_(query);
  query.page = page.TextOf("nextPageToken");
  const JsonTree* entries = page.Find("entries");
  if (!entries) return false;
  for (const JsonTree& entry : entries->items()) {
    Time time = ParseTime(entry.TextOf("timestamp")).value_or(last_);
    if (!shown_.emplace(std::hash<std::string>()(entry.Compact()), time).second) continue;
    last_ = std::max(last_, time);
    news = true;
    show_(entry);
  }
  return static_cast<int>(entries->items().size()) >= query.size && !query.page.empty();
}

void LogFollower::LookBack(Duration back) {
  if (last_ == Time{}) return;
  EntryQuery query{
      .filter = fmt::format("{} AND timestamp>=\"{}\"", filter_, FormatTime(last_ - back, 9)),
      .size = kPage};
  bool news = false;
  while (TakePage(query, news)) {
  }
  std::erase_if(shown_, [&](const auto& item) { return item.second < last_ - kLatest; });
}

bool LogFollower::Step(int wait) {
  EntryQuery query{.filter = filter_, .page = token_, .size = kPage, .wait = wait};
  bool news = false;
  bool more = TakePage(query, news);
  if (!query.page.empty()) token_ = query.page;
  // What is behind comes first; then there is time for what was late.
  if (!more) LookBack(kLate);
  return news;
}

// Page by page: whoever does not wait gets no token behind the last one, and would read it again and again.
void LogFollower::Finish() {
  EntryQuery query{.filter = filter_, .page = token_, .size = kPage};
  bool news = false;
  while (TakePage(query, news)) {
  }
  LookBack(kLatest);
}

JsonTree FollowJob(MlSession& session, const std::string& job, const FollowOptions& options) {
  bool terminal = isatty(STDERR_FILENO) == 1 && !session.settings().json;
  LineStyle style{.colours = terminal, .multiline = options.multiline};
  SystemClock clock;
  PreparationLine preparation(terminal, clock);
  LogFollower follower(
      JobFilter(job, options.task), [&](const EntryQuery& query) { return session.Entries(query); },
      [&](const JsonTree& entry) {
        if (preparation.Take(entry)) return;
        preparation.Erase();
        for (const std::string& line : LinesOf(entry, style)) fmt::print(stderr, "{}\n", line);
      });
  StateTeller teller(session, preparation);
  StopSignal never;
  while (true) {
    JsonTree seen = session.Job(job);  // no such job: said at once
    teller.Tell(seen);
    seen.TextOf("state") == "PREPARING" ? preparation.Draw() : preparation.End();
    if (HasEnded(seen)) {
      follower.Finish();
      return seen;
    }
    while (follower.Step(kQuietSeconds)) {
    }
    // Other jobs of the project wake us, too: not more often than this.
    never.WaitFor(kPause);
  }
}

}  // namespace fireweed::cli
