#include "storage/faulty_dispatcher.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/bytes.h"
#include "net/errors.h"
#include "storage/body_source.h"
#include "storage/byte_range.h"

namespace fireweed::storage {
namespace {

constexpr std::string_view kInstructions = "x-goog-emulator-instructions";
constexpr std::string_view kOldInstructions = "x-goog-testbench-instructions";
constexpr std::string_view kTest = "x-retry-test-id";
constexpr int64_t kHeaderBreak = 1 << 20;  // return-broken-stream as a header

// What tests call the method that serves a request.
std::string MethodName(std::string_view id) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kNames{{
      {"storage.objects.download", "storage.objects.get"},
      {"storage.xml.get", "storage.objects.get"},
      {"storage.xml.put", "storage.objects.insert"},
      {"storage.xml.post", "storage.objects.insert"},
      {"storage.xml.delete", "storage.objects.delete"},
      {"storage.objects.continueUpload", "storage.objects.insert"},
      {"storage.projects.serviceAccount.get", "storage.serviceaccount.get"},
      {"storage.bucketAccessControls.", "storage.bucket_acl."},
      {"storage.objectAccessControls.", "storage.object_acl."},
      {"storage.defaultObjectAccessControls.", "storage.default_object_acl."},
  }};
  for (const auto& [ours, theirs] : kNames) {
    if (id == ours) return std::string(theirs);
    if (ours.ends_with('.') && id.starts_with(ours)) {
      return std::string(theirs) + std::string(id.substr(ours.size()));
    }
  }
  return std::string(id);
}

net::Response StatusReply(int status) {
  std::string message = fmt::format("Retry Test: Caused a {}", status);
  JsonWriter out;
  out.BeginObject().Key("error").BeginObject();
  out.Field("code", status).Field("message", message);
  out.Key("errors").BeginArray().BeginObject();
  out.Field("message", message).Field("domain", "global").Field("reason", "faultInjected");
  out.EndObject().EndArray().EndObject().EndObject();
  return net::JsonResponse(status, out.Take());
}

// The connection ends before the reply does.
class BrokenSource final : public net::ByteSource {
 public:
  Result<size_t> Read(std::span<std::byte>) override {
    return Error{Code::kUnavailable, "", "the connection is broken off, as was ordered"};
  }
  std::optional<int64_t> size() const override { return 1; }
};

net::Response BrokenReply() {
  net::Response response;
  response.close = true;
  response.body = std::make_unique<BrokenSource>();
  return response;
}

class FaultySource final : public net::ByteSource {
 public:
  FaultySource(net::Response& response, FaultOrder order)
      : inner_(response), order_(std::move(order)) {}
  std::optional<int64_t> size() const override { return inner_.size(); }

  Result<size_t> Read(std::span<std::byte> out) override {
    const Fault& fault = order_.fault;
    bool strikes = !struck_ && at_ >= fault.after;
    if (strikes) {
      struck_ = true;
      order_.met();
      if (fault.kind == Fault::Kind::kStall) {
        order_.stalls->Wait(std::chrono::seconds(fault.seconds));
      } else if (fault.kind != Fault::Kind::kCorrupt) {
        return Error{Code::kUnavailable, "", "the reply is broken off, as was ordered"};
      }
    }
    int64_t before = fault.after - at_;
    if (before > 0) out = out.first(std::min(out.size(), static_cast<size_t>(before)));
    Result<size_t> got = inner_.Read(out);
    if (!got.ok()) return got;
    if (strikes && fault.kind == Fault::Kind::kCorrupt && *got > 0) out[0] ^= std::byte{0xff};
    at_ += static_cast<int64_t>(*got);
    return got;
  }

 private:
  BodySource inner_;
  const FaultOrder order_;
  int64_t at_ = 0;
  bool struck_ = false;
};

// Where in its upload a request begins, and whether it is the last of it.
struct Stretch {
  int64_t first = 0;
  bool last = true;
};

Stretch StretchOf(const net::Request& request) {
  std::optional<std::string_view> header = request.Header("Content-Range");
  if (!header) return {};
  ContentRange range = ParseContentRange(*header);
  if (!range.bytes) return {INT64_MAX, false};
  bool last = range.total == range.bytes->first + range.bytes->length;
  return {range.bytes->first, last};
}

class FaultySink final : public net::BodySink {
 public:
  FaultySink(std::unique_ptr<net::BodySink> inner, FaultOrder order, Stretch stretch)
      : inner_(std::move(inner)), order_(std::move(order)), at_(stretch.first) {
    const Fault& fault = order_.fault;
    armed_ = at_ < fault.after || fault.kind == Fault::Kind::kStall;
    if (fault.kind == Fault::Kind::kBreakUpload && !stretch.last) armed_ = false;
  }

