#include "machine/testing/container_test.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

namespace fireweed {

TableMetadata::TableMetadata(UniqueFd listener, std::map<std::string, std::string> table)
    : listener_(std::move(listener)), quit_(eventfd(0, EFD_CLOEXEC)), table_(std::move(table)) {
  thread_ = std::thread([this] { Serve(); });
}

TableMetadata::~TableMetadata() {
  eventfd_write(quit_.get(), 1);
  thread_.join();
}

void TableMetadata::Serve() {
  while (true) {
    pollfd waits[2] = {{quit_.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
    if (poll(waits, 2, -1) < 0) continue;
    if (waits[0].revents) return;
    UniqueFd peer(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!peer) continue;
    std::string request;
    char buffer[4096];
    ssize_t n;
    while (request.find("\r\n\r\n") == std::string::npos &&
           (n = recv(peer.get(), buffer, sizeof buffer, 0)) > 0) {
      request.append(buffer, static_cast<size_t>(n));
    }
    std::string reply = Answer(request);
    if (send(peer.get(), reply.data(), reply.size(), MSG_NOSIGNAL) < 0) continue;
  }
}

std::optional<Time> TableMetadata::FirstAsked(const std::string& path) const {
  return asked_.With([&](const std::map<std::string, Time>& asked) -> std::optional<Time> {
    auto found = asked.find(path);
    if (found == asked.end()) return std::nullopt;
    return found->second;
  });
}

std::string TableMetadata::Answer(const std::string& request) {
  Time now = SystemClock().Now();
  std::string path = request.substr(0, request.find(" HTTP"));
  std::string prefix = "GET /computeMetadata/v1/";
  bool asked_well = request.find("Metadata-Flavor: Google") != std::string::npos;
  auto found = path.starts_with(prefix) ? table_.find(path.substr(prefix.size())) : table_.end();
  if (path.starts_with(prefix)) {
    asked_.With([&](auto& asked) { asked.emplace(path.substr(prefix.size()), now); });
  }
  std::string status = !asked_well             ? "403 Forbidden"
                       : found == table_.end() ? "404 Not Found"
                                               : "200 OK";
  std::string body = status == "200 OK" ? found->second : "";
  return "HTTP/1.1 " + status +
         "\r\nMetadata-Flavor: Google\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\nConnection: close\r\n\r\n" + body;
}

std::string HostAsks(const std::string& address, uint16_t port) {
  constexpr int kTries = 2000, kPauseMs = 5;
  sockaddr_in to{.sin_family = AF_INET, .sin_port = htons(port)};
  inet_pton(AF_INET, address.c_str(), &to.sin_addr);
  for (int i = 0; i < kTries; ++i) {
    UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (connect(fd.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) {
      poll(nullptr, 0, kPauseMs);
      continue;
    }
    char buffer[256];
    ssize_t n = recv(fd.get(), buffer, sizeof buffer, 0);
    return {buffer, static_cast<size_t>(std::max<ssize_t>(n, 0))};
  }
  return "";
}

void ContainerTest::SetUp() {
  if (std::string why = WhyNoContainerTests(); !why.empty()) GTEST_SKIP() << why;
  settings_ = TestCrunSettings(directory_.path());
  root_ = MakeTinyRoot(directory_.path());
  driver_ = std::make_unique<CrunDriver>(settings_);
  stopped_.Listen(*driver_);
}

void ContainerTest::TearDown() {
  if (!driver_) return;
  EXPECT_TRUE(driver_->Purge().ok());
}

MachineHandle ContainerTest::StartIdle(const std::string& id, MachineSpec spec) {
  spec.id = id;
  if (spec.image_layers.empty()) spec.image_layers = {root_};
  if (spec.command.empty()) {
    spec.command = {"/bin/sh", "-c",
                    "trap 'exit 195' TERM; echo up; while :; do sleep 1000 & wait $!; done"};
  }
  spec.console_path = ConsolePath(id);
  MachineHandle handle = driver_->Start(spec).value();
  EXPECT_TRUE(AwaitText(spec.console_path, "up"));
  return handle;
}

MachineHandle ContainerTest::StartInit(const std::string& id,
                                       std::map<std::string, std::string> attributes,
                                       MachineSpec spec) {
  spec.id = id;
  if (spec.image_layers.empty()) spec.image_layers = {root_};
  spec.console_path = ConsolePath(id);
  std::map<std::string, std::string> table;
  for (const auto& [name, value] : attributes) table["instance/attributes/" + name] = value;
  spec.before_boot = [&, this](const MachineHandle& handle) -> Result<> {
    Result<UniqueFd> listener =
        driver_->ListenInside(handle, "169.254.169.254", 80, Transport::kTcp);
    if (!listener.ok()) return listener.error();
    metadata_[id] = std::make_unique<TableMetadata>(std::move(*listener), table);
    return Done{};
  };
  return driver_->Start(spec).value();
}

MachineExit ContainerTest::AwaitExit(const std::string& id, const MachineHandle& handle) {
  EXPECT_TRUE(stopped_.Await(id));
  return driver_->Observe(handle).value().exit.value();
}

}  // namespace fireweed
