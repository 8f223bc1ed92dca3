// What every storage command needs: the daemon, the project, and what all transfers share. Made once per command; the
// transfers' threads use its parts, which outlive them.
#pragma once

#include <string>

#include "base/clock.h"
#include "cli/context.h"
#include "cli/storage/downloader.h"
#include "cli/storage/progress.h"
#include "cli/storage/retry.h"
#include "cli/storage/uploader.h"

namespace fireweed::cli {

struct TransferOptions {
  int threads = 8;
  bool continue_on_error = false, quiet = false;
};

class StorageSession {
 public:
  // Throws Failure that says how to start a daemon where none runs.
  StorageSession(const Settings& settings, const TransferOptions& transfer);

  StorageClient& client() { return client_; }
  const std::string& project() const { return endpoint_.default_project; }
  const Settings& settings() const { return settings_; }
  const TransferOptions& transfer() const { return transfer_; }
  const Clock& clock() const { return clock_; }
  StopSignal& stop() { return stop_; }
  Progress& progress() { return progress_; }
  Uploader& uploader() { return uploader_; }
  Downloader& downloader() { return downloader_; }

  // A line for people on standard error, unless --quiet or --json.
  void Say(const std::string& text);
  // A failure of one of many, told at once.
  void SayFailure(const Error& error);

 private:
  const Settings& settings_;
  const TransferOptions transfer_;
  const Endpoint endpoint_;
  SystemClock clock_;
  StorageClient client_;
  StopSignal stop_;
  Progress progress_;
  Uploader uploader_;
  Downloader downloader_;
};

}  // namespace fireweed::cli
