#include "crash/workload.h"

#include <map>
#include <optional>
#include <vector>

#include "base/random.h"

namespace fireweed::crash {
namespace {

class Workload {
 public:
  Workload(Depot& depot, Notary& notary, const WorkloadPlan& plan)
      : depot_(depot), notary_(notary), plan_(plan), random_(plan.seed) {}

  std::vector<std::string> Run() {
    std::vector<std::string> failures;
    for (int step = 0; step < plan_.steps; ++step) {
      try {
        Step();
      } catch (const Failure& failure) {
        // Its promise stays as open as the notary has it.
        failures.push_back(failure.what());
      }
    }
    return failures;
  }

 private:
  void Step() {
    uint64_t lot = random_.Below(depot_.HasOtherWays() ? 26 : 20);
    if (lot >= 20) return OtherWay();
    if (lot < 7) return Put();
    if (lot < 9) return Remove();
    if (lot < 11) return plan_.counts ? Count() : Put();
    if (lot < 18) return Upload();
    depot_.Sweep();
  }

  std::string Name() { return plan_.prefix + std::to_string(random_.Below(6)); }

  std::string Content() {
    static constexpr size_t kSizes[] = {0, 9, 512, 1500, 9000, 17000};
    std::string content(kSizes[random_.Below(std::size(kSizes))], '\0');
    random_.Fill(std::as_writable_bytes(std::span(content)));
    return content;
  }

  void Put() {
    std::string name = Name(), content = Content();
    MayBecome(name, content);
    depot_.Put(name, content);
    Know(name, content);
  }

  // What a name holds for sure: other objects are made of it.
  void Know(const std::string& name, const std::optional<std::string>& content) {
    notary_.Must(name, content);
    known_[name] = content;
  }

  void OtherWay() {
    std::string to = Name(), from = Name();
    if (random_.Below(3) == 0) {
      std::string content = Content();
      MayBecome(to, content);
      depot_.PutInParts(to, content);
      return Know(to, content);
    }
    auto source = known_.find(from);
    if (source == known_.end() || !source->second) return Put();
    std::string content = *source->second;
    switch (random_.Below(3)) {
      case 0:
        MayBecome(to, content);
        depot_.Copy(from, to);
        return Know(to, content);
      case 1:
        MayBecome(to, content + content);
        depot_.Compose({from, from}, to);
        return Know(to, content + content);
      default:
        if (to == from) return;
        MayBecome(to, content);
        MayBecome(from, std::nullopt);
        depot_.Move(from, to);
        Know(from, std::nullopt);
        return Know(to, content);
    }
  }

  // It is not known any more until the change is acknowledged.
  void MayBecome(const std::string& name, const std::optional<std::string>& content) {
    known_.erase(name);
    notary_.May(name, content);
  }

  void Remove() {
    std::string name = Name();
    MayBecome(name, std::nullopt);
    depot_.Remove(name);
    Know(name, std::nullopt);
  }

  void Count() {
    ++count_;
    notary_.MayCount(count_);
    depot_.Count(count_);
    notary_.MustCount(count_);
  }

  // The next piece of the upload that is open, or a new one.
  void Upload() {
    if (!open_) {
      UploadPromise promise;
      promise.name = Name();
      promise.content = Content();
      UploadKey key = depot_.Begin(promise.name);
      notary_.Upload(key, [&](UploadPromise& p) { p = promise; });
      open_ = {key, promise, 0};
      return;
    }
    // Should this fail, nobody comes back for it but the next life.
    OpenUpload upload = *std::exchange(open_, std::nullopt);
    if (upload.sent < static_cast<int64_t>(upload.promise.content.size())) return Send(upload);
    Finish(upload);
  }

  struct OpenUpload {
    UploadKey key;
    UploadPromise promise;
    int64_t sent = 0;
  };

  void Send(OpenUpload upload) {
    std::string piece =
        upload.promise.content.substr(static_cast<size_t>(upload.sent), 1 + random_.Below(5000));
    upload.sent = depot_.Send(upload.key, upload.sent, piece);
    notary_.Upload(upload.key, [&](UploadPromise& p) { p.durable = upload.sent; });
    open_ = upload;
  }

  void Finish(const OpenUpload& upload) {
    MayBecome(upload.promise.name, upload.promise.content);
    notary_.Upload(upload.key, [](UploadPromise& p) { p.may_have_ended = true; });
    depot_.Finish(upload.key, static_cast<int64_t>(upload.promise.content.size()));
    notary_.Upload(upload.key, [](UploadPromise& p) { p.must_have_ended = true; });
    Know(upload.promise.name, upload.promise.content);
  }

  Depot& depot_;
  Notary& notary_;
  const WorkloadPlan& plan_;
  SeededRandom random_;
  int64_t count_ = 0;
  std::map<std::string, std::optional<std::string>> known_;
  std::optional<OpenUpload> open_;
};

}  // namespace

std::vector<std::string> RunWorkload(Depot& depot, Notary& notary, const WorkloadPlan& plan) {
  return Workload(depot, notary, plan).Run();
}

}  // namespace fireweed::crash
