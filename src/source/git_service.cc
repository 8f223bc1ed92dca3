#include "source/git_service.h"

#include <fmt/format.h>

#include "base/error.h"
#include "source/repos_service.h"

namespace fireweed::source {
namespace {

constexpr std::string_view kFetch = "git-upload-pack";
constexpr std::string_view kPush = "git-receive-pack";

net::Response AskForPassword() {
  net::Response response;
  response.status = 401;
  response.Add("WWW-Authenticate", "Basic realm=\"source.developers.google.com\"");
  response.Add("Content-Type", "text/plain; charset=UTF-8");
  response.body = std::string("Sign in with the password that `gcloud auth git-helper` prints.\n");
  return response;
}

std::string HeaderText(const net::Request& request, std::string_view name) {
  return std::string(request.Header(name).value_or(""));
}

class GitBody final : public net::BodySink {
 public:
  GitBody(std::unique_ptr<GitExchange> exchange, int64_t largest)
      : exchange_(std::move(exchange)), left_(largest) {}
  void Write(std::span<const std::byte> bytes) override {
    left_ -= static_cast<int64_t>(bytes.size());
    if (left_ < 0) throw Failure(Code::kTooLarge, "The push is too large.");
    exchange_->Feed(bytes);
  }
  net::Response Finish() override { return GitExchange::Answer(std::move(exchange_)); }

 private:
  std::unique_ptr<GitExchange> exchange_;
  int64_t left_;
};

}  // namespace

GitService::GitService(const Catalog& catalog, const RepoStore& store, net::AccessControl& access,
                       Logger& log, Options options)
    : catalog_(catalog),
      store_(store),
      access_(access),
      log_(log),
      options_(options),
      running_(std::make_shared<Guarded<int>>(0)) {}

void GitService::Serve(net::Router& router) {
  namespace s = api::source;
  router.OnRaw(s::kGitRefs.entry(), [this](const net::Call& call) { return Refs(call); });
  router.OnStream(s::kGitUploadPack.entry(),
                  [this](const net::Call& call) { return Open(call, kFetch); });
  router.OnStream(s::kGitReceivePack.entry(),
                  [this](const net::Call& call) { return Open(call, kPush); });
}

CgiRequest GitService::Allowed(const net::Call& call, std::string_view service) {
  std::string project = call.Path("project"), repo = call.Path("repo");
  // Plain git users put ".git" behind everything.
  if (repo.ends_with(".git")) repo.resize(repo.size() - 4);
  bool push = service == kPush;
  net::Require(access_, call.caller, push ? "source.repos.update" : "source.repos.get",
               fmt::format("projects/{}/repos/{}", project, repo));
  RepoRecord record = Query(catalog_, [&](Txn& txn) { return LoadRepo(txn, project, repo); });
  return {.root = store_.root(),
          .directory = record.directory,
          .method = std::string(call.http.method),
          .content_type = HeaderText(call.http, "Content-Type"),
          .content_encoding = HeaderText(call.http, "Content-Encoding"),
          .git_protocol = HeaderText(call.http, "Git-Protocol"),
          .user = call.caller.email.empty() ? "anonymous" : call.caller.email,
          .may_push = push};
}

std::unique_ptr<GitExchange> GitService::Start(const CgiRequest& request) {
  bool free = running_->With([&](int& running) {
    if (running >= options_.most_at_once) return false;
    ++running;
    return true;
  });
  if (!free) throw Failure(Code::kExhausted, "Too many git requests at a time; try again.");
  std::shared_ptr<void> permit(
      nullptr, [running = running_](void*) { running->With([](int& count) { --count; }); });
  return std::make_unique<GitExchange>(CgiEnvironment(request, GitEnvironment()), options_.patience,
                                       std::move(permit), log_);
}

net::Answer GitService::Refs(const net::Call& call) {
  std::string service = call.http.Query("service").value_or("");
  if (service != kFetch && service != kPush) {
    throw Failure(Code::kDenied, "Only git's smart protocol is spoken here.");
  }
  CgiRequest request;
  try {
    request = Allowed(call, service);
  } catch (const Failure& failure) {
    // git shows its credentials only when it is asked for them in this way.
    if (failure.error().code == Code::kUnauthenticated) return AskForPassword();
    throw;
  }
  request.tail = "info/refs";
  request.query = "service=" + service;
  return GitExchange::Answer(Start(request));
}

std::unique_ptr<net::BodySink> GitService::Open(const net::Call& call, std::string_view service) {
  CgiRequest request = Allowed(call, service);
  request.tail = service;
  if (service == kPush) {
    log_.Info("git push", {{"repo", call.Path("project") + "/" + call.Path("repo")},
                           {"by", call.caller.email}});
  }
  return std::make_unique<GitBody>(Start(request), options_.largest_request);
}

}  // namespace fireweed::source
