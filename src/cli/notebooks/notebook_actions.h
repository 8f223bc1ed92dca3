// What the commands of `fireweed notebooks` and `datalab` do, apart from their grammars. One thread; may block as
// NotebookSession does; ConnectNotebook does not come back. A failure is a Failure.
#pragma once

#include <cstdint>
#include <string>

#include "cli/format/resource_output.h"
#include "cli/notebooks/notebook_plan.h"

namespace fireweed::cli {

inline constexpr uint16_t kNotebookLocalPort = 8081;

struct NotebookCommand {
  PlaceOptions place;
  NotebookOptions notebook;
  OutputOptions output;
  std::string zones;  // of lists: these only
  int64_t port = kNotebookLocalPort;
  bool delete_disk = false, keep_disk = false;
};

// Prints a notebook: its address, or all of it where a format is asked for.
void ShowNotebook(const NotebookCommand& command, const Settings& settings,
                  const JsonTree& instance);
void CreateNotebook(const NotebookCommand& command, const Settings& settings);
void StartNotebook(const NotebookCommand& command, const Settings& settings);
void ListNotebooks(const NotebookCommand& command, const Settings& settings);
void DescribeNotebook(const NotebookCommand& command, const Settings& settings);
void StopNotebook(const NotebookCommand& command, const Settings& settings);
void DeleteNotebook(const NotebookCommand& command, const Settings& settings);
// Starts it where it is stopped, then carries a local port to it until somebody kills this process.
void ConnectNotebook(const NotebookCommand& command, const Settings& settings);

}  // namespace fireweed::cli
