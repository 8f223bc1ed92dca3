// Repositories behind the real server, with the real git on the other side.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/process.h"
#include "base/random.h"
#include "catalog/memory_catalog.h"
#include "identity/policies.h"
#include "net/http_client.h"
#include "net/http_server.h"
#include "source/git_service.h"
#include "source/repos_service.h"

namespace fireweed::source {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// The password is the name: "writer" may do everything, "reader" may read, anybody else nothing.
class NamedAccess final : public net::AccessControl {
 public:
  std::shared_ptr<const net::Caller> Identify(const net::Request& request) override {
    auto caller = std::make_shared<net::Caller>();
    std::string_view header = request.Header("Authorization").value_or("");
    if (header.starts_with("Basic ")) {
      std::string pair = Base64Decode(header.substr(6)).value_or("");
      caller->email = pair.substr(pair.find(':') + 1);
      caller->principal = "user:" + caller->email;
    }
    return caller;
  }
  bool May(const net::Caller& caller, std::string_view permission, std::string_view) override {
    bool reads = permission == "source.repos.get" || permission == "source.repos.list";
    return caller.email == "writer" || (caller.email == "reader" && reads);
  }
};

class SourceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<ProgramOutcome> git =
        RunProgram({.argv = {"git", "--version"}}, std::chrono::minutes(1));
    if (!git.ok()) GTEST_SKIP() << "no git here";
    std::string pattern = fs::temp_directory_path() / "fireweed-source-XXXXXX";
    directory_ = mkdtemp(pattern.data());
    store_.emplace(directory_ + "/repos");
    repos_.emplace(catalog_, *store_, projects_, access_, ids_, clock_, log_);
    git_.emplace(catalog_, *store_, access_, log_, GitService::Options{.most_at_once = 2});
    repos_->Serve(router_);
    git_->Serve(router_);
    UniqueFd socket = net::ListenTcp("127.0.0.1", 0);
    port_ = net::LocalPort(socket.get());
    server_.emplace(net::HttpServer::Options{.io_threads = 1, .pool_threads = 4}, clock_, log_);
    net::ListenerConfig listener;
    listener.socket = std::move(socket);
    listener.dispatcher = &router_;
    server_->Open(std::move(listener));
  }
  void TearDown() override {
    server_.reset();
    if (!directory_.empty()) fs::remove_all(directory_);
  }

  std::string Url(const std::string& repo, const std::string& user) const {
    std::string who = user.empty() ? "" : "x:" + user + "@";
    return "http://" + who + "127.0.0.1:" + std::to_string(port_) + "/p/my-project/r/" + repo;
  }
  // git in a directory of the test's; its exit code and what it printed.
  ProgramOutcome Git(std::vector<std::string> words, const std::string& where = "") {
    words.insert(words.begin(), {"git", "-c", "user.name=t", "-c", "user.email=t@x", "-c",
                                 "init.defaultBranch=master"});
    ProgramSpec spec{.argv = std::move(words), .environment = GitEnvironment()};
    spec.directory = directory_ + "/" + where;
    Result<ProgramOutcome> outcome = RunProgram(spec, std::chrono::minutes(2));
    return outcome.ok() ? *outcome
                        : ProgramOutcome{.exit_code = -1, .error = outcome.error().message};
  }
  void Create(const std::string& name) {
    net::Request http;
    net::Caller caller{.principal = "user:writer", .email = "writer"};
    net::PathValues none;
    api::MethodEntry method = api::source::kCreateRepo.entry();
    repos_->Create({"my-project", {.name = "projects/my-project/repos/" + name}},
                   {http, caller, none, method});
  }
  void Delete(const std::string& name) {
    net::Request http;
    net::Caller caller{.email = "writer"};
    net::PathValues none;
    api::MethodEntry method = api::source::kDeleteRepo.entry();
    repos_->Delete({"my-project", name}, {http, caller, none, method});
  }
  // A work tree with one commit of `bytes` random bytes, pushed as "writer".
  void Push(const std::string& repo, size_t bytes) {
    ASSERT_EQ(Git({"clone", "-q", Url(repo, "writer"), "work"}).exit_code, 0);
    std::ofstream((fs::path(directory_) / "work" / "data").string(), std::ios::binary)
        << random_.Hex(bytes / 2);
    ASSERT_EQ(Git({"add", "data"}, "work").exit_code, 0);
    ASSERT_EQ(Git({"commit", "-q", "-m", "one"}, "work").exit_code, 0);
    ProgramOutcome pushed = Git({"push", "-q", "origin", "HEAD:master"}, "work");
    ASSERT_EQ(pushed.exit_code, 0) << pushed.error;
  }

  SystemClock clock_;
  SeededRandom random_{1};
  NullLogger log_;
  IdSource ids_{clock_, random_};
  MemoryCatalog catalog_;
  NamedAccess access_;
  identity::Projects projects_{clock_, random_, {}};
  std::string directory_;
  std::optional<RepoStore> store_;
  std::optional<ReposService> repos_;
  std::optional<GitService> git_;
  net::Router router_{access_};
  uint16_t port_ = 0;
  std::optional<net::HttpServer> server_;
};