  void Write(std::span<const std::byte> bytes) override {
    if (!inner_) return;  // what comes behind the fault is lost
    int64_t size = static_cast<int64_t>(bytes.size());
    bool strikes = armed_ && at_ + size > order_.fault.after;
    if (!strikes) {
      at_ += size;
      inner_->Write(bytes);
      return;
    }
    armed_ = false;
    order_.met();
    size_t kept = static_cast<size_t>(std::max<int64_t>(order_.fault.after - at_, 0));
    if (kept > 0) inner_->Write(bytes.first(kept));
    if (order_.fault.kind == Fault::Kind::kStall) {
      order_.stalls->Wait(std::chrono::seconds(order_.fault.seconds));
      inner_->Write(bytes.subspan(kept));
      at_ += size;
    } else {
      inner_.reset();  // as when a client breaks off: a resumable upload keeps what came
    }
  }

  net::Response Finish() override {
    if (inner_) return inner_->Finish();
    bool status = order_.fault.kind == Fault::Kind::kStatusAfter;
    return status ? StatusReply(order_.fault.status) : BrokenReply();
  }
  net::Answer FinishLater() override { return inner_ ? inner_->FinishLater() : Finish(); }

 private:
  std::unique_ptr<net::BodySink> inner_;
  const FaultOrder order_;
  int64_t at_;
  bool armed_ = true;
};

// The answer is there already; the body is passed over.
class AnsweredSink final : public net::BodySink {
 public:
  explicit AnsweredSink(net::Response response) : response_(std::move(response)) {}
  void Write(std::span<const std::byte>) override {}
  net::Response Finish() override { return std::move(response_); }

 private:
  net::Response response_;
};

bool HasOrder(const net::Request& request) {
  return request.Header(kTest) || request.Header(kInstructions) || request.Header(kOldInstructions);
}

bool IsMedia(const net::Response& response) {
  return response.status == 200 || response.status == 206;
}

}  // namespace

void Stalls::Wait(std::chrono::seconds length) {
  std::unique_lock lock(mu_);
  changed_.wait_for(lock, length, [this] { return ended_; });
}

void Stalls::End() {
  std::lock_guard lock(mu_);
  ended_ = true;
  changed_.notify_all();
}

std::optional<FaultOrder> FaultyDispatcher::OrderOf(const net::Request& request,
                                                    const std::string& method) {
  if (!method.starts_with("storage.") || method.starts_with("storage.retryTests.")) {
    return std::nullopt;
  }
  if (std::optional<std::string_view> test = request.Header(kTest)) {
    std::string id(*test);
    std::optional<Fault> next = tests_.Next(id, method);
    if (!next) return std::nullopt;
    return FaultOrder{*next, [this, id, method] { tests_.Met(id, method); }, &stalls_};
  }
  std::optional<std::string_view> text = request.Header(kInstructions);
  if (!text) text = request.Header(kOldInstructions);
  std::optional<Fault> fault = text ? ParseFault(*text) : std::nullopt;
  if (!fault) return std::nullopt;
  if (*text == "return-broken-stream") fault->after = kHeaderBreak;
  return FaultOrder{*fault, [] {}, &stalls_};
}

std::optional<net::Response> FaultyDispatcher::TryInline(const net::Request& request) {
  return HasOrder(request) ? std::nullopt : router_.TryInline(request);
}

std::unique_ptr<net::BodySink> FaultyDispatcher::TryOpenInline(const net::Request& request) {
  return HasOrder(request) ? nullptr : router_.TryOpenInline(request);
}

net::Answer FaultyDispatcher::Handle(const net::Request& request) {
  std::string method = MethodName(router_.MethodOf(request));
  std::optional<FaultOrder> order = OrderOf(request, method);
  if (!order) return router_.Handle(request);
  Fault::Kind kind = order->fault.kind;
  if (kind == Fault::Kind::kBreakUpload) return router_.Handle(request);
  bool reads = method == "storage.objects.get";
  if (kind == Fault::Kind::kStatus || (kind == Fault::Kind::kBreak && !reads)) {
    order->met();
    if (kind == Fault::Kind::kStatus) return StatusReply(order->fault.status);
    return BrokenReply();
  }
  net::Answer answer = router_.Handle(request);
  auto* response = std::get_if<net::Response>(&answer);
  if (response && IsMedia(*response)) {
    response->body = std::make_unique<FaultySource>(*response, *std::move(order));
  }
  return answer;
}

std::unique_ptr<net::BodySink> FaultyDispatcher::OpenBody(const net::Request& request) {
  std::string method = MethodName(router_.MethodOf(request));
  std::optional<FaultOrder> order = OrderOf(request, method);
  if (!order) return router_.OpenBody(request);
  Fault::Kind kind = order->fault.kind;
  if (kind == Fault::Kind::kStatus || kind == Fault::Kind::kBreak) {
    order->met();
    return std::make_unique<AnsweredSink>(
        kind == Fault::Kind::kStatus ? StatusReply(order->fault.status) : BrokenReply());
  }
  std::unique_ptr<net::BodySink> inner = router_.OpenBody(request);
  if (kind == Fault::Kind::kCorrupt) return inner;
  return std::make_unique<FaultySink>(std::move(inner), *std::move(order), StretchOf(request));
}

}  // namespace fireweed::storage
