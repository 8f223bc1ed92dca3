// A container driver of its own for each test, with the tiny root and a metadata server that says what it is told.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/unique_fd.h"
#include "machine/crun/crun_driver.h"
#include "machine/testing/test_host.h"

namespace fireweed {

// Answers GETs below /computeMetadata/v1/ from a table on one listening socket; 404 for the rest.
class TableMetadata {
 public:
  TableMetadata(UniqueFd listener, std::map<std::string, std::string> table);
  ~TableMetadata();
  TableMetadata(const TableMetadata&) = delete;
  TableMetadata& operator=(const TableMetadata&) = delete;

  // When the first request came for `path` (below /computeMetadata/v1/).
  std::optional<Time> FirstAsked(const std::string& path) const;

 private:
  void Serve();
  std::string Answer(const std::string& request);

  UniqueFd listener_;
  UniqueFd quit_;
  const std::map<std::string, std::string> table_;
  Guarded<std::map<std::string, Time>> asked_;
  std::thread thread_;
};

// What a server at this address says to a client on the host; tries again while nobody listens. Empty: nothing, or
// not reached.
std::string HostAsks(const std::string& address, uint16_t port);

class ContainerTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  // A machine whose process 1 is a shell that waits; `echo up` has been printed when this returns.
  MachineHandle StartIdle(const std::string& id, MachineSpec spec = {});
  // A machine with fireweed-init and these instance attributes ("startup-script" and the like).
  MachineHandle StartInit(const std::string& id, std::map<std::string, std::string> attributes,
                          MachineSpec spec = {});
  MachineExit AwaitExit(const std::string& id, const MachineHandle& handle);
  ShellResult Shell(const MachineHandle& handle, const std::string& command) {
    return ShellIn(*driver_, handle, command);
  }
  std::string AddressOf(const MachineHandle& handle) {
    return driver_->Observe(handle).value().addresses.at(0);
  }
  std::string ConsolePath(const std::string& id) const {
    return directory_.path() + "/" + id + ".console";
  }
  std::string Console(const std::string& id) const { return ReadFileText(ConsolePath(id)); }

  TemporaryDirectory directory_;
  CrunSettings settings_;
  std::string root_;
  StoppedLog stopped_;
  std::map<std::string, std::unique_ptr<TableMetadata>> metadata_;  // by machine id
  std::unique_ptr<CrunDriver> driver_;
};

}  // namespace fireweed