TEST_F(SourceTest, WhatWasPushedIsCloned) {
  catalog_.Write("test", [&](Txn& txn) { projects_.Create(txn, "my-project", "", {}, {}); });
  Create("r1");
  Push("r1", 3 << 20);  // over git's 1 MiB of buffer: a probe, then a chunked body
  ProgramOutcome cloned = Git({"clone", "-q", Url("r1", "reader"), "copy"});
  ASSERT_EQ(cloned.exit_code, 0) << cloned.error;
  EXPECT_EQ(fs::file_size(directory_ + "/copy/data"), size_t{3} << 20);
  EXPECT_EQ(Git({"rev-parse", "HEAD"}, "copy").output, Git({"rev-parse", "HEAD"}, "work").output);
}

TEST_F(SourceTest, RightsAreAsked) {
  catalog_.Write("test", [&](Txn& txn) { projects_.Create(txn, "my-project", "", {}, {}); });
  Create("r1");
  Push("r1", 10);
  EXPECT_NE(Git({"ls-remote", Url("r1", "")}).exit_code, 0);
  EXPECT_THAT(Git({"ls-remote", Url("r1", "stranger")}).error, HasSubstr("403"));
  EXPECT_THAT(Git({"ls-remote", Url("none", "reader")}).error, HasSubstr("not found"));
  EXPECT_EQ(Git({"ls-remote", Url("r1", "reader")}).exit_code, 0);
  EXPECT_NE(Git({"push", "-q", Url("r1", "reader"), "HEAD:other"}, "work").exit_code, 0);
  EXPECT_NE(Git({"ls-remote", Url("../my-project/r/r1", "stranger")}).exit_code, 0);
}

TEST_F(SourceTest, NamesMayHoldSlashes) {
  catalog_.Write("test", [&](Txn& txn) { projects_.Create(txn, "my-project", "", {}, {}); });
  Create("team/trainer");
  Create("team");
  Push("team/trainer", 10);
  EXPECT_THAT(Git({"ls-remote", Url("team%2Ftrainer", "reader")}).output, HasSubstr("master"));
  EXPECT_EQ(Git({"ls-remote", Url("team", "reader")}).output, "") << "another repository";
  for (const char* bad : {"/a", "a/", "a//b", "a/../b", "a/.b", "a/b.git"}) {
    EXPECT_FALSE(IsRepoName(bad)) << bad;
  }
  net::HttpClient client({});
  net::ClientRequest get;
  for (const char* name : {"team/trainer", "team%2Ftrainer"}) {
    get.url = "http://127.0.0.1:" + std::to_string(port_) + "/v1/projects/my-project/repos/" + name;
    get.headers = {{"Authorization", "Basic " + Base64Encode("x:reader")}};
    net::ClientResponse got = client.Send(get).value();
    EXPECT_EQ(got.status, 200) << got.body;
    EXPECT_THAT(got.body, HasSubstr("/p/my-project/r/team/trainer\""));
  }
  Delete("team/trainer");
  EXPECT_EQ(Git({"ls-remote", Url("team", "reader")}).exit_code, 0);
}

TEST_F(SourceTest, DeletedMeansGoneAndNothingIsLeftBehind) {
  catalog_.Write("test", [&](Txn& txn) { projects_.Create(txn, "my-project", "", {}, {}); });
  Create("r1");
  EXPECT_THROW(Create("r1"), Failure);
  EXPECT_THROW(Create("bad name"), Failure);
  Delete("r1");
  EXPECT_THROW(Delete("r1"), Failure);
  EXPECT_TRUE(fs::is_empty(store_->root()));
  Create("r1");
  EXPECT_EQ(Git({"ls-remote", Url("r1", "reader")}).output, "") << "a new one is empty";
}

TEST_F(SourceTest, WhatACrashLeftIsRemovedAtTheNextStart) {
  catalog_.Write("test", [&](Txn& txn) { projects_.Create(txn, "my-project", "", {}, {}); });
  Create("r1");
  Push("r1", 10);
  store_->Create("4711.git");  // made, and then the record was never written
  std::string kept;
  for (const auto& entry : fs::directory_iterator(store_->root())) {
    if (entry.path().filename() != "4711.git") kept = entry.path();
  }
  std::ofstream(kept + "/refs/heads/master.lock") << "";
  std::ofstream(kept + "/packed-refs.lock") << "";
  ReposService again(catalog_, *store_, projects_, access_, ids_, clock_, log_);
  EXPECT_FALSE(fs::exists(store_->root() + "/4711.git"));
  EXPECT_FALSE(fs::exists(kept + "/refs/heads/master.lock"));
  EXPECT_FALSE(fs::exists(kept + "/packed-refs.lock"));
  EXPECT_EQ(Git({"ls-remote", Url("r1", "reader")}).exit_code, 0);
}

}  // namespace
}  // namespace fireweed::source
