#include "blob/faulty_blob_store.h"

#include <utility>

namespace fireweed {

class FaultyBlobStore::Plan {
 public:
  void FailAt(int64_t call, BlobFault fault, Error error) {
    state_.With([&](State& state) { state.failure = Failure{call, fault, std::move(error)}; });
  }
  int64_t calls() const {
    return state_.With([](const State& state) { return state.calls; });
  }

  // Counts a call: what is to go wrong with it, if anything.
  std::optional<std::pair<BlobFault, Error>> Next() {
    return state_.With([](State& state) -> std::optional<std::pair<BlobFault, Error>> {
      ++state.calls;
      if (!state.failure || state.failure->call != state.calls) return std::nullopt;
      return std::pair(state.failure->fault, state.failure->error);
    });
  }

  // Runs a call that has no half.
  template <class Call>
  auto Run(const Call& call) -> decltype(call()) {
    std::optional<std::pair<BlobFault, Error>> fault = Next();
    if (!fault) return call();
    if (fault->first == BlobFault::kAfter) {
      auto outcome = call();
      if (!outcome) return outcome;
    }
    return fault->second;
  }

 private:
  struct Failure {
    int64_t call;
    BlobFault fault;
    Error error;
  };
  struct State {
    int64_t calls = 0;
    std::optional<Failure> failure;
  };
  Guarded<State> state_;
};

class FaultyBlobStore::Writer final : public BlobWriter {
 public:
  Writer(std::unique_ptr<BlobWriter> inner, std::shared_ptr<Plan> plan)
      : inner_(std::move(inner)), plan_(std::move(plan)) {}
  const BlobId& id() const override { return inner_->id(); }
  int64_t size() const override { return inner_->size(); }
  BlobInfo Sums() const override { return inner_->Sums(); }
  Result<int64_t> Sync() override {
    return Keep(plan_->Run([&] { return failure_ ? Result<int64_t>(*failure_) : inner_->Sync(); }));
  }
  Result<BlobInfo> Commit() override {
    return Keep(
        plan_->Run([&] { return failure_ ? Result<BlobInfo>(*failure_) : inner_->Commit(); }));
  }
  Result<> Append(std::span<const std::byte> bytes) override {
    std::optional<std::pair<BlobFault, Error>> fault = plan_->Next();
    if (failure_) return *failure_;
    if (!fault) return inner_->Append(bytes);
    if (fault->first != BlobFault::kBefore) {
      size_t count = fault->first == BlobFault::kHalf ? bytes.size() / 2 : bytes.size();
      Result<> appended = inner_->Append(bytes.first(count));
      if (!appended) return appended;
    }
    return Keep(Result<>(fault->second));
  }

 private:
  // A writer that failed once fails ever after.
  template <class T>
  Result<T> Keep(Result<T> outcome) {
    if (!outcome && !failure_) failure_ = outcome.error();
    return outcome;
  }

  std::unique_ptr<BlobWriter> inner_;
  std::shared_ptr<Plan> plan_;
  std::optional<Error> failure_;
};

class FaultyBlobStore::Reader final : public BlobReader {
 public:
  Reader(std::shared_ptr<BlobReader> inner, std::shared_ptr<Plan> plan)
      : inner_(std::move(inner)), plan_(std::move(plan)) {}
  int64_t size() const override { return inner_->size(); }
  // No file(): every read has to pass here.
  Result<size_t> ReadAt(int64_t offset, std::span<std::byte> out) const override {
    std::optional<std::pair<BlobFault, Error>> fault = plan_->Next();
    if (fault && fault->first != BlobFault::kHalf) return fault->second;
    Result<size_t> got = inner_->ReadAt(offset, out);
    if (fault && got) return *got / 2;
    return got;
  }

 private:
  std::shared_ptr<BlobReader> inner_;
  std::shared_ptr<Plan> plan_;
};

FaultyBlobStore::FaultyBlobStore(BlobStore& inner)
    : inner_(inner), plan_(std::make_shared<Plan>()) {}

void FaultyBlobStore::FailAt(int64_t call, BlobFault fault, Error error) {
  plan_->FailAt(call, fault, std::move(error));
}

int64_t FaultyBlobStore::calls() const { return plan_->calls(); }

Result<std::unique_ptr<BlobWriter>> FaultyBlobStore::Create() {
  auto writer = plan_->Run([&] { return inner_.Create(); });
  if (!writer) return writer;
  return std::unique_ptr<BlobWriter>(new Writer(std::move(*writer), plan_));
}

Result<std::unique_ptr<BlobWriter>> FaultyBlobStore::Resume(const BlobId& draft) {
  auto writer = plan_->Run([&] { return inner_.Resume(draft); });
  if (!writer) return writer;
  return std::unique_ptr<BlobWriter>(new Writer(std::move(*writer), plan_));
}

Result<std::shared_ptr<BlobReader>> FaultyBlobStore::Open(const BlobId& id) const {
  auto reader = plan_->Run([&] { return inner_.Open(id); });
  if (!reader) return reader;
  return std::shared_ptr<BlobReader>(new Reader(std::move(*reader), plan_));
}

Result<> FaultyBlobStore::Drop(const BlobId& id) {
  return plan_->Run([&] { return inner_.Drop(id); });
}

Result<> FaultyBlobStore::DropDraft(const BlobId& draft) {
  return plan_->Run([&] { return inner_.DropDraft(draft); });
}

Result<> FaultyBlobStore::List(const std::function<void(const BlobListing&)>& each) const {
  return plan_->Run([&] { return inner_.List(each); });
}

}  // namespace fireweed
