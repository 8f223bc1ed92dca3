#include "predict/batcher.h"

#include <algorithm>
#include <exception>

#include <fmt/format.h>

#include "base/error.h"

namespace fireweed::predict {
namespace {

Error ErrorOf(const std::exception& failure) {
  if (const auto* known = dynamic_cast<const Failure*>(&failure)) return known->error();
  return {Code::kInternal, "", fmt::format("the model failed: {}", failure.what())};
}

// Whether every output can be cut into the requests' parts again.
bool CountsRows(const Outputs& outputs, int64_t rows) {
  return std::all_of(outputs.begin(), outputs.end(), [rows](const Tensor& output) {
    return !output.shape.empty() && output.shape[0] == rows;
  });
}

}  // namespace

Batcher::Batcher(Engine& engine, Options options, const Clock& clock, ServingMetrics& metrics)
    : engine_(engine), options_(options), clock_(clock), metrics_(metrics) {
  for (int i = 0; i < std::max(1, engine.traits().parallel); ++i) {
    threads_.emplace_back([this] { Work(); });
  }
}

Batcher::~Batcher() {
  std::deque<Job> left;
  {
    std::lock_guard lock(mu_);
    ending_ = true;
    left.swap(waiting_);
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  for (Job& job : left) job.done(Error{Code::kUnavailable, "", "the model is being taken down"});
}

void Batcher::Submit(const Signature& signature, Inputs inputs, Time deadline, Done done) {
  {
    std::lock_guard lock(mu_);
    if (waiting_.size() >= options_.max_waiting) {
      throw Failure(Code::kExhausted,
                    fmt::format("{} requests wait already; try again later", waiting_.size()));
    }
    waiting_.push_back({&signature, std::move(inputs), clock_.Now(), deadline, std::move(done)});
  }
  wake_.notify_one();
}

void Batcher::Work() {
  std::unique_lock lock(mu_);
  while (true) {
    wake_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (ending_) return;
    std::vector<Job> batch = TakeBatch(lock);
    // What is left may have woken this thread only, which waited for company then and computes now.
    if (!waiting_.empty()) wake_.notify_one();
    lock.unlock();
    DropLate(batch);
    if (!batch.empty()) Compute(batch);
    batch.clear();
    lock.lock();
  }
}

bool Batcher::MayJoin(const Job& first, const Job& other) const {
  if (!engine_.traits().joins_requests || first.signature != other.signature) return false;
  if (first.inputs.rows < 0 || other.inputs.rows < 0) return false;
  if (first.inputs.parameters != other.inputs.parameters) return false;
  for (size_t i = 0; i < first.inputs.tensors.size(); ++i) {
    if (!first.signature->inputs[i].batched) return false;
    if (!first.inputs.tensors[i].Joins(other.inputs.tensors[i])) return false;
  }
  return true;
}

int64_t Batcher::WaitingRows() const {
  int64_t rows = 0;
  for (const Job& job : waiting_) rows += std::max<int64_t>(1, job.inputs.rows);
  return rows;
}

// The oldest request and all that may go with it.
std::vector<Batcher::Job> Batcher::TakeBatch(std::unique_lock<std::mutex>& lock) {
  if (options_.budget > Duration::zero() && engine_.traits().joins_requests) {
    Duration left = waiting_.front().since + options_.budget - clock_.Now();
    wake_.wait_for(lock, std::max(left, Duration::zero()), [this] {
      return ending_ || waiting_.empty() || WaitingRows() >= options_.max_rows;
    });
  }
  std::vector<Job> batch;
  if (waiting_.empty()) return batch;  // another thread took it meanwhile
  batch.push_back(std::move(waiting_.front()));
  waiting_.pop_front();
  int64_t rows = batch.front().inputs.rows;
  for (auto job = waiting_.begin(); job != waiting_.end() && rows < options_.max_rows;) {
    bool fits = rows + job->inputs.rows <= options_.max_rows && MayJoin(batch.front(), *job);
    if (!fits) {
      ++job;
      continue;
    }
    rows += job->inputs.rows;
    batch.push_back(std::move(*job));
    job = waiting_.erase(job);
  }
  return batch;
}

void Batcher::DropLate(std::vector<Job>& batch) {
  Time now = clock_.Now();
  for (Job& job : batch) {
    if (job.deadline <= now) job.done(Error{Code::kCancelled, "", "the deadline has passed"});
  }
  std::erase_if(batch, [now](const Job& job) { return job.deadline <= now; });
}

void Batcher::ComputeAlone(Job& job) {
  try {
    metrics_.Batch(std::max<int64_t>(1, job.inputs.rows));
    job.done(engine_.Predict(*job.signature, job.inputs));
  } catch (const std::exception& failure) {
    job.done(ErrorOf(failure));
  }
}

void Batcher::Compute(std::vector<Job>& batch) {
  if (batch.size() == 1) return ComputeAlone(batch.front());
  Inputs all = batch.front().inputs;
  for (size_t i = 1; i < batch.size(); ++i) {
    const Inputs& more = batch[i].inputs;
    all.rows += more.rows;
    for (size_t t = 0; t < all.tensors.size(); ++t) all.tensors[t].Append(more.tensors[t]);
  }
  std::optional<Outputs> outputs;
  try {
    outputs = engine_.Predict(*batch.front().signature, all);
  } catch (const std::exception&) {
    // Whose fault it was shows below.
  }
  if (!outputs || !CountsRows(*outputs, all.rows)) {
    for (Job& job : batch) ComputeAlone(job);
    return;
  }
  metrics_.Batch(all.rows);
  int64_t first = 0;
  for (Job& job : batch) {
    Outputs part;
    for (const Tensor& output : *outputs) part.push_back(output.Rows(first, job.inputs.rows));
    first += job.inputs.rows;
    job.done(std::move(part));
  }
}

}  // namespace fireweed::predict
