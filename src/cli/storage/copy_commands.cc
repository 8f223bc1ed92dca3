#include <unistd.h>

#include <fstream>
#include <iostream>

#include <fmt/format.h>

#include "cli/format/transforms.h"
#include "cli/grammar.h"
#include "cli/storage/copy_run.h"
#include "cli/storage/storage_commands.h"
#include "cli/storage/sync_run.h"

namespace fireweed::cli {
namespace {

struct CopyCommand {
  std::vector<std::string> places;  // sources, then the destination
  bool paths_from_stdin = false;
  CopyOptions copy;
  TransferOptions transfer;
};

struct SyncCommand {
  std::string source, destination;
  SyncOptions sync;
  TransferOptions transfer;
};

void AddTransferOptions(Command& command, TransferOptions& transfer) {
  command.AddFlag("-c,--continue-on-error", transfer.continue_on_error,
                  "Continue with the others if one fails");
  command.AddOption("-j,--jobs", transfer.threads, "Number of parallel transfers")
      ->Between(1, 128)
      ->ShowDefault();
  command.AddFlag("-q,--quiet", transfer.quiet, "Print failures only");
}

// Sums for people or programs; failures make the exit status.
void Conclude(StorageSession& session, int64_t failures) {
  ProgressState state = session.progress().state();
  if (session.settings().json) {
    JsonTree sums = JsonTree::Object();
    sums["files"] = JsonTree::Number(state.files_done);
    sums["bytes"] = JsonTree::Number(state.bytes_done);
    sums["failures"] = JsonTree::Number(failures);
    fmt::print("{}\n", sums.Compact());
  } else if (state.files_total > 1) {
    session.Say(fmt::format("{} of {} files, {}", state.files_done, state.files_total,
                            SizeText(state.bytes_done)));
  }
  if (failures > 0) throw Exit{1};
}

std::vector<std::string> LinesOfInput() {
  std::vector<std::string> lines;
  for (std::string line; std::getline(std::cin, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

void Copy(CopyCommand& command, const Settings& settings) {
  if (command.paths_from_stdin) {
    std::vector<std::string> lines = LinesOfInput();
    command.places.insert(command.places.begin(), lines.begin(), lines.end());
  }
  if (command.places.size() < 2)
    throw Failure(Code::kInvalid, "a source and a destination are required");
  std::string destination = command.places.back();
  command.places.pop_back();
  StorageSession session(settings, command.transfer);
  Conclude(session, CopyRun(session, command.copy).Run(command.places, destination));
}

void Sync(const SyncCommand& command, const Settings& settings) {
  StorageSession session(settings, command.transfer);
  int64_t failures = SyncRun(session, command.sync).Run(command.source, command.destination);
  if (!command.sync.dry_run) Conclude(session, failures);
}

Command* AddCopy(Command& group, const char* name, const char* help, CopyCommand& command) {
  Command* app = group.AddCommand(name, help);
  app->AddOption(
         "places", command.places,
         "Sources and one destination: gs://BUCKET/OBJECT, paths, - for a stream; * ** ? [] "
         "match several")
      ->Required();
  app->AddFlag("-n,--no-clobber", command.copy.no_clobber,
               "Skip files that exist at the destination");
  app->AddFlag("-P,--preserve-posix", command.copy.preserve, "Preserve modification times");
  app->AddFlag("-A,--all-versions", command.copy.all_versions, "All versions of the sources");
  app->AddFlag("-I,--read-paths-from-stdin", command.paths_from_stdin,
               "Read the sources from standard input");
  command.copy.settings.AddTo(*app);
  AddTransferOptions(*app, command.transfer);
  return app;
}

}  // namespace

void AddCopyCommands(Command& group, Settings& settings) {
  auto copy = std::make_shared<CopyCommand>();
  Command* command = AddCopy(group, "cp", "Copy files and objects", *copy);
  command->AddFlag("-r,-R,--recursive", copy->copy.recursive,
                   "Copy directories and prefixes recursively");
  command->EndHelpWith(
      "Examples:\n"
      "  fireweed storage cp data.csv gs://bucket/data/\n"
      "  fireweed storage cp -r 'gs://bucket/run-*' results\n"
      "  tar c . | fireweed storage cp - gs://bucket/all.tar\n"
      "An interrupted copy resumes when the same command is run again.");
  command->OnRun([copy, &settings] { Copy(*copy, settings); });

  auto move = std::make_shared<CopyCommand>();
  move->copy.move = move->copy.recursive = true;
  command = AddCopy(group, "mv", "Move or rename files and objects", *move);
  command->AddFlag("-r,-R,--recursive", move->copy.recursive,
                   "Accepted for compatibility: directories are always moved whole");
  command->EndHelpWith("Example:\n  fireweed storage mv gs://bucket/old gs://bucket/new");
  command->OnRun([move, &settings] { Copy(*move, settings); });

  auto sync = std::make_shared<SyncCommand>();
  command = group.AddCommand("rsync", "Synchronise a destination with its source");
  command->AddOption("source", sync->source, "Directory or gs://BUCKET/PREFIX")->Required();
  command->AddOption("destination", sync->destination, "Directory or gs://BUCKET/PREFIX")
      ->Required();
  command->AddFlag("-r,-R,--recursive", sync->sync.recursive, "Include subdirectories");
  command->AddFlag("-d,--delete-unmatched-destination-objects", sync->sync.rules.delete_extra,
                   "Delete at the destination what is not at the source");
  command->AddFlag("-c,--checksums-only", sync->sync.rules.compare_checksums,
                   "Compare checksums even where size and time agree");
  command->AddFlag("-n,--dry-run", sync->sync.dry_run, "Print what would be done");
  command->AddFlag("-i,--no-clobber", sync->sync.rules.skip_existing,
                   "Skip files that exist at the destination");
  command->AddFlag("-u,--skip-if-dest-has-newer-mtime", sync->sync.rules.skip_newer,
                   "Skip files that are newer at the destination");
  command->AddFlag("-P,--preserve-posix", sync->sync.preserve,
                   "Accepted for compatibility: times are always preserved");
  command->AddOption("-x,--exclude", sync->sync.exclude, "Regular expression of names to skip")
      ->OneWordEach();
  command->AddFlag("-C,--continue-on-error", sync->transfer.continue_on_error,
                   "Continue with the others if one fails");
  command->AddOption("-j,--jobs", sync->transfer.threads, "Number of parallel transfers")
      ->Between(1, 128)
      ->ShowDefault();
  command->AddFlag("-q,--quiet", sync->transfer.quiet, "Print failures only");
  sync->sync.settings.AddTo(*command);
  command->EndHelpWith(
      "Example:\n  fireweed storage rsync -r -d checkpoints gs://bucket/checkpoints");
  command->OnRun([sync, &settings] { Sync(*sync, settings); });
}

}  // namespace fireweed::cli
