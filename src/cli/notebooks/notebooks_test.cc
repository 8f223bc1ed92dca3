// Notebooks as instances, the script that they boot with, and the way to them.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <optional>
#include <thread>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/process.h"
#include "cli/format/key_path.h"
#include "cli/notebooks/notebook_plan.h"
#include "cli/notebooks/notebook_script.h"
#include "cli/notebooks/relay.h"
#include "net/http_server.h"

namespace fireweed::cli {
namespace {

std::string Item(const JsonTree& metadata, const std::string& key) {
  return KeyPath::Parse("items." + key).Get(metadata).text();
}

TEST(NotebookScript, IsBash) {
  Result<ProgramOutcome> outcome =
      RunProgram({{"bash", "-n"}}, std::chrono::seconds(60), kNotebookScript);
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->exit_code, 0) << outcome->error;
}

TEST(NotebookPlan, MetadataSaysWhatTheScriptReads) {
  NotebookOptions options;
  options.name = "lab";
  options.repository = "https://example.com/r.git";
  options.packages = {"six"};
  options.idle_timeout = "1h30m";
  JsonTree metadata = NotebookMetadata(options, "secret", "ann@example.com");
  EXPECT_EQ(Item(metadata, "startup-script"), kNotebookScript);
  EXPECT_EQ(Item(metadata, "notebook-token"), "secret");
  EXPECT_EQ(Item(metadata, "for-user"), "ann@example.com");
  EXPECT_EQ(Item(metadata, "notebook-repository"), "https://example.com/r.git");
  EXPECT_EQ(Item(metadata, "notebook-idle-seconds"), "5400");
  EXPECT_EQ(Item(metadata, "notebook-wheels"), "");
  EXPECT_TRUE(Item(metadata, "notebook-packages").ends_with(" six"));
  // Every attribute that is read is one that may be written, and the other way round.
  for (const char* key : {"notebook-token", "notebook-packages", "notebook-wheels", "for-user",
                          "notebook-repository", "notebook-idle-seconds"})
    EXPECT_NE(kNotebookScript.find(std::string("attribute ") + key), std::string::npos) << key;
}

TEST(NotebookPlan, IdleTimes) {
  for (const auto& [text, seconds] : std::initializer_list<std::pair<const char*, const char*>>{
           {"", "0"}, {"0", "0"}, {"0s", "0"}, {"90m", "5400"}, {"45s", "45"}}) {
    NotebookOptions options;
    options.idle_timeout = text;
    EXPECT_EQ(Item(NotebookMetadata(options, "t", "u"), "notebook-idle-seconds"), seconds) << text;
  }
  NotebookOptions wrong;
  wrong.idle_timeout = "soon";
  EXPECT_THROW(NotebookMetadata(wrong, "t", "u"), Failure);
}

constexpr const char* kInstance = R"({
  "name": "lab", "status": "RUNNING", "zone": "https://x/zones/us-central1-a",
  "machineType": "https://x/machineTypes/n1-standard-1", "labels": {"fireweed-notebook": "yes"},
  "disks": [{"deviceName": "boot", "source": "x/disks/lab"},
            {"deviceName": "notebooks", "source": "x/disks/lab-pd"}],
  "networkInterfaces": [{"networkIP": "10.0.0.2", "accessConfigs": [{"natIP": "10.0.0.2"}]}],
  "metadata": {"items": [{"key": "notebook-token", "value": "secret"}]}})";

TEST(NotebookPlan, ViewOfAnInstance) {
  JsonTree instance = JsonTree::Parse(kInstance);
  EXPECT_TRUE(IsNotebook(instance));
  EXPECT_EQ(NotebookView(instance).Compact(),
            R"({"name":"lab","zone":"us-central1-a","machineType":"n1-standard-1",)"
            R"("state":"RUNNING","disk":"lab-pd","url":"http://10.0.0.2:8080/lab?token=secret"})");
  EXPECT_EQ(NotebookPage(instance, "http://localhost:8081"),
            "http://localhost:8081/lab?token=secret");
  instance["status"] = JsonTree::Text("TERMINATED");
  EXPECT_EQ(NotebookServer(instance), "");
  EXPECT_EQ(NotebookView(instance).TextOf("url"), "");
  instance.Remove("labels");
  EXPECT_FALSE(IsNotebook(instance));
}

UniqueFd Dial(uint16_t port) {
  UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  return fd;
}

std::string ReadAll(int fd) {
  std::string all;
  char bytes[4096];
  for (ssize_t count; (count = recv(fd, bytes, sizeof bytes, 0)) > 0;)
    all.append(bytes, static_cast<size_t>(count));
  return all;
}

// Answers one connection with what it was sent, once that has ended.
void Echo(int listener) {
  pollfd waiting{listener, POLLIN, 0};
  ASSERT_EQ(poll(&waiting, 1, 60'000), 1);
  UniqueFd fd(accept(listener, nullptr, nullptr));
  ASSERT_TRUE(fd);
  std::string all = ReadAll(fd.get());
  for (std::string_view rest = all; !rest.empty();) {
    ssize_t count = send(fd.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    ASSERT_GT(count, 0);
    rest.remove_prefix(static_cast<size_t>(count));
  }
}

TEST(Relay, CarriesBothWaysAndEndsBothWays) {
  UniqueFd listener = net::ListenTcp("127.0.0.1", 0);
  std::thread server([&] { Echo(listener.get()); });
  Relay relay(0, Relay::Find([&] {
                return Relay::Target{"127.0.0.1", net::LocalPort(listener.get())};
              }));
  std::string answer;
  std::atomic<bool> done = false;
  std::thread client([&] {
    UniqueFd fd = Dial(relay.port());
    std::thread writer([&] {
      std::string much(3 << 20, 'x');
      for (std::string_view rest = much; !rest.empty();) {
        ssize_t count = send(fd.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
        if (count <= 0) break;
        rest.remove_prefix(static_cast<size_t>(count));
      }
      shutdown(fd.get(), SHUT_WR);
    });
    answer = ReadAll(fd.get());
    writer.join();
    done = true;
  });
  while (!done) relay.Turn(20);
  client.join();
  server.join();
  EXPECT_EQ(answer.size(), size_t{3} << 20);
}

TEST(Relay, ClosesWhatHasNowhereToGo) {
  Relay relay(0, Relay::Find([] { return std::nullopt; }));
  UniqueFd fd = Dial(relay.port());
  relay.Turn(10'000);
  EXPECT_EQ(ReadAll(fd.get()), "");
}

}  // namespace
}  // namespace fireweed::cli
